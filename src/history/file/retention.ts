import type { DroppedLines, UnchainedLines } from "../chain/chain-records.ts";
import { UnchainedCount } from "../chain/chain-tail.ts";
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
  const unchained = new UnchainedCount();
  const count = new DroppedCount();
  let isFound = false;
  for await (const line of linesOf(pieces)) {
    if (!isFound) {
      const at = recordIn(line)?.at;
      isFound = at !== undefined && line.start >= leastOffset && at >= oldest;
      if (!isFound) {
        count.add(line, at);
        continue;
      }
    }
    if (count.isEmpty || sealOf(line.bytes) !== undefined) break;
    unchained.add(line.bytes);
  }
  return count.isEmpty ? undefined : count.dropBefore(unchained.total);
}

/** Counts the lines to drop. */
class DroppedCount {
  #lines = 0;
  #firstAt: Date | undefined;
  #lastAt: Date | undefined;
  #last: HistoryLine | undefined;

  /** Whether no line is to be dropped. */
  get isEmpty(): boolean {
    return this.#lines === 0;
  }

  /** Adds a line, and its time where it can be read. */
  add(line: HistoryLine, at: Date | undefined): void {
    this.#lines += 1;
    this.#firstAt ??= at;
    this.#lastAt = at ?? this.#lastAt;
    this.#last = line;
  }

  /** @param unchained the lines without a hash that stay. */
  dropBefore(unchained: UnchainedLines): Drop {
    const { bytes, end } = this.#last ?? { bytes: new Uint8Array(), end: 0 };
    const last = { n: sealOf(bytes)?.n ?? 0, hash: linkHashOf(bytes) };
    const [lines, firstAt, lastAt] = [this.#lines, this.#firstAt, this.#lastAt];
    return { bytes: end, dropped: { lines, firstAt, lastAt, last, unchained } };
  }
}
