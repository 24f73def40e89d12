import type { Period } from "../history/timeline.ts";
import type { ScriptRecord } from "../state/scripts/script-watch.ts";
import { dayMs } from "../syntax/time-units.ts";

/** Requirement 11.6.1 asks for a check at least so often. */
const longestPauseMs: number = 7 * dayMs;

/**
 * What is recorded of a day: `checked`: the inventory was read, and the service's monitoring was on. `partly_off`: also, but
 * monitoring was off for a part of the day. `monitoring_off`: read only while it was off. `not_read`: the inventory could
 * not be read. `no_record`: nothing is recorded.
 */
export type DayStatus = "checked" | "partly_off" | "monitoring_off" | "not_read" | "no_record";

/** A day (UTC) of the period. Only `checked` is no gap. */
export interface MonitoredDay {
  /** `2026-11-02`. */
  readonly day: string;
  readonly status: DayStatus;
}

/** When scripts were checked. */
export interface CheckTimes {
  readonly days: readonly MonitoredDay[];
  /** Recorded checks of the inventory in the period, while monitoring was on. */
  readonly checks: number;
  /** The longest time in the period without such a check; it may have begun before. */
  readonly longestPause: Period;
  /** Those that are longer than seven days. */
  readonly pauses: readonly Period[];
}

/** A recorded check of the inventory. */
interface Reading {
  readonly at: Date;
  readonly isMonitored: boolean;
}

/** @param records of one zone, up to the end of the period, in the order of their lines. */
export function checkTimesOf(records: readonly ScriptRecord[], period: Period): CheckTimes {
  const off = offPeriods(records, period);
  const readings = records
    .filter(({ read }) => read !== undefined)
    .map(({ at }) => ({
      at,
      isMonitored: !off.some(({ since, until }) => since <= at && at < until),
    }));
  const valid = readings
    .filter(({ isMonitored }) => isMonitored)
    .map(({ at }) => at)
    .toSorted((a, b) => Number(a) - Number(b));
  const checks = valid.filter((at) => at >= period.since);
  const before = valid.findLast((at) => at < period.since);
  const marks = [before ?? period.since, ...checks, period.until];
  const pauses = marks.slice(1).map((until, index) => ({ since: marks[index] ?? until, until }));
  const [longest = period] = pauses.toSorted((a, b) => lengthOf(b) - lengthOf(a));
  return {
    days: Array.from({ length: Math.ceil(lengthOf(period) / dayMs) }, (_, index) =>
      dayOf(Number(period.since) + index * dayMs, records, readings, off),
    ),
    checks: checks.length,
    longestPause: longest,
    pauses: pauses.filter((pause) => lengthOf(pause) > longestPauseMs),
  };
}

function lengthOf({ since, until }: Period): number {
  return Number(until) - Number(since);
}

/** The periods in which monitoring was found off. */
function offPeriods(records: readonly ScriptRecord[], { until }: Period): readonly Period[] {
  const off: Period[] = [];
  let offSince: Date | undefined;
  for (const { at, events } of records) {
    for (const each of events) {
      if (!("finding" in each) || each.finding.kind !== "unmonitored") continue;
      // The line of its opening may not be kept.
      offSince ??= each.event === "opened" ? at : each.finding.firstSeenAt;
      if (each.event !== "closed") continue;
      off.push({ since: offSince, until: at });
      offSince = undefined;
    }
  }
  return offSince === undefined ? off : [...off, { since: offSince, until }];
}

function dayOf(
  start: number,
  records: readonly ScriptRecord[],
  readings: readonly Reading[],
  off: readonly Period[],
): MonitoredDay {
  const isOn = ({ at }: { readonly at: Date }): boolean =>
    Number(at) >= start && Number(at) < start + dayMs;
  const own = readings.filter(isOn);
  const wasOff = off.some(
    ({ since, until }) => Number(since) < start + dayMs && Number(until) > start,
  );
  const status = (): DayStatus => {
    if (own.some(({ isMonitored }) => isMonitored)) return wasOff ? "partly_off" : "checked";
    if (own.length > 0) return "monitoring_off";
    return records.some(isOn) ? "not_read" : "no_record";
  };
  return { day: new Date(start).toISOString().slice(0, 10), status: status() };
}
