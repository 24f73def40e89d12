import type { Change, Direction } from "../plan/change.ts";
import { kinds, type Kind } from "../zone/resource.ts";

/** What a live state that left the declared one means for the protection of its zone. */
export const impacts = ["weakens", "neutral", "strengthens"] as const;

export type Impact = (typeof impacts)[number];

/** A number for each kind of managed things. */
export type ByKind = Readonly<Record<Kind, number>>;

/** Drifted things by kind and impact. */
export type DriftCounts = Readonly<Record<Kind, Readonly<Record<Impact, number>>>>;

/**
 * The impact of the drift that a change of `direction` corrects: what strengthens a zone corrects a weaker one.
 *
 * `unclear` counts as `weakens`: a page too many costs an engineer minutes, a lost protection that only
 * warns can cost the zone.
 */
export function impactOf(direction: Direction): Impact {
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
  return drift.filter(({ effect }) => impactOf(effect.direction) === "weakens");
}

/** How many things drifted, by kind and impact. */
export function driftIn(changes: readonly Change[]): DriftCounts {
  const counts = { setting: noImpact(), policy: noImpact(), rule: noImpact() };
  for (const { kind, effect } of changes) counts[kind][impactOf(effect.direction)] += 1;
  return counts;
}

function noImpact(): Record<Impact, number> {
  return { weakens: 0, neutral: 0, strengthens: 0 };
}

/** How many of `things` there are of each kind. */
export function countByKind(things: readonly { readonly kind: Kind }[]): ByKind {
  const counts = { setting: 0, policy: 0, rule: 0 };
  for (const { kind } of things) counts[kind] += 1;
  return counts;
}

/** No thing of any kind. */
export const none: ByKind = countByKind([]);

/** Kinds in which a thing drifted that had not drifted before; each is one onset, however many things it concerns. */
export function onsets(before: readonly Change[], now: readonly Change[]): readonly Kind[] {
  const known = new Set(before.map(({ key }) => key));
  const fresh = new Set(now.filter(({ key }) => !known.has(key)).map(({ kind }) => kind));
  return kinds.filter((kind) => fresh.has(kind));
}
