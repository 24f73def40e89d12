import type { RulePhase } from "../../zone/rule-phase.ts";
import type {
  YamlCustomRule,
  YamlCustomRuleset,
  YamlManagedRule,
  YamlPosition,
  YamlRateLimitingRule,
  YamlUnmanaged,
} from "./zone-file.ts";

/** A value of a zone file after merging, which removes every `null`. */
export type Merged<T> = T extends null | undefined
  ? never
  : T extends object
    ? { [K in keyof T]: Merged<T[K]> }
    : T;

/** A merged rule, by the list that it stands in. */
export interface RuleInFile {
  readonly custom_rules: Merged<YamlCustomRule>;
  readonly rate_limiting_rules: Merged<YamlRateLimitingRule>;
  readonly managed_rules: Merged<YamlManagedRule>;
}

/** A merged list of rules. */
export interface RulesInFile<P extends RulePhase> {
  readonly rules?: readonly RuleInFile[P][];
  readonly unmanaged?: Merged<YamlUnmanaged>;
}

export type RulesetInFile = Merged<YamlCustomRuleset>;

/** What the rules of all lists have in common. */
export type AnyRule = Pick<
  RuleInFile["managed_rules"],
  "key" | "was" | "before" | "after" | "description" | "expression" | "enabled" | "acknowledge"
> & { readonly position?: Merged<YamlPosition> };
