import type { Seal } from "../chain/history-chain.ts";

/** Why a history is not what the program wrote. */
export type FlawCode =
  | "changed"
  | "no_hash"
  | "removed"
  | "inserted"
  | "reordered"
  | "missing_start"
  | "other_history"
  | "missing_between"
  | "diverges"
  | "empty"
  | "wrong_signature"
  | "not_signed"
  | "head_missing";

/** What a reader of the result must know, although no line was changed. */
export type RemarkCode =
  | "older_version"
  | "dropped"
  | "not_covered"
  | "torn"
  | "clock"
  | "overlap"
  | "head"
  | "signed"
  | "not_checked";

/** One thing that was found, and where. */
export interface Finding<Code extends string> {
  readonly file: string;
  /** Counted from 1 in the file; 0: the file as a whole. */
  readonly line: number;
  readonly code: Code;
  readonly message: string;
}

/** A flaw of a file that is known. */
export type Flaw = Omit<Finding<FlawCode>, "file">;

/** A remark on a file that is known. */
export type Remark = Omit<Finding<RemarkCode>, "file">;

/** A line of the chain: its place in the file and its seal. */
export interface PlacedSeal extends Seal {
  readonly line: number;
}
