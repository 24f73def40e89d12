import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { describe, it } from "vitest";

import { type HistoryEntry, runningEntryOf } from "../../src/state/history.ts";
import { type OpenedHistory, openHistoryFile } from "../../src/telemetry/history/history-file.ts";
import { type HistoryStore, nodeHistoryStore } from "../../src/telemetry/history/history-store.ts";
import { SimulatedClock } from "../support/clock.ts";
import { drifted, fleetOf, shop } from "../support/fleets.ts";
import { at, change, report } from "../support/reports.ts";
import { historyOf } from "../support/scenes.ts";

const year = 365 * 86_400_000;

interface Opened extends OpenedHistory {
  readonly entries: readonly HistoryEntry[];
  readonly told: readonly string[];
}

/** Opens a history file as the daemon does. */
async function openStore(
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
function entryAt(minute: number): HistoryEntry {
  const [entry] = historyOf(fleetOf(), [report(shop, minute, drifted)]).of(shop);
  if (entry === undefined) throw new Error("nothing was kept");
  return entry;
}

/** A run of two changes that is about to send the first. */
const running: HistoryEntry = runningEntryOf(
  report(shop, 9, {
    result: "applied",
    cause: "pending",
    changes: [change("policy/a"), change("policy/b")],
    outcomes: [],
  }),
  undefined,
);

/** What became of its changes as it went on. */
const steps = [
  ["unknown", "skipped"],
  ["done", "unknown"],
] as const;

async function directory(): Promise<AsyncDisposable & { readonly file: string }> {
  const found = await mkdtemp(path.join(tmpdir(), "zonewarden-history-"));
  return {
    file: path.join(found, "state", "history.jsonl"),
    [Symbol.asyncDispose]: () => rm(found, { recursive: true }),
  };
}

describe("the history file", () => {
  it("gives back after a restart what was appended, in order", async ({ expect }) => {
    await using place = await directory();
    const first = await openStore(nodeHistoryStore(place.file));
    for (const minute of [1, 2, 3]) first.file.append(entryAt(minute));
    await first.file.settled();
    const second = await openStore(nodeHistoryStore(place.file));
    expect(second.entries).toEqual([1, 2, 3].map(entryAt));
    expect(second.torn).toBe(0);
  });

  it("survives a kill after any byte: whole lines stay, a torn one goes, and it can be appended to", async ({
    expect,
  }) => {
    await using place = await directory();
    const whole = await openStore(nodeHistoryStore(place.file));
    for (const minute of [1, 2]) whole.file.append(entryAt(minute));
    await whole.file.settled();
    const bytes = await readFile(place.file);
    const firstEnd = bytes.indexOf("\n") + 1;
    const killedAfter = async (cut: number): Promise<void> => {
      const file = `${place.file}-${cut}`;
      await writeFile(file, bytes.subarray(0, cut));
      const opened = await openStore(nodeHistoryStore(file));
      const complete = cut === bytes.length ? 2 : cut >= firstEnd ? 1 : 0;
      expect(opened.entries).toHaveLength(complete);
      expect(opened.torn).toBe(
        cut - (complete === 0 ? 0 : complete === 1 ? firstEnd : bytes.length),
      );
      opened.file.append(entryAt(3));
      await opened.file.settled();
      expect((await openStore(nodeHistoryStore(file))).entries).toEqual([
        ...[1, 2].slice(0, complete).map(entryAt),
        entryAt(3),
      ]);
    };
    await Promise.all(Array.from({ length: bytes.length + 1 }, (_, cut) => killedAfter(cut)));
  });

  it("passes over damaged lines in the middle, and says where they are", async ({ expect }) => {
    await using place = await directory();
    const first = await openStore(nodeHistoryStore(place.file));
    first.file.append(entryAt(1));
    await first.file.settled();
    await appendFile(place.file, "\0\0\0\n{}\n");
    expect(first.damaged).toEqual([]);
    const second = await openStore(nodeHistoryStore(place.file));
    expect(second.damaged).toEqual([2, 3]);
    second.file.append(entryAt(2));
    await second.file.settled();
    const third = await openStore(nodeHistoryStore(place.file));
    expect(third.entries).toEqual([1, 2].map(entryAt));
    expect(third.damaged).toEqual([2, 3]);
  });

  it.for(["kT9xQ2mN8vL4pR7wJ3hF6bD1sG5zC0yA_eU-iOqX", "mode: observe\n", "[1]"])(
    "is never made of another one that was named by mistake: %s",
    async (text, { expect }) => {
      await using place = await directory();
      await mkdir(path.dirname(place.file));
      await writeFile(place.file, text);
      const opening = openStore(nodeHistoryStore(place.file));
      await expect(opening).rejects.toThrow("the file is not a history file");
      expect(await readFile(place.file, "utf8")).toBe(text);
    },
  );

  it("drops what is too old", async ({ expect }) => {
    await using place = await directory();
    const first = await openStore(nodeHistoryStore(place.file));
    for (const minute of [1, 2, 30]) first.file.append(entryAt(minute));
    await first.file.settled();
    await openStore(nodeHistoryStore(place.file), { maxAgeMs: 31 * 60_000 });
    expect((await openStore(nodeHistoryStore(place.file))).entries).toEqual([entryAt(30)]);
  });

  it("never outgrows its size by more than what is written at once, and keeps the latest", async ({
    expect,
  }) => {
    await using place = await directory();
    const maxBytes = 5_000;
    const store = nodeHistoryStore(place.file);
    const { file } = await openStore(store, { maxBytes });
    for (let minute = 1; minute <= 50; minute += 1) {
      file.append(entryAt(minute));
      await file.settled();
      expect(await store.size()).toBeLessThanOrEqual(maxBytes);
    }
    const { entries } = await openStore(store);
    expect(entries.length).toBeGreaterThan(4);
    expect(entries.at(-1)).toEqual(entryAt(50));
  });

  it("does not block while the disk is full, reports it once, and writes later", async ({
    expect,
  }) => {
    await using place = await directory();
    const real = nodeHistoryStore(place.file);
    let full = false;
    const store: HistoryStore = {
      ...real,
      append: async (text) => {
        await real.append(full ? text.slice(0, 20) : text);
        if (full) throw new Error("ENOSPC");
      },
    };
    const { file, told } = await openStore(store);
    file.append(entryAt(1));
    await file.settled();
    full = true;
    for (const minute of [2, 3]) {
      file.append(entryAt(minute));
      await file.settled();
    }
    full = false;
    file.append(entryAt(4));
    await file.settled();
    expect(told).toEqual(["Error: ENOSPC", "recovered"]);
    expect((await openStore(real)).entries).toEqual([1, 2, 3, 4].map(entryAt));
  });

  it("keeps in order what comes while an append fails", async ({ expect }) => {
    await using place = await directory();
    const real = nodeHistoryStore(place.file);
    const [begun, failure] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isFull = true;
    const store: HistoryStore = {
      ...real,
      append: async (text) => {
        if (!isFull) return real.append(text);
        begun.resolve();
        return failure.promise;
      },
    };
    const { file, told } = await openStore(store);
    file.append(entryAt(1));
    file.append(entryAt(2));
    await begun.promise;
    file.append(entryAt(3));
    file.append(entryAt(4));
    failure.reject(new Error("ENOSPC"));
    await file.settled();
    expect((await openStore(real)).entries).toEqual([]);
    isFull = false;
    file.append(entryAt(5));
    await file.settled();
    expect(told).toEqual(["Error: ENOSPC", "recovered"]);
    expect((await openStore(real)).entries).toEqual([1, 2, 3, 4, 5].map(entryAt));
  });

  it("makes one interrupted entry of a run that never ended, once", async ({ expect }) => {
    await using place = await directory();
    const { file } = await openStore(nodeHistoryStore(place.file));
    await file.appendAndWait(running);
    for (const [index, results] of steps.entries()) {
      const { zone, run } = running;
      await file.appendAndWait({ at: at(10 + index), zone, run, results });
    }
    const { entries } = await openStore(nodeHistoryStore(place.file));
    const [one, two] = running.changes;
    const changes = [
      { ...one, result: "done" },
      { ...two, result: "unknown" },
    ];
    expect(entries).toEqual([{ ...running, at: at(11), result: "interrupted", changes }]);
    expect((await openStore(nodeHistoryStore(place.file))).entries).toEqual(entries);
  });

  it("has one entry of a run that ended after its writes were recorded", async ({ expect }) => {
    await using place = await directory();
    const { file } = await openStore(nodeHistoryStore(place.file));
    await file.appendAndWait(running);
    const { zone, run } = running;
    await file.appendAndWait({ at: at(10), zone, run, results: ["done", "unknown"] });
    const ended = { ...entryAt(11), run };
    file.append(ended);
    await file.settled();
    const { entries, damaged } = await openStore(nodeHistoryStore(place.file));
    expect(entries).toEqual([ended]);
    expect(damaged).toEqual([]);
  });

  it("ignores the progress of a run whose first line was dropped", async ({ expect }) => {
    await using place = await directory();
    const { file } = await openStore(nodeHistoryStore(place.file));
    const { zone, run } = running;
    await file.appendAndWait({ at: at(10), zone, run, results: ["done"] });
    const { entries, damaged } = await openStore(nodeHistoryStore(place.file));
    expect([entries, damaged]).toEqual([[], []]);
  });

  it("lets nobody wait for a line that cannot be written now", async ({ expect }) => {
    await using place = await directory();
    const real = nodeHistoryStore(place.file);
    const [begun, failure] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const append = (): Promise<void> => {
      begun.resolve();
      return failure.promise;
    };
    const { file } = await openStore({ ...real, append });
    const first = file.appendAndWait(entryAt(1));
    await begun.promise;
    const second = file.appendAndWait(entryAt(2));
    failure.reject(new Error("ENOSPC"));
    await Promise.all([first, second, first.then(() => file.appendAndWait(entryAt(3)))]);
    const { entries } = await openStore(real);
    expect(entries).toEqual([]);
  });

  it("writes at its end what still waits", async ({ expect }) => {
    await using place = await directory();
    const { file } = await openStore(nodeHistoryStore(place.file));
    for (const minute of [1, 2, 3]) file.append(entryAt(minute));
    await file[Symbol.asyncDispose]();
    expect((await openStore(nodeHistoryStore(place.file))).entries).toHaveLength(3);
  });
});
