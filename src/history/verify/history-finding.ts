import type { Seal } from "../chain/history-chain.ts";

/** Why a history is not what the program wrote. */
const flawCodes = [
  "changed",
  "no_hash",
  "removed",
  "inserted",
  "reordered",
  "missing_start",
  "other_history",
  "missing_between",
  "diverges",
  "empty",
  "wrong_signature",
  "not_signed",
  "head_missing",
] as const;

type FlawCode = (typeof flawCodes)[number];

/** What a reader of the result must know, although no line was changed. */
type RemarkCode =
  | "dropped"
  | "not_covered"
  | "torn"
  | "clock"
  | "overlap"
  | "head"
  | "signed"
  | "not_checked";

/** One thing that was found, and where. */
export interface Finding<Code extends string = FlawCode | RemarkCode> {
  readonly file: string;
  /** Counted from 1 in the file; 0: the file as a whole. */
  readonly line: number;
  readonly code: Code;
  readonly message: string;
}

/** A finding in a file that is known. */
export type FoundInFile = Omit<Finding, "file">;

/** Whether a finding says that the history is not what the program wrote. */
export function isFlaw({ code }: Pick<Finding, "code">): boolean {
  return flawCodes.some((known) => known === code);
}

/** A line of the chain: its place in the file and its seal. */
export interface PlacedSeal extends Seal {
  readonly line: number;
  /** Whether its signature was made with the key; without a key, none is known to be. */
  readonly isSigned: boolean;
}
