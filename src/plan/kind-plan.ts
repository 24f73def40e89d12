import type { Kind } from "../zone/resource.ts";
import type { Write } from "../zone/write.ts";
import { type Change, combine } from "./change.ts";
import type { Hold } from "./guard/hold.ts";

/** A live object that is not declared and not ours. It stays. */
export interface Unmanaged {
  readonly kind: Kind;
  readonly id: string;
  /** Its description, or what else tells it apart. */
  readonly title: string;
}

/** What planning one kind gives. */
export interface KindPlan {
  readonly steps: readonly Step[];
  readonly unmanaged: readonly Unmanaged[];
  readonly notes: readonly string[];
  readonly holds: readonly Hold[];
  readonly compared: number;
  /** Whether something live bears our mark. */
  readonly marked: boolean;
}

/** One request, and the changes that it carries out together. */
export interface Step {
  readonly changes: readonly Change[];
  readonly write: Write;
}

// A run can be cut off between any two requests. What strengthens goes first and what weakens last, so that
// whatever was done by then, the zone is no weaker than it was and than it is to be.
const directionOrder = { strengthens: 0, neutral: 1, unclear: 2, weakens: 3 } as const;
const verbOrder = { create: 0, update: 1, delete: 2 } as const;

/** Compares two steps by the order in which they are safe; equal ones keep theirs. */
export function safestFirst(a: Step, b: Step): number {
  return rank(a) - rank(b);
}

function rank({ changes }: Step): number {
  const { direction } = combine(changes.map(({ effect }) => effect));
  const verb = Math.max(...changes.map((change) => verbOrder[change.verb]));
  // What goes, goes last, also a spare one: the one that stays must be as it shall be by then.
  const isLast = verb === verbOrder.delete && direction !== "strengthens";
  return (isLast ? directionOrder.weakens : directionOrder[direction]) * 10 + verb;
}
