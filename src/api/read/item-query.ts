import {
  itemKinds,
  resourceKinds,
  resourceStatuses,
  type ItemKind,
} from "../../zone/inventory-item.ts";

/**
 * The filters of an inventory list (SERVICE.md A.3); an empty list and `undefined` filter nothing.
 */
export interface ItemFilters {
  /** Hosts of the zone; `*` at the start and end. */
  readonly hosts: readonly string[];
  /** Pages; `*` at the start and end. */
  readonly pageUrls: readonly string[];
  /** The URL must contain one of these. */
  readonly urls: readonly string[];
  /** The URL must contain none of these. */
  readonly excludeUrls: readonly string[];
  /** `active`, `infrequent`, `inactive`; without any, the service lists active items only. */
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

/** The defaults of the service, which hide items (SERVICE.md A.3). */
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

/**
 * All items on record, whatever their status: by default the service hides most of them
 * (SERVICE.md A.3).
 */
export const everythingSeen: ItemFilters = {
  ...noFilters,
  statuses: resourceStatuses,
  excludeDuplicates: false,
};

/** The query parameters, and the lists that support them (SERVICE.md A.3). */
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

/** The query for a list; without filters that the list does not support. */
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
