import { fiveMinuteUnit } from "../../measure/hours.ts";
import { readSeries } from "../../measure/measured-series.ts";
import type { MeasurementReader } from "../../measure/measurement-store.ts";
import { isAdoption } from "../../plan/ownership.ts";
import { policyForm } from "../../plan/policies/policy-form.ts";
import { keysDone, type PlannedReport, type ZoneReport } from "../../state/run-report.ts";
import type { EarlierWave, StepWait, ZoneWait } from "../../state/step-wait.ts";
import type { ObjectSteps } from "../../state/steps-status.ts";
import { isConverged } from "../../state/summary.ts";
import { hourMs } from "../../syntax/time-units.ts";
import type { Mode, ZoneContent } from "../../zone/desired-zone.ts";
import { policyAtStep, type PromotedObject } from "../../zone/promoted-objects.ts";
import type { StepValue } from "../../zone/promotion.ts";
import type { ResourceKey } from "../../zone/resource.ts";
import type { FleetZone } from "../fleet/desired-fleet.ts";
import { busyObject, decideSteps, type StepDecision, type StepFacts } from "./step-decision.ts";
import { evidenceOf, type PartSeries, partsSince, type StepEvidence } from "./step-evidence.ts";
import { promotedIn, stateOf } from "./step-overlay.ts";
import {
  afterTime,
  countedAt,
  declaredAs,
  digestOfObject,
  foundLive,
  type LeftBy,
  type StepState,
  stepIndex,
  timeLeftMs,
  type ZoneSteps,
} from "./step-state.ts";

/** What is read of an object to decide about its step. */
export type ReadCounts = "inHours" | "recently";

/** Evidence, and of which time of the object it is. */
interface ReadEvidence {
  readonly since: number;
  readonly evidence: StepEvidence;
}

/** An answer about scripts, and since when the object was at its step then. */
interface AskedScripts {
  readonly since: number | undefined;
  readonly askedMs: number;
  readonly count: number | "unread";
}

/** Hours that were not measured are passed over, up to so many. */
const gapsMs = 48 * hourMs;

/** How long an answer about scripts is used. */
const scriptsMs = hourMs;

/** Time is counted every five minutes. More than this is a gap, in which the process did not work. */
const gapMs = 2 * fiveMinuteUnit.ms;

/** A zone with objects that have steps, and what this process knows of it. */
export class SteppedZone {
  /** Without the steps that are in force. */
  zone: FleetZone;
  /** The objects that are in force. */
  objects: ReadonlyMap<ResourceKey, PromotedObject> = new Map();
  steps: ZoneSteps;
  /** Whether the last run left nothing to do; before the first, it is not known. */
  #isInSync = false;
  /** Whether the last run read the zone: otherwise somebody may have changed it since. */
  #isRead = false;
  readonly #evidence: Record<ReadCounts, ReadonlyMap<ResourceKey, ReadEvidence>> = {
    inHours: new Map(),
    recently: new Map(),
  };
  readonly #scripts = new Map<ResourceKey, AskedScripts>();
  /** What objects wait for in the states that they had when it was decided. */
  #waits: ReadonlyMap<ResourceKey, { readonly wait: StepWait; readonly in: StepState }> = new Map();
  /** Until when time is counted, by the monotonic clock. */
  #countedMs: number;

  /** @param steps as they are stored. */
  constructor(zone: FleetZone, steps: ZoneSteps, nowMs: number) {
    this.zone = zone;
    this.steps = steps;
    this.#countedMs = nowMs;
  }

  /** Takes in what is declared now: objects that are in force nowhere and wait nowhere are forgotten. */
  declare(zone: FleetZone): void {
    this.zone = zone;
    this.objects = promotedIn(zone.desired.content);
    const { content } = zone.desired;
    const states = new Map(this.steps.objects);
    for (const key of this.objects.keys()) {
      const state = stateOf(key, content, states);
      if (state !== undefined) states.set(key, state);
    }
    const others = new Set(contentsOf(zone).flatMap((each) => [...promotedIn(each).keys()]));
    this.#setStates(
      [...states].flatMap(([key, state]) => {
        const object = this.objects.get(key);
        const next = object === undefined ? state : declaredAs(object, state);
        return next !== undefined && others.has(key) ? [[key, next] as const] : [];
      }),
    );
  }

  /**
   * Takes in the result of a run.
   *
   * @param zone as it was declared for the run.
   * @param now by the clock of the service; `undefined`: not known.
   */
  record({ desired }: FleetZone, report: ZoneReport, now: number | undefined): void {
    this.#isInSync = isConverged(report);
    this.#isRead = "plan" in report;
    if (!("plan" in report)) return;
    const states = new Map(this.steps.objects);
    for (const [key, object] of promotedIn(desired.content)) {
      const declared = this.objects.get(key);
      const found = liveAfter(report, key);
      // A run of another declaration says nothing of this one.
      if (declared === undefined || digestOfObject(declared) !== digestOfObject(object)) continue;
      if (found === undefined) continue;
      const next = foundLive(declared, states.get(key), found.live, found.left);
      if (next !== undefined) states.set(key, afterTime(next, 0, now));
    }
    this.#setStates([...states]);
  }

  /**
   * Adds the time since the last call to objects for which only time counts, unless the zone could not be read.
   *
   * @param nowMs by the monotonic clock.
   * @param now by the clock of the service; `undefined`: not known.
   */
  countTime(nowMs: number, now: number | undefined): void {
    const passedMs = Math.min(nowMs - this.#countedMs, gapMs);
    this.#countedMs = nowMs;
    this.#setStates(
      [...this.steps.objects].map(([key, state]) => {
        const promotion = this.objects.get(key)?.promotion;
        const isTimed = promotion !== undefined && timeLeftMs(state, promotion) !== undefined;
        return [key, afterTime(state, isTimed && this.#isRead ? passedMs : 0, now)];
      }),
    );
  }

  /** Whether an object is live at its step, and it is not known since when by the clock of the service. */
  get lacksTime(): boolean {
    return this.#known.some(([, , { isLive, since }]) => isLive && since === undefined);
  }

  /** How much time is left until the next object may go on for which only time counts; `undefined`: there is none. */
  get timeLeftMs(): number | undefined {
    const left = [...this.#known].flatMap(([, { promotion }, state]) =>
      state.isLive && this.#isRead ? (timeLeftMs(state, promotion) ?? []) : [],
    );
    return left.length === 0 ? undefined : Math.min(...left);
  }

  /** Objects that are decided by counts, and since when they are at their steps. */
  counted(of: ReadCounts): ReadonlyMap<ResourceKey, number> {
    return new Map(
      this.#known.flatMap(([key, { promotion }, state]) =>
        state.since !== undefined && countedAt(state, promotion)[of]
          ? [[key, state.since] as const]
          : [],
      ),
    );
  }

  /** Objects that are decided by the latest five minutes: what was stored does not tell what they wait for. */
  get decidedByMinutes(): ReadonlySet<ResourceKey> {
    const byMinutes = this.#known.filter(([key, { promotion }, { isWatched }]) => {
      const ms = isWatched ? promotion.watchMs : promotion.afterMs;
      return ms < hourMs && this.counted("recently").has(key);
    });
    return new Set(byMinutes.map(([key]) => key));
  }

  /** Whether nothing is known of the time of an object that is decided by counts. */
  lacksCounts(of: ReadCounts): boolean {
    return [...this.counted(of).keys()].some((key) => this.#evidenceAt(key, of) === undefined);
  }

  /** Reads and takes in what was measured at the steps in the hours that are complete at a moment. */
  async readHours(reader: Pick<MeasurementReader, "read">, now: Date): Promise<void> {
    const counted = this.counted("inHours");
    if (counted.size === 0) return;
    const earliest = Number(now) - this.#longestMs * 2 - gapsMs;
    const since = new Date(Math.max(earliest, Math.min(...counted.values())));
    const series = await readSeries(reader, this.zone.desired.zone.name, since, now);
    this.setCounts("inHours", { ...series, partMs: hourMs, from: Number(series.since) });
  }

  /** Takes in what was read for the objects that {@link counted} gives. */
  setCounts(of: ReadCounts, series: PartSeries): void {
    this.#evidence[of] = new Map(
      [...this.counted(of)].flatMap(([key, since]) => {
        const object = this.objects.get(key);
        if (object === undefined) return [];
        const { promotion } = object;
        const form = formAt(object, stepIndex(this.steps.objects.get(key), promotion));
        const parts = partsSince(series, key, since, form);
        return [[key, { since, evidence: evidenceOf(series.partMs, parts, promotion) }]];
      }),
    );
  }

  /** Takes in what the next step of an object would block. */
  setScripts(key: ResourceKey, count: number | "unread", askedMs: number): void {
    const since = this.steps.objects.get(key)?.since;
    this.#scripts.set(key, { since, askedMs, count });
  }

  /**
   * Decides what follows for each object whose step is known.
   *
   * @param isMeasured whether measurements are on.
   * @param earlierWave in which a step of an object is not kept yet.
   */
  decide(
    isMeasured: boolean,
    zoneWait: ZoneWait | undefined,
    nowMs: number,
    earlierWave: (key: ResourceKey, step: StepValue) => EarlierWave | undefined,
  ): ReadonlyMap<ResourceKey, StepDecision> {
    const facts = new Map(
      this.#known.map(([key, { promotion }, state]): [ResourceKey, StepFacts] => {
        const read = (of: ReadCounts): StepEvidence | undefined =>
          isMeasured ? (this.#evidenceAt(key, of) ?? evidenceOf(hourMs, [], promotion)) : undefined;
        const asked = this.#scripts.get(key);
        const isAsked = asked?.since === state.since && nowMs - (asked?.askedMs ?? 0) < scriptsMs;
        const scripts = isAsked ? asked?.count : undefined;
        const [hours, recent] = [read("inHours"), read("recently")];
        return [key, { promotion, state, hours, recent, scripts }];
      }),
    );
    const decisions = decideSteps(facts, zoneWait, (key) => {
      const next = this.next(key);
      return next === undefined ? undefined : earlierWave(key, next);
    });
    this.#waits = new Map(
      this.#known.flatMap(([key, , state]) => {
        const decision = decisions.get(key);
        return decision?.do === "wait" ? [[key, { wait: decision.wait, in: state }] as const] : [];
      }),
    );
    return decisions;
  }

  /** Why nothing is promoted in the zone, whatever was measured; `undefined`: nothing keeps it from that. */
  waitOf(mode: Mode, now: Date): ZoneWait | undefined {
    const { desired, held, wave } = this.zone;
    const { suspension } = desired.content;
    if (this.steps.pausedBy !== undefined) return "paused";
    if (mode === "observe" || desired.content.mode === "observe") return "observe";
    if (suspension !== undefined && (suspension.until ?? Infinity) > now) return "suspended";
    if (held !== undefined) return "held";
    if (wave !== undefined) return "wave";
    return this.#isInSync ? undefined : "not_in_sync";
  }

  /** What the zone would be with an object in another state. */
  withState(key: ResourceKey, state: StepState): ZoneSteps {
    return { ...this.steps, objects: new Map([...this.steps.objects, [key, state]]) };
  }

  /** The longest time that one of its objects is measured or watched, in milliseconds. */
  get #longestMs(): number {
    const promotions = [...this.objects.values()].map(({ promotion }) => promotion);
    return Math.max(0, ...promotions.flatMap(({ afterMs, watchMs }) => [afterMs, watchMs]));
  }

  /**
   * The object that a person lets go on, or that does not let it: it is watched, or not live at its step. `undefined`: none
   * has a next step.
   *
   * @param key left out: the one that is watched, else the first that has a next step.
   */
  chosenToGoOn(
    key?: string,
  ):
    | { readonly key: ResourceKey; readonly isBusy: boolean; readonly isWatched: boolean }
    | undefined {
    const known = this.#known;
    const busy = this.#busy;
    const wanted = key ?? busy ?? known.find(([each]) => this.next(each) !== undefined)?.[0];
    const chosen = known.find(([each]) => each === wanted);
    if (chosen === undefined) return undefined;
    const [name, , { isWatched, isLive }] = chosen;
    if (busy !== undefined && (busy !== name || !isLive)) {
      return { key: busy, isBusy: true, isWatched };
    }
    return isWatched || this.next(name) !== undefined
      ? { key: name, isBusy: false, isWatched }
      : undefined;
  }

  /** The next step of an object; `undefined`: it has none, or its step is not known. */
  next(key: ResourceKey): StepValue | undefined {
    const [object, state] = [this.objects.get(key), this.steps.objects.get(key)];
    return object?.promotion.steps[(stepIndex(state, object.promotion) ?? NaN) + 1];
  }

  /** Whether an object is at a step or a later one, and not watched there; also where it never comes to that step. */
  keeps(key: ResourceKey, step: StepValue): boolean {
    const [object, state] = [this.objects.get(key), this.steps.objects.get(key)];
    const wanted = object?.promotion.steps.indexOf(step) ?? -1;
    if (object === undefined || wanted < 0 || this.zone.desired.content.mode === "observe") {
      return true;
    }
    const at = stepIndex(state, object.promotion) ?? -1;
    return at > wanted || (at === wanted && state?.isWatched === false);
  }

  /** Whether an object is to come to another step, or may be set back, and is not stopped. */
  isOnItsWay(key: ResourceKey): boolean {
    const state = this.steps.objects.get(key);
    return (
      state !== undefined &&
      (state.isWatched || (state.stop === undefined && this.next(key) !== undefined))
    );
  }

  /**
   * Where the objects stand.
   *
   * @param now by the clock of the service; `undefined`: not known.
   */
  view(now: number | undefined): readonly ObjectSteps[] {
    const busy = this.#busy;
    return [...this.objects].map(([key, { promotion }]) => {
      const {
        step,
        since,
        elapsedMs = 0,
        isWatched = false,
        stop,
      } = this.steps.objects.get(key) ?? {};
      // One that waits for the watch of another is late for nothing.
      const isInWatch = isWatched && key === busy;
      const passedMs = since === undefined || now === undefined ? 0 : now - since;
      const ofMs = isWatched ? promotion.watchMs : promotion.afterMs;
      const evidence = this.#evidenceAt(key, "inHours") ?? this.#evidenceAt(key, "recently");
      const { count, requests } = evidence?.latest ?? { count: 0, requests: 0 };
      return {
        key,
        promotion,
        step,
        since: since === undefined ? undefined : new Date(since),
        isWatched: isInWatch,
        isLate: isInWatch === isWatched && Math.max(passedMs, elapsedMs) > 2 * ofMs,
        counted: requests === 0 ? undefined : { count, requests },
        wait: stop === undefined ? this.#waitOf(key) : { reason: "stopped", stop },
      };
    });
  }

  /** What an object waits for; `undefined`: that is not decided yet, or it has come to its step or another one since. */
  #waitOf(key: ResourceKey): StepWait | undefined {
    const [decided, state] = [this.#waits.get(key), this.steps.objects.get(key)];
    const isSame = decided?.in.step === state?.step && decided?.in.isLive === state?.isLive;
    return isSame ? decided?.wait : undefined;
  }

  /** The objects whose step is known. */
  get #known(): readonly (readonly [ResourceKey, PromotedObject, StepState])[] {
    return [...this.objects].flatMap(([key, object]) => {
      const state = this.steps.objects.get(key);
      return state === undefined ? [] : [[key, object, state] as const];
    });
  }

  /** The object that keeps others from being promoted; see {@link busyObject}. */
  get #busy(): ResourceKey | undefined {
    return busyObject(this.#known.map(([key, , state]) => [key, state]));
  }

  /** What was read of the time that the object has been at its step. */
  #evidenceAt(key: ResourceKey, of: ReadCounts): StepEvidence | undefined {
    const read = this.#evidence[of].get(key);
    return read?.since === this.steps.objects.get(key)?.since ? read?.evidence : undefined;
  }

  /** Gives the same steps again where nothing changes. */
  #setStates(states: readonly (readonly [ResourceKey, StepState])[]): void {
    const { objects } = this.steps;
    const isSame =
      states.length === objects.size && states.every(([key, state]) => objects.get(key) === state);
    if (!isSame) this.steps = { ...this.steps, objects: new Map(states) };
  }
}

/** The digest of what a policy does at a step; `undefined` for a rule. */
function formAt(object: PromotedObject, at: number | undefined): string | undefined {
  return "value" in object && at !== undefined ? policyForm(policyAtStep(object, at)) : undefined;
}

/** What is declared for a zone, in force in it, or held. */
export function contentsOf({ desired, wave, held }: FleetZone): readonly ZoneContent[] {
  return [desired, wave, held].flatMap((each) => each?.content ?? []);
}

/** At which step and how a run left an object; `undefined`: it does not tell, since a write has no known end. */
function liveAfter(
  report: PlannedReport,
  key: ResourceKey,
): { readonly live: number | undefined; readonly left: LeftBy } | undefined {
  const { steps, changes } = report.plan;
  const step = steps.get(key);
  if (step === undefined) return undefined;
  const change = changes.find((each) => each.key === key);
  if (change === undefined || isAdoption(change)) return { live: step.live, left: "as_declared" };
  if (report.result !== "applied") return { live: step.live, left: "different" };
  return keysDone(report.outcomes).has(key) ? { live: step.planned, left: "corrected" } : undefined;
}
