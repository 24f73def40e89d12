/** Why a plan or a revision is held. Stable: reports, metrics and tests rely on these. */
export const holdReasons = [
  "too_many_deletes",
  "too_many_updates",
  "weakening",
  "unsafe_order",
  "already_deployed",
  "adopted_delete",
  "blocks_in_use",
  "contended",
  "fleet_change",
  "quota",
  "undeclared",
  "observe",
  "suspend",
  "freeze",
] as const;

export type HoldReason = (typeof holdReasons)[number];

/** A reason not to apply a plan. The message says what was found, the limit, and how to release it. */
export interface Hold {
  readonly reason: HoldReason;
  readonly message: string;
}

/** A share as a rounded percentage: `31.7 %`. */
export function percent(share: number, decimals = 1): string {
  return `${Number((share * 100).toFixed(decimals))} %`;
}

/** A share that exceeds its limit, with enough decimals to differ from the limit. */
export function percentOver(limit: number, share: number): string {
  const decimals = [1, 2, 3].find((each) => percent(share, each) !== percent(limit, each));
  return percent(share, decimals ?? 4);
}
