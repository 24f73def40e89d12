import { compareExpressions } from "../../syntax/expression/certainty/certainty.ts";
import type { LivePolicy } from "../../zone/live-zone.ts";
import { unmarked } from "../../zone/mark.ts";
import type { Policy } from "../../zone/resource.ts";
import type { PolicyMatch } from "./policy-match.ts";

const doubles = "would double the live policy";

/**
 * A note for each declared policy that has no live match, and would double a live one without a mark: a policy without a
 * mark is only found by its description (SERVICE.md A.6), so that one with another description is left alone.
 *
 * @param left the live policies that stay and that no declared one matches. Each is named at most once.
 */
export function twinNotes(
  matches: readonly PolicyMatch[],
  left: readonly LivePolicy[],
): readonly string[] {
  const free = new Set(left.filter(({ description }) => unmarked(description).owner === undefined));
  return matches.flatMap(({ policy, live }) => {
    if (live !== undefined) return [];
    const twins = [...free].filter((each) => isTwin(policy, each));
    const twin = twins.find(({ action }) => action === policy.action) ?? twins[0];
    if (twin === undefined) return [];
    free.delete(twin);
    return [noteOf(policy, twin)];
  });
}

/** Whether a note is one of {@link twinNotes}. */
export function isTwinNote(note: string): boolean {
  return note.includes(doubles);
}

function isTwin(policy: Policy, { expression, value }: LivePolicy): boolean {
  return value === policy.value && compareExpressions(policy.expression, expression) === "equal";
}

function noteOf({ key, description: wanted }: Policy, { id, description }: LivePolicy): string {
  const what = `policy/${key} ${doubles} ${id} ${quoted(description)}, which has the same expression and value, and stays`;
  if (description !== "") {
    return `${what}; to have one policy, write back the description ${quoted(description)}, run zonewarden adopt, and change it then`;
  }
  return `${what}; to have one policy, give ${id} the description ${quoted(wanted || key)} at the service${wanted === "" ? " and in the file" : ""}, and run zonewarden adopt`;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
