import type { LiveRule } from "../../zone/live-zone.ts";
import type { Effect, FieldChange } from "../change.ts";
import { combine, neutral, strengthens, weakens } from "../effect.ts";
import type { Entry } from "./rule-list.ts";
import type { DesiredRule } from "./rule-match.ts";

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
