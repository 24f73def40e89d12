import { dayMs, minuteMs } from "../../syntax/time-units.ts";
import type { Protection } from "../state.ts";
import { type Dataset, timeDimensions } from "./datasets.ts";
import type { RowFilter, RowValues } from "./row-filter.ts";
import { type Counted, countsOf } from "./traffic.ts";

/** A query of one dataset for one zone. */
export interface RowQuery {
  readonly dataset: Dataset;
  /** What was in force for the zone. */
  readonly history: readonly Protection[];
  readonly filter: RowFilter;
  /** Names of the dimensions that the answer has. */
  readonly dimensions: readonly string[];
  /** As `datetimeHour_ASC` or `count_DESC`. */
  readonly orderBy: readonly string[];
  readonly limit: number;
}

/** A row of a dataset in the form of the answer. */
export type Row = Readonly<Record<string, unknown>>;

/** The counts of a dataset by the dimensions that a query has; what has no event has no row. */
export function groupsOf(query: RowQuery): readonly Row[] {
  const { dataset, filter, dimensions, orderBy } = query;
  const wanted = new Set([...dimensions, ...orderBy.map(orderedName)]);
  wanted.delete("count");
  const groups = new Map<string, Group>();
  for (const { values, counted } of rowsOf(query, [...wanted, ...filter.names])) {
    const key = [...wanted].map((name) => values[name]).join("\n");
    const group = groups.get(key) ?? { values, count: 0, samples: 0 };
    groups.set(key, {
      values: group.values,
      count: group.count + counted.count,
      samples: group.samples + counted.samples,
    });
  }
  return ordered([...groups.values()], query).map(({ values, count, samples }) => ({
    count,
    avg: { sampleInterval: count / samples },
    dimensions: shownValues(dataset, values),
  }));
}

/** The single events of a dataset. */
export function eventsOf(query: RowQuery): readonly Row[] {
  const { dataset, filter } = query;
  const names = [...Object.keys(timeDimensions), ...Object.keys(dataset.dimensions)];
  const events: Event[] = [];
  for (const { values, counted } of rowsOf(query, names)) {
    const from = Math.max(counted.at, filter.from);
    const lengthMs = Math.min(counted.at + minuteMs, filter.to) - from;
    for (let index = 0; index < counted.samples; index += 1) {
      const at = from + Math.floor((index * lengthMs) / counted.samples);
      events.push({
        values: { ...values, datetime: at },
        count: 1,
        sampleInterval: counted.count / counted.samples,
      });
    }
  }
  return ordered(events, query).map(({ values, sampleInterval }) => ({
    ...shownValues(dataset, values),
    sampleInterval,
  }));
}

interface Ordered {
  readonly values: RowValues;
  readonly count: number;
}

interface Group extends Ordered {
  readonly samples: number;
}

interface Event extends Ordered {
  readonly sampleInterval: number;
}

/** What a filter accepts, with the values of some dimensions. */
function* rowsOf(
  { dataset, history, filter }: RowQuery,
  names: readonly string[],
): Generator<{ readonly values: RowValues; readonly counted: Counted }> {
  const times = names.filter((name) => timeDimensions[name] !== undefined);
  const stepMs = Math.min(dayMs, ...times.map((name) => timeDimensions[name] ?? dayMs));
  const others = names.filter((name) => !times.includes(name));
  const { from, to } = filter;
  for (const counted of countsOf(history, dataset.kind, { from, to, stepMs, isSampled: true })) {
    const values: Record<string, string | number> = {};
    for (const name of times) {
      const widthMs = timeDimensions[name] ?? dayMs;
      values[name] = Math.floor(counted.at / widthMs) * widthMs;
    }
    for (const name of others) values[name] = dataset.dimensions[name]?.(counted) ?? "";
    if (filter.accepts(values)) yield { values, counted };
  }
}

export function orderedName(term: string): string {
  return term.replace(/_(ASC|DESC)$/, "");
}

function ordered<T extends Ordered>(
  rows: readonly T[],
  { orderBy, limit }: RowQuery,
): readonly T[] {
  if (orderBy.length === 0) return rows.slice(0, limit);
  const compare = (a: T, b: T): number => {
    for (const term of orderBy) {
      const name = orderedName(term);
      const [x, y] = [a, b].map((row) => (name === "count" ? row.count : (row.values[name] ?? "")));
      if (x === undefined || y === undefined || x === y) continue;
      return (x < y ? -1 : 1) * (term.endsWith("_DESC") ? -1 : 1);
    }
    return 0;
  };
  return rows.toSorted(compare).slice(0, limit);
}

/** Times as the service writes them: in seconds, and dates without a time. */
function shownValues({ dimensions }: Dataset, values: RowValues): Row {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (name in dimensions) return [name, value];
      const text = new Date(value).toISOString();
      return [name, name === "date" ? text.slice(0, 10) : text.replace(/\.\d+Z$/, "Z")];
    }),
  );
}
