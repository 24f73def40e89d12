import { describe, it } from "vitest";

import {
  type LastTerm,
  openDatabaseStore,
  type TermStore,
} from "../../src/memory/database-store.ts";
import { SimulatedClock } from "../support/clock.ts";
import { MemoryTables } from "../support/memory-tables.ts";

const identity = { owner: "edge", service: "https://api.example" };

/** Tables whose statements can fail. */
class FailingTables extends MemoryTables {
  isDown = false;

  override store(...args: Parameters<MemoryTables["store"]>): ReturnType<MemoryTables["store"]> {
    return this.isDown ? Promise.reject(new Error("it is down")) : super.store(...args);
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
