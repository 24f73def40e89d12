import { byText } from "../../syntax/by-text.ts";
import type {
  CategoryOverride,
  ExecuteRule,
  Overrides,
  ParanoiaLevel,
  RuleOverride,
} from "../../zone/resource.ts";
import { paranoiaOf, rulesBetweenLevels, switchesAnyLevel } from "./paranoia.ts";

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
