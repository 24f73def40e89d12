import type { DroppedLines } from "../chain/chain-records.ts";
import { linkHashOf, sealOf } from "../chain/history-chain.ts";
import { type HistoryLine, linesOf, recordIn } from "./history-lines.ts";

/** How long and how much a history file keeps. */
export interface Retention {
  readonly maxAgeMs: number;
  readonly maxBytes: number;
}

/** Lines to drop from the beginning of a file. */
interface Drop {
  /** Bytes of the lines that go. */
  readonly bytes: number;
  readonly dropped: DroppedLines;
}

/** The lines before the first one that is recent enough, at or after `leastOffset`; `undefined` if there are none. */
export async function dropFrom(
  pieces: AsyncIterable<Uint8Array>,
  oldest: Date,
  leastOffset: number,
): Promise<Drop | undefined> {
  const count = new DroppedCount();
  for await (const line of linesOf(pieces)) {
    const at = recordIn(line)?.at;
    if (at !== undefined && line.start >= leastOffset && at >= oldest) break;
    count.add(line, at);
  }
  return count.drop;
}

class DroppedCount {
  #lines = 0;
  #firstAt: Date | undefined;
  #lastAt: Date | undefined;
  #last: HistoryLine | undefined;

  /** Adds a line, and its time where it can be read. */
  add(line: HistoryLine, at: Date | undefined): void {
    this.#lines += 1;
    this.#firstAt ??= at;
    this.#lastAt = at ?? this.#lastAt;
    this.#last = line;
  }

  get drop(): Drop | undefined {
    if (this.#last === undefined) return undefined;
    const { bytes, end } = this.#last;
    const last = { n: sealOf(bytes)?.n ?? 0, hash: linkHashOf(bytes) };
    const [lines, firstAt, lastAt] = [this.#lines, this.#firstAt, this.#lastAt];
    return { bytes: end, dropped: { lines, firstAt, lastAt, last } };
  }
}
