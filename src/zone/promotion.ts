/** The fields of a policy or rule that a promotion changes step by step. */
export const promotedFields = ["action", "paranoia_level", "score_threshold"] as const;

export type PromotedField = (typeof promotedFields)[number];

/** A value of the promoted field. */
export type StepValue = string | number;

/** What must have been measured in a step before the next one begins. */
export interface StepConditions {
  /** Violations of the policy, or events of the rule, for 10,000 requests of the zone at most; `undefined`: any number. */
  readonly ratePer10k: number | undefined;
  /** Scripts in use that the policy would block in the next step at most; `undefined`: any number. */
  readonly unknownScripts: number | undefined;
  /** Requests of the zone at least. */
  readonly requestsAtLeast: number;
}

/** How a policy or rule comes from its first step to what is declared. */
export interface Promotion {
  readonly field: PromotedField;
  /** At least two values, none twice, each stricter than the one before; the last one is what is declared. */
  readonly steps: readonly [StepValue, StepValue, ...StepValue[]];
  /** How long each step but the last is measured. */
  readonly afterMs: number;
  /** `time_only`: nothing is asked of the measurements. */
  readonly when: StepConditions | "time_only";
  /** How long a step that began is watched; 0: not at all. */
  readonly watchMs: number;
  /** What sets a watched step back: more for 10,000 requests, of at least so many requests; `undefined`: nothing. */
  readonly rollback: { readonly ratePer10k: number; readonly requestsAtLeast: number } | undefined;
  /** Which of the steps is in force, from 0; `undefined`: that is not known, and a live step stays. */
  readonly at: number | undefined;
}
