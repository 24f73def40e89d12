import { describe, it } from "vitest";

import { NewLines } from "../../src/history/chain/history-chain.ts";
import type { HistoryBatch } from "../../src/history/file/history-store.ts";
import {
  type LastTerm,
  openDatabaseStore,
  type TermStore,
} from "../../src/memory/database-store.ts";
import type { TermBatch } from "../../src/memory/database.ts";
import { SimulatedClock } from "../support/clock.ts";
import { MemoryTables } from "../support/memory-tables.ts";

const identity = { owner: "edge", service: "https://api.example" };

/** Tables whose statements can fail, and how many lines each was asked to store. */
class FailingTables extends MemoryTables {
  isDown = false;
  readonly asked: number[] = [];

  override store(batch: TermBatch): ReturnType<MemoryTables["store"]> {
    this.asked.push(batch.history?.lines.lines.length ?? 0);
    return this.isDown ? Promise.reject(new Error("it is down")) : super.store(batch);
  }
}

function termOf(tables: MemoryTables, last: LastTerm | undefined): Promise<TermStore> {
  const told = { onFailure: () => undefined, onRecovery: () => undefined, onLost: () => undefined };
  return openDatabaseStore("db", tables, identity, last, { clock: new SimulatedClock(), ...told });
}

describe("what a term could not store", () => {
  it.for([
    { between: "nobody", entries: { b: "new" } },
    { between: "another process", entries: { a: "1", b: "old" } },
  ])("is $entries in the next one, where $between led in between", async (row, { expect }) => {
    const tables = new FailingTables();
    const first = await termOf(tables, undefined);
    expect([first.last.term, first.state.opened]).toEqual([1, { result: "empty" }]);
    first.state.set("a", "1");
    first.state.set("b", "old");
    expect(await first.state.flush()).toBe(true);
    tables.isDown = true;
    first.state.set("a", undefined);
    first.state.set("b", "new");
    expect(await first.state.flush()).toBe(false);
    tables.isDown = false;
    if (row.between !== "nobody") await termOf(tables, undefined);
    const next = await termOf(tables, first.last);
    expect(next.state.opened).toEqual({ result: "loaded", entries: 2 });
    expect(next.state.keys("").toSorted()).toEqual(Object.keys(row.entries));
    expect(await next.state.flush()).toBe(true);
    expect(Object.fromEntries(tables.entries)).toEqual(row.entries);
  });

  it("comes after that term, in a database that was restored too", async ({ expect }) => {
    const tables = new MemoryTables();
    tables.term = 7;
    const { last } = await termOf(tables, undefined);
    tables.term = 3;
    const next = await termOf(tables, last);
    expect(next.last.term).toBe(9);
    expect(next.isRestored).toBe(true);
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

  it("are stored before the term ends", async ({ expect }) => {
    const tables = new MemoryTables();
    const store = await termOf(tables, undefined);
    void store.history?.add(oneLine());
    await store[Symbol.asyncDispose]();
    expect(tables.lines).toHaveLength(1);
  });
});
