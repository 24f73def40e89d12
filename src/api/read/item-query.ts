import {
  itemKinds,
  resourceKinds,
  resourceStatuses,
  type ItemKind,
} from "../../zone/inventory-item.ts";

/** What a list of detected items can be narrowed by (SERVICE.md A.3); an empty list and `undefined` narrow nothing. */
export interface ItemFilters {
  /** Hosts of the zone; `*` at the start and end. */
  readonly hosts: readonly string[];
  /** Pages; `*` at the start and end. */
  readonly pageUrls: readonly string[];
  /** Parts of URLs, of which one must be contained. */
  readonly urls: readonly string[];
  /** Parts of URLs, of which none may be contained. */
  readonly excludeUrls: readonly string[];
  /** `active`, `infrequent`, `inactive`; the service shows active ones where none is named. */
  readonly statuses: readonly string[];
  readonly excludeCdnCgi: boolean | undefined;
  readonly excludeDuplicates: boolean | undefined;
  readonly prioritizeMalicious: boolean | undefined;
  readonly orderBy: "first_seen_at" | "last_seen_at" | undefined;
  readonly direction: "asc" | "desc" | undefined;
  /** Of a cookie; `*` at the start and end. */
  readonly name: string | undefined;
  readonly path: string | undefined;
  readonly domain: string | undefined;
  readonly secure: boolean | undefined;
  readonly httpOnly: boolean | undefined;
  readonly sameSite: string | undefined;
  readonly type: string | undefined;
}

/** What the service shows by itself, which is not all (SERVICE.md A.3). */
export const noFilters: ItemFilters = {
  hosts: [],
  pageUrls: [],
  urls: [],
  excludeUrls: [],
  statuses: [],
  excludeCdnCgi: undefined,
  excludeDuplicates: undefined,
  prioritizeMalicious: undefined,
  orderBy: undefined,
  direction: undefined,
  name: undefined,
  path: undefined,
  domain: undefined,
  secure: undefined,
  httpOnly: undefined,
  sameSite: undefined,
  type: undefined,
};

/** Everything that was seen, whatever became of it since: by itself the service hides most of it (SERVICE.md A.3). */
export const everythingSeen: ItemFilters = {
  ...noFilters,
  statuses: resourceStatuses,
  excludeDuplicates: false,
};

/** Names of the parameters, and which lists know them (SERVICE.md A.3). */
const parameters: readonly (readonly [keyof ItemFilters, string, readonly ItemKind[]])[] = [
  ["hosts", "hosts", itemKinds],
  ["pageUrls", "page_url", itemKinds],
  ["orderBy", "order_by", itemKinds],
  ["direction", "direction", itemKinds],
  ["urls", "urls", resourceKinds],
  ["excludeUrls", "exclude_urls", resourceKinds],
  ["statuses", "status", resourceKinds],
  ["excludeCdnCgi", "exclude_cdn_cgi", resourceKinds],
  ["prioritizeMalicious", "prioritize_malicious", resourceKinds],
  ["excludeDuplicates", "exclude_duplicates", ["script"]],
  ["name", "name", ["cookie"]],
  ["path", "path", ["cookie"]],
  ["domain", "domain", ["cookie"]],
  ["secure", "secure", ["cookie"]],
  ["httpOnly", "http_only", ["cookie"]],
  ["sameSite", "same_site", ["cookie"]],
  ["type", "type", ["cookie"]],
];

/** Filters as the query of a list; those that the list does not know are left out. */
export function queryOf(kind: ItemKind, filters: ItemFilters): Readonly<Record<string, string>> {
  const known = parameters.filter(([, , kinds]) => kinds.includes(kind));
  return Object.fromEntries(
    known.flatMap(([field, name]) => {
      const value = filters[field];
      const text = Array.isArray(value) ? value.join(",") : String(value ?? "");
      return text === "" ? [] : [[name, text]];
    }),
  );
}
