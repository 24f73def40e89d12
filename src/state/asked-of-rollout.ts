import type { ResourceKey } from "../zone/resource.ts";
import type { ZoneName } from "../zone/zone.ts";
import type { StepEvent } from "./step-wait.ts";

/** What a person can ask of a rollout. */
export const rolloutCommands = ["pause", "resume", "promote", "abort"] as const;

/**
 * What a person asks of the waves, or, if it names zones, of the steps in them; `promote` lets a named zone go that waits for
 * its wave.
 */
export interface RolloutCommand {
  readonly name: (typeof rolloutCommands)[number];
  readonly zones: readonly ZoneName[];
  /** Of `promote`: the policy or rule with steps that is meant. Left out: the zone that waits, or the one that is next. */
  readonly key?: string;
}

/**
 * What became of a command:
 *
 * - `done`: with the zones that it lets go or takes back, or whose steps it concerns, those that an abort leaves as they are,
 *   as it is not known what was in force in them before, and what became of steps.
 * - `as_before`: there was nothing to do.
 * - `no_rollout`: none is under way.
 * - `aborted`: the rollout is, and only another revision begins one.
 * - `not_listed`: it is not known yet what is in force.
 * - `not_planned`: it is not known yet which zones wait.
 * - `other_revision`: another one is active.
 * - `not_waiting`: some of the zones do not wait, and have no step that could begin.
 * - `no_steps`: nothing in some of the zones has steps.
 * - `busy`: another object of the zone is watched, or is not live at its step.
 * - `not_begun`: a step did not begin, as the store cannot be written.
 */
export type RolloutAnswer =
  | {
      readonly result: "done";
      readonly zones: readonly ZoneName[];
      readonly left: readonly ZoneName[];
      /** Left out: the command was for no steps. */
      readonly steps?: readonly StepEvent[];
    }
  | { readonly result: "as_before" | "no_rollout" | "aborted" | "not_listed" | "not_planned" }
  | { readonly result: "other_revision"; readonly active: string }
  | {
      readonly result: "not_waiting" | "no_steps" | "not_begun";
      readonly zones: readonly ZoneName[];
    }
  | { readonly result: "busy"; readonly zones: readonly ZoneName[]; readonly key: ResourceKey };
