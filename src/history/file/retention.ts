import { sha256 } from "../../syntax/digest.ts";
import type { DroppedLines } from "../chain/chain-records.ts";
import { sealOf } from "../chain/history-chain.ts";
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
  let firstAt: Date | undefined;
  let lastAt: Date | undefined;
  let last: HistoryLine | undefined;
  for await (const line of linesOf(pieces)) {
    const at = recordIn(line)?.at;
    if (at !== undefined && line.start >= leastOffset && at >= oldest) break;
    firstAt ??= at;
    lastAt = at ?? lastAt;
    last = line;
  }
  if (last === undefined) return undefined;
  const { bytes, end, number: lines } = last;
  // The next line names a line without a seal by the hash of all its bytes.
  const { n, hash } = sealOf(bytes) ?? { n: 0, hash: sha256(bytes) };
  return { bytes: end, dropped: { lines, firstAt, lastAt, last: { n, hash } } };
}
