import type { WireResultInfo } from "../../api/wire.ts";
import { apiError, unpublishedCodes } from "./api-error.ts";

/** Reads `true` or `false`; throws a 400 on anything else. */
export function queryFlag(query: URLSearchParams, name: string): boolean | undefined {
  const value = queryOneOf(query, name, ["true", "false"]);
  return value === undefined ? undefined : value === "true";
}

/** Reads one of `values`; throws a 400 on anything else. */
export function queryOneOf<T extends string>(
  query: URLSearchParams,
  name: string,
  values: readonly T[],
): T | undefined {
  const given = query.get(name);
  const value = values.find((candidate) => candidate === given);
  if (given === null || value !== undefined) return value;
  throw badQuery(name, `must be one of ${values.join(", ")}`);
}

/** Reads an integer from `min` to `max`; throws a 400 on anything else. */
export function queryInteger(
  query: URLSearchParams,
  name: string,
  min: number,
  max: number,
): number | undefined {
  const given = query.get(name);
  if (given === null) return undefined;
  const value = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw badQuery(name, `must be an integer from ${min} to ${max}`);
}

/** Reads a text of at most `maxLength` characters. */
export function queryText(
  query: URLSearchParams,
  name: string,
  maxLength: number,
): string | undefined {
  const given = query.get(name) ?? undefined;
  if (given === undefined || given.length <= maxLength) return given;
  throw badQuery(name, `must have at most ${maxLength} characters`);
}

/** Reads a comma-separated list; `undefined` if it is absent or empty. */
export function queryList(query: URLSearchParams, name: string): readonly string[] | undefined {
  const parts = (query.get(name) ?? "").split(",").map((part) => part.trim());
  const filled = parts.filter((part) => part !== "");
  return filled.length === 0 ? undefined : filled;
}

/** A 400 for an invalid query parameter. */
export function badQuery(name: string, remedy: string): Error {
  const message = `invalid value for query parameter "${name}": ${remedy}`;
  return apiError(400, unpublishedCodes.query, message);
}

/** -1 if a query asks for descending order, else 1. */
export function directionOf(query: URLSearchParams, usual: "asc" | "desc" = "asc"): 1 | -1 {
  return (queryOneOf(query, "direction", ["asc", "desc"]) ?? usual) === "desc" ? -1 : 1;
}

interface Page<T> {
  readonly items: readonly T[];
  readonly info: WireResultInfo;
}

/** The page of a zone or account listing that a query selects. */
export function pageOf<T>(all: readonly T[], query: URLSearchParams): Page<T> {
  const page = queryInteger(query, "page", 1, 1_000_000_000) ?? 1;
  return slicePage(all, page, queryInteger(query, "per_page", 5, 50) ?? 20);
}

/** The page with the number `page`, counted from 1. */
export function slicePage<T>(all: readonly T[], page: number, perPage: number): Page<T> {
  const items = all.slice((page - 1) * perPage, page * perPage);
  return {
    items,
    info: {
      page,
      per_page: perPage,
      count: items.length,
      total_count: all.length,
      total_pages: Math.ceil(all.length / perPage),
    },
  };
}

/**
 * The `perPage` items after the one that the `cursor` of a query names, and the cursor for the next
 * ones; `undefined` after the last.
 *
 * @param nameOf what a cursor says of an item.
 */
export function pageAfter<T>(
  all: readonly T[],
  query: URLSearchParams,
  perPage: number,
  nameOf: (item: T) => string,
): { readonly items: readonly T[]; readonly after: string | undefined } {
  const cursorOf = (item: T): string => Buffer.from(nameOf(item)).toString("base64url");
  const cursor = query.get("cursor") ?? "";
  const start = cursor === "" ? 0 : all.findLastIndex((item) => cursorOf(item) === cursor) + 1;
  if (cursor !== "" && start === 0) throw badQuery("cursor", "must be one that an answer gave");
  const items = all.slice(start, start + perPage);
  const last = items.at(-1);
  const hasMore = last !== undefined && start + items.length < all.length;
  return { items, after: hasMore ? cursorOf(last) : undefined };
}

/**
 * Whether `text` matches `pattern`: exactly, or with `*` at the pattern's start, end or both. This
 * is no glob: in the middle of a pattern the service takes `*` literally (SERVICE.md A.3).
 */
export function matchesPattern(pattern: string, text: string): boolean {
  const open = pattern.startsWith("*");
  const close = pattern.endsWith("*") && pattern.length > 1;
  const core = pattern.slice(open ? 1 : 0, close ? -1 : undefined);
  if (open && close) return text.includes(core);
  if (open) return text.endsWith(core);
  return close ? text.startsWith(core) : text === core;
}
