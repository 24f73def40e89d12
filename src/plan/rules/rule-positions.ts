import { canonicalJson } from "../../syntax/json.ts";
import type { LiveRule } from "../../zone/live-zone.ts";
import type { RulePosition } from "../../zone/resource.ts";
import type { RuleMatch } from "./rule-match.ts";

/** An entry in the desired list of rules: an undeclared live rule that stays as it is, or a declared rule. */
export type Entry =
  | { readonly live: LiveRule; readonly match: undefined }
  | { readonly live: LiveRule | undefined; readonly match: RuleMatch };

/**
 * Arranges the desired list of rules.
 *
 * Undeclared rules keep their places, and so do declared ones of which the place fits: the position that a rule declares, and
 * the order of the rules that declare the same. The others go after the declared rule before them, else before the one after
 * them. Without either, a rule goes where its position says; one without a position goes last, and an exception first, since
 * it acts on later rules only (SERVICE.md B.4).
 */
export function arrange(
  live: readonly LiveRule[],
  matches: readonly RuleMatch[],
  toPrune: ReadonlySet<LiveRule>,
): readonly Entry[] {
  const byLive = new Map(matches.map((match) => [match.live, match]));
  const entries = live
    .filter((rule) => !toPrune.has(rule))
    .map((rule): Entry => ({ live: rule, match: byLive.get(rule) }));
  const groups = Map.groupBy(matches, ({ rule }) => canonicalJson(rule.position ?? null));
  for (const group of inOrderOfNames([...groups.values()])) placeGroup(group, entries);
  return entries;
}

/** Groups of rules with the same position, each after the group of the rule of ours that its position names. */
function inOrderOfNames(
  groups: readonly (readonly RuleMatch[])[],
): readonly (readonly RuleMatch[])[] {
  const waiting = groups.toSorted((a, b) => rankOf(a) - rankOf(b));
  const ordered: (readonly RuleMatch[])[] = [];
  while (waiting.length > 0) {
    const isFree = (group: readonly RuleMatch[]): boolean => {
      const name = namedBy(group[0]?.rule.position);
      return name === undefined || !waiting.flat().some(({ rule }) => rule.key === name);
    };
    ordered.push(...waiting.splice(Math.max(waiting.findIndex(isFree), 0), 1));
  }
  return ordered;
}

/** Rules without a position come first: the others go around them. */
function rankOf([match]: readonly RuleMatch[]): number {
  return match?.rule.position === undefined ? 0 : 1;
}

/** A declared rule, and the rule that its position names. */
export interface UnknownPosition {
  readonly key: string;
  readonly name: string;
}

/** The positions that name a rule which is neither live nor declared. */
export function unknownPositions(
  live: readonly LiveRule[],
  matches: readonly RuleMatch[],
): readonly UnknownPosition[] {
  return matches.flatMap((match) => {
    const name = namedBy(match.rule.position);
    const isKnown =
      name === undefined ||
      live.some((rule) => rule !== match.live && [rule.id, rule.ref].includes(name)) ||
      matches.some((other) => other !== match && other.rule.key === name);
    return isKnown ? [] : [{ key: match.rule.key, name }];
  });
}

/** Places the rules that declare the same position in the list. */
function placeGroup(group: readonly RuleMatch[], entries: Entry[]): void {
  const order = new Map(group.map((match, index) => [match, index]));
  const places = new Map(entries.map(({ match }, index) => [match, index]));
  const position = group[0]?.rule.position;
  const limits = limitsOf(position, entries);
  const fitting = group.flatMap((match) => {
    const at = places.get(match);
    return at !== undefined && limits.low < at && at < limits.high ? [{ item: match, at }] : [];
  });
  const stays = new Set(longestRising(fitting));
  const moved = entries.filter(({ match }) => match && order.has(match) && !stays.has(match));
  for (const entry of moved) entries.splice(entries.indexOf(entry), 1);
  const orderOf = ({ match }: Entry): number => (match && order.get(match)) ?? -1;
  group.forEach((match, index) => {
    if (stays.has(match)) return;
    const before = entries.findLastIndex((each) => orderOf(each) >= 0 && orderOf(each) < index);
    const after = entries.findIndex((each) => orderOf(each) > index);
    const at = before >= 0 ? before + 1 : after >= 0 ? after : firstPlace(match, position, entries);
    entries.splice(at, 0, { live: match.live, match });
  });
}

/** Where a rule goes that nothing else of its group is placed by. */
function firstPlace(
  { target }: RuleMatch,
  position: RulePosition | undefined,
  entries: readonly Entry[],
): number {
  if (position === "first") return 0;
  if (position === "last") return entries.length;
  if (position === undefined) return target.action.type === "skip" ? 0 : entries.length;
  const { low, high } = limitsOf(position, entries);
  return "before" in position ? high : low + 1;
}

/** The indices between which a position lies. */
function limitsOf(
  position: RulePosition | undefined,
  entries: readonly Entry[],
): { readonly low: number; readonly high: number } {
  const isForeign = ({ match }: Entry): boolean => match === undefined;
  const all = { low: -1, high: entries.length };
  if (position === undefined) return all;
  if (position === "last") return { ...all, low: entries.findLastIndex(isForeign) };
  const name = namedBy(position);
  const found = entries.findIndex(
    (entry) => isForeign(entry) && (name === undefined || isNamed(entry, name)),
  );
  const at = found < 0 ? entries.findIndex(({ match }) => match?.rule.key === name) : found;
  if (at < 0) return all;
  return typeof position === "object" && "after" in position
    ? { ...all, low: at }
    : { ...all, high: at };
}

function namedBy(position: RulePosition | undefined): string | undefined {
  if (typeof position !== "object") return undefined;
  return "before" in position ? position.before : position.after;
}

function isNamed({ live }: Entry, name: string): boolean {
  return live?.id === name || live?.ref === name;
}

/** The longest subsequence with rising places; of several the one with the first items. */
export function longestRising<Item>(
  list: readonly { readonly item: Item; readonly at: number }[],
): readonly Item[] {
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
