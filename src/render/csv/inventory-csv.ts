import { type InventoryOptions, type ZoneInventory, itemJson } from "../../state/inventory.ts";
import { type Json, type JsonObject, canonicalJson } from "../../syntax/json.ts";
import type { ItemKind } from "../../zone/inventory-item.ts";

const common = [
  "zone",
  "id",
  "host",
  "first_seen_at",
  "last_seen_at",
  "first_page_url",
  "page_urls",
] as const;

const resource = [
  ...common,
  "url",
  "status",
  "added_at",
  "url_contains_cdn_cgi_path",
  "url_reported_malicious",
  "domain_reported_malicious",
  "malicious_categories",
  "malicious",
  "malicious_reasons",
] as const;

/** Everything that is told of an item, but the versions of a script: they are no cell. */
const columns: Readonly<Record<ItemKind, readonly string[]>> = {
  script: [
    ...resource,
    "hash",
    "js_integrity_score",
    "malware_score",
    "cryptomining_score",
    "magecart_score",
    "fetched_at",
  ],
  connection: resource,
  cookie: [
    ...common,
    "name",
    "type",
    "domain_attribute",
    "path_attribute",
    "expires_attribute",
    "max_age_attribute",
    "http_only_attribute",
    "secure_attribute",
    "same_site_attribute",
  ],
};

/**
 * Inventories of a kind as CSV (RFC 4180): the heads, then a line for each item, lists joined by spaces.
 *
 * Names and addresses come from strangers: what a spreadsheet would take for a formula is quoted away.
 */
export function inventoryCsv(
  kind: ItemKind,
  inventories: readonly ZoneInventory[],
  { maliciousBelow }: InventoryOptions,
): string {
  const heads = columns[kind];
  const lines = inventories.flatMap(({ zone, items }) =>
    items.map((item) => {
      const row: JsonObject = { zone, ...itemJson(item, maliciousBelow) };
      return heads.map((column) => csvCell(row[column]));
    }),
  );
  return [heads, ...lines].map((cells) => `${cells.join(",")}\r\n`).join("");
}

function csvCell(value: JsonObject[string] | undefined): string {
  if (value === undefined || value === null) return "";
  const parts = Array.isArray(value) ? value : [value];
  const text = parts
    .map((part: Json) => (typeof part === "string" ? part : canonicalJson(part)))
    .join(" ");
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
