import { canonicalCsp, parseCsp } from "../../syntax/csp/csp.ts";
import { certaintyOf } from "../../syntax/expression/certainty/certainty.ts";
import { definedMembers, type Json, type JsonObject } from "../../syntax/json.ts";
import type { ZoneContent } from "../../zone/desired-zone.ts";
import { rulesetNameOf } from "../../zone/managed-ruleset.ts";
import type {
  CustomRuleset,
  ExecuteRule,
  MitigateRule,
  Overrides,
  Policy,
  RateLimit,
  Rule,
  SkipParameters,
} from "../../zone/resource.ts";
import { ofEachPhase, type RulePhase } from "../../zone/rule-phase.ts";
import { escapedTemplate } from "../template/template.ts";
import { cspText } from "../zones/csp-text.ts";
import { noRequest } from "../zones/declared-list.ts";
import { everyRequest } from "../zones/skip-rule.ts";

/** The keys of an entry of `zones:` that declare `content`, without defaults. */
export function contentEntry({
  settings,
  policies,
  rules,
  customRulesets,
}: ZoneContent): JsonObject {
  return definedMembers({
    page_shield: membersOrNone({
      settings: membersOrNone(Object.fromEntries(settings.map(({ name, value }) => [name, value]))),
      policies: policies && { items: policies.items.map(policyEntry) },
    }),
    ...ofEachPhase((phase) => {
      const declared = rules[phase];
      return declared && { rules: declared.items.map((rule) => ruleEntry(phase, rule)) };
    }),
    custom_rulesets: customRulesets?.items.map(rulesetEntry),
  });
}

function rulesetEntry(ruleset: CustomRuleset): JsonObject {
  const { key, position, description, expression, enabled, rules } = ruleset;
  return definedMembers({
    key,
    position: typeof position === "object" ? { ...position } : position,
    description: escapedTemplate(description) || undefined,
    expression: expression === "true" ? undefined : escapedTemplate(expression),
    enabled: enabled ? undefined : false,
    rules: rules.map((rule) => ruleEntry("custom_rules", rule)),
  });
}

function policyEntry(policy: Policy): JsonObject {
  const { key, description, action, expression, enabled, value, acknowledge } = policy;
  return definedMembers({
    key,
    description: escapedTemplate(description) || undefined,
    action,
    expression: escapedTemplate(expression),
    enabled: enabled ? undefined : false,
    value: cspEntry(value),
    acknowledge: listOrNone([
      ...acknowledge.map(escapedTemplate),
      ...(enabled && certaintyOf(expression) === "never" ? [noRequest] : []),
    ]),
  });
}

/** A policy as a map, if that means the same. */
function cspEntry(value: string): Json {
  const map = Object.fromEntries(
    parseCsp(value).map(({ name, sources }): [string, string[] | true] => [
      name,
      sources.length === 0 ? true : sources.map(({ text }) => text),
    ]),
  );
  const isSame = Object.keys(map).length > 0 && canonicalCsp(cspText(map).text) === value;
  return isSame ? withEscapes(map) : escapedTemplate(value);
}

function withEscapes(map: Readonly<Record<string, readonly string[] | true>>): JsonObject {
  return Object.fromEntries(
    Object.entries(map).map(([name, sources]) => [
      name,
      sources === true ? sources : sources.map(escapedTemplate),
    ]),
  );
}

function ruleEntry(phase: RulePhase, rule: Rule): JsonObject {
  const { key, description, expression, enabled } = rule;
  const isDefault = phase === "managed_rules" && expression === "true";
  return definedMembers({
    key,
    description: escapedTemplate(description) || undefined,
    ...actionFields(phase, rule),
    expression: isDefault ? undefined : escapedTemplate(expression),
    acknowledge: acknowledgementOf(rule),
    enabled: enabled ? undefined : false,
  });
}

/** What the rule must acknowledge, so that it is no error. */
function acknowledgementOf({ action, enabled, expression }: Rule): readonly string[] | undefined {
  const certainty = enabled ? certaintyOf(expression) : "depends";
  if (action === "skip") return certainty === "always" ? [everyRequest] : undefined;
  return certainty === "never" ? [noRequest] : undefined;
}

function actionFields(phase: RulePhase, rule: Rule): Members {
  if (rule.action === "execute") return executeFields(rule);
  if (rule.action !== "skip") return mitigateFields(rule);
  const { action, skip, logging } = rule;
  const unlogged = definedMembers({ logging: logging ? undefined : false });
  return phase === "managed_rules"
    ? { skip: skipEntry(skip), ...unlogged }
    : { action, skip: { ...skipEntry(skip), ...unlogged } };
}

function mitigateFields({ action, response, ratelimit }: MitigateRule): Members {
  return {
    action,
    response: response && { ...response, content: escapedTemplate(response.content) },
    ratelimit: ratelimit && rateLimitEntry(ratelimit),
  };
}

function rateLimitEntry(ratelimit: RateLimit): JsonObject {
  const { counting_expression, requests_to_origin, ...members } = ratelimit;
  return definedMembers({
    ...members,
    counting_expression: escapedTemplate(counting_expression) || undefined,
    requests_to_origin: requests_to_origin || undefined,
  });
}

function executeFields({ ruleset, tuning, overrides }: ExecuteRule): Members {
  return {
    deploy: rulesetName(ruleset),
    paranoia_level: tuning.paranoiaLevel,
    score_threshold: tuning.scoreThreshold,
    action: tuning.action,
    overrides: overridesEntry(overrides),
  };
}

function overridesEntry({ categories, rules, ...whole }: Overrides): JsonObject | undefined {
  return membersOrNone({
    ...whole,
    categories: listOrNone(categories.map((each) => definedMembers({ ...each }))),
    rules: listOrNone(rules.map((each) => definedMembers({ ...each }))),
  });
}

function skipEntry(skip: SkipParameters): JsonObject {
  const rules = Object.entries(skip.rules).map(([id, ids]) => [rulesetName(id), ids] as const);
  return definedMembers({
    ruleset: skip.ruleset ? "current" : undefined,
    phase: skip.phase ? "current" : undefined,
    rulesets: listOrNone(skip.rulesets.map(rulesetName)),
    rules: membersOrNone(Object.fromEntries(rules)),
    phases: listOrNone(skip.phases),
    products: listOrNone(skip.products),
  });
}

/** A managed ruleset by its well-known name, else by its id. */
function rulesetName(id: string): string {
  return rulesetNameOf(id) ?? id;
}

/** Members, some without a value. */
type Members = Parameters<typeof definedMembers>[0];

/** The members that have a value; `undefined` if none has. */
export function membersOrNone(members: Members): JsonObject | undefined {
  const object = definedMembers(members);
  return Object.keys(object).length > 0 ? object : undefined;
}

function listOrNone<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length > 0 ? list : undefined;
}
