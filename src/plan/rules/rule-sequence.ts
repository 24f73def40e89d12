import { certainlyExclude } from "../../syntax/expression/certainty/certainty.ts";
import type { RuleAction, RuleState } from "../../zone/live-zone.ts";
import type { RulePlace } from "../../zone/rule-place.ts";
import { type Change, combine, type Effect, neutral, strengthens, weakens } from "../change.ts";
import { safetyRank } from "../write-order.ts";
import type { Entry, RuleLists } from "./rule-positions.ts";
import { severityOf } from "./severity.ts";

/** A rule to create, change, move or delete. */
export interface RuleWrite {
  /** The rule in the desired list; of one to delete, the live rule. */
  readonly entry: Entry;
  /** What changes beside the position: of a rule that only moves, no field. */
  readonly change: Change;
}

/** A write in its turn. The change of a rule that moves has its move. */
export interface PlacedWrite extends RuleWrite {
  /** `null`: the rule keeps its position, or goes. */
  readonly place: RulePlace | null;
  /** The rules of the writes before it without which it would leave the zone weaker than both before and after the plan. */
  readonly waitsFor: readonly Entry[];
}

/** The effect of a move past other rules; `isFirst`: the rule comes to stand before them. */
type EffectOfMove = (target: RuleState, passed: readonly Entry[], isFirst: boolean) => Effect;

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
export function inSafeOrder(
  lists: RuleLists,
  writes: readonly RuleWrite[],
  quota: number,
  effectOfMove: EffectOfMove,
): readonly PlacedWrite[] {
  const { before, after, stays } = lists;
  const gaps = gapsOf(after, stays);
  const wasAt = new Map(before.map((rule, index) => [rule, index]));
  const placeOf = ({ live }: Entry): number =>
    live === undefined ? before.length : (wasAt.get(live) ?? before.length);
  const turns = writes.map((planned): Turn => {
    const { entry, change } = planned;
    const [previous, next] = gaps.get(entry) ?? [undefined, undefined];
    const isUp = next !== undefined && placeOf(next) < placeOf(entry);
    const isMoved = change.verb === "update" && !stays.has(entry);
    return {
      ...planned,
      isSkip: isSkip(entry),
      moves: isMoved ? (isUp ? "up" : "down") : undefined,
      wasAt: placeOf(entry),
      low: previous === undefined ? -1 : placeOf(previous),
      high: next === undefined ? before.length : placeOf(next),
      isAt: after.indexOf(entry),
    };
  });
  const ranked = turns
    .map((each) => ({ each, rank: rankOf(each) }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ each }) => each);
  const ordered = withRoom(lossesLast(ranked), before.length, quota);
  const waits = waitsAmong(ordered);
  const list = new LiveList(lists, effectOfMove);
  const settled = new Set(stays);
  return ordered.map(({ entry, change, moves, isAt }) => {
    const waitsFor = waits.get(entry) ?? [];
    if (change.verb === "delete") {
      list.delete(entry);
      return { entry, change, place: null, waitsFor };
    }
    if (change.verb === "update" && moves === undefined) {
      list.write(entry);
      return { entry, change, place: null, waitsFor };
    }
    const { place, previous } = placeIn(after, isAt, settled, stays);
    settled.add(entry);
    return { entry, change: list.put(entry, previous, change), place, waitsFor };
  });
}

/** What decides when a write has its turn: places are indices in the live list. */
interface Turn extends RuleWrite {
  readonly isSkip: boolean;
  /** `undefined`: it stays where it is, comes or goes. */
  readonly moves: "up" | "down" | undefined;
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

/** Whether a rule is enabled before the plan and after it. */
function staysEnabled({ live, match }: Entry): boolean {
  return live?.enabled === true && match?.target.enabled === true;
}

function rankOf(planned: Turn): number {
  const { entry, change, moves, isSkip: isException } = planned;
  const strictness = isException ? 0 : strictnessOf(entry);
  const isMove = moves !== undefined && staysEnabled(entry);
  const turn = !isMove ? 0 : moves === "up" ? -strictness : strictness;
  const moved = !isMove ? neutral : (moves === "up") === isException ? looser : tighter;
  const rank = safetyRank(change.verb, combine([change.effect, moved]));
  return turn * 1_000 + rank + (isException ? 0 : delayOf(planned));
}

/** Of two rules that are lost, the stricter one goes last: the other one may decide before a rule that comes. */
function delayOf({ change, entry: { live } }: RuleWrite): number {
  const isLost = change.effect.direction === "weakens" && live !== undefined;
  return isLost ? 10 * severityOf(live.action) : 0;
}

/** The writes with each rule that stays where it is and weakens behind the moves down that may make up for it. */
function lossesLast(ranked: readonly Turn[]): readonly Turn[] {
  const covers = ranked.filter((each) => each.moves === "down" && isCover(each));
  const losses = ranked.filter(
    (each) =>
      each.moves === undefined && isAbandoned(each) && each.change.effect.direction === "weakens",
  );
  const meet = meetingAmong(covers, losses);
  const turnOf = turnsOf(ranked);
  const late = Map.groupBy(losses, (loss) =>
    covers.findLast((cover) => turnOf(loss) < turnOf(cover) && meet(cover.entry, loss.entry)),
  );
  const inTurn = new Set(ranked).difference(
    new Set(covers.flatMap((each) => late.get(each) ?? [])),
  );
  return [...inTurn].flatMap((each) => [each, ...(late.get(each) ?? [])]);
}

/** The number of rules when the last of those that come is there, if it is the largest; 0 if none comes. */
export function mostRules(count: number, writes: readonly Pick<RuleWrite, "change">[]): number {
  let [now, most] = [count, 0];
  for (const { change } of writes) {
    if (change.verb === "delete") now -= 1;
    if (change.verb === "create") most = Math.max(most, (now += 1));
  }
  return most;
}

/** The writes with as many deletes at the start as the quota needs; as they are where that is not enough. */
function withRoom(ordered: readonly Turn[], count: number, quota: number): readonly Turn[] {
  if (mostRules(count, ordered) <= quota) return ordered;
  const deletes = ordered.filter(
    (each) => each.change.verb === "delete" && mayGoFirst(each, ordered),
  );
  const isLost = ({ change }: Turn): number => Number(isLoss(change.effect));
  const first = new Set<Turn>();
  for (const each of deletes.toSorted((a, b) => isLost(a) - isLost(b))) {
    first.add(each);
    const order = [...first, ...ordered.filter((other) => !first.has(other))];
    if (mostRules(count, order) <= quota) return order;
  }
  return ordered;
}

function isGain({ direction }: Effect): boolean {
  return direction === "strengthens" || direction === "unclear";
}

function isLoss({ direction }: Effect): boolean {
  return direction === "weakens" || direction === "unclear";
}

/** Whether a rule can be deleted before all other writes: it protects no requests that another one is to protect instead. */
function mayGoFirst({ entry, change }: Turn, all: readonly Turn[]): boolean {
  if (!isLoss(change.effect)) return true;
  const gains = all.filter(
    (each) => each.entry !== entry && (each.moves !== undefined || isGain(each.change.effect)),
  );
  if (gains.length > maxGains) return false;
  return gains.every(({ entry: other }) => {
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

/** For each rule those of the writes before it without which it must not be sent, since the service may refuse them. */
function waitsAmong(ordered: readonly Turn[]): ReadonlyMap<Entry, readonly Entry[]> {
  const skips = ordered.filter(
    ({ isSkip: is, entry: { live, match } }) =>
      is && (live?.enabled === true || match?.target.enabled === true),
  );
  const others = ordered.filter(
    ({ isSkip: is, moves, entry }) => !is && moves !== undefined && staysEnabled(entry),
  );
  const waits = new Map<Entry, Entry[]>();
  const wait = (later: RuleWrite, first: RuleWrite): void => {
    const known = waits.get(later.entry);
    if (known === undefined) waits.set(later.entry, [first.entry]);
    else known.push(first.entry);
  };
  for (const skip of skips) {
    for (const other of others) {
      if (other.moves === "up" && wouldSpareTooEarly(skip, other)) wait(skip, other);
      if (other.moves === "down" && wouldMoveTooEarly(skip, other)) wait(other, skip);
    }
  }
  const taken = takeOversAmong(ordered);
  for (const [loss, gains] of taken) gains.forEach((gain) => wait(loss, gain));
  const gains = new Set([...taken.values()].flat());
  for (const skip of skips) {
    if (skip.change.effect.direction === "weakens") gains.forEach((gain) => wait(skip, gain));
  }
  return waits;
}

/** So many pairs of rules are compared: of more it is assumed that they may select the same requests. */
const maxPairs = 2_500;

/** For each write by which a rule gives up requests, the writes before it by which others may come to act on them. */
function takeOversAmong(
  ordered: readonly RuleWrite[],
): ReadonlyMap<RuleWrite, readonly RuleWrite[]> {
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
function isCover({ entry: { match }, change }: RuleWrite): boolean {
  return match?.target.enabled === true && acts(match.target.action) && isGain(change.effect);
}

/** Whether a rule gives up requests. */
function isAbandoned({ entry: { live }, change }: RuleWrite): boolean {
  return live?.enabled === true && acts(live.action) && isLoss(change.effect);
}

/** Whether a rule acts against requests, by itself or by the rules of a ruleset that it executes. */
function acts({ type }: RuleAction): boolean {
  return type === "mitigate" || type === "execute";
}

/** The turns of writes that are in their order. */
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
function wouldSpareTooEarly(skip: Turn, other: Turn): boolean {
  const { verb, fields } = skip.change;
  if (verb === "delete" || skip.isAt < other.isAt) return false;
  const isMoved = verb === "create" || skip.moves !== undefined;
  const lands = isMoved ? skip.low : skip.wasAt;
  const didSpare = verb === "update" && skip.wasAt < other.wasAt && fields.length === 0;
  return lands < other.wasAt && !didSpare;
}

/** Whether a rule that moves down, written first, comes behind an exception as it was, which does not spare it yet. */
function wouldMoveTooEarly(skip: Turn, other: Turn): boolean {
  const { verb, fields } = skip.change;
  if (verb === "create" || skip.wasAt < other.wasAt || skip.wasAt >= other.high) return false;
  if (verb === "delete") return true;
  return skip.isAt < other.isAt ? fields.length > 0 : skip.moves !== undefined;
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

  /** Puts an entry behind another one, or first. Gives its change, with the move of one that was in the list. */
  put(entry: Entry, previous: Entry | undefined, change: Change): Change {
    const from = this.#entries.indexOf(entry);
    this.#written.add(entry);
    if (from < 0) {
      this.#entries.splice(this.#indexAfter(previous), 0, entry);
      return change;
    }
    const old = [...this.#entries];
    this.#entries.splice(from, 1);
    const to = this.#indexAfter(previous);
    this.#entries.splice(to, 0, entry);
    const passed = from < to ? old.slice(from + 1, to + 1) : old.slice(to, from);
    const move = {
      field: "position",
      before: this.#placeOf(entry, old),
      after: this.#placeOf(entry, this.#entries),
    };
    const effect = combine([change.effect, this.#effectOf(entry, passed, to < from)]);
    return { ...change, fields: [...change.fields, move], effect };
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
