import {
  certainlyExclude,
  certainlyImplies,
  compareExpressions,
} from "../../syntax/expression/certainty/certainty.ts";
import type { RuleState } from "../../zone/live-zone.ts";
import type { SkipParameters } from "../../zone/resource.ts";
import { type Effect, combine, neutral, strengthens, unclear, weakens } from "../change.ts";
import type { ComparableRule } from "./rule-fields.ts";
import type { RuleMatch } from "./rule-match.ts";
import type { Entry } from "./rule-positions.ts";
import { severityOf } from "./severity.ts";

/**
 * The effect of a move past other rules that are enabled. It matters where the first one of two rules
 * decides what becomes of a request (SERVICE.md B.4, B.10).
 *
 * @param isFirst whether the rule comes to stand before the others.
 * @param wire the service's name of the phase.
 */
export function effectOfMove(
  target: RuleState,
  passed: readonly Entry[],
  isFirst: boolean,
  wire: string,
): Effect {
  return combine(
    passed.map((entry, index) =>
      effectOfPassing(target, entry, isFirst, wire, index < maxCompared),
    ),
  );
}

/** Expressions that one rule is compared with: a list of a thousand rules has half a million pairs. */
const maxCompared = 8;

/**
 * The effect of a rule that acts on more requests than before on the stricter rules behind it: of
 * these requests, it decides now.
 */
export function effectOnLater(
  match: RuleMatch,
  was: ComparableRule | undefined,
  after: readonly Entry[],
  wire: string,
): Effect {
  const { target } = match;
  if (!isActing(target) || !actsOnMore(was, target)) return neutral;
  const place = after.findIndex((entry) => entry.match === match);
  const stricter = after.slice(place + 1).filter((entry) => {
    const other = stateOf(entry);
    return isActing(other) && severityOf(other.action) > severityOf(target.action);
  });
  const others = stricter.slice(0, maxCompared);
  const more = stricter.length - others.length;
  return combine([
    ...others.map((entry) => effectOfPassing(target, entry, true, wire, true)),
    ...(more > 0 ? [unclear(`may decide before ${more} more rules`, false)] : []),
  ]);
}

function actsOnMore(was: ComparableRule | undefined, is: RuleState): boolean {
  if (was === undefined || !isActing(was)) return true;
  return !["equal", "narrower"].includes(compareExpressions(was.expression, is.expression));
}

/** The effect of a rule that comes to stand before another one, or behind it. */
function effectOfPassing(
  self: RuleState,
  entry: Entry,
  isFirst: boolean,
  wire: string,
  isCompared: boolean,
): Effect {
  const effect = effectOnShared(self, entry, isFirst, wire, isCompared);
  if (effect === neutral || !isCompared) return effect;
  return certainlyExclude(self.expression, stateOf(entry).expression) ? neutral : effect;
}

/** The same on the requests that both select. */
function effectOnShared(
  self: RuleState,
  entry: Entry,
  isFirst: boolean,
  wire: string,
  isCompared: boolean,
): Effect {
  const [other, title] = [stateOf(entry), titleOf(entry)];
  if (self.action.type === "skip") {
    const isSpared = spares(self.action.skip, wire) && other.action.type !== "skip";
    if (!isSpared || isLog(other)) return neutral;
    return isFirst ? weakens(`spares requests from ${title}`) : noException(title);
  }
  if (other.action.type === "skip") {
    if (!spares(other.action.skip, wire) || isLog(self)) return neutral;
    return isFirst ? noException(title) : weakens(`${title} spares requests from it`);
  }
  return effectOfFirst(self, other, title, isFirst, isCompared);
}

function noException(title: string): Effect {
  return strengthens(`no exception between it and ${title} any more`, true);
}

/** The first rule that blocks or challenges a request ends the evaluation. */
function effectOfFirst(
  self: RuleState,
  other: RuleState,
  title: string,
  isFirst: boolean,
  isCompared: boolean,
): Effect {
  if (isLog(self) || isLog(other)) return neutral;
  const isEnding = isActing(self) || isActing(other);
  if (!isEnding) return neutral;
  const words = isFirst
    ? `decides before ${title} about requests of both`
    : `${title} decides before it about requests of both`;
  const isPlain = [self, other].every((rule) => isActing(rule) && rule.ratelimit === undefined);
  if (!isPlain) return unclear(words, true);
  const [own, others] = [severityOf(self.action), severityOf(other.action)];
  if (own === others) return neutral;
  if (own > others === isFirst) return strengthens(words, true);
  const isShared =
    isCompared &&
    (certainlyImplies(self.expression, other.expression) ||
      certainlyImplies(other.expression, self.expression));
  return isShared ? weakens(words) : unclear(words, false);
}

/** Whether a rule blocks or challenges requests. */
function isActing({ enabled, action }: RuleState): boolean {
  return enabled && action.type === "mitigate" && action.name !== "log";
}

function isLog({ action }: RuleState): boolean {
  return action.type === "mitigate" && action.name === "log";
}

/** Whether an exception spares requests from later rules of its own phase. */
function spares(skip: SkipParameters, wire: string): boolean {
  const { ruleset, phase, rulesets, rules, phases } = skip;
  const isNamed = rulesets.length > 0 || Object.keys(rules).length > 0 || phases.includes(wire);
  return ruleset || phase || isNamed;
}

/** A rule of the desired list as it will be. */
function stateOf({ live, match }: Entry): RuleState {
  return match === undefined ? live : match.target;
}

function titleOf({ live, match }: Entry): string {
  return live?.description || live?.ref || match?.target.description || match?.rule.key || "";
}
