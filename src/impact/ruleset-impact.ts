import { isLevelSwitch } from "../plan/rules/owasp-tuning.ts";
import {
  type CategoryOverride,
  type Overrides,
  type RuleOverride,
  paranoiaLevels,
} from "../zone/resource.ts";
import type { RulesetRule } from "../zone/ruleset.ts";

export interface Deployment {
  readonly enabled: boolean;
  readonly overrides: Overrides;
}

/** A rule that is on before and after, with another action or threshold. */
export interface RetunedRule {
  readonly before: EffectiveRule;
  readonly after: EffectiveRule;
}

/** What a change of a deployment does to the rules of the managed ruleset. */
export interface RulesetImpact {
  readonly switchedOn: readonly RulesetRule[];
  readonly switchedOff: readonly RulesetRule[];
  readonly retuned: readonly RetunedRule[];
  /** Number of rules that are on afterwards. */
  readonly on: number;
  readonly total: number;
  /** Overrides that change nothing or that others undo, one sentence each. */
  readonly advice: readonly string[];
}

/** What happens to each rule; `undefined`: the ruleset is not deployed. */
export function rulesetImpact(
  rules: readonly RulesetRule[],
  before: Deployment | undefined,
  after: Deployment | undefined,
): RulesetImpact {
  const [was, is] = [ruleUnder(before), ruleUnder(after)];
  const pairs = rules.map((rule) => ({ before: was(rule), after: is(rule) }));
  const switched = (isOn: boolean): readonly RulesetRule[] =>
    pairs
      .filter((pair) => pair.before.enabled !== isOn && pair.after.enabled === isOn)
      .map((pair) => pair.after.rule);
  return {
    switchedOn: switched(true),
    switchedOff: switched(false),
    retuned: pairs.filter(
      (pair) => pair.before.enabled && pair.after.enabled && !isEqual(pair.before, pair.after),
    ),
    on: pairs.filter((pair) => pair.after.enabled).length,
    total: rules.length,
    advice: after === undefined ? [] : overrideAdvice(rules, after.overrides),
  };
}

function ruleUnder(deployment: Deployment | undefined): (rule: RulesetRule) => EffectiveRule {
  const effective = effectOf(deployment?.overrides ?? noOverrides);
  if (deployment?.enabled === true) return effective;
  return (rule) => ({ ...effective(rule), enabled: false });
}

/** The paranoia level in a rule's tags (SERVICE.md B.7), if any. */
export function levelOf({ categories }: RulesetRule): number | undefined {
  return paranoiaLevels.find((level) => categories.includes(`paranoia-level-${level}`));
}

/** A rule of a deployed managed ruleset after overrides. */
export interface EffectiveRule {
  readonly rule: RulesetRule;
  readonly enabled: boolean;
  readonly action: string;
  readonly scoreThreshold: number | undefined;
}

export const noOverrides: Overrides = {
  enabled: undefined,
  action: undefined,
  sensitivity_level: undefined,
  categories: [],
  rules: [],
};

/**
 * The rules of a managed ruleset after overrides. For each field the override of a rule wins over
 * those of its categories, of which the last listed wins, and they win over that of the whole
 * ruleset (SERVICE.md B.5).
 */
export function effectiveRules(
  rules: readonly RulesetRule[],
  overrides: Overrides,
): readonly EffectiveRule[] {
  return rules.map(effectOf(overrides));
}

function effectOf(overrides: Overrides): (rule: RulesetRule) => EffectiveRule {
  const byId = new Map(overrides.rules.map((each) => [each.id, each]));
  return (rule) => {
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
  };
}

/** Fields that overrides of rules, categories and whole rulesets share. */
interface Layer {
  readonly enabled: boolean | undefined;
  readonly action: string | undefined;
}

/**
 * The action of the whole OWASP ruleset does not apply to its score rule, the only one with a
 * threshold (SERVICE.md B.7).
 */
function wholeFor({ scoreThreshold }: RulesetRule, { enabled, action }: Overrides): Layer {
  return { enabled, action: scoreThreshold === undefined ? action : undefined };
}

function first<K extends keyof Layer>(field: K, layers: readonly Layer[]): Layer[K] {
  return layers.find((layer) => layer[field] !== undefined)?.[field];
}

/**
 * Overrides that change nothing or that others undo. Overrides of paranoia levels get no advice:
 * all levels are always written (SERVICE.md B.7).
 */
function overrideAdvice(rules: readonly RulesetRule[], overrides: Overrides): readonly string[] {
  const whole = effectiveRules(rules, overrides);
  const categories = overrides.categories
    .filter((each) => !isLevelSwitch(each))
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
  // The effect of sensitivity levels is unknown.
  if (isPointless && override.sensitivity_level === undefined) {
    return [`the override of the category ${category} changes nothing`];
  }
  const against = inIt.filter((each) => enabled !== undefined && each.enabled !== enabled);
  if (against.length === 0) return [];
  const state = enabled === true ? "off" : "on";
  return [
    `the category ${category} is switched ${enabled === true ? "on" : "off"}, but ${against.length} of its ${inIt.length} rules stay ${state}: other overrides win`,
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
  const rest = effectOf({ ...overrides, rules: [] })(own.rule);
  // Threshold and action of the score rule are written even if they are the defaults, which may
  // change.
  const isScore = own.rule.scoreThreshold !== undefined;
  if (isEqual(own, rest) && override.sensitivity_level === undefined && !isScore) {
    return [`the override of ${name} changes nothing`];
  }
  if (enabled === true && !rest.enabled && own.rule.enabled) {
    return [`${name} is switched on, although its category or paranoia level is switched off`];
  }
  if (!own.enabled && (override.action !== undefined || override.score_threshold !== undefined)) {
    return [`${name} is tuned, but it is off`];
  }
  return [];
}

function changesNothing(whole: readonly EffectiveRule[], without: Overrides): boolean {
  const rest = effectOf(without);
  return whole.every((each) => isEqual(each, rest(each.rule)));
}

function isEqual(one: EffectiveRule, other: EffectiveRule): boolean {
  return (
    one.enabled === other.enabled &&
    one.action === other.action &&
    one.scoreThreshold === other.scoreThreshold
  );
}
