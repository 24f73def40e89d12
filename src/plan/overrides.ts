import type { JsonObject } from "../syntax/json.ts";
import type {
  CategoryOverride,
  ExecuteRule,
  Overrides,
  ParanoiaLevel,
  RuleOverride,
} from "../zone/resource.ts";
import { paranoiaLevels } from "../zone/resource.ts";

/** Overrides in the words in which a file tunes the OWASP ruleset. */
export interface Tuning {
  readonly paranoiaLevel: ParanoiaLevel | undefined;
  readonly scoreThreshold: number | undefined;
  readonly action: string | undefined;
  /** What is left of the overrides when the tuning is taken out. */
  readonly categories: readonly CategoryOverride[];
  readonly rules: readonly RuleOverride[];
}

/**
 * The one complete `overrides` that a declared rule asks for.
 *
 * A PATCH replaces, so nothing may be left for a second step (api-facts B.4). Every paranoia level is stated
 * (api-facts B.7). Of several categories of a rule the last one listed counts (api-facts B.5): what the file says of
 * a category beats the levels that are on, and no category brings back a level that is off.
 */
export function resolveOverrides(rule: ExecuteRule, scoreRuleId: string | undefined): Overrides {
  const { tuning, overrides } = rule;
  const level = tuning.paranoiaLevel;
  const levels = level === undefined ? [] : paranoiaLevels.map((each) => levelSwitch(each, level));
  return {
    ...overrides,
    categories: [
      ...levels.filter(({ enabled }) => enabled === true),
      ...overrides.categories,
      ...levels.filter(({ enabled }) => enabled === false),
    ],
    rules: withScoreRule(overrides.rules, rule, scoreRuleId),
  };
}

/** Whether a declared rule can only be written when the score rule's id is known. */
export function needsScoreRule({ tuning }: ExecuteRule): boolean {
  return tuning.scoreThreshold !== undefined || tuning.action !== undefined;
}

/** Takes the tuning out of overrides: the inverse of {@link resolveOverrides}, for people to read. */
export function tuningOf(overrides: Overrides, scoreRuleId: string | undefined): Tuning {
  const score = overrides.rules.find(({ id }) => id === scoreRuleId);
  const level = paranoiaOf(overrides.categories);
  return {
    paranoiaLevel: level,
    scoreThreshold: score?.score_threshold,
    action: score?.action,
    categories: overrides.categories.filter(
      (each) => level === undefined || !isPlainLevelSwitch(each),
    ),
    rules: overrides.rules.filter((each) => each !== score || hasMoreThanTuning(each)),
  };
}

/** Overrides as the service reads them; `undefined` where nothing is overridden, since an empty object is refused (api-facts B.5). */
export function wireOverrides(overrides: Overrides): JsonObject | undefined {
  const { categories, rules, ...whole } = overrides;
  const wire = {
    ...defined({ ...whole }),
    ...(categories.length > 0
      ? { categories: categories.map((each) => defined({ ...each })) }
      : {}),
    ...(rules.length > 0 ? { rules: rules.map((each) => defined({ ...each })) } : {}),
  };
  return Object.keys(wire).length > 0 ? wire : undefined;
}

/** Leaves out what is `undefined`, as JSON does. */
function defined(
  fields: Readonly<Record<string, string | number | boolean | undefined>>,
): JsonObject {
  const wire: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) wire[name] = value;
  }
  return wire;
}

function levelTag(level: ParanoiaLevel): string {
  return `paranoia-level-${level}`;
}

function levelSwitch(level: ParanoiaLevel, highest: ParanoiaLevel): CategoryOverride {
  return {
    category: levelTag(level),
    enabled: level <= highest,
    action: undefined,
    sensitivity_level: undefined,
  };
}

/** The level that overrides amount to: a level counts as on unless it is switched off; `undefined` where none is mentioned, or where a lower one is off under a higher one. */
function paranoiaOf(categories: readonly CategoryOverride[]): ParanoiaLevel | undefined {
  const switches = new Map(categories.map(({ category, enabled }) => [category, enabled]));
  if (!paranoiaLevels.some((level) => switches.get(levelTag(level)) !== undefined)) {
    return undefined;
  }
  const on = paranoiaLevels.filter((level) => switches.get(levelTag(level)) !== false);
  const highest = on.at(-1);
  return highest === on.length ? highest : undefined;
}

function isPlainLevelSwitch(override: CategoryOverride): boolean {
  return (
    paranoiaLevels.some((level) => override.category === levelTag(level)) &&
    override.action === undefined &&
    override.sensitivity_level === undefined
  );
}

function hasMoreThanTuning({ enabled, sensitivity_level }: RuleOverride): boolean {
  return enabled !== undefined || sensitivity_level !== undefined;
}

function withScoreRule(
  rules: readonly RuleOverride[],
  rule: ExecuteRule,
  scoreRuleId: string | undefined,
): readonly RuleOverride[] {
  if (scoreRuleId === undefined || !needsScoreRule(rule)) return rules;
  const declared = rules.find(({ id }) => id === scoreRuleId);
  const score: RuleOverride = {
    id: scoreRuleId,
    enabled: declared?.enabled,
    action: rule.tuning.action ?? declared?.action,
    score_threshold: rule.tuning.scoreThreshold ?? declared?.score_threshold,
    sensitivity_level: declared?.sensitivity_level,
  };
  return [...rules.filter(({ id }) => id !== scoreRuleId), score].toSorted((a, b) =>
    a.id < b.id ? -1 : 1,
  );
}
