import { canonicalExpression } from "../../syntax/expression/expression.ts";
import type { Declared } from "../../zone/desired-zone.ts";
import type { Rule } from "../../zone/resource.ts";
import { contradiction, missing, isDiagnosticList } from "../complaint.ts";
import type { DeclarationDiagnostic, Converted } from "../complaint.ts";
import { descriptionComplaints } from "./declared-policies.ts";
import { inOrder } from "./declared-rule-order.ts";
import { executeOf } from "./execute-rule.ts";
import type { MergedPath } from "./layer.ts";
import { skipOf, skipWithoutEffect } from "./skip-rule.ts";
import type { ManagedRule, ManagedRules } from "./zone-file.ts";

const list: MergedPath = ["managed_rules", "rules"];

/** The rules of a zone from their merged values, in order; no value where they are not declared. */
export function managedRulesOf(merged: NonNullable<ManagedRules>): Converted<Declared<Rule>> {
  if (merged.rules === undefined || merged.rules === null) {
    return { value: undefined, complaints: [] };
  }
  const { rules, complaints: unordered } = inOrder(merged.rules, list);
  const converted = rules.map((rule) => ruleOf(rule, [...list, rule.key]));
  const items = converted.flatMap(({ value }) => value ?? []);
  return {
    value: { items, unmanaged: merged.unmanaged ?? "report" },
    complaints: [
      ...unordered,
      ...converted.flatMap(({ complaints }) => complaints),
      ...isDiagnosticList(items, list),
      ...deployedTwice(items),
      ...skipWithoutEffect(items, list),
    ],
  };
}

function ruleOf(rule: ManagedRule, path: MergedPath): Converted<Rule> {
  const base = {
    key: rule.key,
    was: rule.was ?? undefined,
    description: rule.description?.trim() ?? "",
    expression: canonicalExpression(rule.expression ?? "true"),
    enabled: rule.enabled ?? true,
  };
  const inner = rule.skip ? skipOf(rule, base, path) : executeOf(rule, base, path);
  const complaints = [...descriptionComplaints(rule.description, path), ...inner.complaints];
  if (rule.skip && rule.deploy) {
    const message = `the rule "${rule.key}" has both "deploy" and "skip"`;
    complaints.push(contradiction([...path, "skip"], message, "make two rules of it"));
  } else if (!rule.skip && !rule.deploy) {
    const remedy = "add `deploy: owasp` (or another managed ruleset), or `skip:` for an exception";
    complaints.push(missing(path, `what the rule "${rule.key}" does`, remedy));
  }
  return { value: inner.value, complaints };
}

/** The service refuses a second deployment (SERVICE.md B.5: code 20014). */
function deployedTwice(items: readonly Rule[]): readonly DeclarationDiagnostic[] {
  const first = new Map<string, string>();
  return items.flatMap((rule) => {
    if (rule.action !== "execute") return [];
    const other = first.get(rule.ruleset);
    first.set(rule.ruleset, other ?? rule.key);
    if (other === undefined) return [];
    return [
      {
        code: "RULESET_TWICE" as const,
        path: [...list, rule.key, "deploy"],
        message: `"${rule.key}" deploys the managed ruleset that "${other}" deploys`,
        remedy: "keep one of the two; an exception is a `skip:` rule before it",
      },
    ];
  });
}
