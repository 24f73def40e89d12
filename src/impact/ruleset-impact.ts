import type { Overrides } from "../zone/resource.ts";
import type { RulesetRule } from "../zone/ruleset.ts";
import { effectiveRules, noOverrides, type EffectiveRule } from "./effective-rules.ts";
import { overrideAdvice } from "./override-advice.ts";

/** How a managed ruleset is deployed. */
export interface Deployment {
  readonly enabled: boolean;
  readonly overrides: Overrides;
}

/** A rule of which something else than its being on changes. */
export interface RetunedRule {
  readonly before: EffectiveRule;
  readonly after: EffectiveRule;
}

/** What a change of a deployment does to the rules of the managed ruleset. */
export interface RulesetImpact {
  readonly switchedOn: readonly RulesetRule[];
  readonly switchedOff: readonly RulesetRule[];
  /** On before and afterwards, with another action or threshold. */
  readonly retuned: readonly RetunedRule[];
  /** Rules that are on afterwards, of all. */
  readonly on: number;
  readonly total: number;
  /** Overrides that change nothing, or that others undo, in words. */
  readonly advice: readonly string[];
}

/** What becomes of each rule; `undefined`: the ruleset is not deployed. */
export function rulesetImpact(
  rules: readonly RulesetRule[],
  before: Deployment | undefined,
  after: Deployment | undefined,
): RulesetImpact {
  const was = rulesUnder(rules, before);
  const is = rulesUnder(rules, after);
  const pairs = was.flatMap((one, index) => {
    const other = is[index];
    return other === undefined ? [] : [{ before: one, after: other }];
  });
  return {
    switchedOn: pairs.filter((pair) => !pair.before.enabled && pair.after.enabled).map(ruleOf),
    switchedOff: pairs.filter((pair) => pair.before.enabled && !pair.after.enabled).map(ruleOf),
    retuned: pairs.filter(isRetuned),
    on: is.filter(({ enabled }) => enabled).length,
    total: rules.length,
    advice: after === undefined ? [] : overrideAdvice(rules, after.overrides),
  };
}

function rulesUnder(
  rules: readonly RulesetRule[],
  deployment: Deployment | undefined,
): readonly EffectiveRule[] {
  const effective = effectiveRules(rules, deployment?.overrides ?? noOverrides);
  if (deployment?.enabled === true) return effective;
  return effective.map((each) => ({ ...each, enabled: false }));
}

function ruleOf({ after }: RetunedRule): RulesetRule {
  return after.rule;
}

function isRetuned({ before, after }: RetunedRule): boolean {
  if (!before.enabled || !after.enabled) return false;
  return before.action !== after.action || before.scoreThreshold !== after.scoreThreshold;
}

/** The paranoia level that a rule's tags name (SERVICE.md B.7); `undefined` where they name none. */
export function levelOf({ categories }: RulesetRule): number | undefined {
  const tag = categories.find((category) => /^paranoia-level-[1-4]$/.test(category));
  return tag === undefined ? undefined : Number(tag.at(-1));
}
