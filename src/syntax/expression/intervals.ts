import type { Value } from "./expression-tree.ts";
import { networkOf, parseIpAddress } from "./ip-address.ts";

/** Numbers or addresses from the first to the last, both included. */
export interface Interval {
  readonly of: "integer" | "ip4" | "ip6";
  readonly first: bigint;
  readonly last: bigint;
}

/** The numbers or addresses that a value stands for; `undefined` for every other value. */
export function intervalOf(value: Value): Interval | undefined {
  if (value.kind === "integer") return { of: "integer", first: value.value, last: value.value };
  if (value.kind === "address") {
    const address = parseIpAddress(value.address);
    if (address === undefined) return undefined;
    const range = networkOf(address, value.prefix ?? (address.version === 4 ? 32 : 128));
    return range && { of: `ip${address.version}`, first: range.first, last: range.last };
  }
  if (value.kind !== "range") return undefined;
  const from = intervalOf(value.from);
  const to = intervalOf(value.to);
  return from && to && { ...from, last: to.last };
}

/** Whether all of `narrow` is in `wide`. */
export function includes(wide: Interval, narrow: Interval): boolean {
  return wide.of === narrow.of && wide.first <= narrow.first && narrow.last <= wide.last;
}
