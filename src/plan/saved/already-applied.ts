import { type Json, type JsonObject, isJsonList, isJsonObject } from "../../syntax/json.ts";
import type { LiveEntrypoint, LivePolicy, LiveRule, LiveZone } from "../../zone/live-zone.ts";
import type { Position, Write } from "../../zone/write.ts";
import { withMarkOf } from "../policies/policy-match.ts";

/** Whether all that a write would bring about is so in a zone: it was sent before, or another hand did the same. */
export function isAlreadyApplied(write: Write, live: LiveZone): boolean {
  switch (write.call) {
    case "update-settings":
      return live.settings !== undefined && holds({ ...live.settings }, write.body);
    case "create-policy":
    case "update-policy":
    case "delete-policy":
      return live.policies !== undefined && arePolicies(write, live.policies);
    case "create-rule":
    case "update-rule":
    case "delete-rule":
    case "put-entrypoint":
      return live.entrypoint !== undefined && areRules(write, rulesIn(live.entrypoint));
  }
}

type PolicyWrite = Extract<
  Write,
  { readonly call: "create-policy" | "update-policy" | "delete-policy" }
>;

function arePolicies(write: PolicyWrite, policies: readonly LivePolicy[]): boolean {
  switch (write.call) {
    case "create-policy": {
      const [made, ...others] = withMarkOf(write.body["description"], policies);
      return others.length === 0 && isPolicy(made, write.body);
    }
    case "update-policy":
      return isPolicy(
        policies.find(({ id }) => id === write.id),
        write.body,
      );
    case "delete-policy":
      return policies.every(({ id }) => id !== write.id);
  }
}

function isPolicy(policy: LivePolicy | undefined, body: JsonObject): boolean {
  if (policy === undefined) return false;
  const { rest, ...fields } = policy;
  return holds({ ...rest, ...fields }, body);
}

function rulesIn(entrypoint: LiveEntrypoint): readonly LiveRule[] {
  return entrypoint.state === "absent" ? [] : entrypoint.rules;
}

type RuleWrite = Extract<
  Write,
  { readonly call: "create-rule" | "update-rule" | "delete-rule" | "put-entrypoint" }
>;

function areRules(write: RuleWrite, rules: readonly LiveRule[]): boolean {
  switch (write.call) {
    case "create-rule":
      return isRuleAt(rules, ({ ref }) => ref === write.body["ref"], write.body, write.position);
    case "update-rule":
      return isRuleAt(rules, ({ id }) => id === write.id, write.body, write.position);
    case "delete-rule":
      return rules.every(({ id }) => id !== write.id);
    case "put-entrypoint":
      return (
        rules.length === write.rules.length &&
        rules.every(({ wire }, index) => holds(wire, write.rules[index] ?? {}))
      );
  }
}

function isRuleAt(
  rules: readonly LiveRule[],
  isMeant: (rule: LiveRule) => boolean,
  body: JsonObject,
  position: Position | null,
): boolean {
  const index = rules.findIndex(isMeant);
  const rule = rules[index];
  return rule !== undefined && holds(rule.wire, body) && standsAt(rules, index, position);
}

function standsAt(rules: readonly LiveRule[], index: number, position: Position | null): boolean {
  if (position === null) return true;
  if ("index" in position) return index === position.index - 1;
  if ("before" in position) {
    return position.before === "" ? index === 0 : rules[index + 1]?.id === position.before;
  }
  return position.after === ""
    ? index === rules.length - 1
    : rules[index - 1]?.id === position.after;
}

/** Whether `live` says all that `wanted` says; the service may add to it. */
function holds(live: Json | undefined, wanted: Json): boolean {
  if (isJsonList(wanted)) {
    return (
      isJsonList(live) &&
      live.length === wanted.length &&
      wanted.every((each, index) => holds(live[index], each))
    );
  }
  if (!isJsonObject(wanted)) return live === wanted;
  return (
    isJsonObject(live) && Object.entries(wanted).every(([name, value]) => holds(live[name], value))
  );
}
