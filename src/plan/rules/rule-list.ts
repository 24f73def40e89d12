import type { LiveRule } from "../../zone/live-zone.ts";
import type { DesiredRule } from "./rule-match.ts";

/** A place in the list of rules as it shall be: a rule that stays as it is, or a declared one. */
export type Entry =
  | { readonly live: LiveRule; readonly wanted: undefined }
  | { readonly live: LiveRule | undefined; readonly wanted: DesiredRule };

/**
 * The list of rules as it shall be.
 *
 * What is not declared keeps its place. Declared rules that are live share out the places they hold, in declared
 * order. A new one goes behind the declared one before it, else in front of the one after it; where it has neither,
 * an exception goes first (it acts on later rules only, SERVICE.md B.4) and anything else last.
 */
export function arrange(
  live: readonly LiveRule[],
  wanted: readonly DesiredRule[],
  doomed: ReadonlySet<LiveRule>,
): readonly Entry[] {
  const matched = wanted.filter((each) => each.live !== undefined);
  const held = new Set(matched.map((each) => each.live));
  const next = matched.values();
  const entries = live
    .filter((rule) => !doomed.has(rule))
    .map((rule): Entry => {
      const each = held.has(rule) ? next.next().value : undefined;
      return each === undefined
        ? { live: rule, wanted: undefined }
        : { live: each.live, wanted: each };
    });
  wanted.forEach((each, index) => {
    if (each.live !== undefined) return;
    entries.splice(placeFor(each, index, wanted, entries), 0, { live: undefined, wanted: each });
  });
  return entries;
}

function placeFor(
  each: DesiredRule,
  index: number,
  wanted: readonly DesiredRule[],
  entries: readonly Entry[],
): number {
  const orderOf = ({ wanted: other }: Entry) => (other === undefined ? -1 : wanted.indexOf(other));
  const before = entries.findLastIndex((entry) => orderOf(entry) >= 0 && orderOf(entry) < index);
  if (before >= 0) return before + 1;
  const after = entries.findIndex((entry) => orderOf(entry) > index);
  if (after >= 0) return after;
  return each.form.does.action === "skip" ? 0 : entries.length;
}
