import type { CspHost, CspSource } from "./csp-source.ts";
import { type AppliedDirective, appliedDirective, distinctDirectives, parseCsp } from "./csp.ts";

/** Kinds of requests that policies distinguish. */
export type CspRequest = "script" | "connection";

/** The sources that match a URL loaded by a page; none means blocked. */
type MatchSources = (url: URL, page: URL) => readonly CspSource[];

/** The directive of each kind of request; its fallbacks apply if it is absent. */
const directives = { script: "script-src-elem", connection: "connect-src" } as const;

/**
 * The directive that applies to requests of one kind; `undefined`: none, so that all are allowed.
 */
export function effectiveDirective(
  policy: string,
  request: CspRequest,
): AppliedDirective | undefined {
  const named = distinctDirectives(parseCsp(policy));
  const sources = new Map(named.map((directive) => [directive.name, directive.sources]));
  return appliedDirective(sources, directives[request]);
}

/**
 * Prepares sources for matching many URLs, as browsers do (CSP Level 3, "Does url match source
 * list"). Sources are indexed by host, so that a URL is compared with few of a long list.
 */
export function sourceMatcher(sources: readonly CspSource[]): MatchSources {
  const byHost = sourcesByHost(sources);
  // Many URLs share a host.
  const known = new Map<string, readonly CspSource[]>();
  const naming = (hostname: string): readonly CspSource[] => {
    const found = [...hostsAbove(hostname), "*"].flatMap((host) => byHost.get(host) ?? []);
    known.set(hostname, found);
    return found;
  };
  return (url, page) =>
    (known.get(url.hostname) ?? naming(url.hostname)).filter((source) =>
      matchesSource(source, url, page),
    );
}

/** Sources by the host that they name; those that name none are at `*`. */
export function sourcesByHost(
  sources: readonly CspSource[],
): ReadonlyMap<string, readonly CspSource[]> {
  return Map.groupBy(sources, (source) => (source.kind === "host" ? source.host : "*"));
}

/** A host and the wildcards that include it. */
export function hostsAbove(host: string): readonly string[] {
  const hosts = [host];
  for (let dot = host.indexOf("."); dot >= 0; dot = host.indexOf(".", dot + 1)) {
    hosts.push(`*${host.slice(dot)}`);
  }
  return hosts;
}

export type UrlParts = Readonly<Pick<URL, "protocol" | "hostname" | "port" | "pathname">>;

/**
 * Whether a source that names the host of a URL matches it on a page (CSP Level 3, "Does url match
 * expression").
 */
export function matchesSource(source: CspSource, url: UrlParts, page: UrlParts): boolean {
  switch (source.kind) {
    case "star":
      return isNetwork(url) || url.protocol === page.protocol;
    case "self":
      return matchesSelf(url, page);
    case "scheme":
      return matchesScheme(source.scheme, url);
    case "host":
      return matchesHost(source, url, page);
    case "none":
    case "keyword":
    case "hash":
    case "nonce":
    case "other":
      return false;
  }
}

function isNetwork({ protocol }: UrlParts): boolean {
  return ["http:", "https:", "ws:", "wss:"].includes(protocol);
}

/**
 * The encrypted scheme that a scheme also matches. In CSP Level 3 `https:` and `ws:` match sockets
 * and requests alike; browsers distinguish them (test/proof/csp-browser.proof.ts).
 */
const upgrades: Readonly<Record<string, string>> = { http: "https", ws: "wss" };

function matchesScheme(scheme: string, { protocol }: UrlParts): boolean {
  const actual = protocol.slice(0, -1);
  return actual === scheme || actual === upgrades[scheme];
}

export const defaultPorts: Readonly<Record<string, string>> = {
  "http:": "80",
  "https:": "443",
  "ws:": "80",
  "wss:": "443",
};

function portOf({ protocol, port }: UrlParts): string {
  return port === "" ? (defaultPorts[protocol] ?? "") : port;
}

/**
 * The page's origin, and encrypted schemes of its host if both ports are the defaults or the URL
 * has the page's port: on `http://h:443`, `'self'` does not match `https://h`.
 */
function matchesSelf(url: UrlParts, page: UrlParts): boolean {
  if (url.hostname !== page.hostname) return false;
  if (url.port !== page.port && url.port !== portOf(page)) return false;
  return (
    url.protocol === page.protocol ||
    url.protocol === "https:" ||
    url.protocol === "wss:" ||
    (page.protocol === "http:" && url.protocol === "ws:")
  );
}

function matchesHost(source: CspHost, url: UrlParts, page: UrlParts): boolean {
  const scheme = source.scheme ?? page.protocol.slice(0, -1);
  return (
    url.hostname !== "" &&
    matchesPort(source.port, `${scheme}:`, url) &&
    matchesScheme(scheme, url) &&
    matchesPath(source.path, url.pathname)
  );
}

/**
 * If the URL has the encrypted scheme instead of the one in the source, browsers require its
 * default port.
 */
function matchesPort(wanted: string | undefined, protocol: string, url: UrlParts): boolean {
  if (wanted === "*") return true;
  const isUsual = url.port === "";
  if (wanted === undefined) return isUsual;
  if (Number(wanted) === Number(portOf(url))) {
    return protocol === url.protocol || (isUsual && url.protocol === "https:");
  }
  return isUsual && protocol !== url.protocol && Number(wanted) === 80;
}

/**
 * Compares percent-decoded segments; a trailing slash matches everything below. Queries are
 * ignored.
 */
function matchesPath(path: string, actual: string): boolean {
  const [wanted = ""] = path.split(/[?#]/, 1);
  if (wanted === "" || wanted === "/") return true;
  const [own, other] = [wanted.split("/"), actual.split("/")];
  const isPrefix = wanted.endsWith("/");
  if (isPrefix ? own.length > other.length : own.length !== other.length) return false;
  return (isPrefix ? own.slice(0, -1) : own).every(
    (segment, index) => decoded(segment) === decoded(other[index] ?? ""),
  );
}

/** Percent-decodes each byte to one character. */
function decoded(segment: string): string {
  return segment.replaceAll(/%([0-9a-f]{2})/gi, (_escape, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );
}
