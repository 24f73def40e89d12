import type { Comparison, Value } from "../expression-tree.ts";
import { type Interval, intervalOf } from "../intervals.ts";
import type { IpAddress } from "../ip-address.ts";

/** Whole numbers from the first to the last, both included. */
export type NumberSpan = readonly [first: bigint, last: bigint];

/** Numbers as spans without common numbers, in order. */
export type NumberSet = readonly NumberSpan[];

/** All 64-bit integers. */
export const everyInteger: NumberSpan = [-(2n ** 63n), 2n ** 63n - 1n];

const ip4Count = 2n ** 32n;

/** All addresses: those of IPv4 before those of IPv6. */
export const everyAddress: NumberSpan = [0n, ip4Count + 2n ** 128n - 1n];

/**
 * The numbers or addresses for which a comparison holds; `undefined` if it compares something else.
 */
export function numbersOf({ operator, right }: Comparison): NumberSet | undefined {
  const values: readonly Value[] = right.kind === "set" ? right.members : [right];
  const intervals = values.map(intervalOf).filter((interval) => interval !== undefined);
  if (intervals.length < values.length) return undefined;
  const spans = intervals.map(spanOf);
  if (operator === "in" || operator === "eq") return merged(spans);
  const [interval] = intervals;
  if (interval === undefined) return undefined;
  const all = interval.of === "integer" ? everyInteger : everyAddress;
  if (operator === "ne") return complement(spans, all);
  const [least, most] = lineOf(interval);
  const [value] = spanOf(interval);
  const bounds: Partial<Record<typeof operator, NumberSpan>> = {
    lt: [least, value - 1n],
    le: [least, value],
    gt: [value + 1n, most],
    ge: [value, most],
  };
  const bound = bounds[operator];
  return bound && merged([bound]);
}

/** What can be before or after a value: no address of the other version. */
function lineOf({ of }: Interval): NumberSpan {
  if (of === "integer") return everyInteger;
  return of === "ip4" ? [0n, ip4Count - 1n] : [ip4Count, everyAddress[1]];
}

function spanOf({ of, first, last }: Interval): NumberSpan {
  return of === "ip6" ? [first + ip4Count, last + ip4Count] : [first, last];
}

/** The address of a number in {@link everyAddress}. */
export function addressAt(number: bigint): IpAddress {
  return number < ip4Count
    ? { version: 4, value: number }
    : { version: 6, value: number - ip4Count };
}

/** The numbers of `all` that are not in `set`. */
export function complement(set: NumberSet, all: NumberSpan): NumberSet {
  const gaps: NumberSpan[] = [];
  let [next] = all;
  for (const [first, last] of merged(set)) {
    if (next < first) gaps.push([next, first - 1n]);
    if (last >= next) next = last + 1n;
  }
  return next <= all[1] ? [...gaps, [next, all[1]]] : gaps;
}

/** The numbers in both. */
export function common(a: NumberSet, b: NumberSet): NumberSet {
  return a.flatMap(([first, last]) =>
    b.flatMap(([otherFirst, otherLast]): readonly NumberSpan[] => {
      const from = first > otherFirst ? first : otherFirst;
      const to = last < otherLast ? last : otherLast;
      return from <= to ? [[from, to]] : [];
    }),
  );
}

function merged(spans: readonly NumberSpan[]): NumberSet {
  const result: [bigint, bigint][] = [];
  for (const [first, last] of spans.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const known = result.at(-1);
    if (first > last) continue;
    if (known === undefined || known[1] + 1n < first) result.push([first, last]);
    else if (known[1] < last) known[1] = last;
  }
  return result;
}
