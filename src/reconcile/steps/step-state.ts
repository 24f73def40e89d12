import type { Stop } from "../../state/step-wait.ts";
import { shortDigest } from "../../syntax/digest.ts";
import { canonicalJson } from "../../syntax/json.ts";
import { memoized } from "../../syntax/remembered.ts";
import { hourMs } from "../../syntax/time-units.ts";
import type { Promotion, StepValue } from "../../zone/promotion.ts";
import type { ResourceKey } from "../../zone/resource.ts";

/** A declared policy or rule with steps. */
export interface SteppedObject {
  readonly promotion: Promotion;
}

/** Where an object stands on its steps, as it is stored. */
export interface StepState {
  /** Digest of what the object does beside its step, and of its steps: with another one, its time begins again. */
  readonly of: string;
  /** The value that is in force. */
  readonly step: StepValue;
  /** Whether the last run that could tell found it live at this step. */
  readonly isLive: boolean;
  /**
   * From when on all is counted at this step, in milliseconds since the epoch by the clock of the service; `undefined`: it is
   * not live at it, or that clock was not known yet.
   */
  readonly since: number | undefined;
  /** How long it was live at the step while a process ran. */
  readonly elapsedMs: number;
  /** Whether it was promoted to this step, or changed at it, and may be set back. */
  readonly isWatched: boolean;
  readonly stop: Stop | undefined;
}

/** Where the objects of a zone stand. */
export interface ZoneSteps {
  readonly objects: ReadonlyMap<ResourceKey, StepState>;
  /** Who paused the zone; `undefined`: nobody did. */
  readonly pausedBy: string | undefined;
}

/** A zone of which nothing is known. */
export const noSteps: ZoneSteps = { objects: new Map(), pausedBy: undefined };

/** What is not sent to the service, or only names the object. */
const unsent: ReadonlySet<string> = new Set([
  "key",
  "was",
  "description",
  "acknowledge",
  "promotion",
]);

/** Identifies what an object does beside its step, and its steps. */
export const digestOfObject = memoized((object: SteppedObject): string => {
  const sent = Object.entries(object).filter(([name]) => !unsent.has(name));
  const { field, steps } = object.promotion;
  return shortDigest(canonicalJson([Object.fromEntries(sent), field, steps]));
});

/** The same, with what has to be measured. */
export const digestOfDeclaration = memoized((object: SteppedObject): string => {
  const conditions = { ...object.promotion, at: undefined };
  return shortDigest(canonicalJson([digestOfObject(object), conditions]));
});

/** The index of the step that is in force; `undefined`: that is not known, or the object does not have it any more. */
export function stepIndex(
  state: Pick<StepState, "step"> | undefined,
  { steps }: Promotion,
): number | undefined {
  const index = steps.findIndex((step) => step === state?.step);
  return index < 0 ? undefined : index;
}

/** The state of an object that has just come to a step. */
export function atStep(object: SteppedObject, step: StepValue): StepState {
  const of = digestOfObject(object);
  return {
    of,
    step,
    isLive: false,
    since: undefined,
    elapsedMs: 0,
    isWatched: false,
    stop: undefined,
  };
}

/**
 * The state of an object that was promoted to a step, or changed at it: it is watched, unless it is the first step or its
 * declaration says otherwise.
 */
export function watchedAt(object: SteppedObject, step: StepValue): StepState {
  const { steps, watchMs } = object.promotion;
  return { ...atStep(object, step), isWatched: watchMs > 0 && step !== steps[0] };
}

/** The state of an object that is stopped where it is, or goes back to another step. */
export function stoppedAt(
  object: SteppedObject,
  state: StepState,
  step: StepValue,
  { at, cause }: Pick<Stop, "at" | "cause">,
): StepState {
  const declared = digestOfDeclaration(object);
  const from = step === state.step ? undefined : state.step;
  const known = from === undefined ? state : atStep(object, step);
  return { ...known, isWatched: false, stop: { declared, from, at, cause } };
}

/**
 * The state of an object as it is declared now. A change of what it does begins its time and its watch again, at the same step;
 * a change of its declaration ends its stop; a step that it does not have any more is not known.
 */
export function declaredAs(
  object: SteppedObject,
  state: StepState | undefined,
): StepState | undefined {
  if (state === undefined || stepIndex(state, object.promotion) === undefined) return undefined;
  if (state.of !== digestOfObject(object)) return watchedAt(object, state.step);
  const isStopped = state.stop?.declared === digestOfDeclaration(object);
  return isStopped || state.stop === undefined ? state : { ...state, stop: undefined };
}

/** How a run left an object: as it found it, with what is declared at its step; corrected to that; or otherwise. */
export type LeftBy = "as_declared" | "corrected" | "different";

/**
 * The state of an object after a run.
 *
 * @param live the step at which it is live now, from 0; `undefined`: at none.
 */
export function foundLive(
  object: SteppedObject,
  state: StepState | undefined,
  live: number | undefined,
  left: LeftBy,
): StepState | undefined {
  const { steps } = object.promotion;
  if (state === undefined) {
    const step = live === undefined ? undefined : steps[live];
    if (step === undefined) return undefined;
    // Nothing has shown yet that a step is good which is changed now.
    const begun = left === "as_declared" ? atStep(object, step) : watchedAt(object, step);
    return { ...begun, isLive: left !== "different" };
  }
  const isLive = left !== "different" && live !== undefined && steps[live] === state.step;
  if (isLive && state.isLive && left === "as_declared") return state;
  if (!isLive && !state.isLive) return state;
  return { ...state, isLive, since: undefined, elapsedMs: 0 };
}

/**
 * The state after a time.
 *
 * @param elapsedMs of it counts where nothing is measured.
 * @param now by the clock of the service; `undefined`: not known.
 */
export function afterTime(state: StepState, elapsedMs: number, now: number | undefined): StepState {
  const isKnown = state.since !== undefined || now === undefined;
  if (!state.isLive || (elapsedMs === 0 && isKnown)) return state;
  return { ...state, since: state.since ?? now, elapsedMs: state.elapsedMs + elapsedMs };
}

/** How much time is left where only time counts, in milliseconds; `undefined`: something else counts, or nothing is next. */
export function timeLeftMs(
  { isWatched, stop, elapsedMs, ...state }: StepState,
  promotion: Promotion,
): number | undefined {
  const { when, rollback, afterMs, watchMs, steps } = promotion;
  if (isWatched) return rollback === undefined ? Math.max(0, watchMs - elapsedMs) : undefined;
  const isNext = stop === undefined && state.step !== steps.at(-1);
  return isNext && when === "time_only" ? Math.max(0, afterMs - elapsedMs) : undefined;
}

/** What is counted at a step to decide about it: hours, or the latest five minutes. */
export function countedAt(
  { isLive, isWatched, stop, step }: StepState,
  { when, rollback, afterMs, steps }: Promotion,
): { readonly inHours: boolean; readonly recently: boolean } {
  const isCounted = isLive && (isWatched ? rollback !== undefined : when !== "time_only");
  if (isWatched) return { inHours: isCounted, recently: isCounted };
  const isNext = isCounted && stop === undefined && step !== steps.at(-1);
  return { inHours: isNext && afterMs >= hourMs, recently: isNext && afterMs < hourMs };
}
