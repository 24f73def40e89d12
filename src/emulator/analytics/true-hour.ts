import { hourMs } from "../../syntax/time-units.ts";
import type { CountedObject, EmulatedZone, Protection } from "../state.ts";
import { type Counted, countsOf } from "./traffic.ts";

/** The exact counts of an hour of a zone, or of a part of it, up to now, whatever a plan lets one read. */
export interface TrueHour {
  readonly zone: string;
  /** Start of the hour, or of its part. */
  readonly hour: string;
  readonly requests: number;
  readonly policies: readonly TrueCount[];
  readonly rules: readonly TrueCount[];
}

/** The count of one policy or rule with one action; what counted nothing is left out. */
export interface TrueCount extends Pick<CountedObject, "id" | "rulesetId" | "action"> {
  readonly count: number;
}

/**
 * The exact counts of the hour that `at` is in; both times are in milliseconds since 1970.
 *
 * @param lengthMs of a part of the hour, instead; it divides an hour.
 */
export function trueHour(
  zone: EmulatedZone,
  history: readonly Protection[],
  at: number,
  now: number,
  lengthMs: number = hourMs,
): TrueHour {
  const from = Math.floor(at / lengthMs) * lengthMs;
  const to = Math.min(now, from + lengthMs);
  const span = { from, to, stepMs: lengthMs, isSampled: false };
  const requests = [...countsOf(history, "requests", span)];
  return {
    zone: zone.name,
    hour: new Date(from).toISOString(),
    requests: requests.reduce((sum, { count }) => sum + count, 0),
    policies: summed(countsOf(history, "policies", span)),
    rules: summed(countsOf(history, "rules", span)),
  };
}

/** The same object counts for each host, and before and after a change. */
function summed(counts: Iterable<Counted>): readonly TrueCount[] {
  const sums = new Map<string, TrueCount>();
  for (const { object, count } of counts) {
    if (object === undefined) continue;
    const { id, rulesetId, action } = object;
    const key = `${rulesetId ?? ""}/${id}/${action}`;
    const sum = count + (sums.get(key)?.count ?? 0);
    sums.set(key, { id, ...(rulesetId === undefined ? {} : { rulesetId }), action, count: sum });
  }
  return [...sums.values()];
}
