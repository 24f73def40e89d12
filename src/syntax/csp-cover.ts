import type { CspHost, CspSource } from "./csp-source.ts";

/** Finds a source that matches everything its argument matches, the argument itself aside. */
export type FindCover = (narrow: CspSource) => CspSource | undefined;

/**
 * Whether every URL that `narrow` matches is matched by `wide` on any page (api-facts E.2).
 *
 * A host without scheme takes the page's own, which is not known here: so `https:` does not cover
 * `cdn.example.com`, since on a page without encryption that host may be reached without it.
 */
export function covers(wide: CspSource, narrow: CspSource): boolean {
  if (wide.text === narrow.text) return true;
  if (wide.kind === "star") return isOnTheWeb(narrow);
  if (wide.kind === "host") return narrow.kind === "host" && coversHost(wide, narrow);
  if (wide.kind !== "scheme") return false;
  if (narrow.kind === "host") return coversHostScheme(wide.scheme, narrow.scheme);
  return narrow.kind === "scheme" && coversScheme(wide.scheme, narrow.scheme);
}

/** Prepares looking for covers among `sources`: by host name, so that long lists stay fast. */
export function coversAmong(sources: readonly CspSource[]): FindCover {
  const byHost = new Map<string, CspSource[]>();
  for (const source of sources) {
    const places = source.kind === "host" ? source.host : "*";
    const bucket = byHost.get(places) ?? [];
    // Beyond this many sources of one host a cover may be overlooked, which only costs advice.
    if (bucket.length < 16) bucket.push(source);
    byHost.set(places, bucket);
  }
  return (narrow) =>
    placesOf(narrow)
      .flatMap((place) => byHost.get(place) ?? [])
      .find((wide) => wide.text !== narrow.text && covers(wide, narrow));
}

/** Under which hosts a cover can stand: everything, the same host, and wildcards above it. */
function placesOf(source: CspSource): readonly string[] {
  if (source.kind !== "host" || source.host.length > 253) return ["*"];
  const labels = source.host.split(".");
  const parents = labels.slice(1).map((_, index) => `*.${labels.slice(index + 1).join(".")}`);
  return ["*", source.host, ...parents.filter((parent) => parent !== source.host)];
}

function isOnTheWeb(source: CspSource): boolean {
  if (source.kind === "self") return true;
  const scheme = schemeOf(source);
  return scheme === undefined ? source.kind === "host" : coversScheme("http", scheme);
}

function schemeOf(source: CspSource): string | undefined {
  return source.kind === "scheme" || source.kind === "host" ? source.scheme : undefined;
}

const upgrades: ReadonlyMap<string, readonly string[]> = new Map([
  ["http", ["https"]],
  ["ws", ["wss", "http", "https"]],
  ["wss", ["https"]],
]);

function coversScheme(wide: string, narrow: string): boolean {
  return wide === narrow || (upgrades.get(wide)?.includes(narrow) ?? false);
}

function coversHost(wide: CspHost, narrow: CspHost): boolean {
  return (
    coversHostScheme(wide.scheme, narrow.scheme) &&
    coversName(wide.host, narrow.host) &&
    coversPort(wide, narrow) &&
    coversPath(wide.path, narrow.path)
  );
}

/** Where a side has no scheme it has the page's, which is http or https, or the safer one of the two. */
function coversHostScheme(wide: string | undefined, narrow: string | undefined): boolean {
  if (wide === narrow) return true;
  if (narrow === undefined) return wide === "http" || wide === "ws";
  return wide === undefined ? narrow === "https" : coversScheme(wide, narrow);
}

function coversName(wide: string, narrow: string): boolean {
  return (
    wide === "*" || wide === narrow || (wide.startsWith("*.") && narrow.endsWith(wide.slice(1)))
  );
}

const defaultPorts: ReadonlyMap<string, string> = new Map([
  ["http", "80"],
  ["https", "443"],
  ["ws", "80"],
  ["wss", "443"],
]);

function coversPort(wide: CspHost, narrow: CspHost): boolean {
  if (wide.port === narrow.port || wide.port === "*") return true;
  const isDefault = narrow.scheme !== undefined && defaultPorts.get(narrow.scheme) === narrow.port;
  return wide.port === undefined && isDefault;
}

/** No path matches all, one that ends in a slash all below it, any other itself. */
function coversPath(wide: string, narrow: string): boolean {
  return (
    wide === "" ||
    wide === "/" ||
    wide === narrow ||
    (wide.endsWith("/") && narrow.startsWith(wide))
  );
}
