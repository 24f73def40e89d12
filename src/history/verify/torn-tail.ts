import { sealOf } from "../chain/history-chain.ts";
import type { FoundInFile } from "./history-finding.ts";

/** What would come after the last line feed of a file. */
interface NextLine {
  /** Counted from 1 in the file. */
  readonly line: number;
  /** Its number in the chain. */
  readonly n: number;
  /** Hashes by which it may name the line before. */
  readonly prevs: readonly string[];
}

/** Says of bytes after the last line feed whether they can be what a crash left of the next line. */
export function findingOfTail(bytes: Uint8Array, { line, n, prevs }: NextLine): FoundInFile {
  if (prevs.some((prev) => isTorn(bytes, n, prev))) {
    const message = `the last line is incomplete (${bytes.length} bytes), as a crash leaves it; the next start of the daemon removes it`;
    return { line, code: "torn", message };
  }
  const message = "the end of the file is no incomplete line of this chain: somebody wrote it";
  return { line, code: "changed", message };
}

const time = "0000-00-00T00:00:00.000Z";

const lineFeed = 0x0a;

/**
 * Whether bytes after the last line feed of a file can be what a crash left of the line with this number and predecessor:
 * its beginning, or nothing but zero bytes where the disk had no time. Anything else was written by somebody.
 */
function isTorn(bytes: Uint8Array, n: number, prev: string): boolean {
  const text = Buffer.from(bytes).toString("latin1").replace(/\0+$/, "");
  const start = `{"at":"${time}","n":${n},"prev":"${prev}",`;
  const found = text.slice(0, start.length);
  return isLike(found, start) && !isFollowed(bytes);
}

/** Whether a text is the beginning of another one, in which each zero of the time stands for a digit. */
function isLike(text: string, start: string): boolean {
  const timeAt = start.indexOf(time);
  const digits = text.slice(timeAt, timeAt + time.length).replaceAll(/\d/g, "0");
  return start.startsWith(text.slice(0, timeAt) + digits + text.slice(timeAt + time.length));
}

/** Whether a whole line is followed by anything but a line feed. */
function isFollowed(bytes: Uint8Array): boolean {
  const ending = Buffer.from('"}');
  const all = Buffer.from(bytes);
  for (let at = all.indexOf(ending); at !== -1; at = all.indexOf(ending, at + 1)) {
    const next = all[at + ending.length];
    const line = all.subarray(0, at + ending.length);
    const isOther = next !== undefined && next !== lineFeed && next !== 0;
    if (isOther && sealOf(line)?.isWhole === true) return true;
  }
  return false;
}
