import type { Refusal, RefusalCode } from "../../plan/guard/hold.ts";

/** When what time alone ends is over, by the refusal that tells of it; `undefined`: it takes more than time. */
export type Ends = Readonly<
  Record<Extract<RefusalCode, "CONTENDED" | "FROZEN" | "SUSPENDED">, () => Date | undefined>
>;

/**
 * When all that holds a plan is over by itself; `undefined` where somebody has to do something, or nothing holds it.
 *
 * What ends first may leave a hold that has begun meanwhile: whoever looks then is told the next moment.
 */
export function endOfHold(refusals: readonly Refusal[], ends: Ends): Date | undefined {
  const moments = refusals.map(({ code }) => (isOfTime(code, ends) ? ends[code]() : undefined));
  const known = moments.filter((moment) => moment !== undefined);
  if (known.length < refusals.length) return undefined;
  return known.toSorted((a, b) => Number(b) - Number(a))[0];
}

function isOfTime(code: RefusalCode, ends: Ends): code is keyof Ends {
  return code in ends;
}
