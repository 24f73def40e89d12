import { sha256 } from "../../syntax/digest.ts";
import type { DroppedLines, UnchainedLines } from "../chain/chain-records.ts";
import type { FoundInFile, PlacedSeal } from "./history-finding.ts";

/** How a file begins, and what its lines say of that. */
export interface Beginning {
  /** The lines without a hash before the first one with one. */
  readonly unchained: UnchainedLines;
  /** Hash of the last of them. */
  readonly lastUnchained: string | undefined;
  /** The first line with a hash. */
  readonly first: PlacedSeal | undefined;
  /** The beginning of the chain and the drops, in the order of their lines. */
  readonly claims: readonly BeginningClaim[];
}

/** What one line says of the lines that are at the beginning of the file, or no longer there. */
export interface BeginningClaim {
  /** Hash of the line that says it. */
  readonly hash: string;
  readonly unchained: UnchainedLines;
  /** `undefined`: the chain begins here. */
  readonly dropped: DroppedLines | undefined;
}

/** How the claims of a file are believed. */
export interface Belief {
  /** Whether a kept head or a signature covers the line with this hash. Without both, each line is believed. */
  readonly isCovered: (hash: string) => boolean;
  /** Whether an uncovered claim is told as one, since the program may have written it after the head. */
  readonly mayBeNewer: boolean;
}

/**
 * A file begins with its chain, or with the first line that the program has not dropped; everything else is a flaw. Only
 * the last covered claim says which.
 */
export function findingsOfBeginning(
  beginning: Beginning,
  { isCovered, mayBeNewer }: Belief,
): readonly FoundInFile[] {
  const covered = beginning.claims.findLast(({ hash }) => isCovered(hash));
  const flaws = flawsOf(beginning, covered);
  const last = beginning.claims.at(-1);
  const isNewer = flaws.length > 0 && mayBeNewer && last !== undefined;
  if (!isNewer || flawsOf(beginning, last).length > 0) {
    return [...flaws, ...remarksOn(beginning, covered)];
  }
  const message =
    "what is missing or older before this line is not covered by the head: the record of it came later. Use a newer head, or --verify-key";
  const line = beginning.first?.line ?? 0;
  return [...remarksOn(beginning, last), { line, code: "not_covered", message }];
}

function flawsOf(beginning: Beginning, claim: BeginningClaim | undefined): readonly FoundInFile[] {
  const { unchained, lastUnchained, first } = beginning;
  const [expected, lastDropped] = [claim?.unchained, claim?.dropped];
  if (first === undefined) return [];
  const flaws: FoundInFile[] = [];
  if (!isExpected(unchained, expected)) {
    const message = `the file begins with ${unchained.lines} lines without a hash, and the chain names ${expected?.lines ?? 0}: such lines were changed, removed or inserted`;
    flaws.push({ line: 1, code: "changed", message });
  }
  if (first.prev !== "" && first.prev !== (lastUnchained ?? lastDropped?.last.hash)) {
    const until =
      lastDropped === undefined ? "" : `, which dropped lines up to ${lastDropped.last.n}`;
    const message = `lines up to ${first.n - 1} of the chain are missing, and not because of the program${until}`;
    flaws.push({ line: first.line, code: "missing_start", message });
  }
  return flaws;
}

/** What proves nothing at the beginning of a file, or is missing there because the program dropped it. */
function remarksOn(
  { unchained, first }: Beginning,
  claim: BeginningClaim | undefined,
): readonly FoundInFile[] {
  const [expected, lastDropped] = [claim?.unchained, claim?.dropped];
  const remarks: FoundInFile[] = [];
  const { lines } = unchained;
  if (lines > 0 && (first === undefined || isExpected(unchained, expected))) {
    const message =
      first === undefined
        ? "no line carries a hash: an older version wrote the file, and nothing proves it"
        : `lines 1 to ${lines} are of an older version: the chain began after them, and proves them only from then on`;
    remarks.push({ line: 1, code: "older_version", message });
  }
  if (lastDropped !== undefined) {
    const until = lastDropped.lastAt?.toISOString() ?? "an unknown time";
    const message = `the program dropped the lines before, up to line ${lastDropped.last.n} of the chain and ${until}`;
    remarks.push({ line: first?.line ?? 0, code: "dropped", message });
  }
  return remarks;
}

function isExpected(found: UnchainedLines, expected: UnchainedLines | undefined): boolean {
  const { lines, sha256: hash } = expected ?? { lines: 0, sha256: sha256("") };
  return found.lines === lines && found.sha256 === hash;
}
