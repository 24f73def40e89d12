import type { KeyObject } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import type { ChainHead } from "../../src/history/chain/history-chain.ts";
import { type OpenedHistory, openHistoryLog } from "../../src/history/file/history-log.ts";
import type { HistoryBatch, HistoryStore } from "../../src/history/file/history-store.ts";
import { UnstoredLines } from "../../src/history/file/unstored-lines.ts";
import type { HistoryEntry } from "../../src/history/history.ts";
import {
  type HistoryCheck,
  type HistoryProof,
  verifyHistory,
} from "../../src/history/verify/verify-history.ts";
import { SimulatedClock } from "./clock.ts";
import { drifted, fleetOf, shop } from "./fleets.ts";
import { at, report } from "./reports.ts";
import { historyOf } from "./scenes.ts";

const year = 365 * 86_400_000;

interface Opened extends OpenedHistory {
  readonly entries: readonly HistoryEntry[];
  readonly told: readonly string[];
}

interface OpenOptions {
  readonly maxBytes?: number;
  readonly maxAgeMs?: number;
  readonly clock?: SimulatedClock;
  readonly signKey?: KeyObject | undefined;
  /** Name of a new chain. */
  readonly chain?: string;
  /** What the process has not stored yet. */
  readonly unstored?: UnstoredLines;
}

/** Opens a history file as the daemon does. */
export async function openStore(
  store: HistoryStore,
  {
    maxBytes = 1_000_000,
    maxAgeMs = year,
    clock = new SimulatedClock(at(60)),
    signKey,
    chain = "c1",
    unstored = new UnstoredLines(),
  }: OpenOptions = {},
): Promise<Opened> {
  const entries: HistoryEntry[] = [];
  const told: string[] = [];
  const onFailure = (error: unknown): number => told.push(String(error));
  const onRecovery = (lost: number): number =>
    told.push(lost === 0 ? "recovered" : `recovered, ${lost} lines lost`);
  const onDropped = ({ n }: ChainHead): number => told.push(`dropped, as line ${n} says`);
  const own = { uniqueId: () => chain, version: "1.2.3", signKey, onDropped, unstored };
  const ports = { store, clock, onFailure, onRecovery, ...own };
  const opened = await openHistoryLog({ maxAgeMs, maxBytes }, ports, (entry) =>
    entries.push(entry),
  );
  return { ...opened, entries, told };
}

/** An entry of so many minutes after the start. */
export function entryAt(minute: number): HistoryEntry {
  const [entry] = historyOf(fleetOf(), [report(shop, minute, drifted)]).of(shop);
  if (entry === undefined) throw new Error("nothing was kept");
  return entry;
}

/** A new directory with a history file in a directory that does not exist yet. */
export async function historyDirectory(): Promise<AsyncDisposable & { readonly file: string }> {
  const found = await mkdtemp(path.join(tmpdir(), "zonewarden-history-"));
  return {
    file: path.join(found, "state", "history.jsonl"),
    [Symbol.asyncDispose]: () => rm(found, { recursive: true }),
  };
}

/** An append that can be cut off by a crash. */
export interface Append {
  readonly before: Buffer;
  readonly text: Buffer;
}

/** Lines lie across the ends of pieces. */
const pieceBytes = 1_500;

/** A history file in memory, with all its appends. */
export class MemoryHistory implements HistoryStore {
  readonly place = "history.jsonl";
  readonly canDrop = true;
  bytes: Buffer;
  readonly appends: Append[] = [];

  constructor(bytes: Uint8Array = new Uint8Array()) {
    this.bytes = Buffer.from(bytes);
  }

  size(): Promise<number> {
    return Promise.resolve(this.bytes.length);
  }

  async *read(): AsyncGenerator<Uint8Array> {
    await Promise.resolve();
    const { bytes } = this;
    for (let from = 0; from < bytes.length; from += pieceBytes) {
      yield bytes.subarray(from, from + pieceBytes);
    }
  }

  add({ lines: { text }, drop }: HistoryBatch): Promise<void> {
    if (drop === undefined) this.appends.push({ before: this.bytes, text: Buffer.from(text) });
    this.bytes = Buffer.concat([this.bytes.subarray(drop?.bytes ?? 0), Buffer.from(text)]);
    return Promise.resolve();
  }

  truncate(size: number): Promise<void> {
    this.bytes = this.bytes.subarray(0, size);
    return Promise.resolve();
  }
}

/** Checks the bytes of history files, oldest first. */
export function verified(
  files: readonly Uint8Array[],
  proof?: HistoryProof,
): Promise<HistoryCheck> {
  const named = files.map((bytes, index) => {
    return { file: `file-${index + 1}`, pieces: () => new MemoryHistory(bytes).read() };
  });
  return verifyHistory(named, proof);
}
