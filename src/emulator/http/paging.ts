import type { WireResultInfo } from "../../api/wire.ts";
import { queryInteger } from "./query.ts";

/** The page of `all` that a query asks for, with its `result_info`. */
export function pageOf<T>(
  all: readonly T[],
  query: URLSearchParams,
  least: number,
  most: number,
  usual: number,
): { readonly items: readonly T[]; readonly info: WireResultInfo } {
  const page = queryInteger(query, "page", 1, 1_000_000_000) ?? 1;
  const perPage = queryInteger(query, "per_page", least, most) ?? usual;
  const items = all.slice((page - 1) * perPage, page * perPage);
  return {
    items,
    info: {
      page,
      per_page: perPage,
      count: items.length,
      total_count: all.length,
      total_pages: Math.ceil(all.length / perPage),
    },
  };
}
