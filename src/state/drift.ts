import { causesOf } from "../plan/cause/cause.ts";
import type { Change, Direction } from "../plan/change.ts";
import { type Kind, ofEachKind } from "../zone/resource.ts";
import { addCounts } from "./add-counts.ts";

/** What drift does to the protection of the zone. */
export const impacts = ["weakens", "neutral", "strengthens"] as const;

export type Impact = (typeof impacts)[number];

export type ByKind = Readonly<Record<Kind, number>>;

export type DriftCounts = Readonly<Record<Kind, Readonly<Record<Impact, number>>>>;

/**
 * The impact of the drift that a change corrects: a change that strengthens corrects a weaker protection. `unclear`
 * counts as `weakens`: a needless page costs less than an unnoticed loss of protection. So does a change that applies a
 * new declaration too, unless it is neutral: what its drift alone does is not known.
 */
export function impactOf(change: Pick<Change, "effect" | "causes">): Impact {
  const { direction } = change.effect;
  if (causesOf(change).length > 1) return direction === "neutral" ? "neutral" : "weakens";
  return impactOfDirection(direction);
}

function impactOfDirection(direction: Direction): Impact {
  switch (direction) {
    case "strengthens":
    case "unclear":
      return "weakens";
    case "weakens":
      return "strengthens";
    case "neutral":
      return "neutral";
  }
}

/** The changes that correct a weaker protection. */
export function weakeningOf(drift: readonly Change[]): readonly Change[] {
  return drift.filter((change) => impactOf(change) === "weakens");
}

export function driftIn(changes: readonly Change[]): DriftCounts {
  const counts = ofEachKind(noImpact);
  for (const change of changes) counts[change.kind][impactOf(change)] += 1;
  return counts;
}

function noImpact(): Record<Impact, number> {
  return { weakens: 0, neutral: 0, strengthens: 0 };
}

export function countByKind(resources: readonly { readonly kind: Kind }[]): ByKind {
  return addCounts(
    none,
    resources.map(({ kind }) => kind),
  );
}

const none: ByKind = ofEachKind(() => 0);

/** Whether a resource drifted now and not before. */
export function hasNewDrift(before: readonly Change[], now: readonly Change[]): boolean {
  const known = new Set(before.map(({ key }) => key));
  return now.some(({ key }) => !known.has(key));
}
