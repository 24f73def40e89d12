import { isDeepStrictEqual } from "node:util";

import {
  type LiveCustomRuleset,
  type LiveEntrypoint,
  type LiveRule,
  rulesIn,
} from "../../zone/live-zone.ts";
import { documentedScoreRuleId } from "../../zone/managed-ruleset.ts";
import { type Mark, markOfRef, unmarked } from "../../zone/mark.ts";
import type { CustomRuleset, Rule } from "../../zone/resource.ts";
import { matchByKey } from "../match-by-key.ts";
import { plannedRule } from "../promoted-step.ts";
import { targetOf } from "./rule-body.ts";
import { comparable } from "./rule-fields.ts";

/** A declared custom ruleset, and the live one that it matches, if any. */
export interface RulesetMatch {
  readonly ruleset: CustomRuleset;
  readonly live: LiveCustomRuleset | undefined;
}

export function markOfRuleset({ description }: LiveCustomRuleset): Mark {
  return unmarked(description);
}

/** The rules of an entry point that execute a ruleset; none where it was not read. */
export function executorsOf(
  { id }: Pick<LiveCustomRuleset, "id">,
  entrypoint: LiveEntrypoint | undefined,
): readonly LiveRule[] {
  return rulesIn(entrypoint).filter(
    ({ action }) => action.type === "execute" && action.ruleset === id,
  );
}

/**
 * Matches each declared custom ruleset with a live one: by our mark, by the mark with its former key, and else with one
 * without a mark that is executed: one that is equal in every field and rule, then one with its description, then one with
 * its key for a name. Of several with one mark, one that is executed comes first.
 */
export function matchRulesets(
  declared: readonly CustomRuleset[],
  live: readonly LiveCustomRuleset[],
  entrypoint: LiveEntrypoint,
  owner: string,
): readonly RulesetMatch[] {
  const isIdle = (each: LiveCustomRuleset): number =>
    Number(executorsOf(each, entrypoint).length === 0);
  const ours = live
    .filter((each) => markOfRuleset(each).owner === owner)
    .toSorted((a, b) => isIdle(a) - isIdle(b));
  const byKey = Map.groupBy(ours, (each) => markOfRuleset(each).key);
  // What is not executed may be the account's.
  const unowned = live.filter(
    (each) =>
      markOfRuleset(each).owner === undefined && each.rules !== undefined && isIdle(each) === 0,
  );
  const found = matchByKey(declared, byKey, [
    (ruleset) => unowned.filter((each) => isSameRuleset(ruleset, each, entrypoint)),
    ({ description }) =>
      unowned.filter((each) => description !== "" && each.description === description),
    ({ key }) => unowned.filter(({ name }) => name === key),
  ]);
  return declared.map((ruleset) => ({ ruleset, live: found.get(ruleset) }));
}

/** Whether a ruleset without a mark is as declared; rules that are not declared may stand between the others. */
function isSameRuleset(
  { description, expression, enabled, rules }: CustomRuleset,
  live: LiveCustomRuleset,
  entrypoint: LiveEntrypoint,
): boolean {
  const isExecuted = executorsOf(live, entrypoint).some(
    (rule) => rule.expression === expression && rule.enabled === enabled,
  );
  if (!isExecuted || live.rules === undefined || live.description !== description) return false;
  if (rules.length === 0) return live.rules.length === 0;
  let next = 0;
  for (const rule of live.rules) {
    const wanted = rules[next];
    if (wanted !== undefined && isSameRule(wanted, rule)) next += 1;
  }
  return next === rules.length;
}

function isSameRule(rule: Rule, live: LiveRule): boolean {
  if (markOfRef(live.ref).owner !== undefined) return false;
  const planned = plannedRule(rule, live, documentedScoreRuleId);
  const [is, was] = [targetOf(planned, documentedScoreRuleId), live].map((each) =>
    comparable(each, documentedScoreRuleId),
  );
  return isDeepStrictEqual(is, was);
}
