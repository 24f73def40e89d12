import { historyEntryFrom } from "../../render/history-json.ts";
import type { HistoryEntry } from "../../state/history.ts";

/** A line of a file that has come to its end. */
export interface Line {
  readonly text: string;
  /** Offset of its first byte. */
  readonly start: number;
  /** Offset behind its line feed. */
  readonly end: number;
}

const lineFeed = 0x0a;

/** The complete lines of a file; a last one without a line feed is still being written, or was torn, and is left out. */
export async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const decoder = new TextDecoder();
  let rest: Uint8Array = new Uint8Array();
  let start = 0;
  for await (const piece of pieces) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    let from = 0;
    for (let to = bytes.indexOf(lineFeed); to !== -1; to = bytes.indexOf(lineFeed, from)) {
      const end = start + to + 1 - from;
      yield { text: decoder.decode(bytes.subarray(from, to)), start, end };
      start = end;
      from = to + 1;
    }
    rest = bytes.subarray(from);
  }
}

/** The entry in a line; `undefined` where it holds none, because it was damaged or is of another version. */
export function entryIn({ text }: Line): HistoryEntry | undefined {
  try {
    return historyEntryFrom(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** All entries of a history file, in the order in which they were written. */
export async function* entriesIn(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<HistoryEntry> {
  for await (const line of linesOf(pieces)) {
    const entry = entryIn(line);
    if (entry !== undefined) yield entry;
  }
}
