import type { Json, JsonObject } from "../../syntax/json.ts";
import { identifierIn, permissions, zoneIn } from "../http/access.ts";
import { refused, unpublishedCodes } from "../http/api-error.ts";
import { type Answer, type Call, type Endpoint, shown } from "../http/endpoint.ts";
import { badQuery, queryFlag, queryInteger, queryOneOf } from "../http/query.ts";
import type { ZoneState } from "../state.ts";
import {
  type Filter,
  type Row,
  cookieFilters,
  cookieShown,
  isMalicious,
  itemShown,
  resourceFilters,
  rowsAt,
  withoutDuplicates,
} from "./items.ts";

/** Page size where the request names none; the service's own is not published. */
const defaultPageSize = 20;
const mostExported = 50_000;

interface Collection {
  readonly noun: "script" | "connection" | "cookie";
  rows(zone: ZoneState, now: Date): readonly Row[];
  filters(query: URLSearchParams): readonly Filter[];
  /** What is done with the rows that passed, before they are put in order. */
  reduce(rows: readonly Row[], query: URLSearchParams): readonly Row[];
  shown(row: Row): JsonObject;
}

const scripts: Collection = {
  noun: "script",
  rows: (zone, now) => rowsAt(zone.scripts, now),
  filters: resourceFilters,
  reduce: (rows, query) =>
    (queryFlag(query, "exclude_duplicates") ?? true) ? withoutDuplicates(rows) : rows,
  shown: resourceShown,
};

const connections: Collection = {
  noun: "connection",
  rows: (zone, now) => rowsAt(zone.connections, now),
  filters: resourceFilters,
  reduce: (rows) => rows,
  shown: resourceShown,
};

const cookies: Collection = {
  noun: "cookie",
  rows: (zone) => zone.cookies.map((item) => ({ item, status: undefined })),
  filters: cookieFilters,
  reduce: (rows) => rows,
  shown: ({ item }) => cookieShown(item),
};

/** Scripts, connections and cookies: lists and single items (SERVICE.md A.3, A.4). */
export const itemEndpoints: readonly Endpoint[] = [scripts, connections, cookies].flatMap(
  (collection): Endpoint[] => {
    const { noun } = collection;
    const path = `/zones/:zone_id/page_shield/${noun}s`;
    const common = {
      method: "GET",
      permissions: permissions.pageShieldRead,
      dryRun: false,
    } as const;
    return [
      { ...common, path, summary: `List ${noun}s`, handle: (call) => listed(collection, call) },
      {
        ...common,
        path: `${path}/:${noun}_id`,
        summary: `Get a ${noun}`,
        handle: (call) => single(collection, call),
      },
    ];
  },
);

function listed(collection: Collection, call: Call): Answer {
  const { query } = call;
  const filters = collection.filters(query);
  const passed = collection
    .rows(zoneIn(call), call.now)
    .filter((row) => filters.every((filter) => filter(row)));
  const rows = inOrder(collection.reduce(passed, query), query);
  if (queryOneOf(query, "export", ["csv"]) === "csv") {
    const items = rows.slice(0, mostExported).map((row) => collection.shown(row));
    return { form: "csv", text: csvOf(items), next: undefined };
  }
  return paged(collection, rows, query);
}

function paged(collection: Collection, rows: readonly Row[], query: URLSearchParams): Answer {
  const all = query.get("page") === "all";
  const size = queryInteger(query, "per_page", 1, 100) ?? defaultPageSize;
  const page = all ? 1 : pageIn(query);
  const perPage = all ? Math.max(rows.length, 1) : size;
  const items = rows.slice((page - 1) * perPage, page * perPage);
  return shown(
    items.map((row) => collection.shown(row)),
    {
      page,
      per_page: perPage,
      count: items.length,
      total_count: rows.length,
      total_pages: Math.ceil(rows.length / perPage),
    },
  );
}

function pageIn(query: URLSearchParams): number {
  const page = query.get("page") ?? "1";
  if (/^[1-9]\d{0,8}$/.test(page)) return Number(page);
  throw badQuery("page", `must be a number from 1, or "all"`);
}

function inOrder(rows: readonly Row[], query: URLSearchParams): readonly Row[] {
  const by = queryOneOf(query, "order_by", ["first_seen_at", "last_seen_at"]) ?? "last_seen_at";
  const sign = queryOneOf(query, "direction", ["asc", "desc"]) === "asc" ? 1 : -1;
  const moment = ({ item }: Row): number =>
    by === "first_seen_at" ? item.firstSeen : item.lastSeen;
  const ordered = rows.toSorted((a, b) => sign * (moment(a) - moment(b)));
  if (queryFlag(query, "prioritize_malicious") !== true) return ordered;
  return ordered.toSorted((a, b) => Number(isMalicious(b)) - Number(isMalicious(a)));
}

function single(collection: Collection, call: Call): Answer {
  const id = identifierIn(call, `${collection.noun}_id`);
  const row = collection.rows(zoneIn(call), call.now).find(({ item }) => item.id === id);
  if (row === undefined) {
    throw refused(404, unpublishedCodes.itemNotFound, `${collection.noun} ${id} not found`);
  }
  return shown({ ...collection.shown(row), ...row.item.detail });
}

function resourceShown({ item, status }: Row): JsonObject {
  return itemShown(item, status ?? "active");
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
