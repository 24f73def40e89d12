import type { DroppedLines, UnchainedLines } from "./chain-records.ts";
import { sha256 } from "./history-chain.ts";
import type { Flaw, PlacedSeal, Remark } from "./history-finding.ts";

/** How a file begins, and what its lines say of that. */
interface Beginning {
  /** The lines without a hash before the first one with one. */
  readonly unchained: UnchainedLines;
  /** What the beginning of the chain, or the last drop, says of them. */
  readonly expected: UnchainedLines | undefined;
  /** Hash of the last of them. */
  readonly lastUnchained: string | undefined;
  readonly lastDropped: DroppedLines | undefined;
  /** The first line with a hash. */
  readonly first: PlacedSeal | undefined;
}

/** A file begins with its chain, or with the first line that the program has not dropped; everything else is a flaw. */
export function flawsOfBeginning(beginning: Beginning): readonly Flaw[] {
  const { unchained, expected, lastUnchained, lastDropped, first } = beginning;
  if (first === undefined) return [];
  const flaws: Flaw[] = [];
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
export function remarksOnBeginning({
  unchained,
  expected,
  lastDropped,
  first,
}: Beginning): readonly Remark[] {
  const remarks: Remark[] = [];
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
