import { hourMs } from "../syntax/time-units.ts";

/** Hours of a day. Days and hours are those of UTC, in which the service counts. */
export const hoursOfDay = 24;

/** A time in which is counted. */
export interface CountUnit {
  readonly ms: number;
  /** What groups of the service have for it. */
  readonly dimension: "datetimeHour" | "datetimeFiveMinutes";
  /** How long after its end it is complete: events reach the service's datasets late, which publishes no delay. */
  readonly settleMs: number;
}

/** What is stored. */
export const hourUnit: CountUnit = {
  ms: hourMs,
  dimension: "datetimeHour",
  settleMs: 15 * 60_000,
};

/** What is read of objects that are watched; what came later still counts, since each read covers an hour. */
export const fiveMinuteUnit: CountUnit = {
  ms: 5 * 60_000,
  dimension: "datetimeFiveMinutes",
  settleMs: 3 * 60_000,
};

/** Hours before a new one that are read again with it, in the same query: what came later still counts. */
const hoursAgain = 2;

/** What is asked for keeps this distance from the look-back: the query takes a while to arrive. */
const ageMarginMs = 5 * 60_000;

/** Hours since 1970, or other units; `to` is not included. */
export interface UnitRange {
  readonly from: number;
  readonly to: number;
}

/** How far back, and how much of it at once, a zone's plan lets one read a dataset; in milliseconds and rows. */
export interface ReadLimits {
  readonly notOlderThanMs: number;
  readonly windowMs: number;
  readonly pageSize: number;
}

/** The day of an hour: `2026-11-26`. */
export function dayOf(hour: number): string {
  return new Date(hour * hourMs).toISOString().slice(0, 10);
}

/** Whether a text names a day as {@link dayOf} does. */
export function isDay(text: string): boolean {
  const firstHour = firstHourOf(text);
  return Number.isFinite(firstHour) && dayOf(firstHour) === text;
}

export function firstHourOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / hourMs;
}

/** The first hour that is not complete at a moment. */
export function hoursCompleteAt(now: Date): number {
  return completeAt(now.getTime(), hourUnit);
}

/** The first unit of time that is not complete at a moment, in milliseconds since 1970. */
export function completeAt(now: number, { ms, settleMs }: CountUnit): number {
  return Math.floor((now - settleMs) / ms);
}

/**
 * The hours of a day to read: those that are complete, can still be read and were not measured, and some before them.
 *
 * @param isMeasured whether an hour was measured before.
 */
export function hoursToRead(
  day: string,
  isMeasured: (hour: number) => boolean,
  { notOlderThanMs, windowMs }: ReadLimits,
  now: Date,
): readonly UnitRange[] {
  const start = firstHourOf(day);
  const readable = Math.ceil((now.getTime() - notOlderThanMs + ageMarginMs) / hourMs);
  const first = Math.max(start, readable);
  const end = Math.min(start + hoursOfDay, hoursCompleteAt(now));
  const hours = Array.from({ length: Math.max(0, end - first) }, (_, nth) => first + nth);
  const wanted = hours.filter((hour) => !isMeasured(hour));
  const isRead = (hour: number): boolean =>
    wanted.some((other) => hour <= other && other - hour <= hoursAgain);
  const most = Math.max(1, Math.floor(windowMs / hourMs));
  const ranges: UnitRange[] = [];
  for (const hour of hours.filter(isRead)) {
    const last = ranges.at(-1);
    if (last?.to === hour && hour - last.from < most) {
      ranges[ranges.length - 1] = { from: last.from, to: hour + 1 };
    } else ranges.push({ from: hour, to: hour + 1 });
  }
  return ranges;
}
