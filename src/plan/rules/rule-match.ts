import { isDeepStrictEqual } from "node:util";

import type { LiveRule } from "../../zone/live-zone.ts";
import { keyOfRef, type Mark, markOfRef, refOf } from "../../zone/mark.ts";
import type { Rule } from "../../zone/resource.ts";
import { matchByKey } from "../match-by-key.ts";
import { plannedRule } from "../promoted-step.ts";
import { type RuleTarget, targetOf } from "./rule-body.ts";

/** A declared rule, its target state, and the live rule that it matches, if any. */
export interface RuleMatch {
  /** At the step at which it is planned. */
  readonly rule: Rule;
  readonly target: RuleTarget;
  readonly live: LiveRule | undefined;
  /** The ref that the rule has, or will have. */
  readonly ref: string;
  /** The ref by which the files name it; of an adopted or renamed rule, another one than it has. */
  readonly declaredRef: string;
}

/**
 * Matches each declared rule with a live one: by our mark, by the mark with its former key, and else by its action: an
 * `execute` of the same managed ruleset (a zone deploys it at most once, SERVICE.md B.5), or an exception that is equal
 * in every field. A rule with the ref of another owner never matches.
 */
export function matchRules(
  declared: readonly Rule[],
  live: readonly LiveRule[],
  owner: string,
  markOf: (rule: LiveRule) => Mark,
  scoreRuleId: string,
): readonly RuleMatch[] {
  const keyOf = (rule: LiveRule): string | undefined => {
    const mark = markOf(rule);
    return mark.owner === owner ? mark.key : undefined;
  };
  // A rule with our ref comes before one that was adopted.
  const isAdopted = ({ ref }: LiveRule): number => Number(keyOfRef(owner, ref) === undefined);
  const byKey = Map.groupBy(
    live.toSorted((a, b) => isAdopted(a) - isAdopted(b)),
    keyOf,
  );
  const adoptable = live.filter(({ ref }) => [undefined, owner].includes(markOfRef(ref).owner));
  const plannedBy = (
    rule: Rule,
    match: LiveRule | undefined,
  ): Pick<RuleMatch, "rule" | "target"> => {
    const planned = plannedRule(rule, match, scoreRuleId);
    return { rule: planned, target: targetOf(planned, scoreRuleId) };
  };
  const alikeTo = (rule: Rule): readonly LiveRule[] => {
    const first = plannedBy(rule, undefined);
    const targetFor = (each: LiveRule): RuleTarget =>
      rule.promotion === undefined ? first.target : plannedBy(rule, each).target;
    return adoptable.filter((each) => isSameRule(targetFor(each), each));
  };
  const found = matchByKey(declared, byKey, [alikeTo]);
  return declared.map((rule) => {
    const match = found.get(rule);
    const declaredRef = refOf(owner, rule.key);
    const ref = match?.ref ?? declaredRef;
    return { ...plannedBy(rule, match), live: match, ref, declaredRef };
  });
}

function isSameRule(target: RuleTarget, live: LiveRule): boolean {
  if (target.action.type === "execute") {
    return live.action.type === "execute" && live.action.ruleset === target.action.ruleset;
  }
  const { description, expression, enabled, action, ratelimit } = live;
  return isDeepStrictEqual(target, { description, expression, enabled, action, ratelimit });
}
