import type { JsonObject } from "../syntax/json.ts";

/** A ruleset without its rules, as lists return it. */
export interface RulesetHead {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** `managed`, `custom`, `root` or `zone`. */
  readonly kind: string;
  readonly phase: string;
  readonly version: string;
  /** As the service returned it; "" if missing. */
  readonly lastUpdated: string;
}

/** A rule of any ruleset; managed ones have categories and no expression (SERVICE.md B.5). */
export interface RulesetRule {
  readonly id: string;
  readonly ref: string;
  readonly action: string;
  readonly description: string;
  readonly expression: string;
  readonly enabled: boolean;
  /** Sorted. */
  readonly categories: readonly string[];
  readonly scoreThreshold: number | undefined;
  /** The rule as the service returned it. */
  readonly wire: JsonObject;
}

export interface Ruleset extends RulesetHead {
  /** In the order in which they are evaluated. */
  readonly rules: readonly RulesetRule[];
}
