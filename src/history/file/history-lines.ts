import { scriptRecordFrom } from "../../render/scripts/scripts-json.ts";
import type { RolloutRecord } from "../../state/rollout-turn.ts";
import type { ScriptRecord } from "../../state/scripts/script-watch.ts";
import { isDeeperThan, maxJsonLevels, parseJson } from "../../syntax/json.ts";
import { type ChainRecord, chainRecordFrom } from "../chain/chain-records.ts";
import { historyEntryFrom, progressFrom } from "../history-json.ts";
import { afterProgress, type HistoryEntry, type HistoryProgress } from "../history.ts";
import { rolloutRecordFrom } from "../rollout-json.ts";

/** A complete line of a file. */
export interface HistoryLine {
  readonly text: string;
  /** Without its line feed. */
  readonly bytes: Uint8Array;
  /** Counted from 1. */
  readonly number: number;
  /** Offset of its first byte. */
  readonly start: number;
  /** Offset after its line feed. */
  readonly end: number;
}

const lineFeed = 0x0a;

/**
 * The complete lines of a file, without a last one that has no line feed yet.
 *
 * @param incomplete is told that last one, at the end.
 */
export async function* linesOf(
  pieces: AsyncIterable<Uint8Array>,
  incomplete?: (bytes: Uint8Array) => void,
): AsyncGenerator<HistoryLine> {
  const decoder = new TextDecoder();
  let rest: Uint8Array = new Uint8Array();
  let start = 0;
  let number = 0;
  for await (const piece of pieces) {
    const bytes = Buffer.concat([rest, piece]);
    let from = 0;
    for (let to = bytes.indexOf(lineFeed); to !== -1; to = bytes.indexOf(lineFeed, from)) {
      const end = start + to + 1 - from;
      number += 1;
      const line = bytes.subarray(from, to);
      yield { text: decoder.decode(line), bytes: line, number, start, end };
      start = end;
      from = to + 1;
    }
    rest = bytes.subarray(from);
  }
  incomplete?.(rest);
}

/**
 * What a line says: an entry of a run, its progress, a check of scripts, what happened to a rollout, or something about the
 * chain of the lines.
 */
type HistoryRecord = HistoryEntry | HistoryProgress | ScriptRecord | RolloutRecord | ChainRecord;

/** What a line says; `undefined` if the line is damaged or of another version. */
export function recordIn({ text }: Pick<HistoryLine, "text">): HistoryRecord | undefined {
  const value = parseJson(text);
  if (isDeeperThan(2 * maxJsonLevels, value)) return undefined;
  return (
    historyEntryFrom(value) ??
    progressFrom(value) ??
    scriptRecordFrom(value) ??
    rolloutRecordFrom(value) ??
    chainRecordFrom(value)
  );
}

/** Joins the lines of each run: those that it added before its writes, and its entry. */
export class RunLines {
  readonly #running = new Map<string, HistoryEntry>();

  /** The entries of the runs that sent writes and have no entry of their end, in the order of their first lines. */
  get running(): readonly HistoryEntry[] {
    return [...this.#running.values()];
  }

  /** Adds what a line says; gives the entry that it completes, if any. */
  add(record: HistoryRecord): HistoryEntry | undefined {
    if ("record" in record || "events" in record || "turn" in record) return undefined;
    const { run } = record;
    if ("results" in record) {
      const entry = this.#running.get(run);
      // The first line of the run may have been dropped with the oldest lines.
      if (entry !== undefined) this.#running.set(run, afterProgress(entry, record));
      return undefined;
    }
    if (record.result === "running") {
      this.#running.set(run, record);
      return undefined;
    }
    this.#running.delete(run);
    return record;
  }
}

/**
 * A history file as far as it can be read: its entries, oldest first, and the numbers of its damaged lines. The lines
 * themselves are not always in the order of time: a killed run gets its entry at the next start.
 */
export async function readHistory(pieces: AsyncIterable<Uint8Array>): Promise<{
  readonly entries: readonly HistoryEntry[];
  /** Checks of scripts, in the order of their lines. */
  readonly scripts: readonly ScriptRecord[];
  /** What happened to rollouts, in the order of their lines. */
  readonly rollouts: readonly RolloutRecord[];
  readonly damaged: readonly number[];
  /** Times of the first and the last line that could be read; `undefined`: there is none. */
  readonly firstAt: Date | undefined;
  readonly lastAt: Date | undefined;
}> {
  const [entries, damaged]: [HistoryEntry[], number[]] = [[], []];
  let firstAt: Date | undefined;
  let lastAt: Date | undefined;
  const scripts: ScriptRecord[] = [];
  const rollouts: RolloutRecord[] = [];
  const runs = new RunLines();
  for await (const line of linesOf(pieces)) {
    const record = recordIn(line);
    if (record === undefined) damaged.push(line.number);
    else {
      firstAt ??= record.at;
      lastAt = record.at;
      const entry = runs.add(record);
      if (entry !== undefined) entries.push(entry);
      if ("events" in record) scripts.push(record);
      if ("turn" in record) rollouts.push(record);
    }
  }
  const inOrder = [...entries, ...runs.running].toSorted((a, b) => Number(a.at) - Number(b.at));
  return { entries: inOrder, scripts, rollouts, damaged, firstAt, lastAt };
}

/** How many damaged lines are named. */
const namedLines = 10;

/** `2 lines are damaged (lines 3, 7)`; `lines` is not empty. */
export function damageText(lines: readonly number[]): string {
  const named = [...lines.slice(0, namedLines), ...(lines.length > namedLines ? ["…"] : [])];
  return lines.length === 1
    ? `1 line is damaged (line ${named.join("")})`
    : `${lines.length} lines are damaged (lines ${named.join(", ")})`;
}
