import {
  type LivePolicy,
  type LiveRule,
  type LiveZone,
  rulesIn,
} from "../../src/zone/live-zone.ts";
import { markOfRef, unmarked } from "../../src/zone/mark.ts";
import type { Pair } from "./arbitrary-zones.ts";
import { owner } from "./model.ts";

/** The rules of a zone's entry point; none where there is none. */
export function rulesOf({ entrypoints }: LiveZone): readonly LiveRule[] {
  return rulesIn(entrypoints.managed_rules);
}

/** Policies that no declaration of the pair can be meant to touch. */
export function foreignPolicies({ desired, live }: Pair): readonly LivePolicy[] {
  const { policies } = desired.content;
  const words = new Set(policies?.items.map(({ description }) => description));
  return (live.policies ?? []).filter(({ description }) => {
    const mark = unmarked(description);
    if (mark.owner !== undefined) return mark.owner !== owner;
    return policies?.unmanaged !== "delete" && !words.has(description);
  });
}

/** Rules that no declaration of the pair can be meant to touch. */
export function foreignRules({ desired, live }: Pair): readonly LiveRule[] {
  return rulesOf(live).filter(({ ref, action: does }) => {
    const mark = markOfRef(ref).owner;
    if (mark !== undefined) return mark !== owner;
    return desired.content.rules.managed_rules?.unmanaged !== "delete" && does.type === "other";
  });
}
