import type { DroppedLines } from "../chain/chain-records.ts";
import type { FoundInFile, PlacedSeal } from "./history-finding.ts";

/** What one line says of the lines that are no longer there. */
export interface ClaimedDrop {
  /** Hash of the line that says it. */
  readonly hash: string;
  readonly dropped: DroppedLines;
}

/** How the lines of a file are believed. */
export interface Belief {
  /** Whether a kept head or a signature covers the line with this hash. Without both, each line is believed. */
  readonly isCovered: (hash: string) => boolean;
  /** Whether an uncovered drop is told as one, since the program may have written it after the head. */
  readonly mayBeNewer: boolean;
}

/**
 * A file begins with its chain, or with the first line that the program has not dropped; everything else is a flaw. Only
 * the last covered drop says which.
 *
 * @param first the first line with a hash.
 */
export function findingsOfBeginning(
  first: PlacedSeal | undefined,
  drops: readonly ClaimedDrop[],
  { isCovered, mayBeNewer }: Belief,
): readonly FoundInFile[] {
  if (first === undefined) return [];
  const covered = drops.findLast(({ hash }) => isCovered(hash));
  const last = drops.at(-1);
  if (isExplained(first, covered)) return remarksOn(first, covered);
  if (mayBeNewer && isExplained(first, last)) {
    const message =
      "what is missing before this line is not covered by the head: the record of it came later. Use a newer head, or --verify-key";
    return [...remarksOn(first, last), { line: first.line, code: "not_covered", message }];
  }
  const until =
    covered === undefined ? "" : `, which dropped lines up to ${covered.dropped.last.n}`;
  const message = `lines up to ${first.n - 1} of the chain are missing, and not because of the program${until}`;
  return [{ line: first.line, code: "missing_start", message }, ...remarksOn(first, covered)];
}

/** Whether a file may begin with a line: that of its chain, or the one after those that the program dropped. */
function isExplained({ prev }: PlacedSeal, drop: ClaimedDrop | undefined): boolean {
  return prev === "" || prev === drop?.dropped.last.hash;
}

/** What is missing at the beginning of a file because the program dropped it. */
function remarksOn({ line }: PlacedSeal, drop: ClaimedDrop | undefined): readonly FoundInFile[] {
  if (drop === undefined) return [];
  const { last, lastAt } = drop.dropped;
  const until = lastAt?.toISOString() ?? "an unknown time";
  const message = `the program dropped the lines before, up to line ${last.n} of the chain and ${until}`;
  return [{ line, code: "dropped", message }];
}
