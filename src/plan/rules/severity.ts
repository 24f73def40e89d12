import { type Effect, neutral, strengthens, unclear, weakens } from "../change.ts";

/** How severe an action is for a visitor; challenge and js_challenge are equal. */
const severity = new Map<string, number>([
  ["block", 4],
  ["managed_challenge", 3],
  ["js_challenge", 2],
  ["challenge", 2],
  ["log", 1],
]);

/** How severe the action of a rule is for a visitor; 0 if it does nothing by itself, or it is not known. */
export function severityOf(action: { readonly type: string; readonly name?: string }): number {
  return action.type === "mitigate" ? (severity.get(action.name ?? "") ?? 0) : 0;
}

/** The effect of another action. */
export function effectOfSeverity(
  before: string | undefined,
  after: string | undefined,
  name: string,
): Effect {
  if (before === after) return neutral;
  const was = severity.get(before ?? "");
  const is = severity.get(after ?? "");
  const words = `${name} ${before ?? "as the ruleset has it"} → ${after ?? "as the ruleset has it"}`;
  if (was === undefined || is === undefined) return unclear(words, true);
  if (was === is) return neutral;
  return is > was ? strengthens(words, true) : weakens(words);
}

export function effectOfNumber(
  before: number,
  after: number,
  name: string,
  stricter: "higher" | "lower",
): Effect {
  if (before === after) return neutral;
  const words = `${name} ${before} → ${after}`;
  return after > before === (stricter === "higher") ? strengthens(words, true) : weakens(words);
}
