import {
  type LiveCustomRuleset,
  type LiveEntrypoint,
  type LiveRule,
  type LiveZone,
  rulesIn,
} from "../../zone/live-zone.ts";
import { unmarked } from "../../zone/mark.ts";
import type { CustomRuleset, Rule } from "../../zone/resource.ts";
import { factsOfPhase } from "../../zone/rule-phase.ts";
import { executorsOf } from "../rules/ruleset-match.ts";
import {
  type Candidates,
  candidatesOf,
  type Choice,
  type DeclaredKind,
  Keys,
  type LeftOut,
} from "./candidate.ts";
import { ruleCandidates } from "./import-rules.ts";

/**
 * The custom rulesets that were read as candidates for a declaration, with the rules that can be declared, in the order in
 * which the zone executes them. No new key is that of a rule beside them: positions tell both apart.
 */
export function rulesetCandidates(live: LiveZone, owner: string): Candidates<CustomRuleset> {
  const facts = factsOfPhase("custom_rules");
  const { custom_rules: entrypoint } = live.entrypoints;
  const listed = rulesIn(entrypoint);
  const declarable = ruleCandidates(live, facts, listed, owner).candidates;
  const placeOf = (each: LiveCustomRuleset): number => {
    const [first] = executorsOf(each, entrypoint);
    return first === undefined ? -1 : listed.indexOf(first);
  };
  const rulesets = (live.customRulesets ?? [])
    .filter(({ rules }) => rules !== undefined)
    .toSorted((a, b) => placeOf(a) - placeOf(b));
  const keys = new Keys(
    [
      ...rulesets.flatMap(({ description }) => keyIn(description, owner) ?? []),
      ...declarable.flatMap(({ options: [first] }) => first?.key ?? []),
    ],
    live.zone.name,
  );
  const inside: LeftOut[] = [];
  const found = candidatesOf("custom_ruleset", rulesets, (each) => {
    const { id, name, description, rules = [] } = each;
    const title = description || name;
    const [executor, ...others] = executorsOf(each, entrypoint);
    if (executor === undefined) return { id, title, reason: "no rule of the zone executes it" };
    if (others.length > 0) return { id, title, reason: "several rules of the zone execute it" };
    const marked = keyIn(description, owner);
    const key =
      marked === undefined ? keys.keyFor([description, name], "ruleset") : keys.claim(marked);
    if (key === undefined) return { id, title, reason: "bears the same mark as another ruleset" };
    const { candidates, leftOut } = ruleCandidates(live, facts, rules, owner);
    inside.push(...leftOut);
    const declaration: CustomRuleset = {
      key,
      was: undefined,
      description: marked === undefined ? description : unmarked(description).description,
      expression: executor.expression,
      enabled: executor.enabled,
      position: undefined,
      rules: candidates.flatMap(({ options: [first] }) => first ?? []),
    };
    const unknown = candidates.flatMap((rule) => rule.unknown);
    return { id, title, options: [declaration], unknown };
  });
  return { ...found, leftOut: [...found.leftOut, ...inside] };
}

/**
 * A plan executes a custom ruleset after the declared custom rules, unless it has a position: that before the first one which
 * follows its live rule. It cannot be declared if that one has the key of a ruleset, which the position would name.
 */
export function placedAmong(
  rules: readonly Choice<Rule>[],
  rulesets: readonly Choice<CustomRuleset>[],
  entrypoint: LiveEntrypoint | undefined,
): DeclaredKind<CustomRuleset> {
  const kind = "custom_ruleset";
  const keys = new Set(rulesets.map(({ item }) => item.key));
  const placeOf = new Map(rulesIn(entrypoint).map(({ id }, index) => [id, index]));
  const choices: Choice<CustomRuleset>[] = [];
  const leftOut: LeftOut[] = [];
  for (const { candidate, item } of rulesets) {
    const { id, title } = candidate;
    const at = Math.max(
      ...executorsOf({ id }, entrypoint).map((rule) => placeOf.get(rule.id) ?? 0),
    );
    const next = rules.find((rule) => (placeOf.get(rule.candidate.id) ?? 0) > at)?.item.key;
    if (next !== undefined && keys.has(next)) {
      const reason = `the rule "${next}" that follows it has the key of a ruleset`;
      leftOut.push({ kind, id, title, reason });
    } else {
      const position = next === undefined ? item.position : { before: next };
      choices.push({ candidate, item: { ...item, position } });
    }
  }
  return { choices, leftOut };
}

/** The rules that execute custom rulesets that were read: each is one resource with its ruleset. */
export function deployingRules(live: LiveZone): ReadonlySet<LiveRule> {
  const read = (live.customRulesets ?? []).filter(({ rules }) => rules !== undefined);
  return new Set(read.flatMap((each) => executorsOf(each, live.entrypoints.custom_rules)));
}

function keyIn(description: string, owner: string): string | undefined {
  const mark = unmarked(description);
  return mark.owner === owner ? mark.key : undefined;
}
