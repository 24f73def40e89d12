import { fiveMinuteUnit, hourUnit } from "../../measure/hours.ts";
import { readDaysOnce } from "../../measure/measured-series.ts";
import type { MeasurementReader } from "../../measure/measurement-store.ts";
import type { ReadRecentCounts, RecentCounts } from "../../measure/recent-counts.ts";
import type { ZoneReport } from "../../state/run-report.ts";
import type { EarlierWave, StepEvent, Stop } from "../../state/step-wait.ts";
import type { ZoneStepsStatus } from "../../state/steps-status.ts";
import { hourMs } from "../../syntax/time-units.ts";
import type { Mode } from "../../zone/desired-zone.ts";
import type { Clock } from "../../zone/ports.ts";
import type { PromotedObject } from "../../zone/promoted-objects.ts";
import type { StepValue } from "../../zone/promotion.ts";
import type { ResourceKey } from "../../zone/resource.ts";
import { isAborted } from "../../zone/signals.ts";
import type { Zone, ZoneName } from "../../zone/zone.ts";
import { type DesiredFleet, digestOf, type FleetZone } from "../fleet/desired-fleet.ts";
import type { FleetPast } from "../fleet/fleet-past.ts";
import type { StepDecision } from "./step-decision.ts";
import type { PartSeries } from "./step-evidence.ts";
import { contentAtSteps, promotedIn, zoneAtSteps } from "./step-overlay.ts";
import {
  noSteps,
  watchedAt,
  type StepState,
  stepIndex,
  stoppedAt,
  type ZoneSteps,
} from "./step-state.ts";
import { contentsOf, SteppedZone } from "./stepped-zone.ts";

/** What steps remember beyond the end of the process. */
export interface StepStore {
  /** Whether what is set now can be written. */
  readonly isWritable: boolean;
  steps(zone: ZoneName): ZoneSteps;
  /** Never throws and never waits. */
  setSteps(zone: ZoneName, steps: ZoneSteps): void;
  /** Resolves when all that was set is stored; with `false` if it cannot be now. */
  flush(): Promise<boolean>;
}

export interface StepsPorts {
  readonly clock: Pick<Clock, "now" | "monotonicMs" | "alarm">;
  readonly store: StepStore;
  /** What time it is for the service, in milliseconds since the epoch; `undefined`: not known yet. */
  readonly serviceNow: () => number | undefined;
  /** Whether anything is measured. */
  readonly isMeasuring: () => boolean;
  /**
   * The last hour that was read as far as it could be: another object after each time that hours were read. `undefined`: none
   * was.
   */
  readonly lastHour: () => { readonly at: Date } | undefined;
  readonly measurements: Pick<MeasurementReader, "readAll">;
  readonly readRecent: ReadRecentCounts;
  /** How many scripts in use an object would block at a step, from 0; `unread`: that cannot be read. */
  readonly blockedScripts: (
    zone: Zone,
    object: PromotedObject,
    at: number,
    signal: AbortSignal,
  ) => Promise<number | "unread">;
  /** Is called when something became of an object. */
  readonly happened: (event: StepEvent) => void;
  readonly bug: (error: unknown, zone: string) => void;
}

/** What steps need of the reconciler. */
export interface StepHooks {
  readonly past: Pick<FleetPast, "leftForce">;
  /** The wave in which steps of a zone begin, from 1. */
  readonly waveOf: (zone: ZoneName) => number;
  /** Is called when other steps are in force. */
  readonly changed: () => void;
}

/** What became of the order of a person. */
export type StepOrder =
  | { readonly result: "done"; readonly events: readonly StepEvent[] }
  /** The zone has no object that it could be about. */
  | { readonly result: "nothing" }
  /** Another object is watched, or is not live at its step. */
  | { readonly result: "busy"; readonly key: ResourceKey }
  /** The store cannot be written. */
  | { readonly result: "not_stored" };

/** How often recent counts are read, and zones are checked. */
const tickMs = fiveMinuteUnit.ms;
/** How often it is asked what time it is for the service, while a step waits for that to begin. */
const timeAskMs = 60_000;
/** How often it is stored how much time has passed. */
const saveMs = 600_000;
/** Zones whose records are held at once: those of a large fleet would take a hundred megabytes. */
const zonesAtOnce = 500;

/**
 * Brings objects step by step to what is declared. It writes nothing to a zone: it says which steps are in force, with which
 * the zone is declared for its runs, and these have all their guards.
 *
 * - Which step is in force is known from the store; else it is the one at which a run finds the object live, and its time
 *   begins.
 * - A step begins when a run found the object live at it. The next one begins when enough hours were measured since then that
 *   together keep the conditions (step-decision.ts). No clock on the wall has a part in it.
 * - Where the fleet has waves, a step begins in a zone when each zone of an earlier wave has kept it for an object of the same
 *   key: it is at that step, and not watched. So what is set back in one wave never reaches the next one.
 * - A step is stored before it is in force: a process that ends in between takes nothing for drift.
 */
export class Steps {
  #mode: Mode;
  readonly #ports: StepsPorts;
  readonly #hooks: StepHooks;
  readonly #zones = new Map<ZoneName, SteppedZone>();
  /** Declared zones that are not listed. */
  #missing: readonly ZoneName[] = [];
  /** Until when time is stored, and when recent counts were read, by the monotonic clock. */
  #savedMs: number;
  #recentMs = Number.NEGATIVE_INFINITY;
  /** The hour until which hours were read. */
  #hour: { readonly at: Date } | undefined;
  /** Resolves when something new came; during a check, the next one does not wait. */
  #woken = Promise.withResolvers<void>();

  constructor(mode: Mode, ports: StepsPorts, hooks: StepHooks) {
    this.#mode = mode;
    this.#ports = ports;
    this.#hooks = hooks;
    this.#savedMs = ports.clock.monotonicMs();
  }

  /** Uses another mode from now on: nothing is promoted in `observe`. */
  reconfigure(mode: Mode): void {
    this.#mode = mode;
  }

  /** Takes in what is in force in each zone, and gives it with the steps that are in force. */
  declare(fleet: DesiredFleet): DesiredFleet {
    for (const name of this.#zones.keys()) if (!fleet.zones.has(name)) this.#zones.delete(name);
    this.#missing = [...fleet.missing.keys()];
    const zones = [...fleet.zones].map(([name, zone]): [ZoneName, FleetZone] => {
      this.#declareZone(name, zone);
      return [name, this.atSteps(name, zone)];
    });
    return this.#zones.size === 0 ? fleet : { ...fleet, zones: new Map(zones) };
  }

  #declareZone(name: ZoneName, zone: FleetZone): void {
    const contents = contentsOf(zone);
    const { store } = this.#ports;
    if (contents.every((content) => promotedIn(content).size === 0)) {
      this.#zones.delete(name);
      // They may be from a process before this one.
      if (store.steps(name).objects.size > 0) store.setSteps(name, noSteps);
      return;
    }
    const isFirst = this.#zones.size === 0;
    const nowMs = this.#ports.clock.monotonicMs();
    const known = this.#zones.get(name) ?? new SteppedZone(zone, store.steps(name), nowMs);
    this.#zones.set(name, known);
    if (isFirst) this.#wake();
    this.#change(name, known, () => known.declare(zone));
  }

  /** A declaration of a zone, which may be in force or not, with the steps that are. */
  atSteps(name: ZoneName, zone: FleetZone): FleetZone {
    return zoneAtSteps(zone, this.#zones.get(name)?.steps.objects);
  }

  /** Takes in the result of a run of a zone as it was declared for it. */
  record(zone: FleetZone, report: ZoneReport): void {
    const { name } = zone.desired.zone;
    const known = this.#zones.get(name);
    if (known === undefined) return;
    this.#countTime(name, known, false);
    const { size } = known.steps.objects;
    const isOther = this.#change(name, known, () =>
      known.record(zone, report, this.#ports.serviceNow()),
    );
    if (known.steps.objects.size > size) this.#hooks.changed();
    if (isOther) this.#wake();
  }

  /** Changes a zone, and stores its steps if they are others now; gives whether they are. */
  #change(name: ZoneName, zone: SteppedZone, change: () => void): boolean {
    const before = zone.steps;
    change();
    if (zone.steps === before) return false;
    this.#ports.store.setSteps(name, zone.steps);
    return true;
  }

  /** Works until `stop` aborts. Never rejects. */
  async runUntil(stop: AbortSignal): Promise<void> {
    while (!isAborted(stop)) {
      await this.#wait(stop);
      if (isAborted(stop)) return;
      try {
        await this.#check(stop);
      } catch (error) {
        if (!isAborted(stop)) this.#ports.bug(error, "");
      }
    }
  }

  #wake(): void {
    this.#woken.resolve();
  }

  /** Waits until the next check, or until a run has shown something new. */
  async #wait(stop: AbortSignal): Promise<void> {
    const left = [...this.#zones.values()].map(({ timeLeftMs }) => timeLeftMs ?? tickMs);
    left.push(this.#recentMs + tickMs - this.#ports.clock.monotonicMs());
    const isBegun = ![...this.#zones.values()].some(({ lacksTime }) => lacksTime);
    if (!isBegun && this.#ports.isMeasuring()) left.push(timeAskMs);
    const end = (): void => this.#wake();
    // Time that is over waits for something else.
    const waitMs = Math.min(tickMs, ...left.filter((ms) => ms > 0));
    // Without such zones, the first one ends the wait.
    const cancel = this.#zones.size > 0 ? this.#ports.clock.alarm(waitMs, end) : undefined;
    stop.addEventListener("abort", end, { once: true });
    await this.#woken.promise;
    this.#woken = Promise.withResolvers();
    stop.removeEventListener("abort", end);
    cancel?.();
  }

  async #check(stop: AbortSignal): Promise<void> {
    this.#countTimes();
    await this.#readHours(stop);
    await this.#readRecent(stop);
    const firstBehind = this.#firstBehind();
    for (const [name, zone] of this.#zones) {
      if (isAborted(stop)) return;
      await this.#decide(name, zone, firstBehind, stop);
    }
  }

  /** Finds the zone of the first wave that does not keep a step. Each is sought once: within a check, none that did stops. */
  #firstBehind(): FirstBehind {
    const found = new Map<string, EarlierWave | undefined>();
    const { store } = this.#ports;
    const fleet = { zones: this.#zones, missing: this.#missing };
    const find = (key: ResourceKey, step: StepValue): EarlierWave | undefined =>
      zoneBehind(fleet, (zone) => store.steps(zone), this.#hooks.waveOf, key, step);
    return (key, step) => {
      const id = `${step} ${key}`;
      if (!found.has(id)) found.set(id, find(key, step));
      return found.get(id);
    };
  }

  /** Adds the time that has passed to objects for which only time counts. */
  #countTimes(): void {
    const nowMs = this.#ports.clock.monotonicMs();
    const isSaved = nowMs - this.#savedMs >= saveMs;
    if (isSaved) this.#savedMs = nowMs;
    for (const [name, zone] of this.#zones) this.#countTime(name, zone, isSaved);
  }

  #countTime(name: ZoneName, zone: SteppedZone, isSaved: boolean): void {
    const { lacksTime } = zone;
    zone.countTime(this.#ports.clock.monotonicMs(), this.#ports.serviceNow());
    // When a step began is stored at once: processes that end soon would begin again each time.
    if (isSaved || lacksTime !== zone.lacksTime) this.#save(name, zone);
  }

  #save(name: ZoneName, zone: SteppedZone): void {
    this.#ports.store.setSteps(name, zone.steps);
  }

  /** Reads what was measured at the steps, after hours were read. */
  async #readHours(stop: AbortSignal): Promise<void> {
    const { measurements } = this.#ports;
    const hour = this.#ports.lastHour();
    if (hour === undefined) return;
    const isNew = hour !== this.#hour;
    const until = new Date(Number(hour.at) + hourMs + hourUnit.settleMs);
    const due = [...this.#zones].filter(
      ([, zone]) => zone.counted("inHours").size > 0 && (isNew || zone.lacksCounts("inHours")),
    );
    for (let start = 0; start < due.length; start += zonesAtOnce) {
      const some = due.slice(start, start + zonesAtOnce);
      const reader = readDaysOnce(measurements, new Set(some.map(([name]) => name)));
      for (const [, zone] of some) {
        if (isAborted(stop)) return;
        await zone.readHours(reader, until);
      }
    }
    this.#hour = hour;
  }

  /** Reads the counts of the last hour where an object is watched, or less than an hour is asked for. */
  async #readRecent(stop: AbortSignal): Promise<void> {
    const nowMs = this.#ports.clock.monotonicMs();
    if (nowMs - this.#recentMs < tickMs) return;
    const asked = [...this.#zones].flatMap(([zone, each]) => {
      const keys = [...each.counted("recently").keys()];
      return keys.length === 0 ? [] : [{ zone, keys }];
    });
    if (asked.length === 0) return;
    this.#recentMs = nowMs;
    for (const [name, counts] of await this.#ports.readRecent(asked, stop)) {
      this.#zones.get(name)?.setCounts("recently", recentSeries(counts));
    }
  }

  async #decide(
    name: ZoneName,
    zone: SteppedZone,
    firstBehind: FirstBehind,
    stop: AbortSignal,
  ): Promise<void> {
    const { clock, store, isMeasuring } = this.#ports;
    const wave = this.#hooks.waveOf(name);
    const decisions = (): ReadonlyMap<ResourceKey, StepDecision> => {
      const wait = zone.waitOf(this.#mode, clock.now()) ?? (store.isWritable ? undefined : "store");
      return zone.decide(isMeasuring(), wait, clock.monotonicMs(), (key, step) => {
        const behind = firstBehind(key, step);
        return behind !== undefined && behind.wave < wave ? behind : undefined;
      });
    };
    let decided = decisions();
    for (;;) {
      const [asking] = [...decided].find(([, each]) => each.do === "ask_scripts") ?? [];
      const object = asking && zone.objects.get(asking);
      if (asking === undefined || object === undefined) break;
      const at = (stepIndex(zone.steps.objects.get(asking), object.promotion) ?? 0) + 1;
      const found = this.#ports.blockedScripts(zone.zone.desired.zone, object, at, stop);
      zone.setScripts(asking, await found, clock.monotonicMs());
      decided = decisions();
    }
    for (const [key, decision] of decided) {
      if (decision.do === "promote") await this.#promote(name, zone, key, undefined);
      else if (decision.do === "set_back") this.#goBack(name, zone, key, decision.over);
      else if (decision.do === "end_watch") this.#endWatch(name, zone, key, undefined);
    }
  }

  /** Lets the next step of an object begin, once that is stored, unless the zone has changed meanwhile. */
  async #promote(
    name: ZoneName,
    zone: SteppedZone,
    key: ResourceKey,
    cause: StepEvent["cause"],
  ): Promise<StepEvent | "changed" | "not_stored"> {
    const { store } = this.#ports;
    const [object, state] = [zone.objects.get(key), zone.steps.objects.get(key)];
    const to = zone.next(key);
    if (object === undefined || state === undefined || to === undefined) return "changed";
    const before = zone.steps;
    const next = zone.withState(key, watchedAt(object, to));
    store.setSteps(name, next);
    const isStored = await store.flush();
    const isSame = this.#zones.get(name) === zone && zone.steps === before;
    if (!isStored || !isSame) {
      if (this.#zones.get(name) === zone) this.#save(name, zone);
      return isStored ? "changed" : "not_stored";
    }
    zone.steps = next;
    return this.#report({ zone: name, key, event: "promoted", from: state.step, to, cause }, true);
  }

  /** Sets an object back to the step before it, or stops it where it is. */
  #goBack(
    name: ZoneName,
    zone: SteppedZone,
    key: ResourceKey,
    cause: Stop["cause"],
  ): StepEvent | undefined {
    const [object, state] = [zone.objects.get(key), zone.steps.objects.get(key)];
    if (object === undefined || state === undefined) return undefined;
    const at = stepIndex(state, object.promotion) ?? 0;
    const isBack = state.isWatched && at > 0;
    const to = (isBack ? object.promotion.steps[at - 1] : undefined) ?? state.step;
    const next = stoppedAt(object, state, to, { at: this.#ports.clock.now(), cause });
    this.#setState(name, zone, key, next);
    const { content } = zone.zone.desired;
    // What was in force before does not count for the fleet guard.
    const former = digestOf(contentAtSteps(content, zone.steps.objects));
    if (isBack) this.#hooks.past.leftForce(name, former);
    const event = isBack ? "set_back" : "stopped";
    return this.#report({ zone: name, key, event, from: state.step, to, cause }, isBack);
  }

  #endWatch(
    name: ZoneName,
    zone: SteppedZone,
    key: ResourceKey,
    cause: StepEvent["cause"],
  ): StepEvent | undefined {
    const state = zone.steps.objects.get(key);
    if (state === undefined) return undefined;
    this.#setState(name, zone, key, { ...state, isWatched: false });
    const { step } = state;
    return this.#report({ zone: name, key, event: "watched", from: step, to: step, cause }, false);
  }

  #setState(name: ZoneName, zone: SteppedZone, key: ResourceKey, state: StepState): void {
    zone.steps = zone.withState(key, state);
    this.#save(name, zone);
  }

  #report(event: StepEvent, isOtherStep: boolean): StepEvent {
    this.#ports.happened(event);
    if (isOtherStep) this.#hooks.changed();
    this.#wake();
    return event;
  }

  /** Where the objects of a zone stand; `undefined`: it has none with steps. */
  view(name: ZoneName): ZoneStepsStatus | undefined {
    const zone = this.#zones.get(name);
    return zone && { pausedBy: zone.steps.pausedBy, objects: zone.view(this.#ports.serviceNow()) };
  }

  /** Where the objects of all zones stand. */
  get views(): readonly ZoneStepsStatus[] {
    return [...this.#zones.keys()].flatMap((name) => this.view(name) ?? []);
  }

  /**
   * Promotes nothing in a zone until a person resumes it. Objects gather their time, and may be set back.
   *
   * @param by who asked; `undefined`: resume.
   */
  pause(name: ZoneName, by: string | undefined): StepOrder {
    const zone = this.#zones.get(name);
    if (zone === undefined) return { result: "nothing" };
    zone.steps = { ...zone.steps, pausedBy: by };
    this.#save(name, zone);
    this.#wake();
    return { result: "done", events: [] };
  }

  /** What {@link promote} would let go on; see {@link SteppedZone.chosenToGoOn}. */
  nextOf(name: ZoneName, key?: string): ReturnType<SteppedZone["chosenToGoOn"]> {
    return this.#zones.get(name)?.chosenToGoOn(key);
  }

  /**
   * Lets an object go on, whatever was measured: a watch ends, else the next step begins.
   *
   * @param by who asked.
   * @param key left out: of the object that is watched, else of the first that has a next step.
   */
  async promote(name: ZoneName, by: string, key?: string): Promise<StepOrder> {
    const zone = this.#zones.get(name);
    const chosen = zone?.chosenToGoOn(key);
    if (zone === undefined || chosen === undefined) return { result: "nothing" };
    if (chosen.isBusy) return { result: "busy", key: chosen.key };
    if (chosen.isWatched) return ordered(this.#endWatch(name, zone, chosen.key, { by }));
    const event = await this.#promote(name, zone, chosen.key, { by });
    if (event === "not_stored") return { result: event };
    return event === "changed" ? this.promote(name, by, chosen.key) : ordered(event);
  }

  /** Ends what is on its way in a zone: a watched object goes back to the step before, and the others stay where they are. */
  abort(name: ZoneName, by: string): StepOrder {
    const zone = this.#zones.get(name);
    if (zone === undefined) return { result: "nothing" };
    const going = [...zone.objects.keys()].filter((key) => zone.isOnItsWay(key));
    return ordered(...going.map((key) => this.#goBack(name, zone, key, { by })));
  }
}

/**
 * The zone of the first wave in which an object is not at a step yet, or is watched there; `undefined`: there is none.
 *
 * @param missing declared zones that are not listed.
 */
export function zoneBehind(
  {
    zones,
    missing,
  }: {
    readonly zones: ReadonlyMap<ZoneName, SteppedZone>;
    readonly missing: readonly ZoneName[];
  },
  stepsOf: (zone: ZoneName) => ZoneSteps,
  waveOf: (zone: ZoneName) => number,
  key: ResourceKey,
  step: StepValue,
): EarlierWave | undefined {
  const known = [...zones].flatMap(([name, zone]) => (zone.keeps(key, step) ? [] : [name]));
  const gone = missing.filter((name) => {
    const state = stepsOf(name).objects.get(key);
    return state !== undefined && (state.step !== step || state.isWatched);
  });
  let first: EarlierWave | undefined;
  for (const zone of [...known, ...gone]) {
    const wave = waveOf(zone);
    if (first === undefined || wave < first.wave) first = { zone, wave };
  }
  return first;
}

/** {@link zoneBehind} of the zones of a check. */
type FirstBehind = (key: ResourceKey, step: StepValue) => EarlierWave | undefined;

function ordered(...events: readonly (StepEvent | undefined)[]): StepOrder {
  const done = events.filter((event) => event !== undefined);
  return done.length === 0 ? { result: "nothing" } : { result: "done", events: done };
}

function recentSeries({ since, requests, objects }: RecentCounts): PartSeries {
  return {
    partMs: fiveMinuteUnit.ms,
    from: Number(since),
    requests,
    countsOf: (key) => objects.get(key) ?? [],
  };
}
