import type { Hold } from "../plan/guard/hold.ts";
import type { Diagnostic } from "../zone/diagnostic.ts";

/** What came of one reading of the files: `refused` is a state of the files that a guard did not let in. */
export const loadResults = ["applied", "unchanged", "invalid", "held"] as const;

/** One of {@link loadResults}. */
export type LoadResult = (typeof loadResults)[number];

/** A revision of the files that a guard holds, while the one before it stays in force. */
export interface HeldRevision {
  readonly revision: string;
  /** Hash of its content, hexadecimal. */
  readonly hash: string;
  readonly hold: Hold;
  /** Zones in force that it would change or drop. */
  readonly zones: number;
}

/** One reading of the files with the desired state. */
export interface LoadReport {
  readonly result: LoadResult;
  /** Where the files are, as the configuration says it. */
  readonly source: string;
  /** Revision in force after this reading: the Git commit where there is one, else the content's hash. */
  readonly revision: string;
  /** Hash of the content in force, hexadecimal. */
  readonly hash: string;
  /** What was read and is not followed; `undefined` unless the result is `refused`. */
  readonly held: HeldRevision | undefined;
  /** Everything that is wrong in the files now. */
  readonly diagnostics: readonly Diagnostic[];
  /** Zones declared after this reading. */
  readonly zones: number;
  readonly at: Date;
}

/** Whether the files as they lie there are what is in force. One broken file among many is enough to say no. */
export function isLoaded(load: LoadReport): boolean {
  return (
    (load.result === "applied" || load.result === "unchanged") &&
    load.diagnostics.every(({ severity }) => severity !== "error")
  );
}
