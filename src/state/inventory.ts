import { byEntryName } from "../syntax/by-text.ts";
import type { JsonObject } from "../syntax/json.ts";
import { type Item, type ItemKind, maliciousReasons } from "../zone/inventory-item.ts";
import type { ZoneName } from "../zone/zone.ts";
import { plural } from "./plural.ts";

/** What was read of one kind in one zone. */
export interface ZoneInventory {
  readonly zone: ZoneName;
  readonly kind: ItemKind;
  readonly items: readonly Item[];
}

/** What decides how an inventory is judged. */
export interface InventoryOptions {
  /** Integrity scores below this are malicious. */
  readonly maliciousBelow: number;
  readonly now: Date;
}

/** A zone's inventory in numbers. */
export interface InventorySummary {
  readonly total: number;
  /** By status, as the service calls them; cookies have none. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly malicious: number;
  /** First seen within the last day. */
  readonly fresh: number;
  readonly hosts: number;
}

const dayMs = 86_400_000;

/** Counts what was read of a zone. */
export function summarizeInventory(
  { items }: ZoneInventory,
  { maliciousBelow, now }: InventoryOptions,
): InventorySummary {
  const statuses: Record<string, number> = {};
  for (const item of items) {
    if (item.kind === "cookie" || item.status === "") continue;
    statuses[item.status] = (statuses[item.status] ?? 0) + 1;
  }
  return {
    total: items.length,
    statuses,
    malicious: items.filter((item) => maliciousReasons(item, maliciousBelow).length > 0).length,
    fresh: items.filter((item) => isNew(item, now)).length,
    hosts: new Set(items.map(originOf).filter((host) => host !== "")).size,
  };
}

/** Whether an item was first seen within the last day. */
export function isNew({ firstSeenAt }: Pick<Item, "firstSeenAt">, now: Date): boolean {
  return firstSeenAt !== undefined && Number(now) - Number(firstSeenAt) < dayMs;
}

/** Where an item comes from: the host of its URL, "" where it carries its content itself, or a cookie's domain. */
function originOf(item: Item): string {
  if (item.kind === "cookie") return item.domain;
  return URL.parse(item.url)?.host ?? item.url;
}

/** An item with all that is known of it, in the service's own words, and why it is malicious in ours. */
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

/** Inventories for programs. */
export function inventoryJson(
  inventories: readonly ZoneInventory[],
  options: InventoryOptions,
): JsonObject {
  return {
    format: "zonewarden-inventory/1",
    malicious_below: options.maliciousBelow,
    zones: inventories.map((inventory) => ({
      zone: inventory.zone,
      kind: inventory.kind,
      summary: { ...summarizeInventory(inventory, options) },
      items: inventory.items.map((item) => itemJson(item, options.maliciousBelow)),
    })),
  };
}

/** A zone's inventory in one line. */
export function summaryLine(inventory: ZoneInventory, options: InventoryOptions): string {
  const { total, statuses, malicious, fresh, hosts } = summarizeInventory(inventory, options);
  const { zone, kind } = inventory;
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
