import type { ZoneName } from "../zone/zone.ts";

/** What a person can ask of a rollout. */
export const rolloutCommands = ["pause", "resume", "promote", "abort"] as const;

/** What a person asks of a rollout; `promote` is for the zones that it names, or for the next wave. */
export type RolloutCommand =
  | { readonly name: Exclude<(typeof rolloutCommands)[number], "promote"> }
  | { readonly name: "promote"; readonly zones: readonly ZoneName[] };

/**
 * What became of a command:
 *
 * - `done`: with the zones that it lets go or takes back, and those that an abort leaves as they are, as it is not known what
 *   was in force in them before.
 * - `as_before`: there was nothing to do.
 * - `no_rollout`: none is under way.
 * - `aborted`: the rollout is, and only another revision begins one.
 * - `not_listed`: it is not known yet what is in force.
 * - `not_planned`: it is not known yet which zones wait.
 * - `other_revision`: another one is active.
 * - `not_waiting`: some of the zones do not wait.
 */
export type RolloutAnswer =
  | {
      readonly result: "done";
      readonly zones: readonly ZoneName[];
      readonly left: readonly ZoneName[];
    }
  | { readonly result: "as_before" | "no_rollout" | "aborted" | "not_listed" | "not_planned" }
  | { readonly result: "other_revision"; readonly active: string }
  | { readonly result: "not_waiting"; readonly zones: readonly ZoneName[] };
