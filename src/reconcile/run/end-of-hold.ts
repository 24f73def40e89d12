import type { Hold, HoldReason } from "../../plan/guard/hold.ts";

/** When what time alone ends is over, by the refusal that tells of it; `undefined`: it takes more than time. */
export type Ends = Readonly<
  Record<Extract<HoldReason, "contended" | "freeze" | "suspend">, () => Date | undefined>
>;

/**
 * When all that holds a plan is over by itself; `undefined` where somebody has to do something, or nothing holds it.
 *
 * What ends first may leave a hold that has begun meanwhile: whoever looks then is told the next moment.
 */
export function endOfHold(holds: readonly Hold[], ends: Ends): Date | undefined {
  const moments = holds.map(({ reason }) => (isOfTime(reason, ends) ? ends[reason]() : undefined));
  const known = moments.filter((moment) => moment !== undefined);
  if (known.length < holds.length) return undefined;
  return known.toSorted((a, b) => Number(b) - Number(a))[0];
}

function isOfTime(reason: HoldReason, ends: Ends): reason is keyof Ends {
  return reason in ends;
}
