import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import type { HistoryEntry } from "../../src/state/history.ts";
import { type OpenedHistory, openHistoryFile } from "../../src/telemetry/history/history-file.ts";
import type { HistoryStore } from "../../src/telemetry/history/history-store.ts";
import { SimulatedClock } from "./clock.ts";
import { drifted, fleetOf, shop } from "./fleets.ts";
import { at, report } from "./reports.ts";
import { historyOf } from "./scenes.ts";

const year = 365 * 86_400_000;

interface Opened extends OpenedHistory {
  readonly entries: readonly HistoryEntry[];
  readonly told: readonly string[];
}

/** Opens a history file as the daemon does. */
export async function openStore(
  store: HistoryStore,
  { maxBytes = 1_000_000, maxAgeMs = year, clock = new SimulatedClock(at(60)) } = {},
): Promise<Opened> {
  const entries: HistoryEntry[] = [];
  const told: string[] = [];
  const onFailure = (error: unknown): number => told.push(String(error));
  const onRecovery = (): number => told.push("recovered");
  const ports = { store, clock, onFailure, onRecovery };
  const opened = await openHistoryFile({ maxAgeMs, maxBytes }, ports, (entry) =>
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
