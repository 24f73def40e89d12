import type { WireResultInfo } from "../../api/wire.ts";
import { refused, unpublishedCodes } from "./api-error.ts";

/** `true` or `false` in a query; anything else is refused. */
export function queryFlag(query: URLSearchParams, name: string): boolean | undefined {
  const value = queryOneOf(query, name, ["true", "false"]);
  return value === undefined ? undefined : value === "true";
}

/** One of `values` in a query; anything else is refused. */
export function queryOneOf<T extends string>(
  query: URLSearchParams,
  name: string,
  values: readonly T[],
): T | undefined {
  const given = query.get(name);
  if (given === null) return undefined;
  const value = values.find((candidate) => candidate === given);
  if (value === undefined) throw badQuery(name, `must be one of ${values.join(", ")}`);
  return value;
}

/** An integer within bounds in a query; anything else is refused. */
export function queryInteger(
  query: URLSearchParams,
  name: string,
  least: number,
  most: number,
): number | undefined {
  const given = query.get(name);
  if (given === null) return undefined;
  const value = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw badQuery(name, `must be an integer from ${least} to ${most}`);
}

/** A text of at most `most` characters in a query. */
export function queryText(query: URLSearchParams, name: string, most: number): string | undefined {
  const given = query.get(name);
  if (given === null) return undefined;
  if (given.length > most) throw badQuery(name, `must have at most ${most} characters`);
  return given;
}

/** The parts of a list with commas in a query; `undefined` where there is none. */
export function queryList(query: URLSearchParams, name: string): readonly string[] | undefined {
  const parts = query
    .get(name)
    ?.split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  return parts === undefined || parts.length === 0 ? undefined : parts;
}

/** Refuses a value of a query. */
export function badQuery(name: string, remedy: string): Error {
  return refused(
    400,
    unpublishedCodes.query,
    `invalid value for query parameter "${name}": ${remedy}`,
  );
}

/**
 * Whether `text` fits `pattern`: exactly, or with `*` at the pattern's start or end or both. Not a glob as elsewhere: in
 * the middle the service takes a star for itself (SERVICE.md A.3).
 */
export function fits(pattern: string, text: string): boolean {
  const open = pattern.startsWith("*");
  const close = pattern.endsWith("*") && pattern.length > 1;
  const core = pattern.slice(open ? 1 : 0, close ? -1 : undefined);
  if (open && close) return text.includes(core);
  if (open) return text.endsWith(core);
  return close ? text.startsWith(core) : text === core;
}

/** The page of `all` that a query asks for, with its `result_info`. */
export function pageOf<T>(
  all: readonly T[],
  query: URLSearchParams,
  least: number,
  most: number,
  usual: number,
): { readonly items: readonly T[]; readonly info: WireResultInfo } {
  const page = queryInteger(query, "page", 1, 1_000_000_000) ?? 1;
  const perPage = queryInteger(query, "per_page", least, most) ?? usual;
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
