import type { LiveRule } from "../../zone/live-zone.ts";
import {
  type Effect,
  type FieldChange,
  combine,
  neutral,
  strengthens,
  weakens,
} from "../change.ts";
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

/** The place of a rule as a field that differs, counted from 1; `undefined` where it stays among those that stay. */
export function placesOf(
  { live }: DesiredRule,
  before: readonly LiveRule[],
  after: readonly Entry[],
): FieldChange | undefined {
  const kept = new Set(after.map((entry) => entry.live));
  const survivors = before.filter((rule) => kept.has(rule));
  const settled = after.filter((entry) => entry.live !== undefined);
  const was = survivors.findIndex((rule) => rule === live);
  const is = settled.findIndex((entry) => entry.live === live);
  return was === is ? undefined : { field: "position", before: was + 1, after: is + 1 };
}

/** A move matters where an exception changes sides with a rule that it can spare (SERVICE.md B.4). */
export function effectOfMove(
  { form, live }: DesiredRule,
  before: readonly LiveRule[],
  after: readonly Entry[],
): Effect {
  if (!form.enabled || live?.enabled !== true) return neutral;
  const isException = form.does.action === "skip";
  const rank = new Map(after.map((entry, index) => [entry.live, index]));
  const self = { was: before.findIndex((rule) => rule === live), is: rank.get(live) ?? 0 };
  const passed = before
    .map((rule, was) => ({ rule, was, is: rank.get(rule) }))
    .filter(({ rule, is }) => is !== undefined && rule.enabled && isSkip(rule) !== isException)
    .filter(({ was, is = 0 }) => was < self.was !== is < self.is);
  return combine(
    passed.map(({ rule, was }) => {
      const movesForward = was < self.was;
      const title = rule.description === "" ? rule.ref : rule.description;
      return movesForward === isException
        ? weakens(
            isException ? `spares requests from ${title}` : `${title} spares requests from it`,
          )
        : strengthens(`no exception between it and ${title} any more`, true);
    }),
  );
}

function isSkip({ does }: LiveRule): boolean {
  return does.action === "skip";
}
