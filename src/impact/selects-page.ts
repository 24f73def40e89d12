import { selects } from "../syntax/expression/evaluate-expression.ts";
import type { Expression } from "../syntax/expression/expression-tree.ts";

/** Whether an expression selects a page; `maybe` if it depends on more than the URL of the page. */
export type Selected = "yes" | "no" | "maybe";

export interface PageFacts {
  readonly url: URL;
  /** Only the host is known; the rest of the URL is a guess. */
  readonly hostOnly: boolean;
}

/** Whether `expression` selects requests for a page, as far as the page's URL decides it. */
export function selectsPage(expression: Expression, page: PageFacts): Selected {
  const selected = selects(expression, (field) => fieldOf(field, page));
  if (selected === undefined) return "maybe";
  return selected ? "yes" : "no";
}

/** Fields that depend on the URL of a page, before any rewriting (SERVICE.md A.7). */
function fieldOf(name: string, { url, hostOnly }: PageFacts): string | boolean | undefined {
  if (name === "http.host") return url.host;
  if (hostOnly) return undefined;
  const path = `${url.pathname}${url.search}`;
  const fields: Readonly<Record<string, string | boolean>> = {
    "http.request.uri.path": url.pathname,
    "http.request.uri.query": url.search.slice(1),
    "http.request.uri": path,
    "http.request.full_uri": `${url.origin}${path}`,
    ssl: url.protocol === "https:",
  };
  return fields[name.replace(/^raw\./, "")];
}
