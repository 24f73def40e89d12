import type { Direction } from "./change.ts";
import type { CountedEffect, LiveSince, Uncounted } from "./measured-effect.ts";

/** What a resource does to requests; `off`: it does not act, and nothing of it is counted. */
export type Act = CountedEffect["before"] | "off";

/** Acts in order. Those of `mixed` cannot be compared with others. */
const ranks: Readonly<Record<Act, number>> = { off: 0, log: 0, challenge: 1, block: 2, mixed: 3 };

/**
 * What counts can say of a change; `undefined`: it does nothing to requests.
 *
 * @param reach what it would do if both sides blocked: `strengthens` where it acts on more requests.
 */
export function countedEffect(
  was: Act,
  is: Act,
  reach: Direction,
  since: LiveSince,
): CountedEffect | Uncounted | undefined {
  const [from, to] = [ranks[was], ranks[is]];
  if (from === 0 && to === 0) return undefined;
  if (was === "off") return { why: "it is off, and then nothing is counted" };
  const all = { before: was, extent: "all", since } as const;
  if (to === 0) return { ...all, after: "pass" };
  if (from === to) return ofReach({ ...all, after: "pass" }, reach);
  if (was === "mixed" || is === "mixed") {
    return { why: "its rules act in different ways, and are counted together" };
  }
  if (to < from) return { ...all, after: "challenge" };
  if (reach === "unclear") return { why: "it would act on other requests, which are not counted" };
  const extents = { neutral: "all", weakens: "some", strengthens: "more" } as const;
  return { ...all, after: to === ranks.block ? "block" : "challenge", extent: extents[reach] };
}

/** The same act on other requests. */
function ofReach(effect: CountedEffect, reach: Direction): CountedEffect | Uncounted | undefined {
  if (reach === "neutral") return undefined;
  if (reach === "weakens") return { ...effect, extent: "some" };
  return { why: "what it would act on beside is not counted" };
}
