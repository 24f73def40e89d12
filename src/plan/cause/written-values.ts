import { shortDigest } from "../../syntax/digest.ts";
import { canonicalJson, type Json } from "../../syntax/json.ts";
import type { WrittenValues } from "../../zone/audit-entry.ts";
import type { LivePolicy, RuleState } from "../../zone/live-zone.ts";
import { documentedScoreRuleId } from "../../zone/managed-ruleset.ts";
import { unmarked } from "../../zone/mark.ts";
import { isRuleKind } from "../../zone/resource.ts";
import type { Change, Fields } from "../change.ts";
import { policyFields } from "../policies/policy-match.ts";
import { comparable, ruleFields } from "../rules/rule-fields.ts";

/** The digest of a written value; "" for a missing one. */
function digestOf(value: Json | undefined): string {
  return value === undefined ? "" : shortDigest(canonicalJson(value));
}

function digestsOf(fields: Fields): WrittenValues {
  return new Map(Object.entries(fields).map(([field, value]) => [field, digestOf(value)]));
}

/** The values that a request wrote to a policy: those of the fields that it had. */
export function policyValues(policy: LivePolicy, sent: ReadonlySetLike<string>): WrittenValues {
  const fields = Object.entries(policyFields(policy, unmarked(policy.description).description));
  return digestsOf(Object.fromEntries(fields.filter(([field]) => sent.has(field))));
}

/** The values that a request wrote to a rule, which it replaced. */
export function ruleValues(rule: RuleState): WrittenValues {
  return digestsOf(ruleFields(comparable(rule, documentedScoreRuleId)));
}

/** The values that a request wrote to a ruleset itself, whose mark has its key: none without a description. */
export function rulesetValues(text: string | undefined): WrittenValues {
  if (text === undefined) return new Map();
  const { description, key } = unmarked(text);
  return digestsOf({ description, key });
}

export function settingValues(settings: Readonly<Record<string, boolean>>): WrittenValues {
  return digestsOf(settings);
}

/** Whether the value of a field was found live as it was written; `undefined`: it was not written. */
export function isFound(
  { kind, verb, fields, ...change }: Change,
  field: string,
  written: WrittenValues,
): boolean | undefined {
  if (kind === "setting") {
    const digest = verb === "update" && "id" in change ? written.get(change.id) : undefined;
    return digest === undefined ? undefined : digest === liveDigest(fields, field, kind);
  }
  const digest = written.get(field);
  // A rule is written as a whole: a field that it does not have has no value.
  if (digest === undefined && kind === "policy") return undefined;
  return (digest ?? "") === liveDigest(fields, field, kind);
}

function liveDigest(fields: Change["fields"], field: string, kind: Change["kind"]): string {
  const before = fields.find((each) => each.field === field)?.before;
  if (!isRuleKind(kind) && field === "description" && typeof before === "string") {
    return digestOf(unmarked(before).description);
  }
  return digestOf(before);
}
