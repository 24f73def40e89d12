import { hoursOfDay } from "./hours.ts";
import { type HourCount, unmeasuredState } from "./measurement.ts";

/** Where the share of the requests that an object counted in an hour is, or why nothing can be said of it. */
export const shareStates = [
  "usual",
  /** Above or below its usual range, as in the hour before. */
  "above",
  "below",
  /** Outside the range, and not so in the hour before. */
  "unconfirmed",
  /** Too few hours like this one were measured. */
  "learning",
  "little_traffic",
  "no_traffic",
  "denied",
  "unavailable",
  "failed",
  "missing",
  "undeclared",
] as const;

export type ShareState = (typeof shareStates)[number];

/** What was counted in an hour. */
export interface CountedHour {
  readonly count: number;
  /** All requests; at least 1. */
  readonly requests: number;
}

/** Days back of the hours with which an hour is compared: of the same day of the week, and the latest. */
const referenceDays = [
  [7, 14, 21, 28],
  [1, 2, 3],
] as const;

/** In these days, the hours around the same time of the day count too. */
const hoursAround = [-2, -1, 0, 1, 2];

/** Of 20 and 15 hours; so two weeks have to be known. */
const fewestHours = 8;

/** Fewer requests in the sample say nothing of a share. */
const fewestRequests = 100;

/** How many times the usual count is outside the range, at least. */
const leastFactor = 3;

/** Standard deviations, from hour to hour, from which on a count is outside the range. */
const spreadLimit = 4;

/** Standard deviations of a count of independent events from which on it is outside the range. */
const countingLimit = 6;

/** Events that are added before logarithms are compared: what is counted by chance moves a small count by factors. */
const smoothing = 4;

/** The hours before an hour of which its usual range is made. */
function referencesOf(hour: number): readonly (readonly number[])[] {
  return referenceDays.map((days) =>
    days.flatMap((day) => hoursAround.map((around) => hour - day * hoursOfDay + around)),
  );
}

/** All hours that decide about an hour, in order. */
export function decidingHours(hour: number): readonly number[] {
  const hours = [hour, hour - 1].flatMap((each) => [each, ...referencesOf(each).flat()]);
  return [...new Set(hours)].toSorted((a, b) => a - b);
}

/**
 * Where the share of an object in an hour is.
 *
 * An hour is outside the usual range if both its share and its count are far above or below the median of each of two groups
 * of hours: those of the same day of the week, and those of the latest three days. What lasts becomes usual after about two
 * days, and an hour of much traffic alone is not outside. Far is a factor of 3, more than 4 times the median absolute
 * deviation (of logarithms, scaled to a standard deviation), and more than 6 times the error of counting.
 *
 * @param measured what was counted in an hour; `undefined` if its count or its requests are unknown, or it had no requests.
 */
export function shareStateIn(
  hour: number,
  object: HourCount,
  requests: HourCount,
  measured: (hour: number) => CountedHour | undefined,
): ShareState {
  if (object.state !== "measured") return unmeasuredState(object);
  if (requests.state !== "measured") return unmeasuredState(requests);
  if (requests.count === 0) return "no_traffic";
  const sampleInterval = Math.max(object.sampleInterval, requests.sampleInterval);
  if (requests.count < fewestRequests * sampleInterval) return "little_traffic";
  const side = sideOf(hour, sampleInterval, measured);
  if (side !== "above" && side !== "below") return side;
  return sideOf(hour - 1, sampleInterval, measured) === side ? side : "unconfirmed";
}

type Side = "usual" | "above" | "below" | "learning";

/** Where an hour is, regardless of the hour before it. */
function sideOf(
  hour: number,
  sampleInterval: number,
  measured: (hour: number) => CountedHour | undefined,
): Side {
  const counted = measured(hour);
  const [ofWeek = [], latest = []] = referencesOf(hour).map((hours) =>
    hours.flatMap((each) => measured(each) ?? []),
  );
  if (counted === undefined || ofWeek.length < fewestHours) return "learning";
  const groups = latest.length < fewestHours ? [ofWeek] : [ofWeek, latest];
  let side: Side | undefined;
  for (const group of groups) {
    for (const expected of [
      group.map(({ count, requests }) => (count * counted.requests) / requests),
      group.map(({ count }) => count),
    ]) {
      const found = sideAmong(counted.count, expected, sampleInterval);
      if (found === "usual" || found !== (side ?? found)) return "usual";
      side = found;
    }
  }
  return side ?? "learning";
}

/** Where a count is among those that are expected by other hours. */
function sideAmong(count: number, expected: readonly number[], sampleInterval: number): Side {
  const added = smoothing * sampleInterval;
  const logarithms = expected.map((each) => Math.log(each + added));
  const middle = medianOf(logarithms);
  const spread = 1.4826 * medianOf(logarithms.map((each) => Math.abs(each - middle)));
  const factor = Math.max(leastFactor, Math.exp(spreadLimit * spread));
  const usual = Math.exp(middle) - added;
  const error = countingLimit * Math.sqrt(Math.max(0, usual) * sampleInterval);
  // The square root of such a count has a deviation of one half; this is the limit for the root, as a count.
  const rare = (countingLimit ** 2 / 4) * sampleInterval;
  const most = Math.max((usual + added) * factor - added, usual * factor, usual + error + rare);
  const least = Math.min((usual + added) / factor - added, usual / factor, usual - error);
  if (count > most) return "above";
  return count < least ? "below" : "usual";
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[half]];
  return (low + high) / 2;
}
