import type { KeyObject } from "node:crypto";

import { sealOf } from "../../src/history/chain/history-chain.ts";
import { historyJson } from "../../src/history/history-json.ts";
import type { HistoryProof } from "../../src/history/verify/verify-history.ts";
import { SimulatedClock } from "./clock.ts";
import { entryAt, MemoryHistory, openStore, verified } from "./history-files.ts";
import { at } from "./reports.ts";

/** How a history came to be. */
export interface Kept {
  readonly entries?: number;
  readonly chain?: string;
  readonly signKey?: KeyObject;
  readonly maxBytes?: number;
  /** Bytes that the file already has. */
  readonly bytes?: Uint8Array;
  readonly from?: number;
}

/** A history file as the daemon writes it: an entry a minute, a restart in the middle, and the head at the end. */
export async function kept(options: Kept = {}): Promise<MemoryHistory> {
  const { entries = 8, from = 1, bytes, ...open } = options;
  const store = new MemoryHistory(bytes);
  const clock = new SimulatedClock(at(from));
  for (let minute = 0; minute < entries; minute += 4) {
    const { log } = await openStore(store, { clock, ...open });
    for (let next = minute; next < Math.min(minute + 4, entries); next += 1) {
      log.append(entryAt(from + next));
      // Some lines are written together.
      if (next % 3 > 0) await log.settled();
      clock.step(60_000);
    }
    await log.settled();
    await log.recordHead("stop");
    await log.settled();
  }
  return store;
}

/** A line that is not in the chain. */
export function lineWithoutHash(minute: number): string {
  return `${JSON.stringify(historyJson(entryAt(minute)))}\n`;
}

/** The lines of a file, each with its line feed. */
export function linesIn(bytes: Uint8Array): readonly string[] {
  return Buffer.from(bytes)
    .toString("latin1")
    .split(/(?<=\n)/);
}

/** A file of lines. */
export function bytesOf(lines: readonly string[]): Buffer {
  return Buffer.from(lines.join(""), "latin1");
}

/** The hash of the last line. */
export function headOf(bytes: Uint8Array): string {
  return sealOf(Buffer.from(linesIn(bytes).at(-1)?.trimEnd() ?? "", "latin1"))?.hash ?? "";
}

/** What the check of files says: flaws, and remarks in brackets, each with its line. */
export async function found(
  files: readonly Uint8Array[],
  proof: Partial<HistoryProof> = {},
): Promise<readonly string[]> {
  const { flaws, remarks } = await verified(files, proof);
  return [
    ...flaws.map(({ line, code }) => `${line} ${code}`),
    ...remarks.map(({ line, code }) => `(${line} ${code})`),
  ];
}
