import { isDeepStrictEqual } from "node:util";

import type { LiveRule } from "../../zone/live-zone.ts";
import { keyOfRef, type Mark, markOfRef, refOf } from "../../zone/mark.ts";
import type { Rule } from "../../zone/resource.ts";
import type { RuleTarget } from "./rule-body.ts";

/** A declared rule, its target state, and the live rule that it matches, if any. */
export interface RuleMatch {
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
  declared: readonly (readonly [Rule, RuleTarget])[],
  live: readonly LiveRule[],
  owner: string,
  markOf: (rule: LiveRule) => Mark,
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
  const keys = new Set(declared.map(([{ key }]) => key));
  const taken = new Set<LiveRule>();
  const take = (candidates: readonly LiveRule[]) => {
    const found = candidates.find((rule) => !taken.has(rule));
    if (found !== undefined) taken.add(found);
    return found;
  };
  const byRef = declared.map(([rule, target]) => {
    const isRenamed = rule.was !== undefined && !keys.has(rule.was);
    const former = isRenamed ? byKey.get(rule.was) : undefined;
    return { rule, target, live: take([...(byKey.get(rule.key) ?? []), ...(former ?? [])]) };
  });
  const adoptable = live.filter(({ ref }) => [undefined, owner].includes(markOfRef(ref).owner));
  return byRef.map(({ rule, target, live: marked }) => {
    const found = marked ?? take(adoptable.filter((each) => isSameRule(target, each)));
    const declaredRef = refOf(owner, rule.key);
    return { rule, target, live: found, ref: found?.ref ?? declaredRef, declaredRef };
  });
}

function isSameRule(target: RuleTarget, live: LiveRule): boolean {
  if (target.action.type === "execute") {
    return live.action.type === "execute" && live.action.ruleset === target.action.ruleset;
  }
  const { description, expression, enabled, action, ratelimit } = live;
  return isDeepStrictEqual(target, { description, expression, enabled, action, ratelimit });
}
