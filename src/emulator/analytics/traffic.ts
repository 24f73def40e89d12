import type { CountedObject, HostTraffic, Protection } from "../state.ts";
import { unitOf } from "./hash.ts";

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** Requests of a host in the minute that begins at `minute`, in minutes since 1970. */
function requestsIn({ requestsPerHour, key }: HostTraffic, minute: number): number {
  const hour = Math.floor(minute / 60);
  const noise = 0.9 + 0.2 * unitOf(key, -hour);
  return rounded((requestsPerHour / 60) * shapeAt(minute) * noise, key, minute);
}

/** Requests of a host that an object counts in a minute. */
function matchesIn(
  { share, key }: CountedObject,
  host: HostTraffic,
  requests: number,
  minute: number,
): number {
  const hour = Math.floor(minute / 60);
  const own = key ^ host.key;
  const noise = 0.8 + 0.4 * unitOf(own, -hour);
  const expected = share === 1 ? requests : requests * share * noise;
  return Math.min(requests, rounded(expected, own, minute));
}

/** Most requests are in the afternoon (UTC), and fewer at weekends; the mean of a week is about 0.93. */
function shapeAt(minute: number): number {
  const ofDay = minute % 1_440;
  const isWeekend = [2, 3].includes(Math.floor(minute / 1_440) % 7);
  return (1 + 0.6 * Math.cos((2 * Math.PI * (ofDay - 840)) / 1_440)) * (isWeekend ? 0.75 : 1);
}

/** One of the two whole numbers beside `expected`, which is the mean of many. */
function rounded(expected: number, key: number, index: number): number {
  return Math.floor(expected + unitOf(key, index));
}

/** Counts of a host, of all its requests or of those of one object. */
export interface Counted {
  readonly host: string;
  /** Undefined for all requests. */
  readonly object: CountedObject | undefined;
  /** Start of the time, in milliseconds since 1970. */
  readonly at: number;
  readonly count: number;
  /** How many of the events were kept, and the sum of what each of them stands for. */
  readonly samples: number;
}

/** What a dataset counts. */
export type CountedKind = "requests" | "policies" | "rules";

/** A part of time with one protection. */
interface Segment extends TimeRange {
  readonly protection: Protection;
}

/**
 * What was counted from `from` up to `to` (milliseconds since 1970), in steps of `stepMs`, which
 * divides a day. What is 0 is left out.
 *
 * @param isSampled whether counts are estimates where the traffic is high.
 */
export function* countsOf(
  history: readonly Protection[],
  kind: CountedKind,
  { from, to, stepMs, isSampled }: CountSpan,
): Generator<Counted> {
  for (let at = Math.floor(from / stepMs) * stepMs; at < to; at += stepMs) {
    const span = { from: Math.max(from, at), to: Math.min(to, at + stepMs) };
    for (const { protection, ...part } of segmentsOf(history, span)) {
      for (const host of protection.hosts) {
        const objects = kind === "requests" ? [undefined] : protection[kind];
        for (const object of objects) {
          const sums = summed(protection, host, object, part, isSampled);
          if (sums.count > 0) yield { host: host.host, object, at, ...sums };
        }
      }
    }
  }
}

/** From a moment up to another, which it does not include, in milliseconds since 1970. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** A time, and how it is counted. */
export interface CountSpan extends TimeRange {
  readonly stepMs: number;
  readonly isSampled: boolean;
}

/** What was in force at the start of a minute counts for the whole minute. */
function segmentsOf(history: readonly Protection[], { from, to }: TimeRange): readonly Segment[] {
  return history.flatMap((protection, index) => {
    const start = index === 0 ? -Infinity : minuteFrom(protection.from);
    const next = history[index + 1];
    const end = next === undefined ? Infinity : minuteFrom(next.from);
    const segment = { protection, from: Math.max(from, start), to: Math.min(to, end) };
    return segment.from < segment.to ? [segment] : [];
  });
}

function minuteFrom(at: number): number {
  return Math.ceil(at / minuteMs) * minuteMs;
}

function summed(
  protection: Protection,
  host: HostTraffic,
  object: CountedObject | undefined,
  { from, to }: TimeRange,
  isSampled: boolean,
): Pick<Counted, "count" | "samples"> {
  let count = 0;
  let samples = 0;
  for (let minute = Math.floor(from / minuteMs); minute * minuteMs < to; minute += 1) {
    const requests = requestsIn(host, minute);
    const all = object === undefined ? requests : matchesIn(object, host, requests, minute);
    const start = minute * minuteMs;
    const exact = before(all, to - start) - before(all, from - start);
    const interval = isSampled ? intervalIn(protection, minute) : 1;
    const kept = rounded(exact / interval, (object ?? host).key ^ 0x5bd1e995, minute);
    const sampled = interval === 1 ? exact : kept;
    count += sampled * interval;
    samples += sampled;
  }
  return { count, samples };
}

/** How many of the events of a minute, which are evenly spread, are in its first milliseconds. */
function before(all: number, ms: number): number {
  if (ms >= minuteMs) return all;
  return ms <= 0 ? 0 : Math.ceil((all * ms) / minuteMs);
}

/** For how many events one stands in the hour of a minute: a power of 10. */
function intervalIn({ hosts, sampledAbove }: Protection, minute: number): number {
  const middle = Math.floor(minute / 60) * 60 + 30;
  const perHour = hosts.reduce((sum, host) => sum + host.requestsPerHour, 0) * shapeAt(middle);
  const ratio = perHour / sampledAbove;
  return ratio <= 1 ? 1 : 10 ** Math.ceil(Math.log10(ratio));
}
