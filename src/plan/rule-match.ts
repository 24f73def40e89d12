import { isDeepStrictEqual } from "node:util";

import type { LiveRule } from "../zone/live.ts";
import { keyOfRef } from "../zone/mark.ts";
import type { Rule } from "../zone/resource.ts";
import type { RuleForm } from "./rule-body.ts";

/** A declared rule, what it shall be, and the live rule that is it, if there is one. */
export interface WantedRule {
  readonly rule: Rule;
  readonly form: RuleForm;
  readonly live: LiveRule | undefined;
}

/**
 * Finds for each declared rule the live one: by our ref, by the ref under its former key, and for what nobody has
 * marked, by what it does: an `execute` of the same managed ruleset (a zone deploys it at most once, api-facts B.5),
 * an exception that is equal in everything.
 */
export function matchRules(
  declared: readonly (readonly [Rule, RuleForm])[],
  live: readonly LiveRule[],
  owner: string,
): readonly WantedRule[] {
  const byKey = new Map(live.map((rule) => [keyOfRef(owner, rule.ref), rule]));
  const keys = new Set(declared.map(([{ key }]) => key));
  const taken = new Set<LiveRule>();
  const byRef = declared.map(([rule, form]) => {
    const former = rule.was === undefined || keys.has(rule.was) ? undefined : byKey.get(rule.was);
    const found = byKey.get(rule.key) ?? former;
    if (found !== undefined) taken.add(found);
    return { rule, form, live: found };
  });
  return byRef.map((wanted) => {
    if (wanted.live !== undefined) return wanted;
    const found = live.find((rule) => !taken.has(rule) && doesTheSame(wanted.form, rule));
    if (found !== undefined) taken.add(found);
    return { ...wanted, live: found };
  });
}

function doesTheSame(form: RuleForm, live: LiveRule): boolean {
  if (form.does.action === "execute") {
    return live.does.action === "execute" && live.does.ruleset === form.does.ruleset;
  }
  const { description, expression, enabled, does } = live;
  return isDeepStrictEqual(form, { description, expression, enabled, does });
}
