import type { JsonObject } from "../syntax/json.ts";
import type {
  BlockResponse,
  MitigateAction,
  Overrides,
  PolicyBehavior,
  RateLimit,
  SettingName,
  SkipParameters,
} from "./resource.ts";
import type { RulePhase } from "./rule-phase.ts";
import type { Zone } from "./zone.ts";

/** A live policy in canonical form. */
export interface LivePolicy extends PolicyBehavior {
  readonly id: string;
  /** As stored, including any mark. */
  readonly description: string;
  /** Unknown fields, which writes repeat since they replace the object. */
  readonly rest: JsonObject;
}

/** The action of a rule; `other` is one that zonewarden does not manage. */
export type RuleAction =
  | { readonly type: "execute"; readonly ruleset: string; readonly overrides: Overrides }
  | { readonly type: "skip"; readonly skip: SkipParameters; readonly logging: boolean }
  | {
      readonly type: "mitigate";
      readonly name: MitigateAction;
      readonly response: BlockResponse | undefined;
    }
  | { readonly type: "other"; readonly name: string };

/** What a rule does, live or as it is to be. */
export interface RuleState {
  readonly description: string;
  readonly expression: string;
  readonly enabled: boolean;
  readonly action: RuleAction;
  /** `undefined` without one, or where it was not understood: then the action is `other`. */
  readonly ratelimit: RateLimit | undefined;
}

/** A live rule of an entry point or of a custom ruleset. */
export interface LiveRule extends RuleState {
  readonly id: string;
  readonly ref: string;
  readonly version: string;
  /** The rule as the service returned it. A PUT of the list repeats it. */
  readonly wire: JsonObject;
}

/** The entry point ruleset of a phase. Absent and empty are two states (SERVICE.md B.3). */
export type LiveEntrypoint = { readonly state: "absent" } | LiveRuleset;

/** A ruleset that was read. */
export interface LiveRuleset {
  readonly state: "present";
  readonly id: string;
  readonly version: string;
  readonly rules: readonly LiveRule[];
}

/** A custom ruleset in the phase of custom rules, of the zone or of its account (SERVICE.md B.12, B.13). */
export interface LiveCustomRuleset {
  readonly id: string;
  readonly version: string;
  readonly name: string;
  /** As stored, including any mark. */
  readonly description: string;
  /** `undefined`: only the listing of rulesets shows it. */
  readonly rules: readonly LiveRule[] | undefined;
}

/** The rules of an entry point; none where it is absent, or was not read. */
export function rulesIn(entrypoint: LiveEntrypoint | undefined): readonly LiveRule[] {
  return entrypoint?.state === "present" ? entrypoint.rules : [];
}

/** Where the id of the OWASP score rule was found. */
export type ScoreRuleSource = "account" | "zone" | "documented";

/** The last rule of the OWASP core ruleset, which holds threshold and action. */
export interface ScoreRule {
  readonly id: string;
  readonly source: ScoreRuleSource;
  /** Version of the managed ruleset; "" if it could not be read. */
  readonly version: string;
}

/**
 * The live state of a zone. `undefined`: the part was not requested. A failed read gives no live
 * state.
 */
export interface LiveZone {
  readonly zone: Zone;
  readonly settings: Readonly<Record<SettingName, boolean>> | undefined;
  readonly policies: readonly LivePolicy[] | undefined;
  /** By phase; a phase that is missing was not requested. */
  readonly entrypoints: Readonly<Partial<Record<RulePhase, LiveEntrypoint>>>;
  /** `undefined`: not requested. */
  readonly customRulesets?: readonly LiveCustomRuleset[] | undefined;
  readonly scoreRule: ScoreRule | undefined;
}

/** Where a write changes rules: an entry point, or the custom ruleset with an id. */
export interface RuleListPlace {
  readonly phase: RulePhase;
  /** Key of the custom ruleset; left out: the entry point. */
  readonly custom_ruleset?: string;
  readonly ruleset?: string;
}

/** The list of rules at a place; `undefined`: it was not read, or is no longer there. */
export function listAt(
  { entrypoints, customRulesets = [] }: LiveZone,
  { phase, custom_ruleset, ruleset }: RuleListPlace,
): LiveEntrypoint | undefined {
  if (custom_ruleset === undefined) return entrypoints[phase];
  const found = customRulesets.find(({ id }) => id === ruleset);
  return (
    found?.rules && { state: "present", id: found.id, version: found.version, rules: found.rules }
  );
}
