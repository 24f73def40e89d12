import {
  type InventoryOptions,
  summarizeInventory,
  type ZoneInventory,
} from "../state/inventory.ts";
import { byEntryName } from "../syntax/by-text.ts";
import type { Json, JsonObject } from "../syntax/json.ts";
import {
  type Cookie,
  type Item,
  type ItemKind,
  maliciousReasons,
  type ScriptVersion,
  type SeenResource,
} from "../zone/inventory-item.ts";
import { csvText } from "./csv-cell.ts";
import { plural, printable } from "./format.ts";

/** How each attribute of JSON and CSV is read, by its name in the service's API. `undefined`: not known. */
type Attributes<T> = Readonly<
  Record<string, (item: T, maliciousBelow: number) => Json | Date | undefined>
>;

const ofItem: Attributes<Item> = {
  id: ({ id }) => id,
  host: ({ host }) => host,
  first_seen_at: ({ firstSeenAt }) => firstSeenAt,
  last_seen_at: ({ lastSeenAt }) => lastSeenAt,
  first_page_url: ({ firstPageUrl }) => firstPageUrl,
  page_urls: ({ pageUrls }) => pageUrls,
};

const ofResource: Attributes<SeenResource> = {
  url: ({ url }) => url,
  status: ({ status }) => status,
  added_at: ({ addedAt }) => addedAt,
  url_contains_cdn_cgi_path: ({ urlContainsCdnCgi }) => urlContainsCdnCgi,
  url_reported_malicious: ({ urlReportedMalicious }) => urlReportedMalicious,
  domain_reported_malicious: ({ domainReportedMalicious }) => domainReportedMalicious,
  malicious_categories: ({ maliciousCategories }) => maliciousCategories,
  malicious: (item, maliciousBelow) => maliciousReasons(item, maliciousBelow).length > 0,
  malicious_reasons: maliciousReasons,
};

const ofVersion: Attributes<ScriptVersion> = {
  hash: ({ hash }) => hash,
  js_integrity_score: ({ scores }) => scores.integrity,
  malware_score: ({ scores }) => scores.malware,
  cryptomining_score: ({ scores }) => scores.cryptomining,
  magecart_score: ({ scores }) => scores.magecart,
  fetched_at: ({ fetchedAt }) => fetchedAt,
};

const ofCookie: Attributes<Cookie> = {
  name: ({ name }) => name,
  type: ({ type }) => type,
  domain_attribute: ({ domain }) => domain,
  path_attribute: ({ path }) => path,
  expires_attribute: ({ expiresAt }) => expiresAt,
  max_age_attribute: ({ maxAge }) => maxAge,
  http_only_attribute: ({ httpOnly }) => httpOnly,
  secure_attribute: ({ secure }) => secure,
  same_site_attribute: ({ sameSite }) => sameSite,
};

/** Columns by kind. The versions of a script do not fit in a cell. */
const columns: Readonly<Record<ItemKind, readonly string[]>> = {
  script: ["zone", ...Object.keys({ ...ofItem, ...ofResource, ...ofVersion })],
  connection: ["zone", ...Object.keys({ ...ofItem, ...ofResource })],
  cookie: ["zone", ...Object.keys({ ...ofItem, ...ofCookie })],
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
      return heads.map((column) => row[column]);
    }),
  );
  return csvText([heads, ...lines]);
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

function flagsOf({ httpOnly, secure, sameSite, type }: Cookie): string {
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
  const json = <T>(attributes: Attributes<T>, of: T): JsonObject =>
    Object.fromEntries(
      Object.entries(attributes).map(([name, read]) => {
        const value = read(of, maliciousBelow);
        return [name, value instanceof Date ? value.toISOString() : (value ?? null)];
      }),
    );
  const common = json(ofItem, item);
  if (item.kind === "cookie") return { ...common, ...json(ofCookie, item) };
  const resource = { ...common, ...json(ofResource, item) };
  if (item.kind === "connection") return resource;
  const versions = item.versions.map((version) => json(ofVersion, version));
  return { ...resource, ...json(ofVersion, item), versions };
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
