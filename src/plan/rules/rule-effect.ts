import { isDeepStrictEqual } from "node:util";

import { compareExpressions } from "../../syntax/expression/certainty/certainty.ts";
import type { Overrides, RuleOverride } from "../../zone/resource.ts";
import { type Effect, combine, neutral, strengthens, unclear, weakens } from "../change.ts";
import { effectOfRateLimit } from "./rate-limit-effect.ts";
import type { ComparableRule } from "./rule-fields.ts";
import { effectOfNumber, effectOfSeverity } from "./severity.ts";

type RuleAction = ComparableRule["action"];
type ExecuteAction = Extract<RuleAction, { readonly type: "execute" }>;

/** The effect of updating, creating (`before` is `undefined`) or deleting (`after` is `undefined`) a rule. */
export function effectOfRule(
  before: ComparableRule | undefined,
  after: ComparableRule | undefined,
): Effect {
  const was = before?.enabled === true ? before : undefined;
  const is = after?.enabled === true ? after : undefined;
  if (was === undefined) return is === undefined ? neutral : effectOfPresence(is, true);
  if (is === undefined) return effectOfPresence(was, false);
  if (was.action.type !== is.action.type) return unclear("does something else", true);
  // A rule that only logs spares nobody and stops nobody, whatever it selects.
  if (isLog(was) || isLog(is)) return effectOfAction(was.action, is.action);
  return combine([
    effectOfReach(was, is),
    effectOfAction(was.action, is.action),
    effectOfRateLimit(was.ratelimit, is.ratelimit, () =>
      compareExpressions(countedBy(was), countedBy(is)),
    ),
  ]);
}

/** The rules of a custom ruleset before and after a plan. */
export interface RulesetContent {
  readonly before: readonly ComparableRule[];
  readonly after: readonly ComparableRule[];
}

/**
 * The effect of executing a custom ruleset otherwise: that of all its rules, for the requests that it is executed for.
 *
 * @param contents the rules of each ruleset, by what the rule that executes it names.
 */
export function effectOfDeployment(
  before: ComparableRule | undefined,
  after: ComparableRule | undefined,
  contents: ReadonlyMap<string, RulesetContent>,
): Effect {
  const contentOf = ({ action }: ComparableRule): RulesetContent =>
    (action.type === "execute" && contents.get(action.ruleset)) || { before: [], after: [] };
  const [was, is] = [before, after].map((rule) => (rule?.enabled === true ? rule : undefined));
  const goes =
    was === undefined ? [] : contentOf(was).before.map((rule) => effectOfRule(rule, undefined));
  const comes =
    is === undefined ? [] : contentOf(is).after.map((rule) => effectOfRule(undefined, rule));
  if (was === undefined || is === undefined) return joined([...goes, ...comes]);
  switch (compareExpressions(was.expression, is.expression)) {
    case "equal":
      return neutral;
    case "wider":
      return joined(comes);
    case "narrower":
      return joined(goes);
    case "unclear":
      return joined(comes) === neutral ? neutral : unclear("applies to other requests", true);
  }
}

/** The effect of several rules; each reason once. */
function joined(all: readonly Effect[]): Effect {
  const { reasons, ...effect } = combine(all);
  return reasons.length === 0 ? neutral : { ...effect, reasons: [...new Set(reasons)] };
}

/** The expression of the requests that count; of a rule without a rate limit, its own. */
function countedBy({ expression, ratelimit }: ComparableRule): string {
  return ratelimit?.counting_expression || expression;
}

function isLog({ action }: ComparableRule): boolean {
  return action.type === "mitigate" && action.name === "log";
}

/** A deployed ruleset protects; an exception exempts requests from the rules after it (SERVICE.md B.4). */
function effectOfPresence({ action, ratelimit }: ComparableRule, comes: boolean): Effect {
  switch (action.type) {
    case "execute":
      return comes
        ? strengthens("deploys a managed ruleset", true)
        : weakens("a managed ruleset is no longer deployed");
    case "skip":
      return comes
        ? weakens("an exception spares requests")
        : strengthens("an exception no longer spares requests", true);
    case "mitigate": {
      if (action.name === "log") return neutral;
      const acts = action.name === "block" ? "block" : "challenge";
      const what = ratelimit === undefined ? "requests" : "requests over a rate";
      return comes ? strengthens(`${acts}s ${what}`, true) : weakens(`no longer ${acts}s ${what}`);
    }
    case "other":
      return unclear(`a rule with the action ${action.name} ${comes ? "comes" : "goes"}`, true);
  }
}

function effectOfReach(before: ComparableRule, after: ComparableRule): Effect {
  const isSkip = after.action.type === "skip";
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

function effectOfAction(before: RuleAction, after: RuleAction): Effect {
  if (before.type === "execute" && after.type === "execute") {
    if (before.ruleset !== after.ruleset) return unclear("deploys another managed ruleset", true);
    return effectOfOverrides(before, after);
  }
  if (before.type === "skip" && after.type === "skip") {
    return isDeepStrictEqual(before.skip, after.skip)
      ? neutral
      : unclear("spares something else", true);
  }
  if (before.type === "mitigate" && after.type === "mitigate") {
    return effectOfSeverity(before.name, after.name, "the action");
  }
  return neutral;
}

function effectOfOverrides(before: ExecuteAction, after: ExecuteAction): Effect {
  if ([before, after].some(({ overrides }) => repeatsName(overrides))) {
    return isDeepStrictEqual(before.overrides, after.overrides) ? neutral : unclear(repeated, true);
  }
  const [was, is] = [before.tuning, after.tuning];
  return combine([
    // The defaults: all levels are enabled, the threshold is medium, and the score rule blocks (SERVICE.md B.7).
    effectOfNumber(was.paranoiaLevel ?? 4, is.paranoiaLevel ?? 4, "paranoia level", "higher"),
    effectOfNumber(was.scoreThreshold ?? 40, is.scoreThreshold ?? 40, "score threshold", "lower"),
    effectOfSeverity(was.action ?? "block", is.action ?? "block", "the score's action"),
    effectOfSeverity(
      before.overrides.action,
      after.overrides.action,
      "the action of the whole ruleset",
    ),
    effectOfSwitch(before.overrides.enabled, after.overrides.enabled, "the whole ruleset"),
    ...effectsOfNamed(named(was.categories, "category"), named(is.categories, "category")),
    ...effectsOfNamed(named(was.rules, "id"), named(is.rules, "id")),
    ...effectsOfThresholds(was.rules, is.rules),
    isSameOrder(before.overrides, after.overrides) &&
    isDeepStrictEqual(restOf(before), restOf(after))
      ? neutral
      : unclear("overrides the ruleset in another way", true),
  ]);
}

/** Whether the categories that both sides override have the same order: the last one of a rule wins (SERVICE.md B.5). */
function isSameOrder(before: Overrides, after: Overrides): boolean {
  const was = before.categories.map(({ category }) => category);
  const is = after.categories.map(({ category }) => category);
  return isDeepStrictEqual(
    was.filter((name) => is.includes(name)),
    is.filter((name) => was.includes(name)),
  );
}

/** The service accepts no element twice (SERVICE.md B.5): which of the two would win is not known. */
function repeatsName({ categories, rules }: Overrides): boolean {
  return (
    new Set(categories.map(({ category }) => category)).size < categories.length ||
    new Set(rules.map(({ id }) => id)).size < rules.length
  );
}

const repeated = "overrides a rule or category twice, and the service does not say which one wins";

/** Thresholds of rules that have one on both sides. */
function effectsOfThresholds(
  before: readonly RuleOverride[],
  after: readonly RuleOverride[],
): readonly Effect[] {
  const thresholds = new Map(before.map(({ id, score_threshold: threshold }) => [id, threshold]));
  return after.map(({ id, score_threshold: is }) => {
    const was = thresholds.get(id);
    if (was === undefined || is === undefined) return neutral;
    return effectOfNumber(was, is, `score threshold of ${id}`, "lower");
  });
}

/**
 * Sensitivities, and which rules have a threshold of their own: their effect depends on the rules of the ruleset, whose
 * defaults are not known.
 */
function restOf({ overrides, tuning }: ExecuteAction): unknown {
  const rest = [
    ...tuning.categories.map(({ category, sensitivity_level: level }) => [category, level]),
    ...tuning.rules.map(({ id, sensitivity_level: level, score_threshold: threshold }) => [
      id,
      level,
      threshold === undefined ? undefined : "threshold",
    ]),
  ].filter(([, level, threshold]) => level !== undefined || threshold !== undefined);
  return [overrides.sensitivity_level, new Set(rest.map((each) => JSON.stringify(each)))];
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
