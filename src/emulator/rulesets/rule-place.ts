/** Where a rule is to stand: what it may do depends on it. */
export interface RulePlace {
  readonly level: "zone" | "account";
  readonly kind: string;
  readonly phase: string;
  /** Plan of the zone, "" for an account. */
  readonly plan: string;
  /** Custom rulesets of the account, which its root rulesets may execute. */
  readonly customRulesets: readonly string[];
}
