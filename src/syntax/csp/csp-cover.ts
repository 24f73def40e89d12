import {
  type UrlParts,
  defaultPorts,
  hostsAbove,
  matchesSource,
  sourcesByHost,
} from "./csp-match.ts";
import type { CspSource } from "./csp-source.ts";

/** Finds another source that matches everything that its argument matches. */
export type FindCover = (narrow: CspSource) => CspSource | undefined;

/** Prepares a search for covers among `sources`, indexed by host so that long lists are fast. */
export function coversAmong(sources: readonly CspSource[]): FindCover {
  const byHost = sourcesByHost(sources.filter(({ kind }) => covering.has(kind)));
  return (narrow) => {
    const hasHost = narrow.kind === "host" && narrow.host.length <= 253;
    // With more than 16 sources of one host a cover can be missed, which only costs a warning.
    const candidates = ["*", ...(hasHost ? hostsAbove(narrow.host) : [])]
      .flatMap((host) => byHost.get(host)?.slice(0, 16) ?? [])
      .filter(({ text }) => text !== narrow.text);
    return candidates.length === 0 ? undefined : candidates.find(coverOf(narrow));
  };
}

/** Kinds of sources that can match all that another one matches. */
const covering: ReadonlySet<CspSource["kind"]> = new Set(["star", "scheme", "host"]);

/**
 * Whether `wide` matches every URL that `narrow` matches, on any page. A host without scheme has
 * that of the page, which is not known: `https:` does not cover `cdn.example.com`, which an
 * unencrypted page can load unencrypted.
 */
function coverOf(narrow: CspSource): (wide: CspSource) => boolean {
  const reached = reachOf(narrow);
  return (wide) => {
    if (narrow.kind === "self") return wide.kind === "star";
    return reached.length > 0 && reached.every(({ url, page }) => matchesSource(wide, url, page));
  };
}

interface Reached {
  readonly url: UrlParts;
  readonly page: UrlParts;
}

const pages = ["http:", "https:"].map((protocol) => urlOf(protocol, "", "any", "/"));
const protocols = Object.keys(defaultPorts);

/** Represents every port that is not the default of its scheme. */
const unusualPort = "1";

/**
 * URLs that represent all that a source matches: one of each scheme and port that sources
 * distinguish, with the host and path of the source.
 */
function reachOf(narrow: CspSource): readonly Reached[] {
  if (narrow.kind !== "host" && narrow.kind !== "scheme") return [];
  const { host = "*", port = "*", path = "" } = narrow.kind === "host" ? narrow : {};
  const [pathname = ""] = path.split(/[?#]/, 1);
  const ports = ["", port === "*" ? unusualPort : String(Number(port))];
  const urls = protocols.flatMap((protocol) =>
    ports.map((each) => urlOf(protocol, each, host, pathname || "/")),
  );
  return pages.flatMap((page) =>
    urls.flatMap((url) => (matchesSource(narrow, url, page) ? { url, page } : [])),
  );
}

function urlOf(protocol: string, port: string, hostname: string, pathname: string): UrlParts {
  return { protocol, hostname, port: defaultPorts[protocol] === port ? "" : port, pathname };
}
