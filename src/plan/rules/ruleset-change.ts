import { compareExpressions } from "../../syntax/expression/certainty/certainty.ts";
import type { CustomRuleset } from "../../zone/resource.ts";
import { combine, type Effect, type Fields, neutral, unclear } from "../change.ts";
import { effectOfRule } from "./rule-effect.ts";
import type { ComparableRule } from "./rule-fields.ts";

/** The values of a declared custom ruleset, beside its rules. */
export function rulesetFields({ description, expression, enabled }: CustomRuleset): Fields {
  return { expression, enabled, description };
}

/** The rules of a custom ruleset before and after a plan. */
export interface RulesetContent {
  readonly before: readonly ComparableRule[];
  readonly after: readonly ComparableRule[];
}

/**
 * The effect of executing a custom ruleset otherwise: that of all its rules, for the requests that it is executed for.
 *
 * @param contentOf the rules of the ruleset that a rule executes.
 */
export function effectOfDeployment(
  before: ComparableRule | undefined,
  after: ComparableRule | undefined,
  contentOf: (rule: ComparableRule) => RulesetContent,
): Effect {
  const was = before?.enabled === true ? before : undefined;
  const is = after?.enabled === true ? after : undefined;
  const left = was === undefined ? [] : contentOf(was).before;
  const come = is === undefined ? [] : contentOf(is).after;
  if (was === undefined || is === undefined)
    return joined([...effects(left, false), ...effects(come, true)]);
  switch (compareExpressions(was.expression, is.expression)) {
    case "equal":
      return neutral;
    case "wider":
      return joined(effects(come, true));
    case "narrower":
      return joined(effects(left, false));
    case "unclear":
      return come.some(({ enabled }) => enabled)
        ? unclear("applies to other requests", true)
        : neutral;
  }
}

/** The effects of rules that come or go. */
function effects(rules: readonly ComparableRule[], isComing: boolean): readonly Effect[] {
  return rules.map((rule) =>
    isComing ? effectOfRule(undefined, rule) : effectOfRule(rule, undefined),
  );
}

function joined(all: readonly Effect[]): Effect {
  const { reasons, ...effect } = combine(all);
  return { ...effect, reasons: [...new Set(reasons)] };
}
