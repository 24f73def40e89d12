import { sourceMatcher } from "../syntax/csp/csp-match.ts";
import { type CspSource, parseCspSource } from "../syntax/csp/csp-source.ts";
import { type SeenResource, maliciousReasons, resourceKinds } from "../zone/inventory-item.ts";
import { hashSource } from "./policy-decision.ts";

/** How closely a suggested policy names what it lets in. */
export const granularities = ["host", "path", "hash"] as const;

/** One of {@link granularities}. */
export type Granularity = (typeof granularities)[number];

/** Something that was seen and that the suggestion is not there to let in. */
export interface LeftOut {
  readonly resource: SeenResource;
  readonly reason: string;
  /** The source that lets it in all the same, since something good needs it; `undefined`: it stays out. */
  readonly letInBy: string | undefined;
}

/** A content security policy for a host, made from what was seen on it. */
export interface Suggestion {
  readonly host: string;
  /** How many resources it lets in. */
  readonly resources: number;
  /** Sources by directive, sorted; a directive of which nothing was seen is not there. */
  readonly directives: Readonly<Record<string, readonly string[]>>;
  readonly leftOut: readonly LeftOut[];
}

/** What decides a suggestion. */
interface SuggestOptions {
  readonly granularity: Granularity;
  readonly maliciousBelow: number;
}

const directiveNames = { script: "script-src", connection: "connect-src" } as const;

/** The fewest sources that let in what was seen on a host over https, malicious things left out. */
export function suggestPolicy(
  host: string,
  resources: readonly SeenResource[],
  { granularity, maliciousBelow }: SuggestOptions,
): Suggestion {
  const page = new URL(`https://${host}/`);
  const directives: Record<string, readonly string[]> = {};
  const leftOut: LeftOut[] = [];
  let count = 0;
  for (const kind of resourceKinds) {
    const wanted: Wanted[] = [];
    const outside: Omit<LeftOut, "letInBy">[] = [];
    for (const resource of resources) {
      if (resource.kind !== kind || !isSeenOn(resource, host)) continue;
      const reasons = maliciousReasons(resource, maliciousBelow).join(", ");
      const named = reasons === "" ? sourceFor(resource, page, granularity) : undefined;
      if (named !== undefined) wanted.push(named);
      else outside.push({ resource, reason: reasons || "no source can name it" });
    }
    const sources = fewest(wanted, page);
    const matching = sourceMatcher(sources);
    if (sources.length > 0) directives[directiveNames[kind]] = sources.map(({ text }) => text);
    for (const each of outside) {
      const url = URL.parse(each.resource.url);
      leftOut.push({ ...each, letInBy: url === null ? undefined : matching(url, page)[0]?.text });
    }
    count += wanted.length;
  }
  return { host, resources: count, directives, leftOut };
}

/** Something that is to be let in, and the source that does it. */
interface Wanted {
  readonly url: URL;
  readonly source: string;
}

function isSeenOn({ host, firstPageUrl, pageUrls }: SeenResource, wanted: string): boolean {
  const pages = [firstPageUrl, ...pageUrls].map((url) => URL.parse(url)?.host);
  return host === wanted || pages.includes(wanted);
}

/** The source that names a resource; `undefined` where none can. */
function sourceFor(
  resource: SeenResource,
  page: URL,
  granularity: Granularity,
): Wanted | undefined {
  const url = URL.parse(resource.url);
  if (url === null) return undefined;
  const hash =
    granularity === "hash" && resource.kind === "script" ? hashSource(resource.hash) : "";
  if (hash !== "") return { url, source: hash };
  const source = sourceText(url, page, granularity);
  const matching = sourceMatcher([parseCspSource(source, 0)]);
  return matching(url, page).length > 0 ? { url, source } : undefined;
}

function sourceText(url: URL, page: URL, granularity: Granularity): string {
  if (url.origin === page.origin && granularity === "host") return "'self'";
  const scheme = url.protocol === "https:" ? "" : `${url.protocol}//`;
  if (granularity === "host") return `${scheme}${url.host}`;
  const path = granularity === "hash" ? url.pathname : url.pathname.replace(/[^/]*$/, "");
  return `${scheme}${url.host}${path === "/" ? "" : asSourcePath(path)}`;
}

/** Semicolons and commas would end the source (SERVICE.md E.2). */
function asSourcePath(path: string): string {
  return path.replaceAll(";", "%3B").replaceAll(",", "%2C");
}

/** Sorted, without those of which everything is let in by others: the closest ones go first. */
function fewest(wanted: readonly Wanted[], page: URL): readonly CspSource[] {
  const texts = [...new Set(wanted.map(({ source }) => source))].toSorted();
  const sources = new Map(texts.map((text) => [text, parseCspSource(text, 0)]));
  const matching = sourceMatcher([...sources.values()]);
  const users = wanted.flatMap(({ url, source }) => {
    const by = new Set([source, ...matching(url, page).map(({ text }) => text)]);
    return [...by].map((text) => ({ text, by }));
  });
  const usersOf = Map.groupBy(users, ({ text }) => text);
  for (const text of texts.toSorted((a, b) => b.length - a.length)) {
    const own = usersOf.get(text) ?? [];
    if (!own.every(({ by }) => by.size > 1)) continue;
    sources.delete(text);
    for (const { by } of own) by.delete(text);
  }
  return [...sources.values()];
}
