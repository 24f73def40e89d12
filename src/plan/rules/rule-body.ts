import {
  type Json,
  type JsonObject,
  coerceObject,
  coerceObjects,
  isJsonObject,
  definedMembers,
} from "../../syntax/json.ts";
import type { LiveRule, RuleAction, RuleState } from "../../zone/live-zone.ts";
import type {
  BlockResponse,
  CategoryOverride,
  Overrides,
  RateLimit,
  Rule,
  RuleOverride,
  SkipParameters,
} from "../../zone/resource.ts";
import { resolveOverrides } from "./owasp-tuning.ts";

/** The state of a rule as it is declared, in the form of a live one. */
export interface RuleTarget extends RuleState {
  readonly action: Exclude<RuleAction, { readonly type: "other" }>;
}

export function targetOf(rule: Rule, scoreRuleId: string): RuleTarget {
  const { description, expression, enabled } = rule;
  const base = { description, expression, enabled, ratelimit: undefined };
  if (rule.action === "execute") {
    const overrides = resolveOverrides(rule, scoreRuleId);
    return { ...base, action: { type: "execute", ruleset: rule.ruleset, overrides } };
  }
  if (rule.action === "skip") {
    return { ...base, action: { type: "skip", skip: rule.skip, logging: rule.logging } };
  }
  const { action: name, response, ratelimit } = rule;
  return { ...base, action: { type: "mitigate", name, response }, ratelimit };
}

/** Counters and dates that the service maintains: they are no part of what a rule does. */
export const countedFields: ReadonlySet<string> = new Set(["version", "last_updated"]);

/** Fields of a rule that only the service writes (the schema's `readOnly`). */
const readOnlyFields: ReadonlySet<string> = new Set([...countedFields, "categories"]);

/** Fields of a rule that zonewarden reads or writes, whatever its action. */
const ruleFields: ReadonlySet<string> = new Set([
  "id",
  "ref",
  "description",
  "expression",
  "enabled",
  "action",
  "action_parameters",
]);

/** Fields of overrides and of their elements that zonewarden reads and writes (SERVICE.md B.5). */
const overrideFields = namesOf<keyof Overrides | keyof CategoryOverride | keyof RuleOverride>({
  id: null,
  category: null,
  enabled: null,
  action: null,
  score_threshold: null,
  sensitivity_level: null,
  categories: null,
  rules: null,
});

/** What an exception can skip (SERVICE.md B.4), in the order in which it is shown. */
export const skipFields: ReadonlySet<string> = namesOf<keyof SkipParameters>({
  ruleset: null,
  phase: null,
  rulesets: null,
  rules: null,
  phases: null,
  products: null,
});

/** The members of a response, in the order in which they are shown. */
export const responseFields = namesOf<keyof BlockResponse>({
  status_code: null,
  content_type: null,
  content: null,
});

/** The members of a rate limit, in the order in which they are shown. */
export const rateLimitFields = namesOf<keyof RateLimit>({
  characteristics: null,
  period: null,
  requests_per_period: null,
  mitigation_timeout: null,
  counting_expression: null,
  requests_to_origin: null,
  score_per_period: null,
  score_response_header_name: null,
});

/** The fields of `action_parameters` that zonewarden reads and writes, by action. */
const parameterFields: Readonly<Record<RuleAction["type"], ReadonlySet<string>>> = {
  execute: new Set(["id", "version", "overrides"]),
  skip: skipFields,
  mitigate: new Set(["response"]),
  other: new Set(),
};

/** The names of a type, as those of a record: the compiler reports a missing one. */
function namesOf<Name extends string>(names: Readonly<Record<Name, null>>): ReadonlySet<string> {
  return new Set(Object.keys(names));
}

/** A live rule as a PUT of the list repeats it: with its id and ref it stays the same rule (SERVICE.md B.4). */
export function unchangedBody({ wire }: LiveRule): JsonObject {
  return Object.fromEntries(Object.entries(wire).filter(([name]) => !readOnlyFields.has(name)));
}

/**
 * The complete body of a rule. A PATCH replaces (SERVICE.md B.4), so the body repeats the unknown fields of the live
 * rule and of its action's parameters. An adopted rule keeps its ref: a new ref would make it a new rule with a new id.
 */
export function ruleBody(target: RuleTarget, live: LiveRule | undefined, ref: string): JsonObject {
  const { description, expression, enabled, action, ratelimit } = target;
  const kept = live === undefined ? { ref } : unchangedBody(live);
  const parameters = live?.action.type === action.type ? kept["action_parameters"] : undefined;
  const body: Record<string, Json> = {
    ...kept,
    description,
    expression,
    enabled,
    action: action.type === "mitigate" ? action.name : action.type,
    action_parameters: parametersOf(action, coerceObject(parameters)),
  };
  if (isEmpty(body["action_parameters"])) delete body["action_parameters"];
  if (ratelimit === undefined) delete body["ratelimit"];
  else body["ratelimit"] = rateLimitBody(ratelimit, coerceObject(kept["ratelimit"]));
  if (action.type === "skip") body["logging"] = { enabled: action.logging };
  else delete body["logging"];
  return body;
}

function parametersOf(action: RuleTarget["action"], live: JsonObject): JsonObject {
  switch (action.type) {
    case "execute": {
      const { overrides: before, ...kept } = live;
      const overrides = overridesBody(action.overrides, before);
      return {
        ...kept,
        id: action.ruleset,
        // No other value is accepted (SERVICE.md B.5).
        version: "latest",
        ...(overrides === undefined ? {} : { overrides }),
      };
    }
    case "skip":
      return { ...unknownAmong(live, skipFields), ...skipBody(action.skip) };
    case "mitigate": {
      const { response: before, ...kept } = live;
      if (action.response === undefined) return kept;
      const unknown = unknownAmong(coerceObject(before), responseFields);
      return { ...kept, response: { ...unknown, ...action.response } };
    }
  }
}

function rateLimitBody(
  { counting_expression, ...ratelimit }: RateLimit,
  live: JsonObject,
): JsonObject {
  return {
    ...unknownAmong(live, rateLimitFields),
    ...definedMembers(ratelimit),
    ...(counting_expression === "" ? {} : { counting_expression }),
  };
}

function isEmpty(value: Json | undefined): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** What an exception skips, without empty fields. */
export function skipBody(skip: SkipParameters): JsonObject {
  return {
    ...(skip.ruleset ? { ruleset: "current" } : {}),
    ...(skip.phase ? { phase: "current" } : {}),
    ...unlessEmpty("rulesets", skip.rulesets),
    ...(Object.keys(skip.rules).length > 0 ? { rules: skip.rules } : {}),
    ...unlessEmpty("phases", skip.phases),
    ...unlessEmpty("products", skip.products),
  };
}

/**
 * The body of overrides; `undefined` without any, since the service rejects an empty object (SERVICE.md B.5). Unknown
 * fields of the live overrides, and of each element that stays, are kept.
 */
function overridesBody(overrides: Overrides, live: Json | undefined): JsonObject | undefined {
  const { categories, rules, ...whole } = overrides;
  const kept = coerceObject(live);
  const body = {
    ...unknownIn(kept),
    ...definedMembers(whole),
    ...unlessEmpty("categories", withUnknown(categories, kept["categories"], "category")),
    ...unlessEmpty("rules", withUnknown(rules, kept["rules"], "id")),
  };
  return Object.keys(body).length > 0 ? body : undefined;
}

/** The paths of the fields that a live rule carries and that zonewarden does not know, sorted. */
export function unknownFieldsOf({ wire, action, ratelimit }: LiveRule): readonly string[] {
  const parameters = coerceObject(wire["action_parameters"]);
  const isKnown = (name: string) =>
    ruleFields.has(name) ||
    readOnlyFields.has(name) ||
    (action.type === "skip" && name === "logging") ||
    (ratelimit !== undefined && name === "ratelimit");
  return [
    ...Object.keys(wire).filter((name) => !isKnown(name)),
    ...Object.keys(parameters)
      .filter((name) => !parameterFields[action.type].has(name))
      .map((name) => `action_parameters.${name}`),
    ...unknownInOverrides(parameters["overrides"]).map(
      (name) => `action_parameters.overrides.${name}`,
    ),
    ...(action.type === "mitigate"
      ? Object.keys(unknownAmong(coerceObject(parameters["response"]), responseFields)).map(
          (name) => `action_parameters.response.${name}`,
        )
      : []),
    ...(ratelimit === undefined
      ? []
      : Object.keys(unknownAmong(coerceObject(wire["ratelimit"]), rateLimitFields)).map(
          (name) => `ratelimit.${name}`,
        )),
  ].toSorted();
}

function unknownInOverrides(live: Json | undefined): readonly string[] {
  if (!isJsonObject(live)) return [];
  const inElements = (["categories", "rules"] as const).flatMap((list) =>
    coerceObjects(live[list]).flatMap((each) =>
      Object.keys(unknownIn(each)).map((name) => `${list}[].${name}`),
    ),
  );
  return [...new Set([...Object.keys(unknownIn(live)), ...inElements])];
}

function withUnknown(
  elements: readonly object[],
  live: Json | undefined,
  name: "category" | "id",
): readonly JsonObject[] {
  const liveElements = coerceObjects(live);
  return elements.map((element) => {
    const body = definedMembers({ ...element });
    const before = liveElements.find((each) => each[name] === body[name]);
    return { ...unknownIn(before ?? {}), ...body };
  });
}

function unknownIn(live: JsonObject): JsonObject {
  return unknownAmong(live, overrideFields);
}

function unknownAmong(live: JsonObject, known: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(live).filter(([name]) => !known.has(name)));
}

function unlessEmpty(name: string, list: readonly Json[]): JsonObject {
  return list.length > 0 ? { [name]: list } : {};
}
