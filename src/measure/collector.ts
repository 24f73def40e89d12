import type { CollectorState, CollectorStatus } from "../state/collector-status.ts";
import { byText } from "../syntax/by-text.ts";
import { errorText } from "../syntax/error-code.ts";
import { hourMs } from "../syntax/time-units.ts";
import type { DesiredZone } from "../zone/desired-zone.ts";
import type { ResourceKey } from "../zone/resource.ts";
import { isAborted } from "../zone/signals.ts";
import type { ZoneName } from "../zone/zone.ts";
import { CountedObjects } from "./counted-objects.ts";
import { CountedZone } from "./counted-zone.ts";
import {
  dayRecordOf,
  dayRecordText,
  type DayRecord,
  emptyDay,
  type HourState,
  withRead,
} from "./day-record.ts";
import {
  dayOf,
  firstHourOf,
  hourUnit,
  hoursCompleteAt,
  hoursOfDay,
  hoursToRead,
  type UnitRange,
} from "./hours.ts";
import {
  judgeFleet,
  type JudgedFleet,
  newlyUnusual,
  type UnusualShare,
  type ZoneToJudge,
} from "./judged-fleet.ts";
import type { MeasurementStore } from "./measurement-store.ts";
import type { MeasuredDataset } from "./measurement.ts";
import { type CountTask, type QueryPorts, QueryRound } from "./query-round.ts";
import { type ReadRecentCounts, readRecentCounts } from "./recent-counts.ts";
import { ServiceTime } from "./service-time.ts";

export interface CollectorOptions {
  /** How long the records are kept. */
  readonly maxAgeMs: number;
}

export interface CollectorPorts extends QueryPorts {
  readonly store: MeasurementStore;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Called when the state changes. */
  readonly changed: (status: CollectorStatus) => void;
  /** Called when the share of an object leaves its usual range. */
  readonly unusual: (zone: ZoneName, share: UnusualShare) => void;
  readonly bug: (error: unknown, zone: string) => void;
}

/** How long the first round waits for the first runs, which find the ids of policies and rules. */
const firstWaitMs = 120_000;
/** From a round that could not read everything to the next. */
const retryMs = 600_000;
/** What a round has read of a large fleet is stored so often: a process that ends early loses no more. */
const saveMs = 600_000;
/** The rounds of many installations do not begin at once. */
const jitterMs = 240_000;
/** How long it is remembered that a day has nothing left to read. */
const rememberedMs = 24 * hourMs;

/** Zones whose records of a day are open at once. */
const zonesAtOnce = 1_000;

/** The records of zones and a day in a round, as texts: parsed, they would take ten times the memory. */
interface OpenDay {
  readonly day: string;
  readonly texts: Map<ZoneName, string>;
  readonly changed: Set<ZoneName>;
  /** When they were stored last, by the monotonic clock. */
  savedAt: number;
}

/**
 * Reads once an hour what policies and rules of the declared zones did, and stores it by day. What to read follows from what
 * is stored and what the service still has: a restart, a failure or a new leader loses nothing that can still be read.
 *
 * Time is that of the service's answers: a clock on the wall that jumps neither makes an hour complete nor drops a day.
 */
export class Collector {
  #options: CollectorOptions | undefined;
  readonly #ports: CollectorPorts;
  readonly #zones = new Map<ZoneName, CountedZone>();
  /** Days in which nothing is left to read, and since when. */
  readonly #doneDays = new Map<string, number>();
  readonly #time: ServiceTime;
  #status: CollectorStatus;
  #judged: JudgedFleet | undefined;
  #beganAt = 0;
  #wake: () => void = () => undefined;

  /** @param options `undefined`: nothing is measured, and nothing is sent. */
  constructor(options: CollectorOptions | undefined, ports: CollectorPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#time = new ServiceTime(ports.clock);
    this.#status = { state: options === undefined ? "off" : "starting", reason: "" };
  }

  get status(): CollectorStatus {
    return this.#status;
  }

  /** What time it is for the service, in milliseconds since the epoch; `undefined`: it has not answered yet. */
  get serviceNow(): number | undefined {
    return this.#time.isKnown ? this.#time.now() : undefined;
  }

  /** What the last complete hour was when the last round ended; `undefined`: not known. */
  get judged(): JudgedFleet | undefined {
    return this.#judged;
  }

  /** Measures the declared zones, and no others. */
  declare(zones: readonly DesiredZone[]): void {
    const names = new Set(zones.map(({ zone }) => zone.name));
    for (const name of this.#zones.keys()) if (!names.has(name)) this.#zones.delete(name);
    for (const desired of zones) {
      const known = this.#zones.get(desired.zone.name);
      if (known === undefined) this.#zones.set(desired.zone.name, new CountedZone(desired));
      else known.desired = desired;
    }
  }

  /**
   * Notes which objects of a zone a run found live, by their ids.
   *
   * @param forms digests of what its policies do.
   */
  note(
    name: ZoneName,
    liveKeys: ReadonlyMap<string, ResourceKey>,
    forms: ReadonlyMap<ResourceKey, string> = new Map(),
  ): void {
    const zone = this.#zones.get(name);
    if (zone === undefined || this.#options === undefined) return;
    if (zone.objects === undefined) {
      zone.objects = new CountedObjects();
      // What an earlier process did not read of it, and how long its objects are live, is in the records of past days.
      this.#doneDays.clear();
    }
    const { content } = zone.desired;
    zone.objects.note(liveKeys, content, Math.floor(this.#time.now() / hourMs), forms);
  }

  /** {@link ReadRecentCounts} */
  readonly readRecent: ReadRecentCounts = async (watched, signal) => {
    if (this.#options === undefined) return new Map();
    const zones = watched.flatMap(({ zone: name, keys }) => {
      const zone = this.#zones.get(name);
      return zone === undefined ? [] : [{ zone, keys }];
    });
    return readRecentCounts(zones, this.#ports, this.#time, signal);
  };

  /** Measures with other options from the next round on, or not at all. */
  reconfigure(options: CollectorOptions | undefined): void {
    const wasOff = this.#options === undefined;
    this.#options = options;
    if (options === undefined) {
      this.#judged = undefined;
      this.#note("off", "");
    } else if (wasOff) this.#note("starting", "");
    this.#wake();
  }

  /** Works until `stop` aborts. Never rejects. */
  async runUntil(stop: AbortSignal): Promise<void> {
    let waitMs = firstWaitMs;
    this.#beganAt = this.#ports.clock.monotonicMs();
    for (;;) {
      await this.#wait(this.#options === undefined ? undefined : waitMs, stop);
      if (isAborted(stop)) return;
      if (this.#options !== undefined) waitMs = await this.#work(this.#options, stop);
    }
  }

  /** Waits until the options change, or a time has passed. */
  async #wait(ms: number | undefined, stop: AbortSignal): Promise<void> {
    if (isAborted(stop)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = (): void => resolve();
    this.#wake = end;
    const cancel = ms === undefined ? undefined : this.#ports.clock.alarm(ms, end);
    stop.addEventListener("abort", end, { once: true });
    await promise;
    stop.removeEventListener("abort", end);
    cancel?.();
  }

  /** Works through a round; resolves with the milliseconds until the next one. */
  async #work(options: CollectorOptions, stop: AbortSignal): Promise<number> {
    const round = new QueryRound(this.#ports, this.#time, stop);
    let isWhole = true;
    try {
      isWhole = await this.#round(options, round, stop);
    } catch (error) {
      if (isAborted(stop)) return 0;
      round.fail(errorText(error));
      if (!(error instanceof StoreFailed)) this.#ports.bug(error, "");
    }
    await this.#judge(round, stop);
    if (round.failure === "") {
      if (!isWhole) return 0;
      this.#noteWhole();
      return this.#untilNextHour();
    }
    if (this.#options !== undefined) this.#note("lagging", round.failure);
    return Math.max(retryMs, round.retryAfterMs);
  }

  /** Judges the last complete hour, whatever the round could read of it. */
  async #judge(round: QueryRound, stop: AbortSignal): Promise<void> {
    const zones = this.#counted().map((zone): readonly [ZoneName, ZoneToJudge] => [
      zone.zone.name,
      { datasets: zone.datasets, keys: zone.enabledKeys },
    ]);
    try {
      const hour = this.#firstOpenHour - 1;
      const judged = await judgeFleet(this.#ports.store, new Map(zones), hour);
      if (isAborted(stop) || this.#options === undefined) return;
      for (const { zone, share } of newlyUnusual(judged, this.#judged)) {
        this.#ports.unusual(zone, share);
      }
      this.#judged = judged;
    } catch (error) {
      this.#judged = undefined;
      round.fail(`measurements cannot be read: ${errorText(error)}`);
    }
  }

  #noteWhole(): void {
    if (this.#options === undefined) return;
    const counted = this.#counted();
    const denied = counted.filter((zone) => zone.isDenied(this.#ports.clock.monotonicMs()));
    const isDenied = counted.length > 0 && denied.length === counted.length;
    if (isDenied) this.#note("denied", denied[0]?.denied ?? "");
    else if (counted.length > 0) this.#note("collecting", "");
  }

  #untilNextHour(): number {
    const isStarting = this.#ports.clock.monotonicMs() - this.#beganAt < hourMs;
    // The first sweep of a large fleet takes a while.
    if (isStarting && this.#counted().length < this.#zones.size) return retryMs;
    const next = (this.#firstOpenHour + 1) * hourMs + hourUnit.settleMs;
    return next - this.#time.now() + this.#ports.random() * jitterMs;
  }

  /**
   * Reads what can be read, the newest day first. Resolves with whether no day is left: a new hour ends the round, since it
   * must not wait for what was missed long ago.
   */
  async #round(
    { maxAgeMs }: CollectorOptions,
    round: QueryRound,
    stop: AbortSignal,
  ): Promise<boolean> {
    await round.readLimits(this.#counted());
    const now = this.#time.now();
    const counted = this.#counted();
    if (counted.length === 0) return true;
    const backMs = Math.max(0, ...counted.map((zone) => zone.notOlderThanMs));
    const oldest = dayOf(Math.floor((now - Math.min(maxAgeMs, backMs)) / hourMs));
    // First of all: where the disk is full, nothing can be stored.
    await this.#dropDays(maxAgeMs);
    await this.#learn(counted, oldest);
    const open = this.#firstOpenHour;
    const isNewHour = (): boolean => this.#firstOpenHour > open;
    for (let hour = Math.floor(now / hourMs); dayOf(hour) >= oldest; hour -= hoursOfDay) {
      if (!this.#isDone(dayOf(hour))) await this.#readDay(dayOf(hour), round);
      stop.throwIfAborted();
      if (isNewHour()) break;
    }
    for (const { objects } of counted) objects?.forgetBefore(firstHourOf(oldest));
    return !isNewHour();
  }

  /** Drops the days that are too old by the clock here and by that of the service: neither is always right. */
  async #dropDays(maxAgeMs: number): Promise<void> {
    if (!this.#time.isKnown) return;
    const { store, clock } = this.#ports;
    const earliest = Math.min(this.#time.now(), clock.now().getTime());
    const firstKept = dayOf(Math.floor((earliest - maxAgeMs) / hourMs));
    const days = await stored(store.days());
    if (days.some((day) => day < firstKept)) await stored(store.dropBefore(firstKept));
  }

  /** Learns from the records of earlier processes since when objects are live. */
  async #learn(zones: readonly CountedZone[], oldest: string): Promise<void> {
    const unlearnt = byName(zones.filter(({ isLearnt }) => !isLearnt));
    if (unlearnt.size === 0) return;
    for (const day of await stored(this.#ports.store.days())) {
      if (day < oldest) continue;
      for await (const [name, text] of storedRecords(this.#ports.store, day)) {
        const { objects } = unlearnt.get(name) ?? {};
        const record = objects && dayRecordOf(name, day, text);
        if (record !== undefined) objects?.learn(record);
      }
    }
    for (const zone of unlearnt.values()) zone.isLearnt = true;
  }

  /** Zones of which a run has found what is live. */
  #counted(): readonly CountedZone[] {
    return [...this.#zones.values()].filter(({ objects }) => objects !== undefined);
  }

  #isDone(day: string): boolean {
    const since = this.#doneDays.get(day);
    return since !== undefined && this.#ports.clock.monotonicMs() - since < rememberedMs;
  }

  async #readDay(day: string, round: QueryRound): Promise<void> {
    const startedAt = this.#ports.clock.monotonicMs();
    // Zones of the same credential can have one query.
    const zones = this.#counted().toSorted(byText((zone) => this.#ports.credentialOf(zone.zone)));
    let isRead = true;
    for (let start = 0; start < zones.length; start += zonesAtOnce) {
      const some = byName(zones.slice(start, start + zonesAtOnce));
      isRead = (await this.#readZones(some, day, round)) && isRead;
    }
    const isWhole = isRead && zones.every((zone) => zone.isReadable(startedAt));
    const isOver = firstHourOf(day) + hoursOfDay <= this.#firstOpenHour;
    if (isOver && isWhole) this.#doneDays.set(day, startedAt);
  }

  /** Reads a day of some zones. Resolves with whether all was read, or refused. */
  async #readZones(
    zones: ReadonlyMap<ZoneName, CountedZone>,
    day: string,
    round: QueryRound,
  ): Promise<boolean> {
    const { store, clock } = this.#ports;
    const texts = new Map<ZoneName, string>();
    for await (const [name, text] of storedRecords(store, day)) {
      if (zones.has(name)) texts.set(name, text);
    }
    const open: OpenDay = { day, texts, changed: new Set(), savedAt: clock.monotonicMs() };
    const saveNow = async (): Promise<void> => {
      if (clock.monotonicMs() - open.savedAt >= saveMs) await this.#save(open);
    };
    const tasks = [...zones.values()].flatMap((zone) => {
      const { hours } = recordIn(open, zone);
      return zone.datasets.flatMap((dataset) => this.#tasksOf(zone, dataset, open, hours[dataset]));
    });
    const isRead = await round.readCounts(
      tasks,
      (task, read) => put(open, task, read),
      ({ zone, dataset, range }) => this.#tasksOf(zone, dataset, open, range),
      saveNow,
    );
    await this.#save(open);
    return isRead;
  }

  async #save(open: OpenDay): Promise<void> {
    open.savedAt = this.#ports.clock.monotonicMs();
    const changed = [...open.changed].map((name) => [name, open.texts.get(name) ?? ""] as const);
    if (changed.length === 0) return;
    await stored(this.#ports.store.write(open.day, new Map(changed)));
    open.changed.clear();
  }

  /**
   * What to read of a dataset of a zone in a day. What the service refuses is noted as refused.
   *
   * @param known the states of its hours, of which those are read that were not measured; or a range to read whole, whose
   * refusal was noted when it was answered.
   */
  #tasksOf(
    zone: CountedZone,
    dataset: MeasuredDataset,
    open: OpenDay,
    known: readonly HourState[] | UnitRange,
  ): readonly CountTask[] {
    const start = firstHourOf(open.day);
    const found = zone.sourceOf(dataset, this.#ports.clock.monotonicMs());
    if (found === undefined) return [];
    if (found.result === "refused") {
      const to = Math.min(start + hoursOfDay, this.#firstOpenHour);
      const from = Math.max(start, this.#firstOpenHour - hoursOfDay);
      if (!("to" in known) && from < to) {
        put(open, { zone, dataset, range: { from, to } }, found);
      }
      return [];
    }
    const { source, limits } = found;
    const isMeasured = (hour: number): boolean =>
      "to" in known ? hour < known.from || hour >= known.to : known[hour - start] === "measured";
    const ranges = hoursToRead(open.day, isMeasured, limits, new Date(this.#time.now()));
    const { pageSize } = limits;
    return ranges.map((each) => ({ zone, dataset, source, unit: hourUnit, range: each, pageSize }));
  }

  /** The first hour that is not complete. */
  get #firstOpenHour(): number {
    return hoursCompleteAt(new Date(this.#time.now()));
  }

  #note(state: CollectorState, reason: string): void {
    const isNew = state !== this.#status.state;
    this.#status = { state, reason };
    if (isNew) this.#ports.changed(this.#status);
  }
}

function byName(zones: readonly CountedZone[]): ReadonlyMap<ZoneName, CountedZone> {
  return new Map(zones.map((zone) => [zone.zone.name, zone]));
}

/** The record of a zone as it is in a round. A text that is damaged, or of another day, says nothing: its hours are read again. */
function recordIn({ day, texts }: OpenDay, zone: CountedZone): DayRecord {
  const { name } = zone.zone;
  return dayRecordOf(name, day, texts.get(name)) ?? emptyDay(name, day);
}

function put(
  open: OpenDay,
  { zone, dataset, range }: { zone: CountedZone; dataset: MeasuredDataset; range: UnitRange },
  read: Parameters<typeof withRead>[3],
): void {
  const firstHour = firstHourOf(open.day);
  const hours = Array.from(
    { length: range.to - range.from },
    (_, nth) => range.from + nth - firstHour,
  );
  const record = withRead(recordIn(open, zone), dataset, hours, read, zone.objects?.all ?? []);
  const text = dayRecordText(record);
  const { name } = zone.zone;
  if (open.texts.get(name) === text) return;
  open.texts.set(name, text);
  open.changed.add(name);
}

/** The store cannot be used now: no error of the program. */
class StoreFailed extends Error {
  override readonly name = "StoreFailed";
}

async function stored<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw new StoreFailed(`measurements cannot be stored: ${errorText(cause)}`, { cause });
  }
}

async function* storedRecords(
  store: MeasurementStore,
  day: string,
): ReturnType<MeasurementStore["readAll"]> {
  try {
    yield* store.readAll(day);
  } catch (cause) {
    throw new StoreFailed(`measurements cannot be stored: ${errorText(cause)}`, { cause });
  }
}
