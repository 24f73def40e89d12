import { byEntryName } from "../syntax/by-text.ts";
import { sourceMatcher } from "../syntax/csp/csp-match.ts";
import { type CspSource, parseCspSource } from "../syntax/csp/csp-source.ts";
import { type SeenResource, maliciousReasons, resourceKinds } from "../zone/inventory-item.ts";
import { hashSource } from "./policy-decision.ts";

/** How specific the sources of a suggested policy are. */
export const granularities = ["host", "path", "hash"] as const;

export type Granularity = (typeof granularities)[number];

export interface LeftOutResource {
  readonly resource: SeenResource;
  readonly reason: string;
  /**
   * The source that allows it all the same, because another resource needs it; `undefined`: it is
   * blocked.
   */
  readonly letInBy: string | undefined;
}

/** A content security policy for a host, from the inventory of the host. */
export interface Suggestion {
  readonly host: string;
  /** Number of resources that it allows. */
  readonly resources: number;
  /** Sorted sources by directive; directives without resources are absent. */
  readonly directives: Readonly<Record<string, readonly string[]>>;
  readonly leftOut: readonly LeftOutResource[];
}

interface SuggestOptions {
  readonly granularity: Granularity;
  readonly maliciousBelow: number;
}

const directiveNames = { script: "script-src", connection: "connect-src" } as const;

/** The fewest sources that allow the resources of a host over https, except malicious ones. */
export function suggestPolicy(
  host: string,
  resources: readonly SeenResource[],
  { granularity, maliciousBelow }: SuggestOptions,
): Suggestion {
  const page = new URL(`https://${host}/`);
  const directives: Record<string, readonly string[]> = {};
  const leftOut: LeftOutResource[] = [];
  let count = 0;
  for (const kind of resourceKinds) {
    const wanted: Wanted[] = [];
    const outside: Omit<LeftOutResource, "letInBy">[] = [];
    for (const resource of resources) {
      if (resource.kind !== kind || !isSeenOn(resource, host)) continue;
      const reasons = maliciousReasons(resource, maliciousBelow).join(", ");
      const named = reasons === "" ? sourceFor(resource, page, granularity) : undefined;
      if (named !== undefined) wanted.push(named);
      else outside.push({ resource, reason: reasons || "no source matches it" });
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

interface Wanted {
  readonly url: URL;
  readonly source: string;
}

function isSeenOn({ host, firstPageUrl, pageUrls }: SeenResource, wanted: string): boolean {
  const pages = [firstPageUrl, ...pageUrls].map((url) => URL.parse(url)?.host);
  return host === wanted || pages.includes(wanted);
}

/** The source for a resource; `undefined` if no source matches it. */
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
  const matching = sourceMatcher([parseCspSource(source)]);
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

function fewest(wanted: readonly Wanted[], page: URL): readonly CspSource[] {
  const texts = [...new Set(wanted.map(({ source }) => source))].toSorted();
  const sources = new Map(texts.map((text) => [text, parseCspSource(text)]));
  const matching = sourceMatcher([...sources.values()]);
  const users = wanted.flatMap(({ url, source }) => {
    const by = new Set([source, ...matching(url, page).map(({ text }) => text)]);
    return [...by].map((text) => ({ text, by }));
  });
  const usersOf = Map.groupBy(users, ({ text }) => text);
  // In a fixed order, because of two that match the same only one stays.
  for (const [text, own] of [...usersOf].toSorted(byEntryName)) {
    if (!own.every(({ by }) => by.size > 1)) continue;
    sources.delete(text);
    for (const { by } of own) by.delete(text);
  }
  return [...sources.values()];
}
