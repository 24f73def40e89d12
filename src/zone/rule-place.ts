/** A position of a rule, as the service takes it (SERVICE.md B.4): before "" is first, after "" is last. */
export type Position = { readonly before: string } | { readonly after: string };

/**
 * Where a rule goes in its ruleset, by the refs of other rules: a rule that an earlier write creates has no id yet. It stands
 * between two rules that no write of the plan moves.
 */
export type RulePlace = {
  /** The last rule before it that stays where it is; "": none. */
  readonly after: string;
  /** The rules between that one and it which earlier writes put there, nearest first. */
  readonly behind: readonly string[];
  /** The first rule after it that stays where it is; "": none. */
  readonly before: string;
};

/** The rule that comes directly before the place when all earlier writes are done; "": none. */
export function neighborOf({ behind: [nearest], after }: RulePlace): string {
  return nearest ?? after;
}

/**
 * The position that a place has in a live list of rules. A rule of `behind` counts only between the two that stay: elsewhere
 * its write was not done. `undefined`: the rules around the place are gone.
 */
export function positionIn(
  place: RulePlace,
  rules: readonly { readonly id: string; readonly ref: string }[],
): Position | undefined {
  const { low, high } = gapIn(place, rules);
  const candidates = place.behind.map((ref) => rules.findIndex((rule) => rule.ref === ref));
  const at = candidates.find((index) => low < index && index < high) ?? low;
  const previous = rules[at];
  if (previous !== undefined) return { after: previous.id };
  if (place.after === "") return { before: "" };
  const next = rules[high];
  if (next !== undefined) return { before: next.id };
  return place.before === "" ? { after: "" } : undefined;
}

/** Whether a rule stands where a place is, or further back with others of its gap before it. */
export function isInPlace(
  place: RulePlace,
  index: number,
  rules: readonly { readonly ref: string }[],
): boolean {
  const { low, high } = gapIn(place, rules);
  const isBehind = place.behind.every((ref) => rules.findIndex((each) => each.ref === ref) < index);
  return low < index && index < high && isBehind;
}

/** The indices of the two rules that stay: -1 and the length of the list where there is none. */
function gapIn(
  { after, before }: RulePlace,
  rules: readonly { readonly ref: string }[],
): { readonly low: number; readonly high: number } {
  const low = after === "" ? -1 : rules.findIndex(({ ref }) => ref === after);
  const high = before === "" ? -1 : rules.findIndex(({ ref }) => ref === before);
  return { low, high: high < 0 ? rules.length : high };
}
