import { switchesAnyLevel } from "../plan/rules/paranoia.ts";
import type { CategoryOverride, Overrides, RuleOverride } from "../zone/resource.ts";
import type { RulesetRule } from "../zone/ruleset.ts";
import { effectiveRules, type EffectiveRule } from "./effective-rules.ts";

/**
 * What is odd about overrides: some change nothing, some are undone by others.
 *
 * Switches of paranoia levels are not advised on: all of them are always stated (SERVICE.md B.7).
 */
export function overrideAdvice(
  rules: readonly RulesetRule[],
  overrides: Overrides,
): readonly string[] {
  const whole = effectiveRules(rules, overrides);
  const categories = overrides.categories
    .filter((each) => !switchesAnyLevel(each))
    .flatMap((each) => adviceOnCategory(each, whole, overrides));
  return [
    ...categories,
    ...overrides.rules.flatMap((each) => adviceOnRule(each, whole, overrides)),
  ];
}

function adviceOnCategory(
  override: CategoryOverride,
  whole: readonly EffectiveRule[],
  overrides: Overrides,
): readonly string[] {
  const { category, enabled } = override;
  const inIt = whole.filter(({ rule }) => rule.categories.includes(category));
  if (inIt.length === 0) return [`no rule has the category ${category}`];
  const others = overrides.categories.filter((each) => each !== override);
  const isPointless = changesNothing(whole, { ...overrides, categories: others });
  // What the service's sensitivity does is not known here.
  if (isPointless && override.sensitivity_level === undefined) {
    return [`the override of the category ${category} changes nothing`];
  }
  const against = inIt.filter((each) => enabled !== undefined && each.enabled !== enabled);
  if (against.length === 0) return [];
  const state = enabled === true ? "off" : "on";
  return [
    `the category ${category} is switched ${enabled === true ? "on" : "off"}, but ${against.length} of its ${inIt.length} rules stay ${state}: other overrides count before it`,
  ];
}

function adviceOnRule(
  override: RuleOverride,
  whole: readonly EffectiveRule[],
  overrides: Overrides,
): readonly string[] {
  const { id, enabled } = override;
  const own = whole.find(({ rule }) => rule.id === id);
  if (own === undefined) return [`the ruleset has no rule ${id}`];
  const name = `${own.rule.description} (${id})`;
  const without = { ...overrides, rules: overrides.rules.filter((each) => each !== override) };
  const rest = effectiveRules([own.rule], without)[0];
  // Threshold and action of the score are stated even where they are the ruleset's own: those may change.
  const isScore = own.rule.scoreThreshold !== undefined;
  if (isEqual(own, rest) && override.sensitivity_level === undefined && !isScore) {
    return [`the override of ${name} changes nothing`];
  }
  if (enabled === true && rest?.enabled === false && own.rule.enabled) {
    return [`${name} is switched on, though its category or paranoia level is switched off`];
  }
  if (!own.enabled && (override.action !== undefined || override.score_threshold !== undefined)) {
    return [`${name} is tuned, but it is off`];
  }
  return [];
}

function changesNothing(whole: readonly EffectiveRule[], without: Overrides): boolean {
  const rest = effectiveRules(
    whole.map(({ rule }) => rule),
    without,
  );
  return whole.every((each, index) => isEqual(each, rest[index]));
}

function isEqual(one: EffectiveRule, other: EffectiveRule | undefined): boolean {
  return (
    one.enabled === other?.enabled &&
    one.action === other.action &&
    one.scoreThreshold === other.scoreThreshold
  );
}
