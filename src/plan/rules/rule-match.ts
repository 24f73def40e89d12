import { isDeepStrictEqual } from "node:util";

import type { LiveRule } from "../../zone/live-zone.ts";
import { keyOfRef, markOfRef } from "../../zone/mark.ts";
import type { Rule } from "../../zone/resource.ts";
import type { RuleForm } from "./rule-body.ts";

/** A declared rule, what it shall be, and the live rule that is it, if there is one. */
export interface DesiredRule {
  readonly rule: Rule;
  readonly form: RuleForm;
  readonly live: LiveRule | undefined;
}

/**
 * Finds for each declared rule the live one: by our ref, by the ref under its former key, and else by what it does:
 * an `execute` of the same managed ruleset (a zone deploys it at most once, SERVICE.md B.5), an exception that is equal
 * in everything. A rule with another owner's ref is nobody's to take.
 */
export function matchRules(
  declared: readonly (readonly [Rule, RuleForm])[],
  live: readonly LiveRule[],
  owner: string,
): readonly DesiredRule[] {
  const byKey = Map.groupBy(live, ({ ref }) => keyOfRef(owner, ref));
  const keys = new Set(declared.map(([{ key }]) => key));
  const taken = new Set<LiveRule>();
  const take = (candidates: readonly LiveRule[]) => {
    const found = candidates.find((rule) => !taken.has(rule));
    if (found !== undefined) taken.add(found);
    return found;
  };
  const known = declared.map(([rule, form]): DesiredRule => {
    const isRenamed = rule.was !== undefined && !keys.has(rule.was);
    const former = isRenamed ? byKey.get(rule.was) : undefined;
    return { rule, form, live: take([...(byKey.get(rule.key) ?? []), ...(former ?? [])]) };
  });
  const free = live.filter(({ ref }) => [undefined, owner].includes(markOfRef(ref).owner));
  return known.map((wanted) => ({
    ...wanted,
    live: wanted.live ?? take(free.filter((rule) => doesTheSame(wanted.form, rule))),
  }));
}

function doesTheSame(form: RuleForm, live: LiveRule): boolean {
  if (form.does.action === "execute") {
    return live.does.action === "execute" && live.does.ruleset === form.does.ruleset;
  }
  const { description, expression, enabled, does } = live;
  return isDeepStrictEqual(form, { description, expression, enabled, does });
}
