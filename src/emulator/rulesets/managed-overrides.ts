import { type Json, type JsonObject, coerceObject, coerceObjects } from "../../syntax/json.ts";
import { unpublishedCodes } from "../http/api-error.ts";
import { type FieldReader, fieldsOf } from "../http/fields.ts";
import type { Rule, Ruleset } from "../state.ts";
import { managedIds, paranoiaTags, scoreRuleId } from "./managed.ts";
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

/** Turns the short form of a seed, `deploy: owasp` with its tuning, into a rule in the service's own form. */
export function withDeployment(seed: JsonObject): JsonObject {
  if (seed["deploy"] === undefined) return seed;
  const fields = fieldsOf(seed, "", unpublishedCodes.ruleset);
  const named = fields.required("deploy", fields.text("deploy"));
  const id = Object.entries(managedIds).find(([key]) => key === named)?.[1] ?? named;
  const others = Object.fromEntries(Object.entries(seed).filter(([name]) => !own.includes(name)));
  const overrides = tuned(seed["overrides"], tuningIn(fields));
  return {
    expression: "true",
    ...others,
    action: "execute",
    action_parameters: {
      id,
      version: "latest",
      ...(Object.keys(overrides).length === 0 ? {} : { overrides }),
    },
  };
}

const own = ["deploy", "overrides", ...tuningMembers];

/** A managed rule as the overrides of its deployment leave it. */
interface EffectiveRule {
  readonly id: string;
  readonly description: string;
  readonly enabled: boolean;
  readonly action: string;
  readonly score_threshold?: number;
}

/**
 * The rules of a managed ruleset under overrides (SERVICE.md B.5): a rule's own override beats those of its
 * categories, of which the last listed wins, and they beat that of the whole ruleset.
 */
export function effectiveRules(
  ruleset: Ruleset,
  overrides: Json | undefined,
): readonly EffectiveRule[] {
  const given = coerceObject(overrides);
  return ruleset.rules.map((rule) => effectiveRule(rule, layersFor(rule, given, ruleset)));
}

/** The overrides that concern a rule, the weakest first. */
function layersFor(rule: Rule, overrides: JsonObject, ruleset: Ruleset): readonly JsonObject[] {
  const { action: _action, ...withoutAction } = overrides;
  // The action of the whole OWASP ruleset does not reach its score rule (SERVICE.md B.7).
  const isOwaspScore = ruleset.id === managedIds.owasp && rule.score_threshold !== undefined;
  return [
    isOwaspScore ? withoutAction : overrides,
    ...coerceObjects(overrides["categories"]).filter((item) =>
      rule.categories?.some((category) => category === item["category"]),
    ),
    ...coerceObjects(overrides["rules"]).filter((item) => item["id"] === rule.id),
  ];
}

function effectiveRule(rule: Rule, layers: readonly JsonObject[]): EffectiveRule {
  let { enabled, action, score_threshold: threshold } = rule;
  for (const layer of layers) {
    if (typeof layer["enabled"] === "boolean") enabled = layer["enabled"];
    if (typeof layer["action"] === "string") action = layer["action"];
    if (typeof layer["score_threshold"] === "number") threshold = layer["score_threshold"];
  }
  return {
    id: rule.id,
    description: rule.description,
    enabled,
    action,
    ...(threshold === undefined ? {} : { score_threshold: threshold }),
  };
}
