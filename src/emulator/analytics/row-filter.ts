import { coerceObject, type JsonObject } from "../../syntax/json.ts";
import { momentOf } from "../http/time.ts";
import { badArguments } from "./analytics-error.ts";
import { type Dataset, timeDimensions } from "./datasets.ts";
import type { TimeRange } from "./traffic.ts";

/** Values of a row by the names of its dimensions; times are milliseconds since 1970. */
export type RowValues = Readonly<Record<string, string | number>>;

/** A filter as it was read: the time it asks for, the dimensions it needs, and its test. */
export interface RowFilter extends TimeRange {
  readonly names: ReadonlySet<string>;
  readonly accepts: (values: RowValues) => boolean;
}

/** What can follow the name of a dimension in a filter. */
export const timeOperators: readonly string[] = ["", "_neq", "_in", "_gt", "_geq", "_lt", "_leq"];
export const textOperators: readonly string[] = ["", "_neq", "_in", "_notin"];

const everything: RowFilter = {
  from: 0,
  to: Infinity,
  names: new Set(),
  accepts: () => true,
};

/** Reads the argument `filter` of a dataset; throws an `GraphQLError` on a wrong value. */
export function rowFilter(dataset: Dataset, filter: JsonObject): RowFilter {
  return Object.entries(filter)
    .map(([key, value]) => partOf(dataset, key, value))
    .reduce(both, everything);
}

function partOf(dataset: Dataset, key: string, value: unknown): RowFilter {
  if (key === "AND" || key === "OR") {
    const parts = listOf(value).map((each) => rowFilter(dataset, coerceObject(each)));
    return key === "AND" ? parts.reduce(both, everything) : anyOf(parts);
  }
  const [, name = "", operator = ""] = /^([^_]+)(_[a-z]+)?$/.exec(key) ?? [];
  const names = new Set([name]);
  const isWanted = operator === "" || operator === "_in";
  const widthMs = timeDimensions[name];
  if (widthMs === undefined) {
    const texts = listOf(value).map((each) => {
      if (typeof each === "string") return each;
      throw badArguments(dataset.name, `${key} is not a string`);
    });
    const accepts = (values: RowValues): boolean =>
      texts.includes(String(values[name])) === isWanted;
    return { ...everything, names, accepts };
  }
  const times = listOf(value).map((each) => {
    const moment = typeof each === "string" ? momentOf(each) : Number.NaN;
    if (!Number.isNaN(moment)) return moment;
    throw badArguments(dataset.name, `${key} is not a time: ${JSON.stringify(each)}`);
  });
  const [at = 0] = times;
  // Events have times in seconds.
  const length = name === "datetime" ? 1_000 : widthMs;
  switch (operator) {
    case "_geq":
      return { ...everything, from: Math.ceil(at / length) * length };
    case "_gt":
      return { ...everything, from: (Math.floor(at / length) + 1) * length };
    case "_lt":
      return { ...everything, to: Math.ceil(at / length) * length };
    case "_leq":
      return { ...everything, to: (Math.floor(at / length) + 1) * length };
  }
  const accepts = (values: RowValues): boolean => times.includes(Number(values[name])) === isWanted;
  if (!isWanted) return { ...everything, names, accepts };
  return { from: Math.min(...times), to: Math.max(...times) + widthMs, names, accepts };
}

function both(a: RowFilter, b: RowFilter): RowFilter {
  return {
    from: Math.max(a.from, b.from),
    to: Math.min(a.to, b.to),
    names: a.names.union(b.names),
    accepts: (values) => a.accepts(values) && b.accepts(values),
  };
}

/** The times of alternatives are exact to a minute. */
function anyOf(parts: readonly RowFilter[]): RowFilter {
  if (parts.length === 0) return everything;
  return {
    from: Math.min(...parts.map(({ from }) => from)),
    to: Math.max(...parts.map(({ to }) => to)),
    names: parts.reduce<ReadonlySet<string>>(
      (all, { names }) => all.union(names),
      new Set(["datetime"]),
    ),
    accepts: (values) => {
      const at = Number(values["datetime"]);
      return parts.some(({ from, to, accepts }) => at >= from && at < to && accepts(values));
    },
  };
}

/** A single value counts as a list of one, as GraphQL has it. */
function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}
