import type { FoundInFile, PlacedSeal } from "./history-finding.ts";

/** A line that does not follow the line before. */
export interface Break {
  readonly seal: PlacedSeal;
  /** Number of the line before, in the chain; `undefined` if it has none. */
  readonly before: number | undefined;
}

/** Says of each break what was done to the lines, from where the named predecessor is. */
export function breakFlaws(
  breaks: readonly Break[],
  seals: readonly PlacedSeal[],
): readonly FoundInFile[] {
  const lineOf = new Map(seals.map(({ hash, line }) => [hash, line]));
  return breaks.map((each) => ({ line: each.seal.line, ...explained(each, lineOf) }));
}

function explained(
  { seal: { line, prev, n }, before }: Break,
  lineOf: ReadonlyMap<string, number>,
): Omit<FoundInFile, "line"> {
  if (prev === "") {
    const message = `another chain begins here: lines 1 to ${line - 1} were put before it`;
    return { code: "other_history", message };
  }
  const follows = lineOf.get(prev);
  if (follows !== undefined) {
    if (follows < line) {
      const message = `the line follows line ${follows}: what is between them was inserted or moved`;
      return { code: "inserted", message };
    }
    const message = `the line follows line ${follows}, which comes later: the order was changed`;
    return { code: "reordered", message };
  }
  if (before !== undefined && n > before + 1) {
    const message = `lines ${before + 1} to ${n - 1} of the chain are missing before this line`;
    return { code: "removed", message };
  }
  const message = `the line does not follow line ${line - 1}: that was put in the place of another, or one of them is of another history`;
  return { code: "inserted", message };
}
