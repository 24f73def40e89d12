import { certainlyExclude } from "../../syntax/expression/certainty/certainty.ts";
import type { RuleAction } from "../../zone/live-zone.ts";
import type { RulePlace } from "../../zone/rule-place.ts";
import {
  type Effect,
  type FieldChange,
  combine,
  neutral,
  strengthens,
  weakens,
} from "../change.ts";
import { safetyRank } from "../write-order.ts";
import type { RuleTarget } from "./rule-body.ts";
import type { Entry, RuleLists } from "./rule-positions.ts";
import { severityOf } from "./severity.ts";

/** A rule to create, change, move or delete. */
export interface RuleStep {
  /** The rule in the desired list; of one to delete, the live rule. */
  readonly entry: Entry;
  readonly verb: "create" | "update" | "delete";
  /** The effect of what changes beside the position. */
  readonly effect: Effect;
  /** Whether a field other than the position changes. */
  readonly differs: boolean;
}

/** The effect of a move past other rules; `isFirst`: the rule comes to stand before them. */
type EffectOfMove = (target: RuleTarget, passed: readonly Entry[], isFirst: boolean) => Effect;

/** A step in its turn: where it puts its rule, and what that does. */
export interface PlacedStep<Step> {
  readonly step: Step;
  /** `null`: the rule keeps its position, or goes. */
  readonly place: RulePlace | null;
  /** The move of a rule that was live; `undefined` if it keeps its position. */
  readonly move: { readonly field: FieldChange; readonly effect: Effect } | undefined;
  /** The steps before it without which it would leave the zone weaker than both before and after the plan. */
  readonly waitsFor: readonly Step[];
}

/** So many neighbors are named: more than one is needed only where the service refuses a write. */
const maxBehind = 8;

/**
 * Brings the writes of single rules into an order in which a run can stop between any two, and gives each its place.
 *
 * An exception acts on the rules after it (SERVICE.md B.4). While both of two rules move, an exception may come to stand
 * before a rule that it spares neither before nor after the plan. That cannot happen where the other rules that move up go
 * first, and those that move down last. Otherwise what strengthens goes first, and what weakens last. Where the list would
 * be longer than the quota meanwhile, as many deletes go before as make room, if nothing that comes depends on them.
 *
 * One write both changes and moves a rule. One that selects more requests and moves down goes as late as its move needs: a
 * rule that stays where it is and gives up such requests goes after it. Where both move, the zone may protect less between
 * the two than before and after.
 */
export function inSafeOrder<Step extends RuleStep>(
  lists: RuleLists,
  steps: readonly Step[],
  quota: number,
  effectOfMove: EffectOfMove,
): readonly PlacedStep<Step>[] {
  const { before, after, stays } = lists;
  const gaps = gapsOf(after, stays);
  const wasAt = new Map(before.map((rule, index) => [rule, index]));
  const placeOf = ({ live }: Entry): number =>
    live === undefined ? before.length : (wasAt.get(live) ?? before.length);
  const facts = steps.map((step): Facts<Step> => {
    const { entry, verb } = step;
    const isMoved = verb === "update" && !stays.has(entry);
    const [previous, next] = gaps.get(entry) ?? [undefined, undefined];
    const isUp = isMoved && next !== undefined && placeOf(next) < placeOf(entry);
    return {
      step,
      isSkip: isSkip(entry),
      isUp,
      isDown: isMoved && !isUp,
      wasAt: placeOf(entry),
      low: previous === undefined ? -1 : placeOf(previous),
      high: next === undefined ? before.length : placeOf(next),
      isAt: after.indexOf(entry),
    };
  });
  const ranked = facts
    .map((each) => ({ ...each, rank: rankOf(each) }))
    .toSorted((a, b) => a.rank - b.rank);
  const ordered = withRoom(lossesLast(ranked), before.length, quota);
  const waits = waitsAmong(ordered);
  const list = new LiveList(lists, effectOfMove);
  const settled = new Set(stays);
  return ordered.map((each) => {
    const { step, isUp, isDown } = each;
    const { entry, verb } = step;
    const waitsFor = waits.get(step) ?? [];
    if (verb === "delete") {
      list.delete(entry);
      return { step, place: null, move: undefined, waitsFor };
    }
    if (verb === "update" && !isUp && !isDown) {
      list.write(entry);
      return { step, place: null, move: undefined, waitsFor };
    }
    const { place, previous } = placeIn(after, each.isAt, settled, stays);
    settled.add(entry);
    const move = list.put(entry, previous);
    return { step, place, move, waitsFor };
  });
}

/** What decides about the turn of a step: places are indices in the live list. */
interface Facts<Step> {
  readonly step: Step;
  readonly isSkip: boolean;
  readonly isUp: boolean;
  readonly isDown: boolean;
  readonly wasAt: number;
  /** The places of the two rules that stay around it. */
  readonly low: number;
  readonly high: number;
  /** Its index in the desired list. */
  readonly isAt: number;
}

/** For each entry the entries that stay before and after it. */
function gapsOf(
  after: readonly Entry[],
  stays: ReadonlySet<Entry>,
): ReadonlyMap<Entry, readonly [Entry | undefined, Entry | undefined]> {
  const nexts = new Map<Entry, Entry | undefined>();
  let next: Entry | undefined;
  for (const entry of after.toReversed()) {
    nexts.set(entry, next);
    if (stays.has(entry)) next = entry;
  }
  let previous: Entry | undefined;
  return new Map(
    after.map((entry) => {
      const pair = [entry, [previous, nexts.get(entry)]] as const;
      if (stays.has(entry)) previous = entry;
      return pair;
    }),
  );
}

/** Whether a rule is an exception, or was one. */
function isSkip({ live, match }: Entry): boolean {
  return live?.action.type === "skip" || match?.target.action.type === "skip";
}

function isEnabledBefore({ live }: Entry): boolean {
  return live?.enabled === true;
}

function isEnabledAfter({ match }: Entry): boolean {
  return match?.target.enabled === true;
}

function rankOf<Step extends RuleStep>(facts: Facts<Step>): number {
  const { step, isUp, isDown } = facts;
  const strictness = facts.isSkip ? 0 : strictnessOf(step.entry);
  const isActive = isEnabledBefore(step.entry) && isEnabledAfter(step.entry);
  const turn = !isActive ? 0 : isUp ? -strictness : isDown ? strictness : 0;
  const moved = !isActive || !(isUp || isDown) ? neutral : isUp === facts.isSkip ? looser : tighter;
  const rank = safetyRank(step.verb, combine([step.effect, moved]));
  return turn * 1_000 + rank + (facts.isSkip ? 0 : delayOf(step));
}

/** Of two rules that are lost, the stricter one goes last: the other one may decide before a rule that comes. */
function delayOf({ effect: { direction }, entry: { live } }: RuleStep): number {
  return direction === "weakens" && live !== undefined ? 10 * severityOf(live.action) : 0;
}

/** The steps with each rule that stays where it is and weakens behind the moves down that may make up for it. */
function lossesLast<Step extends RuleStep>(ranked: readonly Facts<Step>[]): readonly Facts<Step>[] {
  const covers = ranked.filter(({ step, isDown }) => isDown && isCover(step));
  const losses = ranked.filter(
    ({ step, isUp, isDown }) =>
      !isUp && !isDown && isAbandoned(step) && step.effect.direction === "weakens",
  );
  const meet = meetingAmong(covers, losses);
  const turnOf = turnsOf(ranked);
  const late = Map.groupBy(losses, (loss) =>
    covers.findLast(
      (cover) => turnOf(loss) < turnOf(cover) && meet(cover.step.entry, loss.step.entry),
    ),
  );
  const inTurn = new Set(ranked).difference(
    new Set(covers.flatMap((each) => late.get(each) ?? [])),
  );
  return [...inTurn].flatMap((each) => [each, ...(late.get(each) ?? [])]);
}

/** The number of rules when the last of those that come is there, if it is the largest; 0 if none comes. */
export function mostRules(
  count: number,
  steps: readonly { readonly step: Pick<RuleStep, "verb"> }[],
): number {
  let [now, most] = [count, 0];
  for (const { step } of steps) {
    if (step.verb === "delete") now -= 1;
    if (step.verb === "create") most = Math.max(most, (now += 1));
  }
  return most;
}

/** The steps with as many deletes at the start as the quota needs; as they are where that is not enough. */
function withRoom<Step extends RuleStep>(
  ordered: readonly Facts<Step>[],
  count: number,
  quota: number,
): readonly Facts<Step>[] {
  if (mostRules(count, ordered) <= quota) return ordered;
  const deletes = ordered.filter(
    (each) => each.step.verb === "delete" && mayGoFirst(each, ordered),
  );
  const first = new Set<Facts<Step>>();
  for (const each of deletes.toSorted((a, b) => weight(a) - weight(b))) {
    first.add(each);
    const order = [...first, ...ordered.filter((other) => !first.has(other))];
    if (mostRules(count, order) <= quota) return order;
  }
  return ordered;
}

function weight({ step: { effect } }: Facts<RuleStep>): number {
  return isLoss(effect) ? 1 : 0;
}

function isGain({ direction }: Effect): boolean {
  return direction === "strengthens" || direction === "unclear";
}

function isLoss({ direction }: Effect): boolean {
  return direction === "weakens" || direction === "unclear";
}

/** Whether a rule can be deleted before all other steps: it protects no requests that another one is to protect instead. */
function mayGoFirst<Step extends RuleStep>(
  { step: { entry, effect } }: Facts<Step>,
  all: readonly Facts<Step>[],
): boolean {
  if (!isLoss(effect)) return true;
  const gains = all.filter(
    ({ step, isUp, isDown }) => step.entry !== entry && (isUp || isDown || isGain(step.effect)),
  );
  if (gains.length > maxGains) return false;
  return gains.every(({ step: { entry: other } }) => {
    const expressions = [other.live?.expression, other.match?.target.expression];
    return expressions.every(
      (each) => each === undefined || certainlyExclude(each, entry.live?.expression ?? ""),
    );
  });
}

/** A rule to delete is compared with so many others at most. */
const maxGains = 50;

/** How much of a request a rule stops, above 0. */
function strictnessOf({ live, match }: Entry): number {
  const action = match?.target.action ?? live?.action;
  return action?.type === "mitigate" ? severityOf(action) : 1;
}

const looser = weakens("");
const tighter = strengthens("", true);

/** For each step the steps before it without which it must not be sent, since the service may refuse them. */
function waitsAmong<Step extends RuleStep>(
  ordered: readonly Facts<Step>[],
): ReadonlyMap<Step, readonly Step[]> {
  const skips = ordered.filter(
    ({ isSkip: is, step: { entry } }) => is && (isEnabledBefore(entry) || isEnabledAfter(entry)),
  );
  const others = ordered.filter(
    ({ isSkip: is, isUp, isDown, step: { entry } }) =>
      !is && (isUp || isDown) && isEnabledBefore(entry) && isEnabledAfter(entry),
  );
  const waits = new Map<Step, Step[]>();
  const wait = (step: Step, first: Step): void => {
    const known = waits.get(step);
    if (known === undefined) waits.set(step, [first]);
    else known.push(first);
  };
  for (const skip of skips) {
    for (const other of others) {
      if (other.isUp && wouldSpareTooEarly(skip, other)) wait(skip.step, other.step);
      if (other.isDown && wouldMoveTooEarly(skip, other)) wait(other.step, skip.step);
    }
  }
  const taken = takeOversAmong(ordered.map(({ step }) => step));
  for (const [step, gains] of taken) gains.forEach((gain) => wait(step, gain));
  const gains = new Set([...taken.values()].flat());
  for (const { step } of skips) {
    if (step.effect.direction === "weakens") gains.forEach((gain) => wait(step, gain));
  }
  return waits;
}

/** So many pairs of rules are compared: of more it is assumed that they may select the same requests. */
const maxPairs = 2_500;

/** For each step by which a rule gives up requests, the steps before it by which others may come to act on them. */
function takeOversAmong<Step extends RuleStep>(
  ordered: readonly Step[],
): ReadonlyMap<Step, readonly Step[]> {
  const gains = ordered.filter(isCover);
  const losses = ordered.filter(isAbandoned);
  const meet = meetingAmong(gains, losses);
  const turnOf = turnsOf(ordered);
  return new Map(
    losses.map((loss) => [
      loss,
      gains.filter((gain) => turnOf(gain) < turnOf(loss) && meet(gain.entry, loss.entry)),
    ]),
  );
}

/** Whether a rule comes to act on requests. */
function isCover({ entry: { match }, effect }: RuleStep): boolean {
  return match?.target.enabled === true && acts(match.target.action) && isGain(effect);
}

/** Whether a rule gives up requests. */
function isAbandoned({ entry: { live }, effect }: RuleStep): boolean {
  return live?.enabled === true && acts(live.action) && isLoss(effect);
}

/** Whether a rule acts against requests, by itself or by the rules of a ruleset that it executes. */
function acts({ type }: RuleAction): boolean {
  return type === "mitigate" || type === "execute";
}

/** The turns of steps that are in their order. */
function turnsOf<Item>(ordered: readonly Item[]): (item: Item) => number {
  const turns = new Map(ordered.map((item, turn) => [item, turn]));
  return (item) => turns.get(item) ?? 0;
}

/** {@link mayMeet}, or that all do where there are too many pairs to compare. */
function meetingAmong(gains: readonly unknown[], losses: readonly unknown[]): typeof mayMeet {
  return gains.length * losses.length > maxPairs ? () => true : mayMeet;
}

/** Whether the rule that comes may select requests that the other one, as it is live, selects. */
function mayMeet({ match }: Entry, { live }: Entry): boolean {
  if (match === undefined || live === undefined) return false;
  return !certainlyExclude(match.target.expression, live.expression);
}

/** Whether an exception, written first, may spare a rule that it does not spare once that has moved up. */
function wouldSpareTooEarly<Step extends RuleStep>(skip: Facts<Step>, other: Facts<Step>): boolean {
  const { verb, differs } = skip.step;
  if (verb === "delete" || skip.isAt < other.isAt) return false;
  const isMoved = verb === "create" || skip.isUp || skip.isDown;
  const lands = isMoved ? skip.low : skip.wasAt;
  const didSpare = verb === "update" && skip.wasAt < other.wasAt;
  return lands < other.wasAt && !(didSpare && !differs);
}

/** Whether a rule that moves down, written first, comes behind an exception as it was, which does not spare it yet. */
function wouldMoveTooEarly<Step extends RuleStep>(skip: Facts<Step>, other: Facts<Step>): boolean {
  const { verb, differs } = skip.step;
  if (verb === "create" || skip.wasAt < other.wasAt || skip.wasAt >= other.high) return false;
  if (verb === "delete") return true;
  return skip.isAt < other.isAt ? differs : skip.isUp || skip.isDown;
}

/** The place of the entry at an index of the desired list, and the settled entry directly before it. */
function placeIn(
  after: readonly Entry[],
  index: number,
  settled: ReadonlySet<Entry>,
  stays: ReadonlySet<Entry>,
): { readonly place: RulePlace; readonly previous: Entry | undefined } {
  const behind: Entry[] = [];
  let at = index - 1;
  for (; at >= 0; at -= 1) {
    const entry = after[at];
    if (entry === undefined || stays.has(entry)) break;
    if (settled.has(entry)) behind.push(entry);
  }
  const last = after[at];
  const next = after.slice(index + 1).find((entry) => stays.has(entry));
  return {
    previous: behind[0] ?? last,
    place: {
      after: last === undefined ? "" : refOfEntry(last),
      behind: behind.slice(0, maxBehind).map(refOfEntry),
      before: next === undefined ? "" : refOfEntry(next),
    },
  };
}

function refOfEntry({ live, match }: Entry): string {
  return match === undefined ? live.ref : match.ref;
}

/** The live list while the writes are carried out one after the other. */
class LiveList {
  readonly #entries: Entry[];
  readonly #final: ReadonlySet<Entry>;
  readonly #written = new Set<Entry>();
  readonly #effectOfMove: EffectOfMove;

  constructor({ before, after }: RuleLists, effectOfMove: EffectOfMove) {
    const kept = new Map(after.map((entry) => [entry.live, entry]));
    this.#entries = before.map((live) => kept.get(live) ?? { live, match: undefined });
    this.#final = new Set(after);
    this.#effectOfMove = effectOfMove;
  }

  write(entry: Entry): void {
    this.#written.add(entry);
  }

  delete({ live }: Entry): void {
    const index = this.#entries.findIndex((entry) => entry.live === live);
    this.#entries.splice(index, 1);
  }

  /** Puts an entry behind another one, or first. Gives the move of one that was in the list. */
  put(entry: Entry, previous: Entry | undefined): PlacedStep<unknown>["move"] {
    const from = this.#entries.indexOf(entry);
    this.#written.add(entry);
    if (from < 0) {
      this.#entries.splice(this.#indexAfter(previous), 0, entry);
      return undefined;
    }
    const old = [...this.#entries];
    this.#entries.splice(from, 1);
    const to = this.#indexAfter(previous);
    this.#entries.splice(to, 0, entry);
    const passed = from < to ? old.slice(from + 1, to + 1) : old.slice(to, from);
    const field = {
      field: "position",
      before: this.#placeOf(entry, old),
      after: this.#placeOf(entry, this.#entries),
    };
    return { field, effect: this.#effectOf(entry, passed, to < from) };
  }

  #indexAfter(previous: Entry | undefined): number {
    return previous === undefined ? 0 : this.#entries.indexOf(previous) + 1;
  }

  /** Counted from 1, among the rules that were live before the plan and stay. */
  #placeOf(entry: Entry, list: readonly Entry[]): number {
    const counted = list.slice(0, list.indexOf(entry) + 1);
    return counted.filter((each) => each.live !== undefined && this.#final.has(each)).length;
  }

  #effectOf({ match, live }: Entry, passed: readonly Entry[], isFirst: boolean): Effect {
    if (match?.target.enabled !== true || live?.enabled !== true) return neutral;
    const others = passed.filter((other) => this.#final.has(other) && this.#isEnabled(other));
    return this.#effectOfMove(match.target, others, isFirst);
  }

  /** Whether a rule is enabled now, and in the end. */
  #isEnabled(entry: Entry): boolean {
    const { live, match } = entry;
    if (match === undefined) return live.enabled;
    return match.target.enabled && (this.#written.has(entry) || live?.enabled === true);
  }
}
