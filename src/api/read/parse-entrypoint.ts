import { byEntryName, byText } from "../../syntax/by-text.ts";
import { canonicalExpression } from "../../syntax/expression/expression.ts";
import {
  type JsonObject,
  isJsonObject,
  isObjectList,
  coerceObject,
  coerceObjects,
} from "../../syntax/json.ts";
import type { LiveEntrypoint, LiveRule, RuleAction } from "../../zone/live-zone.ts";
import type {
  CategoryOverride,
  Overrides,
  RuleOverride,
  SkipParameters,
} from "../../zone/resource.ts";
import { areIdsOfList, isRuleRef, isServiceId } from "../../zone/service-id.ts";
import { flagIn, textIn, textSet } from "../wire-value.ts";

export type PresentEntrypoint = Extract<LiveEntrypoint, { readonly state: "present" }>;

/**
 * Parses a whole ruleset; `undefined` for any other value, or where an id, a ref or a version is
 * invalid, or a rule is listed twice.
 */
export function entrypointOf(result: unknown): PresentEntrypoint | undefined {
  if (!isJsonObject(result)) return undefined;
  const id = textIn(result, "id");
  const version = textIn(result, "version");
  // An empty ruleset may lack its list (SERVICE.md B.3).
  const wires = result["rules"] ?? [];
  if (!isServiceId(id) || !isServiceId(version) || !isObjectList(wires)) return undefined;
  const rules = wires.map(ruleOf);
  if (!areIdsOfList(rules.map((rule) => rule.id))) return undefined;
  if (!rules.every((rule) => isRuleRef(rule.ref))) return undefined;
  return { state: "present", id, version, rules };
}

/** Parses a rule. Missing fields have their defaults (SERVICE.md B.4). */
export function ruleOf(wire: JsonObject): LiveRule {
  const id = textIn(wire, "id");
  return {
    id,
    ref: textIn(wire, "ref", id),
    version: textIn(wire, "version"),
    description: textIn(wire, "description"),
    expression: canonicalExpression(textIn(wire, "expression")),
    enabled: flagIn(wire, "enabled") ?? true,
    action: ruleActionOf(wire),
    wire,
  };
}

/** Parses the action of a rule; an unknown action is `other`, never dropped. */
export function ruleActionOf(rule: JsonObject): RuleAction {
  const name = textIn(rule, "action");
  const parameters = coerceObject(rule["action_parameters"]);
  const ruleset = textIn(parameters, "id");
  if (name === "execute" && ruleset !== "") {
    return {
      type: "execute",
      ruleset,
      overrides: overridesOf(coerceObject(parameters["overrides"])),
    };
  }
  if (name === "skip") {
    // On by default (SERVICE.md B.4).
    const logging = flagIn(coerceObject(rule["logging"]), "enabled") ?? true;
    return { type: "skip", skip: skipOf(parameters), logging };
  }
  return { type: "other", name };
}

/** Answers omit empty lists (SERVICE.md B.5). */
function overridesOf(wire: JsonObject): Overrides {
  return {
    ...switchesOf(wire),
    categories: coerceObjects(wire["categories"]).map(categoryOverrideOf),
    rules: coerceObjects(wire["rules"])
      .map(ruleOverrideOf)
      .toSorted(byText(({ id }) => id)),
  };
}

function categoryOverrideOf(wire: JsonObject): CategoryOverride {
  return { category: textIn(wire, "category"), ...switchesOf(wire) };
}

function ruleOverrideOf(wire: JsonObject): RuleOverride {
  const threshold = wire["score_threshold"];
  return {
    id: textIn(wire, "id"),
    ...switchesOf(wire),
    score_threshold: typeof threshold === "number" ? threshold : undefined,
  };
}

function switchesOf(
  wire: JsonObject,
): Pick<CategoryOverride, "enabled" | "action" | "sensitivity_level"> {
  return {
    enabled: flagIn(wire, "enabled"),
    action: textIn(wire, "action") || undefined,
    sensitivity_level: textIn(wire, "sensitivity_level") || undefined,
  };
}

function skipOf(wire: JsonObject): SkipParameters {
  const rules = Object.entries(coerceObject(wire["rules"]))
    .map(([ruleset, ids]) => [ruleset, textSet(ids)] as const)
    .filter(([, ids]) => ids.length > 0)
    .toSorted(byEntryName);
  return {
    ruleset: textIn(wire, "ruleset") === "current",
    phase: textIn(wire, "phase") === "current",
    rulesets: textSet(wire["rulesets"]),
    rules: Object.fromEntries(rules),
    phases: textSet(wire["phases"]),
    products: textSet(wire["products"]),
  };
}
