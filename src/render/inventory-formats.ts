import {
  type InventoryOptions,
  summarizeInventory,
  type ZoneInventory,
} from "../state/inventory.ts";
import { byEntryName } from "../syntax/by-text.ts";
import { type JsonObject } from "../syntax/json.ts";
import { type Item, type ItemKind, maliciousReasons } from "../zone/inventory-item.ts";
import { csvCell } from "./csv-cell.ts";
import { plural, printable } from "./format.ts";

const commonColumns = [
  "zone",
  "id",
  "host",
  "first_seen_at",
  "last_seen_at",
  "first_page_url",
  "page_urls",
] as const;

const resourceColumns = [
  ...commonColumns,
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

/** Columns by kind. The versions of a script do not fit in a cell. */
const columns: Readonly<Record<ItemKind, readonly string[]>> = {
  script: [
    ...resourceColumns,
    "hash",
    "js_integrity_score",
    "malware_score",
    "cryptomining_score",
    "magecart_score",
    "fetched_at",
  ],
  connection: resourceColumns,
  cookie: [
    ...commonColumns,
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
 * Inventories of a kind as CSV (RFC 4180): a header, then a line for each item, lists joined by spaces. Names and URLs
 * are untrusted: a cell that a spreadsheet would read as a formula is quoted.
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

/** A table: column heads, and rows of cells. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export function inventoryTable(
  kind: ItemKind,
  items: readonly Item[],
  maliciousBelow: number,
): Table {
  return {
    head: heads[kind],
    rows: items.map((item) => cellsOf(item, maliciousBelow).map(printable)),
  };
}

const heads = {
  script: ["url", "host", "status", "score", "malicious", "first seen", "last seen", "id"],
  connection: ["url", "host", "status", "malicious", "first seen", "last seen", "id"],
  cookie: ["name", "host", "domain", "path", "flags", "first seen", "last seen", "id"],
} as const;

function cellsOf(item: Item, maliciousBelow: number): readonly string[] {
  const moments = [dayOf(item.firstSeenAt), dayOf(item.lastSeenAt), item.id];
  if (item.kind === "cookie") {
    return [item.name, item.host, item.domain, item.path, flagsOf(item), ...moments];
  }
  const reasons = maliciousReasons(item, maliciousBelow).join(", ");
  const score = item.kind === "script" ? [String(item.scores.integrity ?? "–")] : [];
  return [item.url, item.host, item.status, ...score, reasons || "no", ...moments];
}

function flagsOf({ httpOnly, secure, sameSite, type }: Extract<Item, { kind: "cookie" }>): string {
  return [
    ...(httpOnly === true ? ["http-only"] : []),
    ...(secure === true ? ["secure"] : []),
    ...(sameSite === "" ? [] : [sameSite]),
    ...(type === "first_party" ? [] : [type]),
  ].join(" ");
}

/** A timestamp to the minute; JSON and CSV have the exact one. */
function dayOf(moment: Date | undefined): string {
  return moment?.toISOString().slice(0, 16).replace("T", " ") ?? "–";
}

/** An item with all its attributes, named as in the service's API, and why it is malicious. */
export function itemJson(item: Item, maliciousBelow: number): JsonObject {
  const common = {
    id: item.id,
    host: item.host,
    first_seen_at: momentText(item.firstSeenAt),
    last_seen_at: momentText(item.lastSeenAt),
    first_page_url: item.firstPageUrl,
    page_urls: item.pageUrls,
  };
  if (item.kind === "cookie") {
    return {
      ...common,
      name: item.name,
      type: item.type,
      domain_attribute: item.domain,
      path_attribute: item.path,
      expires_attribute: momentText(item.expiresAt),
      max_age_attribute: item.maxAge ?? null,
      http_only_attribute: item.httpOnly ?? null,
      secure_attribute: item.secure ?? null,
      same_site_attribute: item.sameSite,
    };
  }
  const reasons = maliciousReasons(item, maliciousBelow);
  const resource = {
    ...common,
    url: item.url,
    status: item.status,
    added_at: momentText(item.addedAt),
    url_contains_cdn_cgi_path: item.urlContainsCdnCgi,
    url_reported_malicious: item.urlReportedMalicious,
    domain_reported_malicious: item.domainReportedMalicious,
    malicious_categories: item.maliciousCategories,
    malicious: reasons.length > 0,
    malicious_reasons: reasons,
  };
  if (item.kind === "connection") return resource;
  return {
    ...resource,
    ...versionJson(item),
    versions: item.versions.map(versionJson),
  };
}

function versionJson(version: Extract<Item, { kind: "script" }>["versions"][number]): JsonObject {
  const { integrity, malware, cryptomining, magecart } = version.scores;
  return {
    hash: version.hash,
    js_integrity_score: integrity ?? null,
    malware_score: malware ?? null,
    cryptomining_score: cryptomining ?? null,
    magecart_score: magecart ?? null,
    fetched_at: momentText(version.fetchedAt),
  };
}

function momentText(moment: Date | undefined): string | null {
  return moment?.toISOString() ?? null;
}

/** Format of {@link inventoryJson}. */
export const inventoryFormat = "zonewarden-inventory/1";

export function inventoryJson(
  inventories: readonly ZoneInventory[],
  options: InventoryOptions,
): JsonObject {
  return {
    format: inventoryFormat,
    malicious_below: options.maliciousBelow,
    zones: inventories.map((inventory) => ({
      zone: inventory.zone,
      kind: inventory.kind,
      summary: { ...summarizeInventory(inventory.items, options) },
      items: inventory.items.map((item) => itemJson(item, options.maliciousBelow)),
    })),
  };
}

export function summaryLine(inventory: ZoneInventory, options: InventoryOptions): string {
  const { zone, kind, items } = inventory;
  const { total, statuses, malicious, fresh, hosts } = summarizeInventory(items, options);
  if (total === 0) return `${zone}: no ${kind}s`;
  const states = Object.entries(statuses)
    .toSorted(byEntryName)
    .map(([status, count]) => `${count} ${status}`);
  const judged =
    kind === "cookie"
      ? []
      : [
          `${malicious} malicious (${kind === "script" ? `integrity score below ${options.maliciousBelow}, or reported` : "reported"})`,
        ];
  return [
    `${zone}: ${plural(total, kind)} from ${plural(hosts, "host")}`,
    ...states,
    ...judged,
    `${fresh} first seen in the last day`,
  ].join(", ");
}
