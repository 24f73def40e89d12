import { coerceObject, coerceObjects, definedMembers } from "../../syntax/json.ts";
import type { Json, JsonObject } from "../../syntax/json.ts";
import { unpublishedCodes } from "../http/api-error.ts";
import { FieldReader } from "../http/fields.ts";
import type { Owner } from "../state.ts";
import { managedRulesetId, paranoiaTags, scoreRuleId } from "./managed.ts";
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

/**
 * Expands `deploy: owasp` of a seed, with its tuning, or `deploy` of a custom ruleset's name, to a
 * rule in the service's form.
 */
export function expandDeploy(seed: JsonObject, { rulesets }: Owner): JsonObject {
  if (seed["deploy"] === undefined) return seed;
  const fields = new FieldReader(seed, "", unpublishedCodes.ruleset);
  const deployed = fields.required("deploy", fields.text("deploy"));
  const custom = rulesets.find(({ current }) => current.name === deployed);
  const id = custom?.current.id ?? managedRulesetId(deployed);
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
