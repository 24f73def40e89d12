/** Why a plan must not be carried out. Stable: reports, metrics and tests hold on to these. */
export const refusalCodes = [
  "TOO_MANY_DELETES",
  "TOO_MANY_UPDATES",
  "WEAKENING",
  "GAP",
  "TAKEN",
  "BLOCKS_SEEN",
  "CONTENDED",
  "FLEET_CHANGE",
  "QUOTA",
  "UNDECLARED",
  "OBSERVED",
  "SUSPENDED",
  "FROZEN",
] as const;

/** One of {@link refusalCodes}. */
export type RefusalCode = (typeof refusalCodes)[number];

/** A guard's answer: what was found, the limit, and how to allow it, in words with numbers. */
export interface Refusal {
  readonly code: RefusalCode;
  readonly message: string;
}
