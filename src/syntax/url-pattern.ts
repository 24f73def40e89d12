import { matchesGlob } from "./glob.ts";

/** A pattern of URLs in parts, so that a `*` of one part never matches another part. */
interface UrlPattern {
  readonly scheme: string;
  /** With the port, in lower case. */
  readonly host: string;
  /** Path and query. */
  readonly rest: string;
}

/**
 * Finds the pattern, like `https://*.example.net/v3/*`, that matches a URL: of several the longest
 * one. A URL that cannot be parsed matches only itself.
 */
export function patternFinder(patterns: readonly string[]): (url: string) => string | undefined {
  const exact = new Map(patterns.map((pattern) => [canonicalUrlPattern(pattern), pattern]));
  const wide = patterns
    .filter((pattern) => pattern.includes("*"))
    .toSorted((a, b) => b.length - a.length)
    .map((pattern) => ({ pattern, parts: partsOf(pattern) }));
  return (url) => {
    const seen = URL.parse(url);
    if (seen === null || seen.host === "") return exact.get(url);
    const scheme = seen.protocol.slice(0, -1);
    const rest = `${seen.pathname}${seen.search}`;
    const same = exact.get(url) ?? exact.get(`${scheme}://${seen.host}${rest}`);
    if (same !== undefined) return same;
    const target = { scheme, host: seen.host, rest };
    return wide.find(({ parts }) => parts !== undefined && matchesParts(parts, target))?.pattern;
  };
}

/** Whether each URL that `inner` matches also matches `outer`. */
export function coversUrls(outer: string, inner: string): boolean {
  const [a, b] = [partsOf(outer), partsOf(inner)];
  // The stars of the inner pattern are characters that only stars of the outer one match.
  return a !== undefined && b !== undefined && matchesParts(a, b);
}

function matchesParts(pattern: UrlPattern, url: UrlPattern): boolean {
  return (
    matchesGlob(pattern.scheme, url.scheme) &&
    matchesGlob(pattern.host, url.host) &&
    matchesGlob(pattern.rest, url.rest)
  );
}

/**
 * Whether anybody can have a host that the pattern matches: what follows the last `*` of its host
 * is not a whole domain. Suffixes like `co.uk` are not known here.
 */
export function matchesForeignHosts(pattern: string): boolean {
  const { host = "*" } = partsOf(pattern) ?? {};
  const [, ...tails] = host.split("*");
  const tail = tails.at(-1);
  return tail !== undefined && !/^\.[^.]+(?:\.[^.]+)+$/.test(tail);
}

/** A pattern in the form that equal ones share. */
export function canonicalUrlPattern(pattern: string): string {
  const parts = partsOf(pattern);
  return parts === undefined ? pattern : `${parts.scheme}://${parts.host}${parts.rest}`;
}

/** Whether a page is one of a pattern of host and path without a scheme. */
export function matchesPage(pattern: string, pageUrl: string): boolean {
  return matchesGlob(pattern, pageUrl.replace(/^[a-z]+:\/\//i, ""));
}

function partsOf(pattern: string): UrlPattern | undefined {
  const [, scheme, host, rest] = /^([^:/]+):\/\/([^/]+)(\/.*)$/s.exec(pattern) ?? [];
  if (scheme === undefined || host === undefined || rest === undefined) return undefined;
  const standard = standardPorts.get(scheme);
  const written = host.toLowerCase();
  const isStandard = standard !== undefined && written.endsWith(standard);
  return { scheme, host: isStandard ? written.slice(0, -standard.length) : written, rest };
}

/** A parsed URL does not have the port that its scheme implies. */
const standardPorts = new Map([
  ["https", ":443"],
  ["http", ":80"],
]);
