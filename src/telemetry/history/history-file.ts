import { historyJson, progressJson } from "../../render/history-json.ts";
import type { HistoryEntry, HistoryProgress } from "../../state/history.ts";
import { linesOf, recordIn, RunLines } from "./history-lines.ts";
import type { HistoryStore } from "./history-store.ts";

/** How long and how much a history file keeps. */
export interface Retention {
  readonly maxAgeMs: number;
  readonly maxBytes: number;
}

/** What a history file needs, and its callbacks. */
export interface HistoryFilePorts {
  readonly store: HistoryStore;
  readonly clock: { now(): Date };
  /** Writing has started to fail; entries wait for the next attempt. */
  readonly onFailure: (error: unknown) => void;
  /** Writing has recovered. */
  readonly onRecovery: () => void;
}

export interface OpenedHistory {
  readonly file: HistoryFile;
  /** Bytes of an incomplete last line that were truncated. */
  readonly torn: number;
  /** Numbers of the lines that cannot be read. They stay in the file. */
  readonly damaged: readonly number[];
}

/** Lines that wait while writing fails; the oldest are dropped beyond it. */
const maxQueueLength = 10_000;

const dayMs = 86_400_000;

/**
 * Opens a history file, calls `restore` with each entry, oldest first, truncates an incomplete last line and drops old
 * entries. Runs that have no end, because the process was killed, become entries with the result `interrupted`. Rejects if the file cannot be read or is not a history file; then it is not changed.
 */
export async function openHistoryFile(
  retention: Retention,
  ports: HistoryFilePorts,
  restore: (entry: HistoryEntry) => void,
): Promise<OpenedHistory> {
  const { store } = ports;
  // A symbolic link is refused before it is read.
  await store.size();
  if (!(await isHistory(store))) {
    throw new Error("the file is not a history file: configure another path");
  }
  let end = 0;
  const damaged: number[] = [];
  const runs = new RunLines();
  for await (const line of linesOf(store.read(0))) {
    end = line.end;
    const record = recordIn(line);
    if (record === undefined) {
      damaged.push(line.number);
      continue;
    }
    const entry = runs.add(record);
    if (entry !== undefined) restore(entry);
  }
  const torn = (await store.size()) - end;
  if (torn > 0) await store.truncate(end);
  const file = new HistoryFile(end, retention, ports);
  for (const running of runs.running) {
    const interrupted = { ...running, result: "interrupted" } as const;
    restore(interrupted);
    file.append(interrupted);
  }
  await file.settled();
  return { file, torn, damaged };
}

/** The start of each entry. */
const beginning = '{"at":';

/** Whether a file is a history file, possibly incomplete: another file must not be changed by mistake. */
async function isHistory(store: HistoryStore): Promise<boolean> {
  for await (const piece of store.read(0)) {
    const text = new TextDecoder().decode(piece.subarray(0, beginning.length));
    return beginning.startsWith(text);
  }
  return true;
}

/** A line that is not written yet. */
interface WaitingLine {
  readonly text: string;
  /** Called after the first attempt to write it. */
  readonly attempted: () => void;
}

/**
 * Appends lines, in batches of those that gathered during the previous write. Appending never waits. There is one
 * writer; another process may read at any time.
 */
class HistoryFile implements AsyncDisposable {
  readonly #retention: Retention;
  readonly #ports: HistoryFilePorts;
  #size: number;
  #waiting: WaitingLine[] = [];
  #work: Promise<void> | undefined;
  #trimmedAt = 0;
  #isFailing = false;

  constructor(size: number, retention: Retention, ports: HistoryFilePorts) {
    this.#size = size;
    this.#retention = retention;
    this.#ports = ports;
    this.#start();
  }

  /** Adds an entry. Never waits, never throws. */
  append(entry: HistoryEntry): void {
    void this.appendAndWait(entry);
  }

  /** Adds an entry, or the progress of a run. Resolves when it is on the disk, or cannot be written now; never rejects. */
  appendAndWait(record: HistoryEntry | HistoryProgress): Promise<void> {
    const json = "results" in record ? progressJson(record) : historyJson(record);
    const { promise, resolve: attempted } = Promise.withResolvers<void>();
    this.#waiting.push({ text: `${JSON.stringify(json)}\n`, attempted });
    if (this.#waiting.length > maxQueueLength) this.#waiting.shift()?.attempted();
    this.#start();
    return promise;
  }

  /** Resolves when nothing is being written. */
  async settled(): Promise<void> {
    while (this.#work !== undefined) await this.#work;
  }

  /** Tries once more to write the waiting lines. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.settled();
    if (this.#waiting.length > 0) this.#start();
    await this.settled();
  }

  #start(): void {
    this.#work ??= this.#writeAll().finally(() => {
      this.#work = undefined;
      // Lines that came since the last write; after a failure the next entry retries.
      if (this.#isFailing) for (const { attempted } of this.#waiting) attempted();
      else if (this.#waiting.length > 0) this.#start();
    });
  }

  async #writeAll(): Promise<void> {
    try {
      await this.#repair();
      await this.#trim();
      while (this.#waiting.length > 0) await this.#write();
      if (this.#isFailing) this.#ports.onRecovery();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#ports.onFailure(error);
      this.#isFailing = true;
    }
  }

  /** Truncates what a failed append left, for example on a full disk. */
  async #repair(): Promise<void> {
    if (!this.#isFailing) return;
    const size = await this.#ports.store.size();
    if (size > this.#size) await this.#ports.store.truncate(this.#size);
    this.#size = Math.min(size, this.#size);
  }

  async #write(): Promise<void> {
    const lines = this.#waiting;
    const text = lines.map((line) => line.text).join("");
    this.#waiting = [];
    try {
      await this.#ports.store.append(text);
    } catch (error) {
      this.#waiting = [...lines, ...this.#waiting];
      throw error;
    }
    for (const { attempted } of lines) attempted();
    this.#size += Buffer.byteLength(text);
    await this.#trim();
  }

  /** Drops old entries once a day, and the oldest quarter when the file is too large. */
  async #trim(): Promise<void> {
    const now = Number(this.#ports.clock.now());
    const { maxAgeMs, maxBytes } = this.#retention;
    const isLarge = this.#size > maxBytes;
    if (!isLarge && now - this.#trimmedAt < dayMs) return;
    this.#trimmedAt = now;
    const offset = await this.#firstKept(
      new Date(now - maxAgeMs),
      isLarge ? this.#size - (maxBytes * 3) / 4 : 0,
    );
    if (offset === 0) return;
    await this.#ports.store.dropBefore(offset);
    this.#size -= offset;
  }

  /** Offset of the first line that is recent enough, at or after `leastOffset`. */
  async #firstKept(oldest: Date, leastOffset: number): Promise<number> {
    let end = 0;
    for await (const line of linesOf(this.#ports.store.read(0))) {
      const record = line.start < leastOffset ? undefined : recordIn(line);
      if (record !== undefined && record.at >= oldest) return line.start;
      end = line.end;
    }
    return end;
  }
}
