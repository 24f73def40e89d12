import { isDeepStrictEqual } from "node:util";

import { compareExpressions } from "../../syntax/expression/compare-expressions.ts";
import type { LiveRuleAction } from "../../zone/live-zone.ts";
import type { Overrides } from "../../zone/resource.ts";
import { type Effect, combine, neutral, strengthens, unclear, weakens } from "../change.ts";
import { canonicalLevels, type Tuning, tuningOf } from "./owasp-tuning.ts";

/** The fields of a rule that decide what it does. */
export interface RuleTerms {
  readonly expression: string;
  readonly enabled: boolean;
  readonly does: LiveRuleAction;
}

/** What it does to a zone when a rule becomes another, comes (`before` is `undefined`) or goes (`after` is). */
export function effectOfRule(
  before: RuleTerms | undefined,
  after: RuleTerms | undefined,
  scoreRuleId: string,
): Effect {
  const was = before?.enabled === true ? before : undefined;
  const is = after?.enabled === true ? after : undefined;
  if (was === undefined) return is === undefined ? neutral : effectOfPresence(is, true);
  if (is === undefined) return effectOfPresence(was, false);
  if (was.does.action !== is.does.action) return unclear("does something else", true);
  return combine([effectOfReach(was, is), effectOfAction(was.does, is.does, scoreRuleId)]);
}

/** A deployed ruleset protects; an exception spares requests from what comes after it (SERVICE.md B.4). */
function effectOfPresence({ does }: RuleTerms, comes: boolean): Effect {
  switch (does.action) {
    case "execute":
      return comes
        ? strengthens("deploys a managed ruleset", true)
        : weakens("a managed ruleset is no longer deployed");
    case "skip":
      return comes
        ? weakens("an exception spares requests")
        : strengthens("an exception no longer spares requests", true);
    case "other":
      return unclear(`a rule with the action ${does.name} ${comes ? "comes" : "goes"}`, true);
  }
}

function effectOfReach(before: RuleTerms, after: RuleTerms): Effect {
  const isSkip = after.does.action === "skip";
  switch (compareExpressions(before.expression, after.expression)) {
    case "equal":
      return neutral;
    case "wider":
      return isSkip
        ? weakens("the exception spares more requests")
        : strengthens("applies to more requests", true);
    case "narrower":
      return isSkip
        ? strengthens("the exception spares fewer requests", true)
        : weakens("applies to fewer requests");
    case "unclear":
      return unclear("applies to other requests", true);
  }
}

function effectOfAction(
  before: LiveRuleAction,
  after: LiveRuleAction,
  scoreRuleId: string,
): Effect {
  if (before.action === "execute" && after.action === "execute") {
    if (before.ruleset !== after.ruleset) return unclear("deploys another managed ruleset", true);
    return effectOfOverrides(before.overrides, after.overrides, scoreRuleId);
  }
  if (before.action === "skip" && after.action === "skip") {
    return isDeepStrictEqual(before.skip, after.skip)
      ? neutral
      : unclear("spares something else", true);
  }
  return neutral;
}

function effectOfOverrides(before: Overrides, after: Overrides, scoreRuleId: string): Effect {
  const was = tuningOf(before, scoreRuleId);
  const is = tuningOf(after, scoreRuleId);
  return combine([
    // What holds without a word: all levels are on, the threshold is medium, and the score blocks (SERVICE.md B.7).
    effectOfNumber(was.paranoiaLevel ?? 4, is.paranoiaLevel ?? 4, "paranoia level", "higher"),
    effectOfNumber(was.scoreThreshold ?? 40, is.scoreThreshold ?? 40, "score threshold", "lower"),
    effectOfSeverity(was.action ?? "block", is.action ?? "block", "the score's action"),
    effectOfSeverity(before.action, after.action, "the action of the whole ruleset"),
    effectOfSwitch(before.enabled, after.enabled, "the whole ruleset"),
    ...effectsOfNamed(named(was.categories, "category"), named(is.categories, "category")),
    ...effectsOfNamed(named(was.rules, "id"), named(is.rules, "id")),
    isSameOrder(canonicalLevels(before), canonicalLevels(after)) &&
    isDeepStrictEqual(restOf(before, was), restOf(after, is))
      ? neutral
      : unclear("overrides the ruleset in another way", true),
  ]);
}

/** Whether categories that both sides override stand in the same order: the last one of a rule counts (SERVICE.md B.5). */
function isSameOrder(before: Overrides, after: Overrides): boolean {
  const [was, is] = [before, after].map((side) => side.categories.map(({ category }) => category));
  const isInBoth = (name: string) => was?.includes(name) === true && is?.includes(name) === true;
  return isDeepStrictEqual(was?.filter(isInBoth), is?.filter(isInBoth));
}

/** What only the ruleset's rules could tell more about: sensitivities, and thresholds of single rules. */
function restOf(overrides: Overrides, { categories, rules }: Tuning): unknown {
  const rest = [
    ...categories.map(({ category, sensitivity_level: level }) => [category, level, undefined]),
    ...rules.map(({ id, sensitivity_level: level, score_threshold }) => [
      id,
      level,
      score_threshold,
    ]),
  ].filter(([, level, threshold]) => level !== undefined || threshold !== undefined);
  return [overrides.sensitivity_level, new Set(rest.map((each) => JSON.stringify(each)))];
}

function effectOfNumber(
  before: number,
  after: number,
  name: string,
  stricter: "higher" | "lower",
): Effect {
  if (before === after) return neutral;
  const words = `${name} ${before} → ${after}`;
  return after > before === (stricter === "higher") ? strengthens(words, true) : weakens(words);
}

/** How hard an action is on a visitor; challenge and js_challenge are alike. */
const severity: Readonly<Record<string, number>> = {
  block: 4,
  managed_challenge: 3,
  js_challenge: 2,
  challenge: 2,
  log: 1,
};

function effectOfSeverity(
  before: string | undefined,
  after: string | undefined,
  name: string,
): Effect {
  if (before === after) return neutral;
  const was = severity[before ?? ""];
  const is = severity[after ?? ""];
  const words = `${name} ${before ?? "as the ruleset has it"} → ${after ?? "as the ruleset has it"}`;
  if (was === undefined || is === undefined) return unclear(words, true);
  if (was === is) return neutral;
  return is > was ? strengthens(words, true) : weakens(words);
}

function effectOfSwitch(
  before: boolean | undefined,
  after: boolean | undefined,
  name: string,
): Effect {
  if (before === after) return neutral;
  if (after === false) return weakens(`${name} is switched off`);
  if (before === false || after === true) return strengthens(`${name} is switched on`, true);
  return weakens(`${name} is no longer switched on`);
}

/** What categories and rules are overridden with, by name. */
interface Override {
  readonly enabled: boolean | undefined;
  readonly action: string | undefined;
}

function named<T extends Override>(
  overrides: readonly T[],
  name: keyof T,
): ReadonlyMap<string, Override> {
  return new Map(overrides.map((override) => [String(override[name]), override]));
}

function effectsOfNamed(
  before: ReadonlyMap<string, Override>,
  after: ReadonlyMap<string, Override>,
): readonly Effect[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const was = before.get(name);
    const is = after.get(name);
    return [
      effectOfSwitch(was?.enabled, is?.enabled, name),
      effectOfSeverity(was?.action, is?.action, `the action of ${name}`),
    ];
  });
}
