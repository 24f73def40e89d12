/** The page on which a policy rules. */
export interface Page {
  readonly scheme: "http" | "https";
  readonly host: string;
}

const defaultPorts: Readonly<Record<string, string>> = {
  http: "80",
  https: "443",
  ws: "80",
  wss: "443",
};

/** Whether a source matches a URL, read from CSP Level 3 a second time: for URLs, not for sources. */
export function matches(source: string, url: URL, page: Page): boolean {
  const scheme = url.protocol.slice(0, -1);
  if (source === "*") return scheme === "http" || scheme === "https" || scheme === page.scheme;
  if (source === "'self'") return isOwnOrigin(url, scheme, page);
  if (source.startsWith("'")) return false;
  if (/^[a-z]+:$/.test(source)) return schemeMatches(source.slice(0, -1), scheme);
  return matchesHostSource(source, url, page);
}

function matchesHostSource(source: string, url: URL, page: Page): boolean {
  const scheme = url.protocol.slice(0, -1);
  const parts = /^(?:([a-z]+):\/\/)?([^:/]+)(?::([0-9*]+))?(\/.*)?$/.exec(source);
  const [, ownScheme, host = "", port, path = ""] = parts ?? [];
  return (
    schemeMatches(ownScheme ?? page.scheme, scheme) &&
    hostMatches(host, url.hostname) &&
    portMatches(port, url, scheme) &&
    pathMatches(path, url.pathname)
  );
}

function isOwnOrigin(url: URL, scheme: string, page: Page): boolean {
  const isDefaultPort = url.port === "" || url.port === defaultPorts[scheme];
  return url.hostname === page.host && schemeMatches(page.scheme, scheme) && isDefaultPort;
}

function schemeMatches(wanted: string, actual: string): boolean {
  if (wanted === actual) return true;
  if (wanted === "http") return actual === "https";
  if (wanted === "ws") return ["wss", "http", "https"].includes(actual);
  return wanted === "wss" && actual === "https";
}

function hostMatches(wanted: string, actual: string): boolean {
  if (wanted === "*") return true;
  return wanted.startsWith("*") ? actual.endsWith(wanted.slice(1)) : actual === wanted;
}

function portMatches(wanted: string | undefined, url: URL, scheme: string): boolean {
  const actual = url.port === "" ? defaultPorts[scheme] : url.port;
  if (wanted === undefined) return actual === defaultPorts[scheme];
  return wanted === "*" || wanted === actual;
}

function pathMatches(wanted: string, actual: string): boolean {
  if (wanted === "") return true;
  return wanted.endsWith("/") ? actual.startsWith(wanted) : actual === wanted;
}
