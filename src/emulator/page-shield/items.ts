import { coerceList, coerceText, type Json, type JsonObject } from "../../syntax/json.ts";
import {
  badQuery,
  matchesPattern,
  queryFlag,
  queryList,
  queryOneOf,
  queryText,
} from "../http/query.ts";
import { timestamp } from "../http/time.ts";
import type { InventoryItem } from "../state.ts";

/** Statuses of scripts and connections (SERVICE.md A.5). */
export const statuses = ["active", "infrequent", "inactive"] as const;

type Status = (typeof statuses)[number];

/** An item that has not been deleted; cookies have no status. */
export interface Row {
  readonly item: InventoryItem;
  readonly status: Status | undefined;
}

type Filter = (row: Row) => boolean;

const dayMs = 24 * 60 * 60 * 1_000;

/**
 * Fewer reports leave an item infrequent. The documentation does not say what exactly three are;
 * active here.
 */
const activeReports = 3;

/** An integrity score below this means malicious (SERVICE.md A.4). */
const maliciousBelow = 10;

/** The status at a time; `undefined`: not reported for so long that it is deleted. */
export function statusOf({ reports, lastSeen }: InventoryItem, now: Date): Status | undefined {
  const days = (now.getTime() - lastSeen) / dayMs;
  if (reports < activeReports) return days < 5 ? "infrequent" : undefined;
  if (days < 7) return "active";
  return days < 30 ? "inactive" : undefined;
}

/** A script or connection in the form of lists. */
export function resourceResult({ item: { facts, lastSeen }, status }: Row): JsonObject {
  return { ...facts, last_seen_at: timestamp(new Date(lastSeen)), status: status ?? "active" };
}

/** A cookie in the form of responses: it has no status and no time of addition (SERVICE.md A.4). */
export function cookieResult({ item: { facts, detail, lastSeen } }: Row): JsonObject {
  return { ...facts, ...detail, last_seen_at: timestamp(new Date(lastSeen)) };
}

export function withReports(item: InventoryItem, times: number, now: Date): InventoryItem {
  return { ...item, reports: item.reports + times, lastSeen: now.getTime() };
}

/** Filters of all three lists (SERVICE.md A.3). */
function commonFilters(query: URLSearchParams): readonly (Filter | undefined)[] {
  const hosts = queryList(query, "hosts");
  const pages = queryList(query, "page_url");
  return [
    hosts && (({ item }) => matchesAny(hosts, item.facts["host"])),
    pages &&
      (({ item }) => coerceList(item.detail["page_urls"]).some((url) => matchesAny(pages, url))),
  ];
}

export function resourceFilters(query: URLSearchParams): readonly Filter[] {
  const wanted = queryList(query, "status") ?? ["active"];
  const isKnown = wanted.every((status) => statuses.some((known) => known === status));
  if (!isKnown) throw badQuery("status", `must be a list of ${statuses.join(", ")}`);
  const urls = queryList(query, "urls");
  const excluded = queryList(query, "exclude_urls");
  const withoutCdnCgi = queryFlag(query, "exclude_cdn_cgi") ?? true;
  return present([
    ...commonFilters(query),
    ({ status }) => status !== undefined && wanted.includes(status),
    urls && ((row) => urlIncludesAny(row, urls)),
    excluded && ((row) => !urlIncludesAny(row, excluded)),
    withoutCdnCgi ? ({ item }) => item.facts["url_contains_cdn_cgi_path"] !== true : undefined,
  ]);
}

export function cookieFilters(query: URLSearchParams): readonly Filter[] {
  const name = queryText(query, "name", 1024);
  const exact: Readonly<Record<string, Json | undefined>> = {
    path_attribute: queryText(query, "path", 1024),
    domain_attribute: queryText(query, "domain", 1024),
    secure_attribute: queryFlag(query, "secure"),
    http_only_attribute: queryFlag(query, "http_only"),
    same_site_attribute: queryOneOf(query, "same_site", ["lax", "strict", "none"]),
    type: queryOneOf(query, "type", ["first_party", "unknown"]),
  };
  return present([
    ...commonFilters(query),
    name === undefined ? undefined : ({ item }) => matchesAny([name], item.facts["name"]),
    ({ item }) =>
      Object.entries(exact).every(
        ([field, value]) => value === undefined || item.facts[field] === value,
      ),
  ]);
}

function present(filters: readonly (Filter | undefined)[]): readonly Filter[] {
  return filters.filter((filter) => filter !== undefined);
}

/** Scripts or connections that are not deleted, with their status at a time. */
export function rowsAt(items: readonly InventoryItem[], now: Date): readonly Row[] {
  return items
    .map((item) => ({ item, status: statusOf(item, now) }))
    .filter(({ status }) => status !== undefined);
}

export function isMalicious({ item: { facts } }: Row): boolean {
  const { js_integrity_score: score } = facts;
  return (
    facts["url_reported_malicious"] === true ||
    facts["domain_reported_malicious"] === true ||
    (typeof score === "number" && score < maliciousBelow)
  );
}

/**
 * Of scripts with the same content, host of the URL and host of the zone, the most recent one
 * (SERVICE.md A.3).
 */
export function withoutDuplicates(rows: readonly Row[]): readonly Row[] {
  const newest = new Map<string, Row>();
  for (const row of rows) {
    const key = duplicateKey(row);
    const known = newest.get(key);
    if (known === undefined || known.item.lastSeen < row.item.lastSeen) newest.set(key, row);
  }
  return rows.filter((row) => newest.get(duplicateKey(row)) === row);
}

function duplicateKey({ item: { id, facts } }: Row): string {
  const { hash, url, host } = facts;
  if (typeof hash !== "string" || typeof url !== "string") return id;
  return `${hash} ${URL.parse(url)?.host ?? url} ${coerceText(host)}`;
}

function matchesAny(patterns: readonly string[], value: Json | undefined): boolean {
  return typeof value === "string" && patterns.some((pattern) => matchesPattern(pattern, value));
}

function urlIncludesAny({ item }: Row, parts: readonly string[]): boolean {
  const { url } = item.facts;
  return typeof url === "string" && parts.some((part) => url.includes(part));
}
