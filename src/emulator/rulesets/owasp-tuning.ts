import { type Json, type JsonObject, coerceObject, coerceObjects } from "../../syntax/json.ts";
import type { FieldReader } from "../http/fields.ts";
import { paranoiaTags, scoreRuleId } from "./managed.ts";
import { scoreActions } from "./phases.ts";

/** How people speak of the OWASP ruleset; `undefined` leaves it as it is. */
interface Tuning {
  readonly paranoiaLevel: number | undefined;
  readonly scoreThreshold: number | undefined;
  readonly action: string | undefined;
}

/** Names of the members that {@link tuningIn} reads. */
export const tuningMembers = ["paranoia_level", "score_threshold", "action"];

/** Reads the tuning in people's words. */
export function tuningIn(fields: FieldReader): Tuning {
  const paranoiaLevel = fields.integer("paranoia_level");
  if (paranoiaLevel !== undefined && (paranoiaLevel < 1 || paranoiaLevel > paranoiaTags.length)) {
    throw fields.mistake(
      "paranoia_level",
      `paranoia_level must be from 1 to ${paranoiaTags.length}`,
    );
  }
  return {
    paranoiaLevel,
    scoreThreshold: fields.integer("score_threshold"),
    action: fields.oneOf("action", scoreActions),
  };
}

/** The overrides after a tuning; what it does not speak of stays. */
export function tuned(overrides: Json | undefined, tuning: Tuning): JsonObject {
  const before = coerceObject(overrides);
  const categories = [
    ...coerceObjects(before["categories"]).filter(
      (item) => tuning.paranoiaLevel === undefined || !isParanoia(item),
    ),
    ...tagsAbove(tuning.paranoiaLevel).map((category) => ({ category, enabled: false })),
  ];
  const rules = withScoreRule(coerceObjects(before["rules"]), tuning);
  const { categories: _categories, rules: _rules, ...others } = before;
  return {
    ...others,
    ...(categories.length === 0 ? {} : { categories }),
    ...(rules.length === 0 ? {} : { rules }),
  };
}

/** Level N switches off the tags of all levels above it (SERVICE.md B.7). */
function tagsAbove(level: number | undefined): readonly string[] {
  return level === undefined ? [] : paranoiaTags.slice(level);
}

function withScoreRule(
  rules: readonly JsonObject[],
  { scoreThreshold, action }: Tuning,
): readonly JsonObject[] {
  if (scoreThreshold === undefined && action === undefined) return rules;
  const before = rules.find((item) => item["id"] === scoreRuleId) ?? { id: scoreRuleId };
  const after = {
    ...before,
    ...(scoreThreshold === undefined ? {} : { score_threshold: scoreThreshold }),
    ...(action === undefined ? {} : { action }),
  };
  return [...rules.filter((item) => item["id"] !== scoreRuleId), after];
}

function isParanoia({ category }: JsonObject): boolean {
  return typeof category === "string" && paranoiaTags.includes(category);
}
