import { canonicalExpression } from "../../syntax/expression/expression.ts";
import { type JsonObject, isJsonObject, isObjectList } from "../../syntax/json.ts";
import type { LiveEntrypoint, LiveRule } from "../../zone/live-zone.ts";
import { flagIn, textIn } from "../wire-value.ts";
import { ruleActionOf } from "./rule-action.ts";

/** An entry point that is there. */
export type PresentEntrypoint = Extract<LiveEntrypoint, { readonly state: "present" }>;

/** Reads a whole ruleset; `undefined` where it is none, or where one of its rules has no id. */
export function entrypointOf(result: unknown): PresentEntrypoint | undefined {
  if (!isJsonObject(result)) return undefined;
  const id = textIn(result, "id");
  const version = textIn(result, "version");
  // An empty ruleset may come without its list (SERVICE.md B.3).
  const wires = result["rules"] ?? [];
  if (id === "" || version === "" || !isObjectList(wires)) return undefined;
  const rules = wires.map(ruleOf);
  if (rules.some((rule) => rule.id === "")) return undefined;
  return { state: "present", id, version, rules };
}

/** What a rule does not say is its default (SERVICE.md B.4). */
function ruleOf(wire: JsonObject): LiveRule {
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
