import type { SeenResource } from "../zone/inventory-item.ts";
import type { PageFacts } from "./selects-page.ts";

/** A resource with its address and the pages on which it was seen. */
export interface Seen {
  readonly resource: SeenResource;
  readonly url: URL;
  readonly pages: readonly PageFacts[];
}

/** Finds the addresses of what was seen, and of its pages. What has no URL that can be read is left out. */
export function seenResources(resources: readonly SeenResource[]): readonly Seen[] {
  const pages = new Map<string, PageFacts | undefined>();
  return resources.flatMap((resource) => {
    const url = URL.parse(resource.url);
    return url === null ? [] : [{ resource, url, pages: pagesOf(resource, pages) }];
  });
}

/** The pages that the service named, the first alone in most lists (SERVICE.md A.4); where it named none, their host. */
function pagesOf(
  { pageUrls, firstPageUrl, host }: SeenResource,
  known: Map<string, PageFacts | undefined>,
): readonly PageFacts[] {
  const named = pageUrls.length > 0 ? pageUrls : [firstPageUrl];
  const pages = named.flatMap((url) => pageOf(url, false, known) ?? []);
  return pages.length > 0 ? pages : [pageOf(`https://${host}/`, true, known) ?? []].flat();
}

function pageOf(
  text: string,
  hostOnly: boolean,
  known: Map<string, PageFacts | undefined>,
): PageFacts | undefined {
  const key = `${hostOnly ? "host " : ""}${text}`;
  const found = known.get(key);
  if (found !== undefined || known.has(key)) return found;
  const url = URL.parse(text);
  const page = url === null ? undefined : { url, hostOnly };
  known.set(key, page);
  return page;
}
