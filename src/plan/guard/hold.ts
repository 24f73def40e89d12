/** Why a plan must not be carried out. Stable: reports, metrics and tests hold on to these. */
export const holdReasons = [
  "too_many_deletes",
  "too_many_updates",
  "weakening",
  "unsafe_order",
  "already_deployed",
  "blocks_in_use",
  "contended",
  "fleet_change",
  "quota",
  "undeclared",
  "observe",
  "suspend",
  "freeze",
] as const;

/** One of {@link holdReasons}. */
export type HoldReason = (typeof holdReasons)[number];

/** A guard's answer: what was found, the limit, and how to allow it, in words with numbers. */
export interface Hold {
  readonly reason: HoldReason;
  readonly message: string;
}

/** A share of a whole in percent, rounded: `31.7 %`. */
export function percent(share: number, decimals = 1): string {
  return `${Number((share * 100).toFixed(decimals))} %`;
}

/** A share that is over its limit, with as many decimals as it takes to tell the two apart. */
export function percentOver(limit: number, share: number): string {
  const decimals = [1, 2, 3].find((each) => percent(share, each) !== percent(limit, each));
  return percent(share, decimals ?? 4);
}
