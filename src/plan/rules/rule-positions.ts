import type { LiveRule } from "../../zone/live-zone.ts";
import type { FieldChange } from "../change.ts";
import type { RuleMatch } from "./rule-match.ts";

/** An entry in the desired list of rules: an undeclared live rule that stays as it is, or a declared rule. */
export type Entry =
  | { readonly live: LiveRule; readonly match: undefined }
  | { readonly live: LiveRule | undefined; readonly match: RuleMatch };

/**
 * Arranges the desired list of rules.
 *
 * Undeclared rules keep their places. Declared rules that are live share the places that they occupy, in declared
 * order. A new rule goes after the declared rule before it, else before the declared rule after it. Without either, an
 * exception goes first (it acts on later rules only, SERVICE.md B.4) and any other rule last.
 */
export function arrange(
  live: readonly LiveRule[],
  matches: readonly RuleMatch[],
  toPrune: ReadonlySet<LiveRule>,
): readonly Entry[] {
  const existing = matches.filter((match) => match.live !== undefined);
  const places = new Set(existing.map((match) => match.live));
  const next = existing.values();
  const entries = live
    .filter((rule) => !toPrune.has(rule))
    .map((rule): Entry => {
      const match = places.has(rule) ? next.next().value : undefined;
      return match === undefined ? { live: rule, match } : { live: match.live, match };
    });
  matches.forEach((match, index) => {
    if (match.live !== undefined) return;
    entries.splice(placeFor(match, index, matches, entries), 0, { live: undefined, match });
  });
  return entries;
}

function placeFor(
  { target }: RuleMatch,
  index: number,
  matches: readonly RuleMatch[],
  entries: readonly Entry[],
): number {
  const orderOf = ({ match }: Entry) => matches.findIndex((each) => each === match);
  const before = entries.findLastIndex((entry) => orderOf(entry) >= 0 && orderOf(entry) < index);
  if (before >= 0) return before + 1;
  const after = entries.findIndex((entry) => orderOf(entry) > index);
  if (after >= 0) return after;
  return target.action.type === "skip" ? 0 : entries.length;
}

/** The change of a rule's position, counted from 1; `undefined` if it keeps its place among the rules that stay. */
export function positionChange(
  { live }: RuleMatch,
  before: readonly LiveRule[],
  after: readonly Entry[],
): FieldChange | undefined {
  const kept = new Set(after.map((entry) => entry.live));
  const was = before.filter((rule) => kept.has(rule)).findIndex((rule) => rule === live);
  const is = after
    .filter((entry) => entry.live !== undefined)
    .findIndex((entry) => entry.live === live);
  return was === is ? undefined : { field: "position", before: was + 1, after: is + 1 };
}
