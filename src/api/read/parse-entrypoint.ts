import { byEntryName, byText } from "../../syntax/by-text.ts";
import { canonicalExpression } from "../../syntax/expression/expression.ts";
import {
  type Json,
  type JsonObject,
  isJsonObject,
  isObjectList,
  coerceObject,
  coerceObjects,
} from "../../syntax/json.ts";
import type { LiveCustomRuleset, LiveRule, LiveRuleset, RuleAction } from "../../zone/live-zone.ts";
import {
  type BlockResponse,
  type CategoryOverride,
  type Overrides,
  type RateLimit,
  type RuleOverride,
  type SkipParameters,
  mitigateActions,
} from "../../zone/resource.ts";
import { areIdsOfList, isRuleRef, isServiceId } from "../../zone/service-id.ts";
import { flagIn, numberIn, textIn, textSet } from "../wire-value.ts";

/**
 * Parses a whole ruleset; `undefined` for any other value, or where an id, a ref or a version is
 * invalid, or a rule is listed twice.
 */
export function entrypointOf(result: unknown): LiveRuleset | undefined {
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

/** Parses a custom ruleset with its rules; `undefined` for what is no whole ruleset. */
export function customRulesetOf(
  result: unknown,
): (LiveCustomRuleset & Pick<LiveRuleset, "rules">) | undefined {
  const found = entrypointOf(result);
  if (found === undefined || !isJsonObject(result)) return undefined;
  const { id, version, rules } = found;
  const [name, description] = [textIn(result, "name"), textIn(result, "description")];
  return { id, version, name, description, rules };
}

/** Parses a rule. Missing fields have their defaults (SERVICE.md B.4). */
export function ruleOf(wire: JsonObject): LiveRule {
  const id = textIn(wire, "id");
  const ratelimit = rateLimitOf(wire["ratelimit"]);
  return {
    id,
    ref: textIn(wire, "ref", id),
    version: textIn(wire, "version"),
    description: textIn(wire, "description"),
    expression: canonicalExpression(textIn(wire, "expression")),
    enabled: flagIn(wire, "enabled") ?? true,
    action:
      ratelimit === "other" ? { type: "other", name: textIn(wire, "action") } : ruleActionOf(wire),
    ratelimit: ratelimit === "other" ? undefined : ratelimit,
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
  const mitigation = mitigateActions.find((each) => each === name);
  const response = responseOf(parameters["response"]);
  return mitigation === undefined || response === "other"
    ? { type: "other", name }
    : { type: "mitigate", name: mitigation, response };
}

/** `other`: it is not understood. */
function responseOf(wire: Json | undefined): BlockResponse | undefined | "other" {
  if (wire === undefined || wire === null) return undefined;
  const { status_code, content_type, content } = coerceObject(wire);
  const isUnderstood =
    typeof status_code === "number" &&
    typeof content_type === "string" &&
    typeof content === "string";
  return isUnderstood ? { status_code, content_type, content } : "other";
}

/**
 * The documentation says of `mitigation_timeout` and `requests_to_origin` only that answers have
 * them. Writes therefore always send them (SERVICE.md B.11). `other`: it is not understood.
 */
function rateLimitOf(wire: Json | undefined): RateLimit | undefined | "other" {
  if (wire === undefined || wire === null) return undefined;
  const limit = { ...rateLimitDefaults, ...coerceObject(wire) };
  if (!isRateLimit(limit)) return "other";
  const { characteristics, period, requests_per_period, mitigation_timeout } = limit;
  return {
    characteristics: textSet(characteristics),
    period,
    requests_per_period,
    mitigation_timeout,
    counting_expression: canonicalExpression(limit.counting_expression),
    requests_to_origin: limit.requests_to_origin,
    score_per_period: limit.score_per_period,
    score_response_header_name: limit.score_response_header_name,
  };
}

const rateLimitDefaults = {
  mitigation_timeout: 0,
  counting_expression: "",
  requests_to_origin: false,
} as const;

const rateLimitTypes: Readonly<Record<keyof RateLimit, (value: Json | undefined) => boolean>> = {
  characteristics: isTextList,
  period: isOfType("number"),
  requests_per_period: isOfType("number", "undefined"),
  mitigation_timeout: isOfType("number"),
  counting_expression: isOfType("string"),
  requests_to_origin: isOfType("boolean"),
  score_per_period: isOfType("number", "undefined"),
  score_response_header_name: isOfType("string", "undefined"),
};

function isRateLimit(limit: object): limit is RateLimit {
  const members: ReadonlyMap<string, Json | undefined> = new Map(Object.entries(limit));
  return Object.entries(rateLimitTypes).every(([name, isValid]) => isValid(members.get(name)));
}

function isTextList(value: Json | undefined): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function isOfType(...types: readonly string[]): (value: Json | undefined) => boolean {
  return (value) => types.includes(typeof value);
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
  return {
    id: textIn(wire, "id"),
    ...switchesOf(wire),
    score_threshold: numberIn(wire, "score_threshold"),
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
