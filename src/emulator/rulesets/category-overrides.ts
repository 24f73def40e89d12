import { type Json, type JsonObject, coerceObject, coerceObjects } from "../../syntax/json.ts";
import type { Rule, Ruleset } from "../state.ts";
import { managedIds } from "./managed.ts";

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
