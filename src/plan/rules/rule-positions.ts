import { canonicalJson } from "../../syntax/json.ts";
import type { LiveRule } from "../../zone/live-zone.ts";
import type { RulePosition } from "../../zone/resource.ts";
import type { RuleMatch } from "./rule-match.ts";

/** An entry in the desired list of rules: an undeclared live rule that stays as it is, or a declared rule. */
export type Entry =
  | { readonly live: LiveRule; readonly match: undefined }
  | { readonly live: LiveRule | undefined; readonly match: RuleMatch };

/** The lists of a phase, before and after the plan. */
export interface RuleLists {
  readonly before: readonly LiveRule[];
  readonly after: readonly Entry[];
  /**
   * The rules of `after` that keep their places: all foreign rules, and of ours as many as possible. Of several such sets it
   * is the one with the rules that are declared first: so a plan that was carried out in part goes on in the same way.
   */
  readonly stays: ReadonlySet<Entry>;
}

/** A declared rule whose position cannot be, and why. */
interface Unplaced {
  readonly key: string;
  readonly why: string;
}

/**
 * Arranges the desired list of rules.
 *
 * Foreign rules keep their places. Declared rules have the order of their list, and each stands where its position says. As
 * few of them as possible move: such a rule goes beside its declared neighbor with the same position, else as near as
 * possible to where it is. A new rule without such a neighbor goes to the start or end of what its position leaves open; one
 * without a position to the end, and an exception to the start, since it acts on later rules only (SERVICE.md B.4).
 */
export function arrange(
  before: readonly LiveRule[],
  matches: readonly RuleMatch[],
  toPrune: ReadonlySet<LiveRule>,
): RuleLists & {
  readonly unplaced: readonly Unplaced[];
  /** By the keys of live rules that a position makes move: the key of the rule that has this position. */
  readonly placedBy: ReadonlyMap<string, string>;
} {
  const byLive = new Map(matches.map((match) => [match.live, match]));
  const kept = before.filter((rule) => !toPrune.has(rule));
  const foreign = kept.filter((rule) => !byLive.has(rule));
  const { slots, unplaced } = slotsOf(matches, kept, foreign);
  const fitting = slots.flatMap(({ match, low, high, at, gap }) =>
    at !== undefined && low <= gap && gap <= high ? [{ item: match, at }] : [],
  );
  const staying = new Set(longestRising(fitting));
  const after = kept.flatMap((live): readonly Entry[] => {
    const match = byLive.get(live);
    return match === undefined || staying.has(match) ? [{ live, match }] : [];
  });
  const stays = new Set(after);
  const slotOf = new Map(slots.map((slot) => [slot.match, slot]));
  for (const slot of slots) {
    const { match } = slot;
    if (staying.has(match)) continue;
    const list = after.flatMap((each) => (each.match && slotOf.get(each.match)) ?? each.live ?? []);
    after.splice(placeIn(list, slot, foreign), 0, { live: match.live, match });
  }
  const placedBy = slots.flatMap(({ match, at, gap, low, lowBy, high, highBy }) => {
    const by = gap < low ? lowBy : high < gap ? highBy : undefined;
    return at === undefined || by === undefined ? [] : [[match.rule.key, by.rule.key] as const];
  });
  return { before, after, stays, unplaced, placedBy: new Map(placedBy) };
}

/**
 * A declared rule, and where it may stand: in the gaps from `low` to `high`. A gap is named by the number of foreign rules
 * before it.
 */
interface Slot {
  readonly match: RuleMatch;
  /** Its index in the list of declared rules. */
  readonly order: number;
  /** Equal for rules with the same position. */
  readonly position: string;
  readonly low: number;
  /** The rule of which the position is the reason for `low`. */
  readonly lowBy: RuleMatch | undefined;
  readonly high: number;
  readonly highBy: RuleMatch | undefined;
  /** Where it is in the live list; `undefined` if it is new. */
  readonly at: number | undefined;
  /** The gap in which it is; of a new rule the one in which it goes best. */
  readonly gap: number;
}

/** Where each declared rule may stand, by its position and those of the rules before and after it in the list. */
function slotsOf(
  matches: readonly RuleMatch[],
  kept: readonly LiveRule[],
  foreign: readonly LiveRule[],
): { readonly slots: readonly Slot[]; readonly unplaced: readonly Unplaced[] } {
  const isForeign = new Set(foreign);
  const lives = new Map<LiveRule | undefined, Pick<Slot, "at" | "gap">>();
  let passed = 0;
  for (const [at, rule] of kept.entries()) {
    lives.set(rule, { at, gap: passed });
    if (isForeign.has(rule)) passed += 1;
  }
  const all: Gaps = { low: 0, high: foreign.length };
  const unplaced: Unplaced[] = [];
  let low = 0;
  let lowBy: RuleMatch | undefined;
  const slots = matches.map((match, order): Slot => {
    const allowed = gapsOf(match.rule.position, foreign);
    const why =
      allowed === undefined
        ? whyNotAmongOurs(match, order, matches)
        : allowed.high < low
          ? contradiction(match, lowBy)
          : undefined;
    if (why !== undefined) unplaced.push({ key: match.rule.key, why });
    const gaps = allowed === undefined || why !== undefined ? all : allowed;
    if (gaps.low > low) [low, lowBy] = [gaps.low, match];
    const gap = goesFirst(match) ? 0 : foreign.length;
    const live = lives.get(match.live) ?? { at: undefined, gap };
    const position = canonicalJson(match.rule.position ?? null);
    return { match, order, position, low, lowBy, high: gaps.high, highBy: undefined, ...live };
  });
  let high = foreign.length;
  let highBy: RuleMatch | undefined;
  const backwards = slots.toReversed().map((slot): Slot => {
    if (slot.high < high) [high, highBy] = [slot.high, slot.match];
    return { ...slot, high, highBy };
  });
  return { slots: backwards.toReversed(), unplaced };
}

type Gaps = Pick<Slot, "low" | "high">;

/** The gaps that a position allows; `undefined` if it names no foreign rule. */
function gapsOf(
  position: RulePosition | undefined,
  foreign: readonly LiveRule[],
): Gaps | undefined {
  const high = foreign.length;
  if (position === undefined) return { low: 0, high };
  if (position === "first") return { low: 0, high: 0 };
  if (position === "last") return { low: high, high };
  const name = nameIn(position);
  const named = foreign.findIndex(({ id, ref }) => id === name || ref === name);
  if (named < 0) return undefined;
  return "before" in position ? { low: 0, high: named } : { low: named + 1, high };
}

/** Why a position that names no foreign rule cannot be; `undefined` if it names a rule of ours, on the right side. */
function whyNotAmongOurs(
  { rule: { position } }: RuleMatch,
  order: number,
  matches: readonly RuleMatch[],
): string | undefined {
  if (typeof position !== "object") return undefined;
  const name = nameIn(position);
  const named = matches.findIndex(({ ref, declaredRef, live }) =>
    [ref, declaredRef, live?.id].includes(name),
  );
  const other = matches[named];
  if (other === undefined) {
    return `names ${name}, which is neither the ref or id of a live rule nor a declared key`;
  }
  if ("before" in position ? order < named : named < order) return undefined;
  return `names ${name}, which is "${other.rule.key}", and contradicts the order of the list`;
}

function contradiction({ rule: { position } }: RuleMatch, earlier: RuleMatch | undefined): string {
  const other =
    earlier === undefined ? "" : `"${earlier.rule.key}" (${words(earlier.rule.position)})`;
  return `(${words(position)}) contradicts that of ${other}, which the list has before it`;
}

function nameIn(position: Exclude<RulePosition, string>): string {
  return "before" in position ? position.before : position.after;
}

function words(position: RulePosition | undefined): string {
  if (typeof position !== "object") return position ?? "";
  return `${"before" in position ? "before" : "after"} ${nameIn(position)}`;
}

/** Whether a new rule goes to the start of what is open to it. */
function goesFirst({ rule: { position }, target }: RuleMatch): boolean {
  if (position === undefined) return target.action.type === "skip";
  return position === "first" || (typeof position === "object" && "after" in position);
}

/** The index at which a rule that moves or is new goes into a list, which has all declared rules before it. */
function placeIn(
  list: readonly (Slot | LiveRule)[],
  { order, position, low, high, gap }: Slot,
  foreign: readonly LiveRule[],
): number {
  const isEarlier = (each: Slot | LiveRule): each is Slot => "match" in each && each.order < order;
  const isLater = (each: Slot | LiveRule): each is Slot => "match" in each && each.order > order;
  const orEnd = (index: number): number => (index < 0 ? list.length : index);
  const endOf = (which: number): number => orEnd(list.findIndex((each) => each === foreign[which]));
  const start = low === 0 ? 0 : endOf(low - 1) + 1;
  const first = Math.max(start, list.findLastIndex(isEarlier) + 1);
  const last = Math.min(endOf(high), orEnd(list.findIndex(isLater)));
  const previous = list.findLastIndex((each) => isEarlier(each) && each.position === position);
  const next = list.findIndex((each) => isLater(each) && each.position === position);
  const best = previous >= 0 ? previous + 1 : next >= 0 ? next : endOf(gap);
  return Math.min(Math.max(best, first), last);
}

/** The longest subsequence with rising places; of several the one with the first items. */
function longestRising<Item>(
  list: readonly { readonly item: Item; readonly at: number }[],
): readonly Item[] {
  if (list.every(({ at }, index) => (list[index - 1]?.at ?? -1) < at)) {
    return list.map(({ item }) => item);
  }
  const lengths: number[] = [];
  for (let index = list.length - 1; index >= 0; index -= 1) {
    let longest = 0;
    for (let later = index + 1; later < list.length; later += 1) {
      if ((list[later]?.at ?? 0) > (list[index]?.at ?? 0)) {
        longest = Math.max(longest, lengths[later] ?? 0);
      }
    }
    lengths[index] = longest + 1;
  }
  let missing = Math.max(0, ...lengths);
  let last = -1;
  return list.flatMap(({ item, at }, index) => {
    if (at <= last || lengths[index] !== missing) return [];
    last = at;
    missing -= 1;
    return [item];
  });
}
