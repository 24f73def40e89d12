import { describe, it } from "vitest";

import { BatchedStore, type KeyChange } from "../../src/memory/batched-store.ts";
import { SimulatedClock } from "../support/clock.ts";

/** A store, what it sent to its medium, and what it told. */
class Stage {
  readonly clock = new SimulatedClock();
  readonly batches: (readonly KeyChange[])[] = [];
  readonly told: string[] = [];
  /** Called with each batch. Gives for how long changes are gathered after it. */
  answer: () => Promise<number> = () => Promise.resolve(700);
  readonly store: BatchedStore;

  constructor(entries: readonly (readonly [string, string])[] = []) {
    const medium = {
      store: (changes: readonly KeyChange[]) => {
        this.batches.push(changes);
        return this.answer();
      },
      [Symbol.asyncDispose]: async () => void this.told.push("closed"),
    };
    const opened = { opened: { result: "empty" }, entries: new Map(entries) } as const;
    this.store = new BatchedStore(medium, opened, 100, {
      clock: this.clock,
      onFailure: ({ message }) => this.told.push(message),
      onRecovery: () => this.told.push("recovered"),
    });
  }
}

/** A stage whose store is writing the change of a key, and how that ends. */
async function stageThatWrites(): Promise<
  PromiseWithResolvers<number> & { readonly stage: Stage }
> {
  const stage = new Stage();
  const written = Promise.withResolvers<number>();
  stage.answer = () => written.promise;
  stage.store.set("a", "1");
  await stage.clock.advance(100);
  return { ...written, stage };
}

function full(): Promise<never> {
  return Promise.reject(new Error("ENOSPC"));
}

describe("a store that gathers changes", () => {
  it("sends what was set last of each key, in one batch, and nothing for what is as before", async ({
    expect,
  }) => {
    const { store, clock, batches } = new Stage([
      ["a", "1"],
      ["b", "1"],
    ]);
    expect(store.status).toEqual({ status: "ok" });
    store.set("a", "1");
    store.set("none", undefined);
    await clock.advance(1_000);
    expect(batches).toEqual([]);
    store.set("a", "2");
    store.set("b", undefined);
    await clock.advance(60);
    store.set("a", "3");
    expect([store.get("a"), store.get("b"), store.keys("")]).toEqual(["3", undefined, ["a"]]);
    await clock.advance(39);
    expect(batches).toEqual([]);
    await clock.advance(1);
    expect(batches).toEqual([
      [
        ["a", "3"],
        ["b", null],
      ],
    ]);
    expect(store.unstored).toEqual([]);
  });

  it("lets what comes during a write wait for as long as the medium tells after it", async ({
    expect,
  }) => {
    const { stage, resolve } = await stageThatWrites();
    const { store, clock, batches } = stage;
    store.set("a", "2");
    resolve(700);
    await clock.advance(699);
    expect(batches).toHaveLength(1);
    await clock.advance(1);
    expect(batches.slice(1)).toEqual([[["a", "2"]]]);
  });

  it("does not lose what is set while a batch is on its way", async ({ expect }) => {
    const { stage, resolve } = await stageThatWrites();
    const { store, batches } = stage;
    store.set("b", "2");
    const flushed = store.flush();
    expect(batches).toHaveLength(1);
    resolve(700);
    expect(await flushed).toBe(true);
    expect(batches).toEqual([[["a", "1"]], [["b", "2"]]]);
  });

  it("tries again every five seconds, tells a failure once, and that it is over", async ({
    expect,
  }) => {
    const stage = new Stage();
    const { store, clock, batches, told } = stage;
    stage.answer = full;
    store.set("a", "1");
    store.set("b", "1");
    const failedAt = new Date(clock.now().getTime() + 100);
    await clock.advance(100);
    store.set("b", "2");
    await clock.advance(4_999);
    expect(batches).toHaveLength(1);
    await clock.advance(1);
    expect(batches).toHaveLength(2);
    expect(store.status).toMatchObject({ status: "failing", since: failedAt });
    expect(await store.flush()).toBe(false);
    expect(told).toEqual(["ENOSPC"]);
    stage.answer = () => Promise.resolve(700);
    await clock.advance(5_000);
    const last = [
      ["a", "1"],
      ["b", "2"],
    ];
    expect([batches.at(-1), store.unstored, store.status]).toEqual([last, [], { status: "ok" }]);
    expect(told).toEqual(["ENOSPC", "recovered"]);
  });

  it("keeps a newer change over one that could not be written", async ({ expect }) => {
    const { stage, reject } = await stageThatWrites();
    const { store, clock, batches } = stage;
    store.set("a", "2");
    reject(new Error("ENOSPC"));
    await clock.advance(0);
    expect(store.unstored).toEqual([["a", "2"]]);
    stage.answer = () => Promise.resolve(700);
    expect(await store.flush()).toBe(true);
    expect(batches.at(-1)).toEqual([["a", "2"]]);
  });

  it("writes at its end what is left, and then closes its medium", async ({ expect }) => {
    const { store, batches, told } = new Stage();
    store.set("a", "1");
    await store[Symbol.asyncDispose]();
    expect([batches, told]).toEqual([[[["a", "1"]]], ["closed"]]);
  });

  it("does not try again after its end", async ({ expect }) => {
    const stage = new Stage();
    const { store, clock, batches, told } = stage;
    stage.answer = full;
    store.set("a", "1");
    await store[Symbol.asyncDispose]();
    await clock.advance(10_000);
    expect([batches.length, told]).toEqual([1, ["ENOSPC", "closed"]]);
  });

  it("tells each of two who wait for the same batch what became of it", async ({ expect }) => {
    const stage = new Stage();
    stage.answer = full;
    stage.store.set("a", "1");
    expect(await Promise.all([stage.store.flush(), stage.store.flush()])).toEqual([false, false]);
    expect(stage.batches).toHaveLength(1);
  });

  it("waits for nothing after what was set is stored", async ({ expect }) => {
    const { store, clock } = new Stage();
    store.set("a", "1");
    expect(await store.flush()).toBe(true);
    expect(clock.sleeping).toBe(0);
  });

  it("sends nothing if nothing was set, and is held where its medium does not tell", async ({
    expect,
  }) => {
    const { store, clock, batches } = new Stage();
    expect([await store.flush(), await store.isHeld(), batches]).toEqual([true, true, []]);
    expect(clock.sleeping).toBe(0);
  });
});
