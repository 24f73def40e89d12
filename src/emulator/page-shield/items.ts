import { coerceList, coerceText, type Json, type JsonObject } from "../../syntax/json.ts";
import { dayMs } from "../../syntax/time-units.ts";
import { identifierIn, permissions, zoneIn } from "../http/access.ts";
import {
  type EndpointAnswer,
  type EndpointCall,
  type Endpoint,
  endpoint,
} from "../http/api-endpoint.ts";
import { apiError, unpublishedCodes } from "../http/api-error.ts";
import {
  badQuery,
  directionOf,
  matchesPattern,
  queryFlag,
  queryInteger,
  queryList,
  queryOneOf,
  queryText,
  slicePage,
} from "../http/query.ts";
import { timestamp } from "../http/time.ts";
import type { EmulatedZone, InventoryItem } from "../state.ts";

/** Statuses of scripts and connections (SERVICE.md A.5). */
export const statuses = ["active", "infrequent", "inactive"] as const;

type Status = (typeof statuses)[number];

/** An item that has not been deleted; cookies have no status. */
interface Row {
  readonly item: InventoryItem;
  readonly status: Status | undefined;
}

type Filter = (row: Row) => boolean;

/** Page size without `per_page`; the service's own is not published. */
const defaultPageSize = 20;
const maxExported = 50_000;

interface Collection {
  readonly noun: "script" | "connection" | "cookie";
  rows(zone: EmulatedZone, now: Date): readonly Row[];
  filters(query: URLSearchParams): readonly Filter[];
  result(row: Row): JsonObject;
}

const resources = { filters: resourceFilters, result: resourceResult };

const collections: readonly Collection[] = [
  { noun: "script", rows: (zone, now) => rowsAt(zone.scripts, now), ...resources },
  { noun: "connection", rows: (zone, now) => rowsAt(zone.connections, now), ...resources },
  {
    noun: "cookie",
    rows: (zone) => zone.cookies.map((item) => ({ item, status: undefined })),
    filters: cookieFilters,
    result: cookieResult,
  },
];

/** Lists and single items of scripts, connections and cookies (SERVICE.md A.3, A.4). */
export const itemEndpoints: readonly Endpoint[] = collections.flatMap((collection) => {
  const { noun } = collection;
  const path = `/zones/:zone_id/page_shield/${noun}s`;
  const read = permissions.pageShieldRead;
  return [
    endpoint("GET", path, `List ${noun}s`, read, (call) => listItems(collection, call)),
    endpoint("GET", `${path}/:${noun}_id`, `Get a ${noun}`, read, (call) =>
      getItem(collection, call),
    ),
  ];
});

function listItems(collection: Collection, call: EndpointCall): EndpointAnswer {
  const { query } = call;
  const filters = collection.filters(query);
  const matching = collection
    .rows(zoneIn(call), call.now)
    .filter((row) => filters.every((filter) => filter(row)));
  const isUnique = collection.noun === "script" && (queryFlag(query, "exclude_duplicates") ?? true);
  const rows = inOrder(isUnique ? withoutDuplicates(matching) : matching, query);
  if (queryOneOf(query, "export", ["csv"]) === "csv") {
    const items = rows.slice(0, maxExported).map((row) => collection.result(row));
    return { csv: csvOf(items) };
  }
  const isAll = query.get("page") === "all";
  const size = queryInteger(query, "per_page", 1, 100) ?? defaultPageSize;
  const perPage = isAll ? Math.max(rows.length, 1) : size;
  const { items, info } = slicePage(rows, isAll ? 1 : pageIn(query), perPage);
  return { result: items.map((row) => collection.result(row)), info };
}

function pageIn(query: URLSearchParams): number {
  const page = query.get("page") ?? "1";
  if (/^[1-9]\d{0,8}$/.test(page)) return Number(page);
  throw badQuery("page", `must be a number from 1, or "all"`);
}

function inOrder(rows: readonly Row[], query: URLSearchParams): readonly Row[] {
  const by = queryOneOf(query, "order_by", ["first_seen_at", "last_seen_at"]) ?? "last_seen_at";
  const field = by === "first_seen_at" ? "firstSeen" : "lastSeen";
  const direction = directionOf(query, "desc");
  const ordered = rows.toSorted((a, b) => direction * (a.item[field] - b.item[field]));
  if (queryFlag(query, "prioritize_malicious") !== true) return ordered;
  return ordered.toSorted((a, b) => Number(isMalicious(b)) - Number(isMalicious(a)));
}

function getItem(collection: Collection, call: EndpointCall): EndpointAnswer {
  const id = identifierIn(call, `${collection.noun}_id`);
  const row = collection.rows(zoneIn(call), call.now).find(({ item }) => item.id === id);
  if (row === undefined) {
    throw apiError(404, unpublishedCodes.itemNotFound, `${collection.noun} ${id} not found`);
  }
  return { result: { ...collection.result(row), ...row.item.detail } };
}

function csvOf(items: readonly JsonObject[]): string {
  const columns = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const lines = items.map((item) => columns.map((column) => csvCell(item[column])));
  return [columns, ...lines].map((cells) => `${cells.join(",")}\n`).join("");
}

function csvCell(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

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
function resourceResult({ item: { facts, lastSeen }, status }: Row): JsonObject {
  return { ...facts, last_seen_at: timestamp(new Date(lastSeen)), status: status ?? "active" };
}

/** A cookie in the form of responses: it has no status and no time of addition (SERVICE.md A.4). */
function cookieResult({ item: { facts, detail, lastSeen } }: Row): JsonObject {
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

function resourceFilters(query: URLSearchParams): readonly Filter[] {
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

function cookieFilters(query: URLSearchParams): readonly Filter[] {
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
function rowsAt(items: readonly InventoryItem[], now: Date): readonly Row[] {
  return items
    .map((item) => ({ item, status: statusOf(item, now) }))
    .filter(({ status }) => status !== undefined);
}

function isMalicious({ item: { facts } }: Row): boolean {
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
function withoutDuplicates(rows: readonly Row[]): readonly Row[] {
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
