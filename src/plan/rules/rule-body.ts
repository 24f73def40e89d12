import { type Json, type JsonObject, coerceObject } from "../../syntax/json.ts";
import type { LiveRule, LiveRuleAction } from "../../zone/live-zone.ts";
import type { Overrides, SkipParameters } from "../../zone/resource.ts";
import { serverMadeFields, skipFields, wireSkip } from "./rule-wire.ts";
import { wireOverrides } from "./wire-overrides.ts";

/** What a rule shall be, in terms in which it can be compared with a live one. */
export interface RuleForm {
  readonly description: string;
  readonly expression: string;
  readonly enabled: boolean;
  readonly does: Exclude<LiveRuleAction, { readonly action: "other" }>;
}

/** A live rule as a PUT of the list sends it back: by its id and ref it stays the same rule (SERVICE.md B.4). */
export function keptRule({ wire }: LiveRule): JsonObject {
  return Object.fromEntries(Object.entries(wire).filter(([name]) => !serverMadeFields.has(name)));
}

/**
 * The complete body of a rule. A PATCH replaces (SERVICE.md B.4), so whatever else the live rule carries
 * is repeated, in the rule and in its action's parameters. An adopted rule keeps its ref: with ours it would be
 * another one, and lose its id.
 */
export function ruleBody(form: RuleForm, live: LiveRule | undefined, ref: string): JsonObject {
  const kept = live === undefined ? { ref } : keptRule(live);
  const wasSameAction = live?.does.action === form.does.action;
  const parameters = wasSameAction ? kept["action_parameters"] : undefined;
  const body: Record<string, Json> = {
    ...kept,
    description: form.description,
    expression: form.expression,
    enabled: form.enabled,
    action: form.does.action,
    action_parameters: parametersOf(form, coerceObject(parameters)),
  };
  if (form.does.action === "skip") body["logging"] = { enabled: form.does.logging };
  else delete body["logging"];
  return body;
}

function parametersOf({ does }: RuleForm, live: JsonObject): JsonObject {
  switch (does.action) {
    case "execute":
      return executeParameters(does.ruleset, does.overrides, live);
    case "skip":
      return skipParameters(does.skip, live);
  }
}

function executeParameters(ruleset: string, overrides: Overrides, live: JsonObject): JsonObject {
  const { overrides: before, ...kept } = live;
  const wire = wireOverrides(overrides, before);
  return {
    ...kept,
    id: ruleset,
    // No other value is accepted (SERVICE.md B.5).
    version: "latest",
    ...(wire === undefined ? {} : { overrides: wire }),
  };
}

function skipParameters(skip: SkipParameters, live: JsonObject): JsonObject {
  const kept = Object.entries(live).filter(([name]) => !skipFields.has(name));
  return { ...Object.fromEntries(kept), ...wireSkip(skip) };
}
