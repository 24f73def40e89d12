import type { KeyObject } from "node:crypto";

import { scriptRecordJson } from "../../render/scripts/scripts-json.ts";
import type { RolloutRecord } from "../../state/rollout-turn.ts";
import type { ScriptRecord } from "../../state/scripts/script-watch.ts";
import type { JsonObject } from "../../syntax/json.ts";
import { dayMs } from "../../syntax/time-units.ts";
import type { Clock } from "../../zone/ports.ts";
import { type ChainRecord, chainRecordJson, type HeadReason } from "../chain/chain-records.ts";
import { ChainTail } from "../chain/chain-tail.ts";
import { type ChainHead, NewLines } from "../chain/history-chain.ts";
import { historyJson, progressJson } from "../history-json.ts";
import type { HistoryEntry, HistoryProgress } from "../history.ts";
import { rolloutRecordJson } from "../rollout-json.ts";
import { linesOf, recordIn, RunLines } from "./history-lines.ts";
import type { HistoryStore } from "./history-store.ts";
import { dropFrom, type Retention } from "./retention.ts";
import type { SentBatch, UnstoredLines } from "./unstored-lines.ts";

/** What a history needs, and its callbacks. */
export interface HistoryLogPorts {
  readonly store: HistoryStore;
  /** What the last term of the process left. It is stored first; what this one cannot store is left here. */
  readonly unstored: UnstoredLines;
  readonly clock: Pick<Clock, "now" | "alarm">;
  /** Names a new chain. */
  readonly uniqueId: () => string;
  /** Version of the program. */
  readonly version: string;
  /** Ed25519 private key that signs the lines about the chain. */
  readonly signKey: KeyObject | undefined;
  /** The oldest lines were dropped. */
  readonly onDropped: (head: ChainHead) => void;
  /** Waits; gives whether what could not be written at the end is tried again. Left out: it is not. */
  readonly again?: () => Promise<boolean>;
  /** Writing has started to fail; lines wait in memory, and are tried again every 5 s. */
  readonly onFailure: (error: unknown) => void;
  /** Writing has recovered; so many lines were too many to wait, and are lost. */
  readonly onRecovery: (lost: number) => void;
}

export interface OpenedHistory {
  readonly log: HistoryLog;
  /** Bytes of an incomplete last line that were truncated. */
  readonly torn: number;
  /** Numbers of the lines that cannot be read. They stay. */
  readonly damaged: readonly number[];
}

/** How often a failed write is tried again. */
const retryMs = 5_000;

/**
 * Opens a history, calls `restore` with each entry, oldest first, truncates an incomplete last line and drops old entries.
 * Lines that the process has not stored yet follow. Runs that have no end, because the process was killed, become entries
 * with the result `interrupted`. Rejects if the history cannot be read or is none; then it is not changed.
 */
export async function openHistoryLog(
  retention: Retention,
  ports: HistoryLogPorts,
  restore: (entry: HistoryEntry) => void,
): Promise<OpenedHistory> {
  const { store, unstored } = ports;
  // A symbolic link is refused before it is read.
  await store.size();
  if (!(await isHistory(store))) {
    throw new Error(`${store.place} is not a history file: name another directory (store.path)`);
  }
  let end = 0;
  const damaged: number[] = [];
  const runs = new RunLines();
  const tail = new ChainTail(store.lastN);
  const { unconfirmed } = unstored;
  let isConfirmed = false;
  const add = (record: ReturnType<typeof recordIn>): void => {
    const entry = record && runs.add(record);
    if (entry !== undefined) restore(entry);
  };
  for await (const line of linesOf(store.read())) {
    end = line.end;
    const record = recordIn(line);
    tail.add(line.bytes, record && "record" in record ? record : undefined);
    if (unconfirmed !== undefined) isConfirmed ||= tail.head?.hash === unconfirmed.lines.head.hash;
    if (record === undefined) damaged.push(line.number);
    add(record);
  }
  const torn = (await store.size()) - end;
  if (torn > 0) await store.truncate(end);
  unstored.settle(isConfirmed);
  for (const { json } of unstored.all) add(recordIn({ text: JSON.stringify(json) }));
  const log = new HistoryLog(end, tail, retention, ports);
  for (const running of runs.running) {
    const interrupted = { ...running, result: "interrupted" } as const;
    restore(interrupted);
    log.append(interrupted);
  }
  await log.settled();
  return { log, torn, damaged };
}

/** The start of each entry. */
const beginning = '{"at":';

/** Whether a file is a history file, possibly incomplete: another file must not be changed by mistake. */
async function isHistory(store: HistoryStore): Promise<boolean> {
  for await (const piece of store.read()) {
    const text = new TextDecoder().decode(piece.subarray(0, beginning.length));
    return beginning.startsWith(text);
  }
  return true;
}

/**
 * Appends lines, in batches of those that gathered during the previous write. Each line carries the hash of the line
 * before. Appending never waits. There is one writer; another process may read at any time.
 */
class HistoryLog implements AsyncDisposable {
  readonly #tail: ChainTail;
  readonly #retention: Retention;
  readonly #ports: HistoryLogPorts;
  #head: ChainHead | undefined;
  #hasNewLines: boolean;
  #size: number;
  readonly #unstored: UnstoredLines;
  #work: Promise<void> | undefined;
  #trimmedAt = 0;
  #isFailing = false;
  #cancelRetry: (() => void) | undefined;

  /** @param tail has followed the lines that there are. */
  constructor(size: number, tail: ChainTail, retention: Retention, ports: HistoryLogPorts) {
    this.#size = size;
    this.#tail = tail;
    this.#head = tail.head;
    this.#hasNewLines = tail.hasNewLines;
    this.#retention = retention;
    this.#ports = ports;
    this.#unstored = ports.unstored;
    this.#start();
  }

  /** The last line on the disk; `undefined` if no line has a hash yet. */
  get head(): ChainHead | undefined {
    return this.#head;
  }

  /** Whether lines wait that could not be written. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** When it was opened: when its head was last recorded once a day. */
  get dailyHeadAt(): Date | undefined {
    return this.#tail.dailyHeadAt;
  }

  /** Whether lines were added since a head was last recorded. */
  get hasNewLines(): boolean {
    return this.#hasNewLines;
  }

  /** Adds a line that records the head, signed if there is a key. Resolves as `appendAndWait` does. */
  recordHead(reason: HeadReason): Promise<void> {
    const [at, chain] = [this.#ports.clock.now(), this.#head?.chain ?? ""];
    return this.#append(this.#jsonOf({ at, chain, record: "head", reason }), true);
  }

  /** Adds an entry, a check of scripts, or what happened to a rollout. Never waits, never throws. */
  append(record: HistoryEntry | ScriptRecord | RolloutRecord): void {
    if ("run" in record) {
      void this.appendAndWait(record);
      return;
    }
    const json = "turn" in record ? rolloutRecordJson(record) : scriptRecordJson(record);
    void this.#append({ ...json, version: this.#ports.version }, false);
  }

  /** Adds an entry, or the progress of a run. Resolves when it is on the disk, or cannot be written now; never rejects. */
  appendAndWait(record: HistoryEntry | HistoryProgress): Promise<void> {
    if ("results" in record) return this.#append(progressJson(record), false);
    return this.#append({ ...historyJson(record), version: this.#ports.version }, false);
  }

  #append(json: JsonObject, isSigned: boolean): Promise<void> {
    const { promise, resolve: attempted } = Promise.withResolvers<void>();
    this.#unstored.add({ json, isSigned, attempted });
    this.#start();
    return promise;
  }

  /** Resolves when nothing is being written. */
  async settled(): Promise<void> {
    while (this.#work !== undefined) await this.#work;
  }

  /** Tries to write the waiting lines: once more, or as often as it may. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.settled();
    let mayTry = this.#isFailing;
    while (mayTry) {
      this.#start();
      await this.settled();
      mayTry = this.#isFailing && ((await this.#ports.again?.()) ?? false);
    }
    this.#cancelRetry?.();
  }

  #start(): void {
    this.#work ??= this.#writeAll();
  }

  #startLater(): void {
    this.#cancelRetry ??= this.#ports.clock.alarm(retryMs, () => {
      this.#cancelRetry = undefined;
      this.#start();
    });
  }

  async #writeAll(): Promise<void> {
    try {
      await this.#repair();
      if (this.#unstored.unconfirmed !== undefined) await this.#add(this.#unstored.unconfirmed);
      // The lines that named the chain are damaged: what the program says of it needs a name.
      if (this.#head?.chain === "") await this.#add({ lines: this.#continued(), sent: [] });
      await this.#trim();
      while (this.#unstored.areWaiting) await this.#write();
      // Lines may have been too many in an earlier term.
      const lost = this.#unstored.takeLost();
      if (this.#isFailing || lost > 0) this.#ports.onRecovery(lost);
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#ports.onFailure(error);
      this.#isFailing = true;
      for (const { attempted } of this.#unstored.all) attempted();
      this.#startLater();
    }
    // Nothing is awaited since the last look for lines: none has come.
    this.#work = undefined;
  }

  /** Truncates what a failed append left, for example on a full disk. */
  async #repair(): Promise<void> {
    if (!this.#isFailing) return;
    const size = await this.#ports.store.size();
    if (size > this.#size) await this.#ports.store.truncate(this.#size);
    this.#size = Math.min(size, this.#size);
  }

  async #write(): Promise<void> {
    const sent = this.#unstored.take();
    const lines = this.#continued();
    for (const { json, isSigned } of sent) lines.add(json, isSigned);
    await this.#add({ lines, sent });
    await this.#trim();
  }

  async #add(batch: SentBatch): Promise<void> {
    this.#unstored.unconfirmed = batch;
    await this.#ports.store.add(batch);
    this.#unstored.unconfirmed = undefined;
    const { lines, sent, drop } = batch;
    for (const { attempted } of sent) attempted();
    this.#head = lines.head;
    this.#hasNewLines = sent.at(-1)?.json["record"] !== "head";
    this.#size += Buffer.byteLength(lines.text) - (drop?.bytes ?? 0);
    if (drop !== undefined) this.#ports.onDropped(lines.head);
  }

  /** Lines after the last one on the disk, which begin a chain if no line names one. */
  #continued(): NewLines {
    const { clock, uniqueId, signKey } = this.#ports;
    const { chain: known = "", n = 0, hash = "" } = this.#head ?? {};
    const chain = known || uniqueId();
    const lines = new NewLines({ chain, n, hash }, signKey);
    if (known === "") lines.add(this.#jsonOf({ at: clock.now(), chain, record: "begin" }), true);
    return lines;
  }

  #jsonOf(record: ChainRecord): JsonObject {
    return chainRecordJson(record, this.#ports.version);
  }

  /**
   * Drops old entries once a day, and the oldest quarter when the file is too large. A last line says what was dropped;
   * there is no moment at which both are missing.
   */
  async #trim(): Promise<void> {
    const { clock, store } = this.#ports;
    const now = Number(clock.now());
    const { maxAgeMs, maxBytes } = this.#retention;
    const isLarge = this.#size > maxBytes;
    if (!store.canDrop) return;
    if (!isLarge && now - this.#trimmedAt < dayMs) return;
    this.#trimmedAt = now;
    const leastOffset = isLarge ? this.#size - (maxBytes * 3) / 4 : 0;
    const drop = await dropFrom(store.read(), new Date(now - maxAgeMs), leastOffset);
    if (drop === undefined) return;
    const { bytes, dropped } = drop;
    const lines = this.#continued();
    const { chain } = lines.head;
    lines.add(this.#jsonOf({ at: new Date(now), chain, record: "dropped", dropped }), true);
    await this.#add({ lines, sent: [], drop: { lines: dropped.lines, bytes } });
  }
}
