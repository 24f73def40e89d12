import { type Comparison, comparedValues, type Value } from "./expression-tree.ts";
import {
  addressesLike,
  everyAddress,
  networkOf,
  type NumberSpan,
  parseIpAddress,
} from "./ip-address.ts";

/** Numbers as spans without common numbers, in order. */
export type NumberSet = readonly NumberSpan[];

/** All 64-bit integers. */
export const everyInteger: NumberSpan = [-(2n ** 63n), 2n ** 63n - 1n];

/** The numbers or addresses that a value stands for; `undefined` for every other value. */
export function spanOf(value: Value): NumberSpan | undefined {
  if (value.kind === "integer") return [value.value, value.value];
  if (value.kind === "address") {
    const address = parseIpAddress(value.address);
    return address === undefined ? undefined : networkOf(address, value.prefix);
  }
  if (value.kind !== "range") return undefined;
  const [from, to] = [spanOf(value.from), spanOf(value.to)];
  return from && to && [from[0], to[1]];
}

/** Whether all of `narrow` is in `wide`. */
export function includes(wide: NumberSpan, narrow: NumberSpan): boolean {
  return wide[0] <= narrow[0] && narrow[1] <= wide[1];
}

/**
 * The numbers or addresses for which a comparison holds; `undefined` if it compares something else.
 */
export function numbersOf(comparison: Comparison): NumberSet | undefined {
  const { operator, right } = comparison;
  const values = comparedValues(comparison);
  const spans = values.map(spanOf).filter((span) => span !== undefined);
  if (spans.length < values.length) return undefined;
  if (operator === "in" || operator === "eq") return merged(spans);
  const [span] = spans;
  if (span === undefined) return undefined;
  const isInteger = right.kind === "integer";
  if (operator === "ne") return complement(spans, isInteger ? everyInteger : everyAddress);
  const [value] = span;
  // No address of the other version is before or after one.
  const [least, most] = isInteger ? everyInteger : addressesLike(value);
  const bounds: Partial<Record<typeof operator, NumberSpan>> = {
    lt: [least, value - 1n],
    le: [least, value],
    gt: [value + 1n, most],
    ge: [value, most],
  };
  const bound = bounds[operator];
  return bound && merged([bound]);
}

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
