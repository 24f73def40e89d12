import type { KeyObject } from "node:crypto";

import { type CheckedFile, checkFile } from "./check-file.ts";
import { findingsOfBeginning } from "./file-beginning.ts";
import { type Finding, isFlaw, type PlacedSeal } from "./history-finding.ts";

/** What the files are compared with, besides themselves. */
export interface HistoryProof {
  /** Hash of a line that somebody else has kept. */
  readonly head?: string | undefined;
  /** Public key of the key that signs the history. */
  readonly key?: KeyObject | undefined;
}

/** What the check of a history has found. */
export interface HistoryCheck {
  readonly files: readonly CheckedFile[];
  /** Empty: each line is as it was written, and none is missing between the first and the last. */
  readonly flaws: readonly Finding[];
  readonly remarks: readonly Finding[];
  /** Hashes of the lines that a kept head or a signature covers; `undefined`: there is no proof to cover any. */
  readonly covered: ReadonlySet<string> | undefined;
}

/** A history file, or table of a database. */
export interface HistoryFile {
  /** How messages name it. */
  readonly file: string;
  /** Its lines, oldest first, in pieces. */
  readonly pieces: () => AsyncIterable<Uint8Array>;
}

/** Checks the files of one history, oldest first; copies may overlap. */
export async function verifyHistory(
  files: readonly HistoryFile[],
  { head, key }: HistoryProof = {},
): Promise<HistoryCheck> {
  const checked: CheckedFile[] = [];
  for (const { file, pieces } of files) checked.push(await checkFile(file, pieces(), key));
  const covered = coveredLines(checked, { head, key });
  const isProved = head !== undefined || key !== undefined;
  const belief = {
    isCovered: (hash: string) => !isProved || covered.has(hash),
    mayBeNewer: key === undefined,
  };
  const found = [
    ...checked.flatMap((each) => each.found),
    ...checked.flatMap(({ file, seals, drops }) =>
      findingsOfBeginning(seals[0], drops, belief).map((each) => ({ file, ...each })),
    ),
    ...checked.map((each, index) => linkOf(checked.slice(0, index), each)),
    headFound(checked, head, covered),
    signaturesOf(checked, key),
  ].filter((each) => each !== undefined);
  return {
    files: checked,
    flaws: found.filter(isFlaw),
    remarks: found.filter((each) => !isFlaw(each)),
    covered: isProved ? covered : undefined,
  };
}

/**
 * The hashes of the lines that a proof covers: from a kept head, or from each line with a right signature, back along the
 * chain. With a key, only signatures count.
 */
function coveredLines(
  files: readonly CheckedFile[],
  { head, key }: HistoryProof,
): ReadonlySet<string> {
  const whole = new Map<string, PlacedSeal>();
  const covered = new Set<PlacedSeal>();
  for (const seal of files.flatMap(({ seals }) => seals.filter(({ isWhole }) => isWhole))) {
    whole.set(seal.hash, seal);
    if (key === undefined ? seal.hash === head : seal.isSigned) covered.add(seal);
  }
  // The loop visits what it adds, too.
  for (const { prev } of covered) {
    const before = whole.get(prev);
    if (before !== undefined) covered.add(before);
  }
  return new Set([...covered].map(({ hash }) => hash));
}

/** Whether a file continues the files before it, or repeats lines of them. */
function linkOf(earlier: readonly CheckedFile[], next: CheckedFile): Finding | undefined {
  const before = earlier.at(-1);
  if (before === undefined) return undefined;
  const { file, seals } = next;
  const [first, end] = [seals[0], before.seals.at(-1)];
  if (first === undefined || end === undefined || first.prev === end.hash) return undefined;
  const known = new Set(earlier.flatMap((each) => each.seals.map(({ hash }) => hash)));
  if (!known.has(first.hash) && !known.has(first.prev)) {
    return { file, line: first.line, ...flawBetween(before, next, first, end) };
  }
  if (seals.every(({ hash }) => known.has(hash)) || seals.some(({ hash }) => hash === end.hash)) {
    const message = `the file repeats lines of ${before.file}, and they are the same`;
    return { file, line: first.line, code: "overlap", message };
  }
  const message = `the file and ${before.file} have a line in common and go on differently: in one of them lines were rewritten or are missing`;
  return { file, line: first.line, code: "diverges", message };
}

/** Why a file does not continue the one before. */
function flawBetween(
  before: CheckedFile,
  { chains, drops }: CheckedFile,
  first: PlacedSeal,
  end: PlacedSeal,
): Pick<Finding, "code" | "message"> {
  const isSame = chains.some((id) => before.chains.includes(id));
  const isOther = chains.length > 0 && before.chains.length > 0 && !isSame;
  if (isOther || first.prev === "") {
    const ids = isOther ? `: chain ${chains.join(", ")}, not ${before.chains.join(", ")}` : "";
    return {
      code: "other_history",
      message: `the file is of another history than ${before.file}${ids}`,
    };
  }
  if (first.n <= end.n + 1) {
    const message = `the file does not continue ${before.file}: name the files oldest first`;
    return { code: "diverges", message };
  }
  const isDropped = drops.at(-1)?.dropped.last.hash === first.prev;
  const by = isDropped ? "; the program dropped them from this file" : "";
  const missing = `lines ${end.n + 1} to ${first.n - 1} of the chain are missing between ${before.file} and this file`;
  return { code: "missing_between", message: `${missing}${by}; name a copy that has them` };
}

function headFound(
  files: readonly CheckedFile[],
  head: string | undefined,
  covered: ReadonlySet<string>,
): Finding | undefined {
  if (head === undefined) return undefined;
  const last = files.at(-1)?.file ?? "";
  for (const { file, seals, drops } of files.toReversed()) {
    const seal = seals.findLast(({ hash, isWhole }) => isWhole && hash === head);
    if (seal !== undefined) return headRemark(file, seal, files);
    // Whoever knows the head can name it: only a signature tells that the program dropped its line.
    const drop = drops.findLast(({ hash }) => covered.has(hash));
    if (drop?.dropped.last.hash === head) {
      const message = "the head is of the last line that the program dropped";
      return { file, line: 0, code: "head", message };
    }
  }
  const message = `no line has the head ${head}: lines at the end were removed, the lines were written anew, or the line was dropped or is of another history`;
  return { file: last, line: 0, code: "head_missing", message };
}

function headRemark(file: string, { line, n }: PlacedSeal, files: readonly CheckedFile[]): Finding {
  const last = Math.max(n, ...files.map(({ seals }) => seals.at(-1)?.n ?? 0));
  const since = last - n;
  const message = `the head is of this line; ${since === 0 ? "no line came after it" : `${since} lines came after it, which are not covered by the head`}`;
  return { file, line, code: "head", message };
}

function signaturesOf(
  files: readonly CheckedFile[],
  key: KeyObject | undefined,
): Finding | undefined {
  const last = files.findLast(({ seals }) => seals.some(({ isSigned }) => isSigned));
  const file = last?.file ?? files.at(-1)?.file ?? "";
  if (key === undefined) {
    const isSigned = files.some(({ seals }) =>
      seals.some(({ signature }) => signature !== undefined),
    );
    if (!isSigned) return undefined;
    const message = "the file has signatures, which were not checked: use --verify-key";
    return { file, line: 0, code: "not_checked", message };
  }
  const signed = last?.seals.findLast(({ isSigned }) => isSigned);
  if (last === undefined || signed === undefined) {
    const message = "no line is signed with this key";
    return { file, line: 0, code: "not_signed", message };
  }
  const since = files
    .slice(files.indexOf(last))
    .flatMap(({ seals }, index) =>
      seals.filter(({ line }) => index > 0 || line > signed.line),
    ).length;
  const message = `the last signed line; ${since === 0 ? "no line" : `${since} lines`} came after it, which nothing signs yet`;
  return { file, line: signed.line, code: "signed", message };
}
