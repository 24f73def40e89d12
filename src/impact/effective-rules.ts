import type { Overrides } from "../zone/resource.ts";
import type { RulesetRule } from "../zone/ruleset.ts";

/** What a rule of a deployed managed ruleset does. */
export interface EffectiveRule {
  readonly rule: RulesetRule;
  readonly enabled: boolean;
  readonly action: string;
  readonly scoreThreshold: number | undefined;
}

/** Nothing overridden. */
export const noOverrides: Overrides = {
  enabled: undefined,
  action: undefined,
  sensitivity_level: undefined,
  categories: [],
  rules: [],
};

/**
 * What each rule of a managed ruleset does under overrides, field by field: what is said of the rule counts before
 * what is said of its categories, of which the last one listed counts, before what is said of the whole (SERVICE.md B.5).
 */
export function effectiveRules(
  rules: readonly RulesetRule[],
  overrides: Overrides,
): readonly EffectiveRule[] {
  const byId = new Map(overrides.rules.map((each) => [each.id, each]));
  return rules.map((rule) => {
    const own = byId.get(rule.id);
    const categories = overrides.categories
      .filter(({ category }) => rule.categories.includes(category))
      .toReversed();
    const layers: readonly Layer[] = [
      ...(own === undefined ? [] : [own]),
      ...categories,
      wholeFor(rule, overrides),
    ];
    return {
      rule,
      enabled: first("enabled", layers) ?? rule.enabled,
      action: first("action", layers) ?? rule.action,
      scoreThreshold: own?.score_threshold ?? rule.scoreThreshold,
    };
  });
}

/** What can be said of a rule, of a category and of a whole ruleset. */
interface Layer {
  readonly enabled: boolean | undefined;
  readonly action: string | undefined;
}

/** The action of the whole OWASP ruleset does not reach its score rule (SERVICE.md B.7): no other rule has a threshold. */
function wholeFor({ scoreThreshold }: RulesetRule, { enabled, action }: Overrides): Layer {
  return { enabled, action: scoreThreshold === undefined ? action : undefined };
}

function first<K extends keyof Layer>(field: K, layers: readonly Layer[]): Layer[K] {
  return layers.find((layer) => layer[field] !== undefined)?.[field];
}
