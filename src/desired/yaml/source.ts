import type { Place } from "../../zone/desired-zone.ts";

/** A file's lines: enough to say where an offset is, without keeping the text. */
export interface Source {
  /** As problems name it. */
  readonly file: string;
  /** Offset of the first character of each line. */
  readonly starts: readonly number[];
}

/** Takes down where the lines of `text` begin. */
export function sourceOf(file: string, text: string): Source {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return { file, starts };
}

/** The place of an offset: line and column count from 1, the column in UTF-16 units. */
export function placeAt(source: Source, offset: number): Place {
  let low = 0;
  let high = source.starts.length;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((source.starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return { file: source.file, line: low + 1, column: offset - (source.starts[low] ?? 0) + 1 };
}
