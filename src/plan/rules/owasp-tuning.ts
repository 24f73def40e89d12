import { byText } from "../../syntax/by-text.ts";
import {
  type CategoryOverride,
  type ExecuteRule,
  type Overrides,
  type ParanoiaLevel,
  type Rule,
  type RuleOverride,
  paranoiaLevels,
} from "../../zone/resource.ts";

/** Overrides of the OWASP ruleset, expressed as a file tunes it. */
export interface Tuning {
  readonly paranoiaLevel: ParanoiaLevel | undefined;
  readonly scoreThreshold: number | undefined;
  readonly action: string | undefined;
  /** The overrides that the tuning does not express. */
  readonly categories: readonly CategoryOverride[];
  readonly rules: readonly RuleOverride[];
}

/** What a declared rule overrides in its managed ruleset. */
export type DeclaredOverrides = Pick<ExecuteRule, "tuning" | "overrides">;

/** The complete `overrides` of a declared rule. A PATCH replaces (SERVICE.md B.4), so one write must hold all of them. */
export function resolveOverrides(rule: DeclaredOverrides, scoreRuleId: string): Overrides {
  const { tuning, overrides } = rule;
  const { categories, rules } = overrides;
  const level = tuning.paranoiaLevel;
  return {
    ...overrides,
    categories: level === undefined ? categories : withParanoiaLevel(categories, level),
    rules: tunesScoreRule(rule) ? withScoreRule(rules, tuning, scoreRuleId) : rules,
  };
}

/** Whether declared rules can only be written with the id of the score rule, which holds part of the tuning (SERVICE.md B.7). */
export function needScoreRule(rules: readonly Rule[]): boolean {
  return rules.some((rule) => rule.action === "execute" && tunesScoreRule(rule));
}

function tunesScoreRule({ tuning }: DeclaredOverrides): boolean {
  return tuning.scoreThreshold !== undefined || tuning.action !== undefined;
}

/** Expresses overrides as tuning: the inverse of {@link resolveOverrides}. */
export function tuningOf({ categories, rules }: Overrides, scoreRuleId: string): Tuning {
  const score = rules.find(({ id }) => id === scoreRuleId);
  const paranoiaLevel = paranoiaLevelOf(categories);
  return {
    paranoiaLevel,
    scoreThreshold: score?.score_threshold,
    action: score?.action,
    categories:
      paranoiaLevel === undefined ? categories : categories.filter((each) => !isLevelSwitch(each)),
    rules: rules.flatMap((each) => (each === score ? beyondTuning(each) : each)),
  };
}

/** The overrides of the score rule that the tuning does not express. */
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
 * Adds a switch for every paranoia level (SERVICE.md B.7).
 *
 * Of several categories of a rule the last one listed wins (SERVICE.md B.5). Enabled levels therefore go first, so that
 * other categories win over them, and disabled levels go last, so that no category enables them again.
 */
function withParanoiaLevel(
  categories: readonly CategoryOverride[],
  level: ParanoiaLevel,
): readonly CategoryOverride[] {
  const switches = paranoiaLevels.map((each): CategoryOverride => ({
    category: tagOf(each),
    enabled: each <= level,
    action: undefined,
    sensitivity_level: undefined,
  }));
  return [
    ...switches.filter(({ enabled }) => enabled === true),
    ...categories,
    ...switches.filter(({ enabled }) => enabled === false),
  ];
}

/**
 * The canonical form of overrides that differ only in how they express the paranoia level.
 *
 * The usual recipe names only the disabled levels (SERVICE.md B.7). An enabled level that precedes every other category
 * has the same effect whether it is listed or not.
 */
export function canonicalLevels(overrides: Overrides): Overrides {
  const { categories } = overrides;
  const level = paranoiaLevelOf(categories);
  if (level === undefined) return overrides;
  const others = categories.filter((each) => !isLevelSwitch(each));
  return hasSafeOrder(categories, others)
    ? { ...overrides, categories: withParanoiaLevel(others, level) }
    : overrides;
}

/**
 * Whether enabled levels precede all other categories, and disabled levels follow them; not where an override of a level
 * does more than switch it.
 */
function hasSafeOrder(
  categories: readonly CategoryOverride[],
  others: readonly CategoryOverride[],
): boolean {
  const [first] = others;
  const last = others.at(-1);
  if (first === undefined || last === undefined) return true;
  if (others.some(isLevel)) return false;
  const [start, end] = [categories.indexOf(first), categories.indexOf(last) + 1];
  return (
    end - start === others.length &&
    categories.slice(0, start).every(({ enabled }) => enabled === true) &&
    categories.slice(end).every(({ enabled }) => enabled === false)
  );
}

/**
 * The level that categories amount to: the highest below the disabled levels, or 4 where all levels are enabled.
 * `undefined` if a lower level is disabled below a higher one, and where no level is disabled and one is not listed:
 * the service's documentation contradicts itself on whether that one is enabled (SERVICE.md B.7). Also where a category
 * is listed twice.
 */
function paranoiaLevelOf(categories: readonly CategoryOverride[]): ParanoiaLevel | undefined {
  const switches = new Map(categories.map(({ category, enabled }) => [category, enabled]));
  if (switches.size < categories.length) return undefined;
  const stateOf = (level: ParanoiaLevel) => switches.get(tagOf(level));
  const isDefinite =
    paranoiaLevels.some((level) => stateOf(level) === false) ||
    paranoiaLevels.every((level) => stateOf(level) === true);
  const enabled = paranoiaLevels.filter((level) => stateOf(level) !== false);
  const highest = enabled.at(-1);
  return isDefinite && highest === enabled.length ? highest : undefined;
}

/** Whether an override only enables or disables a paranoia level. */
export function isLevelSwitch(override: CategoryOverride): boolean {
  return (
    isLevel(override) &&
    override.enabled !== undefined &&
    override.action === undefined &&
    override.sensitivity_level === undefined
  );
}

function isLevel({ category }: CategoryOverride): boolean {
  return paranoiaLevels.some((level) => category === tagOf(level));
}

function tagOf(level: ParanoiaLevel): string {
  return `paranoia-level-${level}`;
}
