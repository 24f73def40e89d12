import type { FieldChange } from "../plan/change.ts";
import { countedFields } from "../plan/rules/rule-body.ts";
import { canonicalJson, type Json } from "../syntax/json.ts";
import type { Ruleset, RulesetRule } from "../zone/ruleset.ts";

/** A rule that differs between two versions; its place is counted from 1. */
export interface RuleDiff {
  readonly verb: "added" | "removed" | "changed" | "moved";
  readonly rule: RulesetRule;
  readonly place: number;
  readonly fields: readonly FieldChange[];
}

/** The differences between two versions of a ruleset, in the order of the later one; removed rules come last. */
export function rulesetDiff(before: Ruleset, after: Ruleset): readonly RuleDiff[] {
  const were = new Map(before.rules.map((rule) => [rule.id, rule]));
  const are = new Set(after.rules.map(({ id }) => id));
  const moved = movedAmong(
    before.rules.map(({ id }) => id).filter((id) => are.has(id)),
    after.rules.map(({ id }) => id).filter((id) => were.has(id)),
  );
  const lasting = after.rules.flatMap((rule, index): readonly RuleDiff[] => {
    const was = were.get(rule.id);
    const common = { rule, place: index + 1 };
    if (was === undefined) return [{ ...common, verb: "added", fields: [] }];
    const fields = fieldDiffs(was, rule);
    if (fields.length > 0) return [{ ...common, verb: "changed", fields }];
    return moved.has(rule.id) ? [{ ...common, verb: "moved", fields }] : [];
  });
  const gone = before.rules.flatMap((rule, index): readonly RuleDiff[] =>
    are.has(rule.id) ? [] : [{ verb: "removed", rule, place: index + 1, fields: [] }],
  );
  return [...lasting, ...gone];
}

/** The smallest set of moved rules: all but a longest increasing subsequence. */
function movedAmong(before: readonly string[], after: readonly string[]): ReadonlySet<string> {
  const places = new Map(before.map((id, index) => [id, index]));
  const runs: (readonly string[])[] = [];
  for (const id of after) {
    const place = places.get(id) ?? 0;
    let at = runs.findIndex((run) => (places.get(run.at(-1) ?? "") ?? 0) > place);
    if (at < 0) at = runs.length;
    runs[at] = [...(runs[at - 1] ?? []), id];
  }
  const kept = new Set(runs.at(-1));
  return new Set(after.filter((id) => !kept.has(id)));
}

function fieldDiffs(before: RulesetRule, after: RulesetRule): readonly FieldChange[] {
  const names = [...new Set([...Object.keys(before.wire), ...Object.keys(after.wire)])];
  return names
    .filter((name) => !countedFields.has(name))
    .map((field) => ({ field, before: before.wire[field], after: after.wire[field] }))
    .filter(({ before: was, after: is }) => textOf(was) !== textOf(is));
}

function textOf(value: Json | undefined): string {
  return value === undefined ? "" : canonicalJson(value);
}
