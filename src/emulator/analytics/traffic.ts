import { hourMs, minuteMs } from "../../syntax/time-units.ts";
import type { CountedObject, HostTraffic, Protection } from "../state.ts";
import { unitOf } from "./hash.ts";

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

/** From a moment up to another, which it does not include, in milliseconds since 1970. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** A time, and how it is counted. */
export interface CountSpan extends TimeRange {
  /** Divides a day. */
  readonly stepMs: number;
  /** Whether counts are estimates where the traffic is high. */
  readonly isSampled: boolean;
}

export type CountedKind = "requests" | "policies" | "rules";

/** Counts of a host, of all its requests or of those of one object. */
export interface Counted {
  readonly host: string;
  /** Undefined for all requests. */
  readonly object: CountedObject | undefined;
  /** Start of the step, in milliseconds since 1970. */
  readonly at: number;
  readonly count: number;
  /** How many events are in the sample; each stands for the same number in an hour. */
  readonly samples: number;
}

/** What was counted in a time, step by step; what is 0 is left out. */
export function* countsOf(
  history: readonly Protection[],
  kind: CountedKind,
  { from, to, stepMs, isSampled }: CountSpan,
): Generator<Counted> {
  for (let at = Math.floor(from / stepMs) * stepMs; at < to; at += stepMs) {
    const step = { from: Math.max(from, at), to: Math.min(to, at + stepMs) };
    for (const { protection, ...part } of segmentsOf(history, step)) {
      const objects = kind === "requests" ? [undefined] : protection[kind];
      for (const traffic of protection.hosts) {
        const { host, key } = traffic;
        const sums = objects.map((object) => ({ host, object, at, count: 0, samples: 0 }));
        for (const hour of hoursOf(part)) {
          const requests = requestsOf(traffic, hour);
          const interval = isSampled ? intervalIn(protection, hour) : 1;
          for (const sum of sums) addHour(sum, key, requests, hour, interval);
        }
        yield* sums.filter(({ count }) => count > 0);
      }
    }
  }
}

/** A part of time with one protection. */
interface Segment extends TimeRange {
  readonly protection: Protection;
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

/** The hours of a time, the first and the last of which may be parts. */
function hoursOf({ from, to }: TimeRange): readonly TimeRange[] {
  const hours: TimeRange[] = [];
  for (let start = from; start < to; start = (Math.floor(start / hourMs) + 1) * hourMs) {
    hours.push({ from: start, to: Math.min(to, (Math.floor(start / hourMs) + 1) * hourMs) });
  }
  return hours;
}

/** Requests of a host in each minute that a part of an hour touches. */
function requestsOf({ requestsPerHour, key }: HostTraffic, { from, to }: TimeRange): number[] {
  const noise = 0.9 + 0.2 * unitOf(key, -Math.floor(from / hourMs));
  const first = Math.floor(from / minuteMs);
  return Array.from({ length: Math.ceil(to / minuteMs) - first }, (_, index) => {
    const minute = first + index;
    return rounded((requestsPerHour / 60) * shapeAt(minute) * noise, key, minute);
  });
}

type Sum = { -readonly [name in keyof Counted]: Counted[name] };

/** Adds what is counted in a part of an hour, given the requests in each minute that it touches. */
function addHour(
  sum: Sum,
  hostKey: number,
  requests: readonly number[],
  { from, to }: TimeRange,
  interval: number,
): void {
  const { object } = sum;
  const key = object === undefined ? hostKey : object.key ^ hostKey;
  const share = object?.share ?? 1;
  const noise = share === 1 ? 1 : 0.8 + 0.4 * unitOf(key, -Math.floor(from / hourMs));
  const first = Math.floor(from / minuteMs);
  for (const [index, all] of requests.entries()) {
    const minute = first + index;
    const start = minute * minuteMs;
    const matches = share === 1 ? all : Math.min(all, rounded(all * share * noise, key, minute));
    const exact = before(matches, to - start) - before(matches, from - start);
    const samples = interval === 1 ? exact : rounded(exact / interval, ~key, minute);
    sum.samples += samples;
    sum.count += samples * interval;
  }
}

/** How many of the events of a minute, which are evenly spread, are in its first milliseconds. */
function before(all: number, ms: number): number {
  if (ms >= minuteMs) return all;
  return ms <= 0 ? 0 : Math.ceil((all * ms) / minuteMs);
}

/** For how many events one stands in an hour: a power of 10. */
function intervalIn({ hosts, sampledAbove }: Protection, { from }: TimeRange): number {
  const middle = Math.floor(from / hourMs) * 60 + 30;
  const perHour = hosts.reduce((sum, host) => sum + host.requestsPerHour, 0) * shapeAt(middle);
  const ratio = perHour / sampledAbove;
  return ratio <= 1 ? 1 : 10 ** Math.ceil(Math.log10(ratio));
}
