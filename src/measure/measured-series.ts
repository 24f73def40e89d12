import { compareText } from "../syntax/by-text.ts";
import { hourMs } from "../syntax/time-units.ts";
import type { ResourceKey } from "../zone/resource.ts";
import type { ZoneName } from "../zone/zone.ts";
import { countIn, type DayRecord, dayRecordOf } from "./day-record.ts";
import { dayOf, hoursCompleteAt, hoursOfDay } from "./hours.ts";
import type { MeasurementReader } from "./measurement-store.ts";
import type { HourCount } from "./measurement.ts";

/** The counts of a zone from one hour to another; each list has one for each hour. */
export interface ZoneSeries {
  readonly zone: ZoneName;
  /** Start of the first hour. */
  readonly since: Date;
  /** End of the last one. */
  readonly until: Date;
  readonly requests: readonly HourCount[];
  /** By object, sorted; those that were counted in one of the hours. */
  readonly objects: ReadonlyMap<ResourceKey, readonly HourCount[]>;
  /** The counts of an object, also where it has none in any hour. */
  readonly countsOf: (key: ResourceKey) => readonly HourCount[];
  /** Digests of what a policy did in the hours; "" where that is not known. */
  readonly formsOf: (key: ResourceKey) => readonly string[];
}

/** An hour of an object, with all requests of its zone. */
export interface ObjectHour {
  readonly count: HourCount;
  readonly requests: HourCount;
}

/** The hours of an object in a series. */
export function hoursOf(
  { requests, countsOf }: Pick<ZoneSeries, "requests" | "countsOf">,
  key: ResourceKey,
): readonly ObjectHour[] {
  const counts = countsOf(key);
  return requests.map((all, nth) => ({
    count: counts[nth] ?? { state: "missing" },
    requests: all,
  }));
}

/** Reads the counts of a zone in the hours since a moment that are complete by now. */
export async function readSeries(
  reader: Pick<MeasurementReader, "read">,
  zone: ZoneName,
  since: Date,
  now: Date,
): Promise<ZoneSeries> {
  const end = hoursCompleteAt(now);
  const first = Math.min(end, Math.floor(since.getTime() / hourMs));
  const hours = Array.from({ length: end - first }, (_, nth) => first + nth);
  const dayNames = hours.map(dayOf);
  const days = new Map<string, DayRecord | undefined>();
  for (const day of new Set(dayNames)) {
    days.set(day, dayRecordOf(zone, day, await reader.read(day, zone)));
  }
  const parts = hours.map((hour, nth) => ({
    record: days.get(dayNames[nth] ?? ""),
    at: hour % hoursOfDay,
  }));
  const countsOf = (what: ResourceKey | "requests"): readonly HourCount[] =>
    parts.map(({ record, at }) => countIn(record, what, at));
  const formsOf = (key: ResourceKey): readonly string[] =>
    parts.map(({ record, at }) => record?.objects.get(key)?.forms[at] ?? "");
  const keys = new Set([...days.values()].flatMap((record) => [...(record?.objects.keys() ?? [])]));
  return {
    zone,
    since: new Date(first * hourMs),
    until: new Date(end * hourMs),
    requests: countsOf("requests"),
    objects: new Map([...keys].toSorted(compareText).map((key) => [key, countsOf(key)])),
    countsOf,
    formsOf,
  };
}

/** The counts of several hours together. */
export interface CountSum {
  readonly count: number;
  readonly actions: Readonly<Record<string, number>>;
  /** Whether a part of it is an estimate by a sample. */
  readonly isEstimate: boolean;
  /** How many hours have which state. */
  readonly hours: Readonly<Record<HourCount["state"], number>>;
  /** All requests in those of the measured hours whose requests were measured too; `undefined`: there is no such hour. */
  readonly requests: number | undefined;
  /** What of `count` is in these hours. */
  readonly countOfRequests: number;
}

/** Adds the counts of hours up. What was not measured adds nothing, and its hours are counted as what they are. */
export function sumOfHours(counts: readonly HourCount[], requests: readonly HourCount[]): CountSum {
  const actions: Record<string, number> = {};
  const hours = { measured: 0, refused: 0, failed: 0, missing: 0, undeclared: 0 };
  const sum = { count: 0, countOfRequests: 0, isEstimate: false };
  let ofRequests: number | undefined;
  for (const [nth, hour] of counts.entries()) {
    hours[hour.state] += 1;
    if (hour.state !== "measured") continue;
    sum.count += hour.count;
    sum.isEstimate ||= hour.sampleInterval > 1;
    for (const [action, count] of Object.entries(hour.actions)) {
      actions[action] = (actions[action] ?? 0) + count;
    }
    const all = requests[nth];
    if (all?.state !== "measured") continue;
    ofRequests = (ofRequests ?? 0) + all.count;
    sum.countOfRequests += hour.count;
  }
  return { ...sum, requests: ofRequests, actions, hours };
}

/** Reads the records of some zones, each day once for all of them. */
export function readDaysOnce(
  reader: Pick<MeasurementReader, "readAll">,
  zones: ReadonlySet<ZoneName>,
): Pick<MeasurementReader, "read"> {
  const days = new Map<string, Promise<ReadonlyMap<ZoneName, string>>>();
  const readDay = async (day: string): Promise<ReadonlyMap<ZoneName, string>> => {
    const found = new Map<ZoneName, string>();
    for await (const [zone, text] of reader.readAll(day)) {
      if (zones.has(zone)) found.set(zone, text);
    }
    return found;
  };
  return {
    read: async (day, zone) => {
      const reading = days.get(day) ?? readDay(day);
      days.set(day, reading);
      return (await reading).get(zone);
    },
  };
}
