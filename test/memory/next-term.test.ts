import { describe, it } from "vitest";

import { NewLines } from "../../src/history/chain/history-chain.ts";
import type { HistoryBatch } from "../../src/history/file/history-store.ts";
import {
  lastSeen,
  type LastTerm,
  measurementWriter,
  openDatabaseStore,
  type TermStore,
} from "../../src/memory/database-store.ts";
import type { OpenedTables, StoredTerm, TermBatch } from "../../src/memory/database.ts";
import { SimulatedClock } from "../support/clock.ts";
import { MemoryTables } from "../support/memory-tables.ts";
import { named } from "../support/reports.ts";

const identity = { owner: "edge", service: "https://api.example" };

/** Tables whose statements can fail, and how many lines each was asked to store. */
class FailingTables extends MemoryTables {
  isDown = false;
  readonly asked: number[] = [];

  /** How many answers to the begin of a term are lost. */
  unheard = 0;

  override async begin(...args: Parameters<MemoryTables["begin"]>): Promise<OpenedTables> {
    const opened = await super.begin(...args);
    if (this.unheard === 0) return opened;
    this.unheard -= 1;
    throw new Error("Query read timeout");
  }

  override store(batch: TermBatch): ReturnType<MemoryTables["store"]> {
    this.asked.push(batch.history?.lines.lines.length ?? 0);
    return this.isDown ? Promise.reject(new Error("it is down")) : super.store(batch);
  }
}

function termOf(
  tables: MemoryTables,
  last: LastTerm | undefined,
  clock = new SimulatedClock(),
  lost: string[] = [],
): Promise<TermStore> {
  const told = { onFailure: () => undefined, onRecovery: () => undefined };
  const onLost = (result: string): number => lost.push(result);
  return openDatabaseStore("db", tables, identity, last, { clock, ...told, onLost });
}

describe("what a term could not store", () => {
  it.for([
    { between: "nobody", unheard: 0, entries: { b: "new" } },
    { between: "nobody", unheard: 1, entries: { b: "new" } },
    { between: "another process", unheard: 0, entries: { a: "1", b: "old" } },
    { between: "another process", unheard: 2, entries: { a: "1", b: "old" } },
  ])("is $entries after $unheard lost answers, where $between led", async (row, { expect }) => {
    const tables = new FailingTables();
    const clock = new SimulatedClock();
    const first = await termOf(tables, undefined, clock);
    expect([first.last.term, first.state.opened]).toEqual([1, { result: "empty" }]);
    first.state.set("a", "1");
    first.state.set("b", "old");
    await clock.advance(100);
    expect(tables.entries.size).toBe(2);
    tables.isDown = true;
    first.state.set("a", undefined);
    first.state.set("b", "new");
    await clock.advance(100);
    expect(first.state.status.status).toBe("failing");
    tables.isDown = false;
    if (row.between !== "nobody") await termOf(tables, undefined);
    tables.unheard = row.unheard;
    while (tables.unheard > 0) await expect(termOf(tables, first.last)).rejects.toThrow("timeout");
    const next = await termOf(tables, first.last);
    expect(next.isRestored).toBe(false);
    expect(next.state.opened).toEqual({ result: "loaded", entries: next.state.keys("").length });
    expect(next.state.keys("").toSorted()).toEqual(Object.keys(row.entries));
    expect(await next.state.flush()).toBe(true);
    expect(Object.fromEntries(tables.entries)).toEqual(row.entries);
  });

  it.for([
    { lost: "the term", restored: { term: 3 } },
    { lost: "the last line", restored: { lines: [] } },
  ])("comes after that term in a database that lost $lost", async ({ restored }, { expect }) => {
    const tables = new MemoryTables();
    tables.term = 7;
    const first = await termOf(tables, undefined);
    await first.history?.add(oneLine());
    Object.assign(tables, restored);
    const next = await termOf(tables, first.last);
    expect(next.last.term).toBe(9);
    expect(next.isRestored).toBe(true);
  });
});

describe("measurements in the tables of a term", () => {
  const day = "2026-11-20";

  it("are stored five hundred at a time", async ({ expect }) => {
    const sizes: number[] = [];
    const write = measurementWriter(async ({ records }) => void sizes.push(records.size));
    const zones = Array.from({ length: 1_000 }, (_, nth) => named(`z${nth}.example`));
    await write(day, new Map(zones.map((zone) => [zone, "a record"])));
    expect(sizes).toEqual([500, 500]);
  });

  it("are read without what is of no zone", async ({ expect }) => {
    const tables = new MemoryTables();
    const { measurements } = await termOf(tables, undefined);
    const records = new Map(["..", "a.example", "b.example"].map((name) => [name, "a record"]));
    await tables.storeMeasurements({ term: 1, day, records });
    const zones = (await Array.fromAsync(measurements.readAll(day))).map(([zone]) => zone);
    expect(zones).toEqual(["a.example", "b.example"]);
  });

  it("end with the term, which is told once", async ({ expect }) => {
    const [tables, lost] = [new MemoryTables(), new Array<string>()];
    const { measurements } = await termOf(tables, undefined, undefined, lost);
    await termOf(tables, undefined);
    for (const first of ["2026-11-20", "2026-11-21"]) {
      await expect(measurements.dropBefore(first)).rejects.toMatchObject({
        name: "TermOver",
        message:
          "another process has begun to work with this database, or the database was restored",
      });
    }
    expect(lost).toEqual(["term_over"]);
  });
});

function oneLine(): HistoryBatch {
  const lines = new NewLines({ chain: "c", n: 0, hash: "" }, undefined);
  lines.add({ at: "2026-11-20T08:00:00.000Z", text: "x" }, false);
  return { lines };
}

describe("lines of the history", () => {
  it("go with each batch until it is known that they are stored", async ({ expect }) => {
    const tables = new FailingTables();
    const { history, state } = await termOf(tables, undefined);
    tables.isDown = true;
    await expect(history?.add(oneLine())).rejects.toThrow("it is down");
    tables.isDown = false;
    for (const value of ["1", "2"]) {
      state.set("a", value);
      expect(await state.flush()).toBe(true);
    }
    expect([tables.asked, tables.lines.length]).toEqual([[1, 1, 0], 1]);
  });

  it("go together with what was set before them", async ({ expect }) => {
    const tables = new FailingTables();
    const { history, state } = await termOf(tables, undefined);
    state.set("a", "1");
    await history?.add(oneLine());
    expect([tables.asked, Object.fromEntries(tables.entries)]).toEqual([[1], { a: "1" }]);
  });

  it("are stored before the term ends", async ({ expect }) => {
    const tables = new MemoryTables();
    const store = await termOf(tables, undefined);
    void store.history?.add(oneLine());
    await store[Symbol.asyncDispose]();
    expect(tables.lines).toHaveLength(1);
  });
});

function at(term: number, n: number): StoredTerm {
  return { term, head: { n, hash: `${n}` } };
}

describe("what a process has seen of a database in which others work", () => {
  const unstored = [["a", "1"]] as const;

  it.for([
    { when: "nothing was known", known: undefined, now: at(3, 7), unstored: [] },
    { when: "its own term still runs", known: at(3, 7), now: at(3, 8), unstored },
    { when: "a later term runs", known: at(3, 7), now: at(4, 7), unstored: [] },
  ])("is what is there now where $when", ({ known, now, unstored: left }, { expect }) => {
    expect(lastSeen(known && { ...known, unstored }, now)).toEqual({ ...now, unstored: left });
  });

  it.for([
    { when: "the term is an earlier one", now: at(2, 9) },
    { when: "the history is shorter", now: at(4, 6) },
  ])("is what was known where $when: it was restored", ({ now }, { expect }) => {
    const known = { ...at(3, 7), unstored };
    expect(lastSeen(known, now)).toEqual(known);
  });
});
