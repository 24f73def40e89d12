import { coerceObject, coerceObjects, definedMembers } from "../../syntax/json.ts";
import type { Json, JsonObject } from "../../syntax/json.ts";
import { unpublishedCodes } from "../http/api-error.ts";
import { FieldReader } from "../http/fields.ts";
import type { EmulatedRule, EmulatedRuleset } from "../state.ts";
import { managedIds, managedRulesetId, paranoiaTags, scoreRuleId } from "./managed.ts";
import { scoreActions } from "./phases.ts";

/** Tuning of the OWASP ruleset; `undefined` leaves a value as it is. */
interface OwaspTuning {
  readonly paranoiaLevel: number | undefined;
  readonly scoreThreshold: number | undefined;
  readonly action: string | undefined;
}

/** Members that {@link parseTuning} reads. */
export const tuningMembers = ["paranoia_level", "score_threshold", "action"];

/** Reads the tuning of a seed or of a control request. */
export function parseTuning(fields: FieldReader): OwaspTuning {
  return {
    paranoiaLevel: fields.integer("paranoia_level", 1, paranoiaTags.length),
    scoreThreshold: fields.integer("score_threshold"),
    action: fields.oneOf("action", scoreActions),
  };
}

/** The `overrides` member of parameters after a tuning; without overrides the member is absent. */
export function withTuning(before: Json | undefined, tuning: OwaspTuning): JsonObject {
  const { categories, rules, ...others } = coerceObject(before);
  const { paranoiaLevel } = tuning;
  // Level N switches off the tags of all levels above it (SERVICE.md B.7).
  const tagsAbove = paranoiaLevel === undefined ? [] : paranoiaTags.slice(paranoiaLevel);
  const afterCategories = [
    ...coerceObjects(categories).filter(
      ({ category }) =>
        paranoiaLevel === undefined || !paranoiaTags.some((tag) => tag === category),
    ),
    ...tagsAbove.map((category) => ({ category, enabled: false })),
  ];
  const afterRules = withScoreRule(coerceObjects(rules), tuning);
  const overrides = definedMembers({
    ...others,
    categories: afterCategories.length === 0 ? undefined : afterCategories,
    rules: afterRules.length === 0 ? undefined : afterRules,
  });
  return Object.keys(overrides).length === 0 ? {} : { overrides };
}

function withScoreRule(
  rules: readonly JsonObject[],
  { scoreThreshold, action }: OwaspTuning,
): readonly JsonObject[] {
  if (scoreThreshold === undefined && action === undefined) return rules;
  const before = rules.find(({ id }) => id === scoreRuleId) ?? { id: scoreRuleId };
  const tuned = definedMembers({ score_threshold: scoreThreshold, action });
  return [...rules.filter(({ id }) => id !== scoreRuleId), { ...before, ...tuned }];
}

/** Expands `deploy: owasp` of a seed, with its tuning, to a rule in the service's form. */
export function expandDeploy(seed: JsonObject): JsonObject {
  if (seed["deploy"] === undefined) return seed;
  const fields = new FieldReader(seed, "", unpublishedCodes.ruleset);
  const id = managedRulesetId(fields.required("deploy", fields.text("deploy")));
  const own = ["deploy", "overrides", ...tuningMembers];
  const others = Object.fromEntries(Object.entries(seed).filter(([name]) => !own.includes(name)));
  const overrides = withTuning(seed["overrides"], parseTuning(fields));
  return {
    expression: "true",
    ...others,
    action: "execute",
    action_parameters: { id, version: "latest", ...overrides },
  };
}

/** A managed rule after the overrides of its deployment. */
type EffectiveRule = Pick<
  EmulatedRule,
  "id" | "description" | "enabled" | "action" | "score_threshold"
>;

/**
 * The rules of a managed ruleset after overrides (SERVICE.md B.5): the override of a rule wins over
 * those of its categories, of which the last listed wins, and they win over that of the whole
 * ruleset.
 */
export function effectiveRules(
  ruleset: EmulatedRuleset,
  overrides: Json | undefined,
): readonly EffectiveRule[] {
  const given = coerceObject(overrides);
  return ruleset.rules.map((rule) => effectiveRule(rule, layersOf(rule, given, ruleset)));
}

/** The overrides that apply to a rule, the weakest first. */
function layersOf(
  rule: EmulatedRule,
  overrides: JsonObject,
  ruleset: EmulatedRuleset,
): readonly JsonObject[] {
  const { action: _action, ...withoutAction } = overrides;
  // The action of the whole OWASP ruleset does not apply to its score rule (SERVICE.md B.7).
  const isOwaspScore = ruleset.id === managedIds.owasp && rule.score_threshold !== undefined;
  return [
    isOwaspScore ? withoutAction : overrides,
    ...coerceObjects(overrides["categories"]).filter((item) =>
      rule.categories?.some((category) => category === item["category"]),
    ),
    ...coerceObjects(overrides["rules"]).filter((item) => item["id"] === rule.id),
  ];
}

function effectiveRule(rule: EmulatedRule, layers: readonly JsonObject[]): EffectiveRule {
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
