import { causesIn, causesOf } from "../plan/cause/cause.ts";
import { type Cause, causes, type Change } from "../plan/change.ts";
import type { Impact } from "../state/drift.ts";

/** Causes in words: `drift and pending`, `cause unknown`; "" for none. */
export function causeWords(found: readonly Cause[]): string {
  return causes
    .filter((cause) => found.includes(cause))
    .map((cause) => (cause === "unknown" ? "cause unknown" : cause))
    .join(" and ");
}

/**
 * Why a change is needed, where not all changes of its plan have the same cause. A change with several causes has the
 * fields that each explains: `drift: action; pending: expression`.
 */
export function causeRemark(change: Change, changes: readonly Change[]): string {
  if (causesIn(changes).length < 2) return "";
  const found = causesOf(change);
  if (found.length === 1 || change.verb !== "update") return causeWords(found);
  return change.causes
    .map(({ cause, fields }) => `${causeWords([cause])}: ${fields.join(", ")}`)
    .join("; ");
}

/** What drift did to the protection, in words. */
export const driftWords = {
  weakens: "somebody lowered the protection",
  neutral: "somebody changed the zone",
  strengthens: "somebody raised the protection",
} as const satisfies Readonly<Record<Impact, string>>;
