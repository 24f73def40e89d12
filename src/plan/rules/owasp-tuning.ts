import { byText } from "../../syntax/by-text.ts";
import {
  type CategoryOverride,
  type ExecuteRule,
  type Overrides,
  type ParanoiaLevel,
  type RuleOverride,
  paranoiaLevels,
} from "../../zone/resource.ts";

/** Overrides in the words in which a file tunes the OWASP ruleset. */
export interface Tuning {
  readonly paranoiaLevel: ParanoiaLevel | undefined;
  readonly scoreThreshold: number | undefined;
  readonly action: string | undefined;
  /** What is left of the overrides when the tuning is taken out. */
  readonly categories: readonly CategoryOverride[];
  readonly rules: readonly RuleOverride[];
}

/** What a declared rule makes of its managed ruleset. */
export type Tuned = Pick<ExecuteRule, "tuning" | "overrides">;

/** The one complete `overrides` that a declared rule asks for: a PATCH replaces, so nothing may be left for a second step (SERVICE.md B.4). */
export function resolveOverrides(rule: Tuned, scoreRuleId: string): Overrides {
  const { tuning, overrides } = rule;
  const { categories, rules } = overrides;
  const level = tuning.paranoiaLevel;
  return {
    ...overrides,
    categories: level === undefined ? categories : rulesBetweenLevels(categories, level),
    rules: needsScoreRule(rule) ? withScoreRule(rules, tuning, scoreRuleId) : rules,
  };
}

/** Whether a declared rule can only be written when the score rule's id is known: it is tuned by that (SERVICE.md B.7). */
export function needsScoreRule({ tuning }: Tuned): boolean {
  return tuning.scoreThreshold !== undefined || tuning.action !== undefined;
}

/** Takes the tuning out of overrides: the inverse of {@link resolveOverrides}, for people to read. */
export function tuningOf({ categories, rules }: Overrides, scoreRuleId: string): Tuning {
  const score = rules.find(({ id }) => id === scoreRuleId);
  const paranoiaLevel = paranoiaOf(categories);
  const isTold = (each: CategoryOverride) => paranoiaLevel !== undefined && switchesAnyLevel(each);
  return {
    paranoiaLevel,
    scoreThreshold: score?.score_threshold,
    action: score?.action,
    categories: categories.filter((each) => !isTold(each)),
    rules: rules.flatMap((each) => (each === score ? beyondTuning(each) : each)),
  };
}

/** What else is overridden of the score rule. */
function beyondTuning(score: RuleOverride): readonly RuleOverride[] {
  if (score.enabled === undefined && score.sensitivity_level === undefined) return [];
  return [{ ...score, action: undefined, score_threshold: undefined }];
}

function withScoreRule(
  rules: readonly RuleOverride[],
  { scoreThreshold, action }: ExecuteRule["tuning"],
  id: string,
): readonly RuleOverride[] {
  const declared = rules.find((each) => each.id === id);
  const score: RuleOverride = {
    id,
    enabled: declared?.enabled,
    action: action ?? declared?.action,
    score_threshold: scoreThreshold ?? declared?.score_threshold,
    sensitivity_level: declared?.sensitivity_level,
  };
  return [...rules.filter((each) => each !== declared), score].toSorted(byText((each) => each.id));
}

/**
 * States every paranoia level around other categories (SERVICE.md B.7).
 *
 * Of several categories of a rule the last one listed counts (SERVICE.md B.5): what is said of a category beats the
 * levels that are on, and no category brings back a level that is off.
 */
export function rulesBetweenLevels(
  categories: readonly CategoryOverride[],
  level: ParanoiaLevel,
): readonly CategoryOverride[] {
  const levels = paranoiaLevels.map((each) => levelSwitch(each, each <= level));
  return [
    ...levels.filter(({ enabled }) => enabled === true),
    ...categories,
    ...levels.filter(({ enabled }) => enabled === false),
  ];
}

/**
 * The one spelling of overrides that differ only in how they say the paranoia level.
 *
 * The usual recipe names nothing but the levels that are off (SERVICE.md B.7). Levels that are on and stand before every
 * category that could beat them are on with or without a word.
 */
export function canonicalLevels(overrides: Overrides): Overrides {
  const { categories } = overrides;
  const level = paranoiaOf(categories);
  if (level === undefined) return overrides;
  const others = categories.filter((each) => !switchesAnyLevel(each));
  return hasSafeOrder(categories, others)
    ? { ...overrides, categories: rulesBetweenLevels(others, level) }
    : overrides;
}

/** Whether levels that are on stand before all other categories and levels that are off behind them. */
function hasSafeOrder(
  categories: readonly CategoryOverride[],
  others: readonly CategoryOverride[],
): boolean {
  const [first] = others;
  const last = others.at(-1);
  if (first === undefined || last === undefined) return true;
  const [start, end] = [categories.indexOf(first), categories.indexOf(last) + 1];
  return (
    end - start === others.length &&
    categories.slice(0, start).every((each) => isLevelSwitch(each, true)) &&
    categories.slice(end).every((each) => isLevelSwitch(each, false))
  );
}

/**
 * The level that categories amount to: the highest below those that are switched off, or all four where all are
 * switched on. `undefined` where a lower one is off under a higher one, and where nothing is off and a level is not
 * mentioned: the service's own pages disagree on whether it is on then (SERVICE.md B.7).
 */
export function paranoiaOf(categories: readonly CategoryOverride[]): ParanoiaLevel | undefined {
  const switches = new Map(categories.map(({ category, enabled }) => [category, enabled]));
  const stateOf = (level: ParanoiaLevel) => switches.get(tagOf(level));
  const isTold =
    paranoiaLevels.some((level) => stateOf(level) === false) ||
    paranoiaLevels.every((level) => stateOf(level) === true);
  const on = paranoiaLevels.filter((level) => stateOf(level) !== false);
  const highest = on.at(-1);
  return isTold && highest === on.length ? highest : undefined;
}

/** Whether an override does nothing but switch a paranoia level. */
export function switchesAnyLevel(override: CategoryOverride): boolean {
  return isLevelSwitch(override, true) || isLevelSwitch(override, false);
}

function isLevelSwitch(override: CategoryOverride, enabled: boolean): boolean {
  return (
    paranoiaLevels.some((level) => override.category === tagOf(level)) &&
    override.enabled === enabled &&
    override.action === undefined &&
    override.sensitivity_level === undefined
  );
}

function levelSwitch(level: ParanoiaLevel, enabled: boolean): CategoryOverride {
  return { category: tagOf(level), enabled, action: undefined, sensitivity_level: undefined };
}

function tagOf(level: ParanoiaLevel): string {
  return `paranoia-level-${level}`;
}
