import { canonicalCsp, parseCsp } from "../../syntax/csp/csp.ts";
import type { Json, JsonObject } from "../../syntax/json.ts";
import type { Target, ZoneContent } from "../../zone/desired-zone.ts";
import { rulesetNameOf } from "../../zone/managed-ruleset.ts";
import type {
  ExecuteRule,
  Overrides,
  Policy,
  Rule,
  SkipParameters,
  SkipRule,
} from "../../zone/resource.ts";
import { cspText } from "../zones/csp-text.ts";

/** The keys of an entry of `zones:` that name its zone. */
export function targetEntry(target: Exclude<Target, { readonly by: "selector" }>): JsonObject {
  return target.by === "name" ? { name: target.name } : { id: target.id };
}

/** The keys of an entry of `zones:` that declare `content`, without defaults. */
export function contentEntry({ settings, policies, rules }: ZoneContent): JsonObject {
  return defined({
    page_shield: definedOrNone({
      settings: definedOrNone(Object.fromEntries(settings.map(({ name, value }) => [name, value]))),
      policies: policies && { items: policies.items.map(policyEntry) },
    }),
    managed_rules: rules && { rules: rules.items.map(ruleEntry) },
  });
}

function policyEntry(policy: Policy): JsonObject {
  const { key, description, action, expression, enabled, value, acknowledge } = policy;
  return defined({
    key,
    description: description || undefined,
    action,
    expression,
    enabled: enabled ? undefined : false,
    value: cspEntry(value),
    acknowledge: acknowledge.length > 0 ? acknowledge : undefined,
  });
}

/** A policy as a map, if that means the same. */
function cspEntry(value: string): Json {
  const map = Object.fromEntries(
    parseCsp(value).directives.map(({ name, sources }): [string, string[] | true] => [
      name,
      sources.length === 0 ? true : sources.map(({ text }) => text),
    ]),
  );
  return Object.keys(map).length > 0 && canonicalCsp(cspText(map).text) === value ? map : value;
}

function ruleEntry(rule: Rule): JsonObject {
  const { key, description, expression, enabled } = rule;
  return defined({
    key,
    description: description || undefined,
    ...(rule.action === "execute" ? executeFields(rule) : skipFields(rule)),
    expression: expression === "true" ? undefined : expression,
    enabled: enabled ? undefined : false,
  });
}

function executeFields({ ruleset, tuning, overrides }: ExecuteRule): Fields {
  return {
    deploy: rulesetName(ruleset),
    paranoia_level: tuning.paranoiaLevel,
    score_threshold: tuning.scoreThreshold,
    action: tuning.action,
    overrides: overridesEntry(overrides),
  };
}

function overridesEntry({ categories, rules, ...whole }: Overrides): JsonObject | undefined {
  return definedOrNone({
    ...whole,
    categories: categories.length > 0 ? categories.map((each) => defined({ ...each })) : undefined,
    rules: rules.length > 0 ? rules.map((each) => defined({ ...each })) : undefined,
  });
}

function skipFields({ skip, logging }: SkipRule): Fields {
  return { skip: skipEntry(skip), logging: logging ? undefined : false };
}

function skipEntry({
  ruleset,
  phase,
  rulesets,
  rules,
  phases,
  products,
}: SkipParameters): JsonObject {
  const named = Object.entries(rules).map(([id, ids]): [string, readonly string[]] => [
    rulesetName(id),
    ids,
  ]);
  return defined({
    ruleset: ruleset ? "current" : undefined,
    phase: phase ? "current" : undefined,
    rulesets: rulesets.length > 0 ? rulesets.map(rulesetName) : undefined,
    rules: named.length > 0 ? Object.fromEntries(named) : undefined,
    phases: phases.length > 0 ? phases : undefined,
    products: products.length > 0 ? products : undefined,
  });
}

/** A managed ruleset by its well-known name, else by its id. */
function rulesetName(id: string): string {
  return rulesetNameOf(id) ?? id;
}

/** Fields, some without a value. */
type Fields = Readonly<Record<string, Json | undefined>>;

/** The fields that have a value. */
export function defined(fields: Fields): JsonObject {
  const object: Record<string, Json> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) object[name] = value;
  }
  return object;
}

/** The fields that have a value; `undefined` if none has. */
export function definedOrNone(fields: Fields): JsonObject | undefined {
  const object = defined(fields);
  return Object.keys(object).length > 0 ? object : undefined;
}
