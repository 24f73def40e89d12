import { hourMs } from "../syntax/time-units.ts";
import { type ListedKind, listedKinds, type ResourceKey } from "../zone/resource.ts";
import type { ZoneName } from "../zone/zone.ts";
import { countIn, type DayRecord, dayRecordOf } from "./day-record.ts";
import { dayOf, hoursOfDay } from "./hours.ts";
import type { MeasurementReader } from "./measurement-store.ts";
import { type MeasuredDataset, ofEachDataset } from "./measurement.ts";
import { type CountedHour, decidingHours, type ShareState, shareStateIn } from "./usual-share.ts";

/** What is known of the hour of a dataset of a zone. */
export const datasetStates = [
  "measured",
  "sampled",
  "no_traffic",
  "denied",
  "unavailable",
  "failed",
  "missing",
] as const;

export type DatasetState = (typeof datasetStates)[number];

/** A zone of which objects are judged. */
export interface ZoneToJudge {
  /** What is counted of it. */
  readonly datasets: readonly MeasuredDataset[];
  /** Its policies and rules that are live and enabled. */
  readonly keys: readonly ResourceKey[];
}

/** An object whose share is above or below its usual range. */
export interface UnusualShare {
  readonly key: ResourceKey;
  readonly state: "above" | "below";
  readonly count: number;
  readonly requests: number;
}

/** What a zone counted in an hour. */
export interface JudgedZone {
  /** All requests; `undefined`: not measured. */
  readonly requests: number | undefined;
  /** Counts of its objects; a kind without objects that were measured is missing. */
  readonly counts: ReadonlyMap<ListedKind, number>;
  /** How many objects are in a state; a state that none has is missing. */
  readonly states: ReadonlyMap<ShareState, number>;
  readonly unusual: readonly UnusualShare[];
}

/** What a fleet counted in an hour. */
export interface JudgedFleet {
  /** Start of the hour. */
  readonly at: Date;
  readonly zones: ReadonlyMap<ZoneName, JudgedZone>;
  /** How many zones are in a state, of those of which a dataset is counted; a state that none has is missing. */
  readonly datasets: Readonly<Record<MeasuredDataset, ReadonlyMap<DatasetState, number>>>;
}

/**
 * Judges the shares of objects in an hour. Reads the records of the days that decide about it, one after the other: about ten
 * days, however long records are kept.
 *
 * @param hour hours since 1970.
 */
export async function judgeFleet(
  reader: Pick<MeasurementReader, "readAll">,
  zones: ReadonlyMap<ZoneName, ZoneToJudge>,
  hour: number,
): Promise<JudgedFleet> {
  const hours = decidingHours(hour);
  const days = Map.groupBy(hours, dayOf);
  const columns = new Map(hours.map((each, column) => [each, column]));
  const tables = new Map(
    [...zones].map(([name, { keys }]) => [name, new CountTable(keys, columns)]),
  );
  const judged = new Map<ZoneName, JudgedZone>();
  const states = ofEachDataset(() => new Map<DatasetState, number>());
  const take = (name: ZoneName, day: string, text: string | undefined): void => {
    const [zone, table] = [zones.get(name), tables.get(name)];
    if (zone === undefined || table === undefined) return;
    const record = dayRecordOf(name, day, text);
    table.fill(record, days.get(day) ?? []);
    if (day !== dayOf(hour)) return;
    judged.set(name, judgedZone(zone.keys, hour, record, table));
    for (const dataset of zone.datasets) {
      const state = datasetStateIn(record, dataset, hour % hoursOfDay);
      states[dataset].set(state, (states[dataset].get(state) ?? 0) + 1);
    }
  };
  for (const day of days.keys()) {
    for await (const [name, text] of reader.readAll(day)) take(name, day, text);
  }
  for (const name of zones.keys()) if (!judged.has(name)) take(name, dayOf(hour), undefined);
  return { at: new Date(hour * hourMs), zones: judged, datasets: states };
}

/** The shares that are outside their usual range, and were not so on the same side before. */
export function newlyUnusual(
  { zones }: JudgedFleet,
  before: JudgedFleet | undefined,
): readonly { readonly zone: ZoneName; readonly share: UnusualShare }[] {
  return [...zones].flatMap(([zone, { unusual }]) => {
    const known = before?.zones.get(zone)?.unusual ?? [];
    return unusual
      .filter(({ key, state }) => !known.some((one) => one.key === key && one.state === state))
      .map((share) => ({ zone, share }));
  });
}

function datasetStateIn(
  record: DayRecord | undefined,
  dataset: MeasuredDataset,
  hour: number,
): DatasetState {
  const state = record?.hours[dataset][hour] ?? "missing";
  if (record === undefined || state !== "measured") return state;
  if (dataset === "requests" && record.requests[hour] === 0) return "no_traffic";
  return (record.sampleIntervals[dataset][hour] ?? 1) > 1 ? "sampled" : "measured";
}

/** Counts of the objects of a zone and its requests in some hours, in numbers alone: a large fleet has many. */
class CountTable {
  readonly #rows: ReadonlyMap<ResourceKey | "requests", number>;
  readonly #columns: ReadonlyMap<number, number>;
  /** NaN: not measured. */
  readonly #counts: Float32Array;

  /** @param columns those of the hours. */
  constructor(keys: readonly ResourceKey[], columns: ReadonlyMap<number, number>) {
    this.#rows = new Map((["requests", ...keys] as const).map((what, row) => [what, row]));
    this.#columns = columns;
    this.#counts = new Float32Array(this.#rows.size * columns.size).fill(NaN);
  }

  fill(record: DayRecord | undefined, hours: readonly number[]): void {
    for (const what of this.#rows.keys()) {
      for (const hour of hours) {
        const found = countIn(record, what, hour % hoursOfDay);
        if (found.state === "measured") this.#counts[this.#place(what, hour)] = found.count;
      }
    }
  }

  /** What is known of an object in an hour with requests. */
  at(key: ResourceKey, hour: number): CountedHour | undefined {
    const count = this.#counts[this.#place(key, hour)] ?? NaN;
    const requests = this.#counts[this.#place("requests", hour)] ?? NaN;
    return count >= 0 && requests > 0 ? { count, requests } : undefined;
  }

  #place(what: ResourceKey | "requests", hour: number): number {
    const [row = NaN, column = NaN] = [this.#rows.get(what), this.#columns.get(hour)];
    return row * this.#columns.size + column;
  }
}

function judgedZone(
  keys: readonly ResourceKey[],
  hour: number,
  record: DayRecord | undefined,
  table: CountTable,
): JudgedZone {
  const requests = countIn(record, "requests", hour % hoursOfDay);
  const states = new Map<ShareState, number>();
  const counts = new Map<ListedKind, number>();
  const unusual: UnusualShare[] = [];
  for (const key of keys) {
    const found = countIn(record, key, hour % hoursOfDay);
    const state = shareStateIn(hour, found, requests, (each) => table.at(key, each));
    states.set(state, (states.get(state) ?? 0) + 1);
    if (found.state !== "measured") continue;
    const kind = listedKinds.find((each) => key.startsWith(`${each}/`));
    if (kind !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + found.count);
    if (requests.state !== "measured" || (state !== "above" && state !== "below")) continue;
    unusual.push({ key, state, count: found.count, requests: requests.count });
  }
  const all = requests.state === "measured" ? requests.count : undefined;
  return { requests: all, counts, states, unusual };
}
