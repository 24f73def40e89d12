import { listDiff } from "../syntax/list-diff.ts";

/** A line of a difference: kept, removed or added. */
interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly line: string;
}

/** Lines around a difference that show where it is. */
const contextLines = 3;

/** Of more lines together, what is between the first and the last difference is replaced as a whole. */
const mostCompared = 4_000;

const signs = { 0: " ", 1: "-", "-1": "+" } as const;

/** What differs between two texts of a file, in the unified format; "" if they are equal. */
export function unifiedDiff(file: string, before: string, after: string): string {
  if (before === after) return "";
  const lines = diffOf(before.split("\n"), after.split("\n"));
  const changed = lines.flatMap(({ sign }, index) => (sign === " " ? [] : [index]));
  const hunks: { from: number; to: number }[] = [];
  for (const index of changed) {
    const last = hunks.at(-1);
    const [from, to] = [Math.max(index - contextLines, 0), index + contextLines + 1];
    if (last !== undefined && from <= last.to) last.to = to;
    else hunks.push({ from, to });
  }
  const texts = hunks.map(({ from, to }) => hunkText(lines, from, to));
  return `--- ${file}\n+++ ${file}\n${texts.join("")}`;
}

function hunkText(lines: readonly DiffLine[], from: number, to: number): string {
  const hunk = lines.slice(from, to);
  const range = (sign: "-" | "+"): string => {
    const isIn = (each: DiffLine): boolean => each.sign === " " || each.sign === sign;
    const first = lines.slice(0, from).filter(isIn).length + 1;
    return `${sign}${first},${hunk.filter(isIn).length}`;
  };
  const text = hunk.map(({ sign, line }) => `${sign}${line}\n`).join("");
  return `@@ ${range("-")} ${range("+")} @@\n${text}`;
}

/** The texts end with a line end, which makes no line of its own. */
function diffOf(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const [a, b] = [withoutLast(before), withoutLast(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  const most = Math.min(a.length, b.length) - start;
  while (end < most && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const middle = [a.slice(start, a.length - end), b.slice(start, b.length - end)] as const;
  return [
    ...signed(" ", a.slice(0, start)),
    ...(listDiff(...middle, mostCompared)?.map(([side, line]) => ({ sign: signs[side], line })) ?? [
      ...signed("-", middle[0]),
      ...signed("+", middle[1]),
    ]),
    ...signed(" ", a.slice(a.length - end)),
  ];
}

function withoutLast(lines: readonly string[]): readonly string[] {
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function signed(sign: DiffLine["sign"], lines: readonly string[]): readonly DiffLine[] {
  return lines.map((line) => ({ sign, line }));
}
