import type { Promotion, StepValue } from "../zone/promotion.ts";
import type { ResourceKey } from "../zone/resource.ts";
import type { Rate, StepWait } from "./step-wait.ts";

/** Where an object stands on its steps. */
export interface ObjectSteps {
  readonly key: ResourceKey;
  readonly promotion: Promotion;
  /** The value in force; `undefined`: it is not known, and the object stays at the step at which it is live. */
  readonly step: StepValue | undefined;
  /** Since when it is live at the step, by the clock of the service; `undefined`: it is not, or that is not known. */
  readonly since: Date | undefined;
  /** Whether it was promoted to the step, or changed at it, and may be set back: one object of a zone at most. */
  readonly isWatched: boolean;
  /** Whether it is at the step, or watched, for more than twice its time. No clock on the wall tells. */
  readonly isLate: boolean;
  /** What was counted in the newest measured time at the step; `undefined`: nothing was measured. */
  readonly counted: Rate | undefined;
  /** Why it stays; `undefined`: nobody has looked yet, or the next step begins. */
  readonly wait: StepWait | undefined;
}

/** Where the objects of a zone with steps stand. */
export interface ZoneStepsStatus {
  /** Who paused the zone; `undefined`: nobody did. */
  readonly pausedBy: string | undefined;
  readonly objects: readonly ObjectSteps[];
}

/**
 * The states of objects with steps, those that need a person first. `set_back`: what was counted set it back; `stuck`: it
 * waits, or is watched, for more than twice its time; `stopped`: a person stopped it.
 */
export const stepStates = [
  "set_back",
  "stuck",
  "watched",
  "unknown",
  "stopped",
  "waiting",
  "done",
] as const;

export type StepStateName = (typeof stepStates)[number];

/** The state of an object. */
export function stepStateOf({ step, isLate, isWatched, wait }: ObjectSteps): StepStateName {
  if (step === undefined) return "unknown";
  if (wait?.reason === "last_step") return "done";
  if (wait?.reason === "stopped") return "by" in wait.stop.cause ? "stopped" : "set_back";
  if (isLate) return "stuck";
  return isWatched ? "watched" : "waiting";
}

/** The objects that are not at their last step. */
export function stepsLeft(objects: readonly ObjectSteps[]): readonly ObjectSteps[] {
  return objects.filter((each) => stepStateOf(each) !== "done");
}

/** How many objects of zones are in each state; `undefined`: none has steps. */
export function countSteps(
  zones: Iterable<ZoneStepsStatus>,
): ReadonlyMap<StepStateName, number> | undefined {
  const states = [...zones].flatMap(({ objects }) => objects.map(stepStateOf));
  if (states.length === 0) return undefined;
  return new Map(
    stepStates.map((state) => [state, states.filter((each) => each === state).length]),
  );
}
