import type { Json, JsonObject } from "../../syntax/json.ts";
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
  queryFlag,
  queryInteger,
  queryOneOf,
  slicePage,
} from "../http/query.ts";
import type { EmulatedZone } from "../state.ts";
import {
  cookieFilters,
  cookieResult,
  isMalicious,
  resourceFilters,
  resourceResult,
  type Row,
  rowsAt,
  withoutDuplicates,
} from "./items.ts";

/** Page size without `per_page`; the service's own is not published. */
const defaultPageSize = 20;
const maxExported = 50_000;

interface Collection {
  readonly noun: "script" | "connection" | "cookie";
  rows(zone: EmulatedZone, now: Date): readonly Row[];
  filters(query: URLSearchParams): readonly ((row: Row) => boolean)[];
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
