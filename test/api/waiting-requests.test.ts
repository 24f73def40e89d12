import { describe, it } from "vitest";

import type { RequestPriority } from "../../src/zone/ports.ts";
import { budgetOf, requests, ten } from "../support/budget.ts";
import { SimulatedClock } from "../support/clock.ts";

const forever = new AbortController().signal;

describe("a request that waits", () => {
  it.for([
    { waits: "changed", ms: 59_999, first: "write" },
    { waits: "changed", ms: 60_000, first: "changed" },
    { waits: "sweep", ms: 119_999, first: "write" },
    { waits: "sweep", ms: 120_000, first: "sweep" },
    { waits: "inventory", ms: 179_999, first: "write" },
    { waits: "inventory", ms: 180_000, first: "inventory" },
  ] as const)("as $waits for $ms ms: the next is $first", async (row, { expect }) => {
    const clock = new SimulatedClock();
    await clock.advance(7_000);
    const budget = budgetOf(clock, { concurrency: 1 });
    const held = await budget.acquire("write", forever);
    const order: RequestPriority[] = [];
    const ask = async (priority: RequestPriority): Promise<void> => {
      const permit = await budget.acquire(priority, forever);
      order.push(priority);
      permit.end("answered", undefined);
    };
    const older = ask(row.waits);
    await clock.advance(row.ms);
    const newer = ask("write");
    held.end("answered", undefined);
    await clock.run(Promise.all([older, newer]));
    expect(order[0]).toBe(row.first);
  });

  it("is not passed by one of its priority that comes when its turn does", async ({ expect }) => {
    const clock = new SimulatedClock();
    const budget = budgetOf(clock, { ...ten, limit: 1 });
    await requests(budget, clock, 1, "sweep");
    const order: string[] = [];
    const ask = async (name: string): Promise<void> => {
      const permit = await budget.acquire("sweep", forever);
      order.push(name);
      permit.end("answered", undefined);
    };
    // It wakes before the budget does, in the same millisecond.
    const newer = clock.sleep(1_000, forever).then(() => {
      expect(budget.state).toMatchObject({ waiting: 1, pause: undefined });
      return ask("newer");
    });
    const older = ask("older");
    await clock.run(Promise.all([older, newer]));
    expect(order).toEqual(["older", "newer"]);
  });

  it("waits as long as it may, to the millisecond", async ({ expect }) => {
    const clock = new SimulatedClock();
    const budget = budgetOf(clock, { ...ten, maxWaitMs: 5_000 });
    budget.pauseFor(5_000);
    expect(await requests(budget, clock, 1, "sweep")).toEqual([5_000]);
    budget.pauseFor(5_001);
    const rejected = budget.acquire("sweep", forever);
    const told = { code: "API_BUDGET", transient: true, retryAfterMs: 5_001 };
    await expect(rejected).rejects.toMatchObject(told);
    await expect(rejected).rejects.toThrow("is exhausted for the next 6 s: wait");
  });

  it("for one under way is not rejected before its time is over", async ({ expect }) => {
    const clock = new SimulatedClock();
    const budget = budgetOf(clock, { maxWaitMs: 5_000, concurrency: 1 });
    const held = await budget.acquire("write", forever);
    const waiting = budget.acquire("sweep", forever);
    await clock.advance(4_999);
    const other = new AbortController();
    const leaving = budget.acquire("sweep", other.signal);
    other.abort(new Error("gone"));
    await expect(leaving).rejects.toMatchObject({ message: "gone" });
    expect(budget.state.waiting).toBe(1);
    held.end("answered", undefined);
    (await waiting).end("answered", undefined);
  });

  it("is rejected in the moment in which a pause turns out too long", async ({ expect }) => {
    const clock = new SimulatedClock();
    const budget = budgetOf(clock, { ...ten, limit: 1, maxWaitMs: 5_000 });
    await requests(budget, clock, 1, "sweep");
    const waiting = budget.acquire("sweep", forever);
    const rejected = expect(waiting).rejects.toMatchObject({ retryAfterMs: 300_000 });
    budget.pauseFor(300_000);
    expect(budget.state.waiting).toBe(0);
    await rejected;
    expect(clock.monotonicMs()).toBe(0);
  });

  it("is rejected by the turn of its own priority", async ({ expect }) => {
    const clock = new SimulatedClock();
    const limits = { ...ten, limit: 100, windowMs: 10_000, maxWaitMs: 5_000 };
    const budget = budgetOf(clock, limits);
    await requests(budget, clock, 1, "write");
    await clock.advance(6_000);
    await requests(budget, clock, 99, "write");
    const urgent = requests(budget, clock, 1, "write");
    // Two places are left to urgent requests: the third comes back at 16,000.
    const told = { code: "API_BUDGET", retryAfterMs: 10_000 };
    await expect(budget.acquire("sweep", forever)).rejects.toMatchObject(told);
    expect(await urgent).toEqual([10_000]);
  });

  it("is not rejected because one request got no answer", async ({ expect }) => {
    const clock = new SimulatedClock();
    const budget = budgetOf(clock, { concurrency: 1 });
    const failing = await budget.acquire("sweep", forever);
    const waiting = budget.acquire("sweep", forever);
    failing.end("unreachable", undefined);
    (await waiting).end("answered", undefined);
    expect(budget.state).toMatchObject({ waiting: 0, inFlight: 0 });
  });
});

describe("a request that does not wait", () => {
  it("is not sent where it was given up before", async ({ expect }) => {
    const budget = budgetOf(new SimulatedClock());
    const gone = AbortSignal.abort(new Error("shutdown"));
    await expect(budget.acquire("write", gone)).rejects.toMatchObject({ message: "shutdown" });
    expect(budget.state.inFlight).toBe(0);
  });

  it("gives its place back where it was not sent", async ({ expect }) => {
    const clock = new SimulatedClock();
    const budget = budgetOf(clock, { ...ten, limit: 1 });
    (await budget.acquire("sweep", forever)).end("unsent", undefined);
    expect(budget.state).toMatchObject({ remaining: 1, inFlight: 0 });
    expect(await requests(budget, clock, 1, "sweep")).toEqual([0]);
  });
});

describe("requests that waited for the end of a pause", () => {
  it.for([1, 1_000])("of %d ms are all served in that moment", async (ms, { expect }) => {
    const clock = new SimulatedClock();
    const budget = budgetOf(clock, ten);
    budget.pauseFor(ms);
    const waiting = ["write", "sweep", "sweep"] as const;
    const permits = waiting.map((priority) => budget.acquire(priority, forever));
    await clock.advance(ms);
    expect(budget.state).toMatchObject({ waiting: 0, inFlight: 3, waitedMs: 3 * ms });
    for (const permit of await Promise.all(permits)) permit.end("answered", undefined);
  });

  it("are not spread where they are urgent", async ({ expect }) => {
    const clock = new SimulatedClock();
    const budget = budgetOf(clock, ten);
    await requests(budget, clock, 6, "sweep");
    budget.pauseFor(100);
    expect(await requests(budget, clock, 1, "write")).toEqual([100]);
  });

  it("leave the last two of a hundred places to urgent ones", async ({ expect }) => {
    const clock = new SimulatedClock();
    const budget = budgetOf(clock, { ...ten, limit: 100 });
    await requests(budget, clock, 98, "write");
    budget.pauseFor(10);
    const both = [requests(budget, clock, 1, "sweep"), requests(budget, clock, 1, "write")];
    expect(await Promise.all(both)).toEqual([[1_000], [10]]);
  });
});

describe("requests of low priority", () => {
  it.for([
    { when: "that did not wait", waitMs: 0 },
    { when: "that waited", waitMs: 2_000 },
  ])("are spread once half of the window is used by those $when", async (row, { expect }) => {
    const clock = new SimulatedClock();
    await clock.advance(5_000);
    const budget = budgetOf(clock, ten);
    if (row.waitMs > 0) budget.pauseFor(row.waitMs);
    await requests(budget, clock, 6, "sweep");
    // Four places, the last request at `sent`, and the first place back a second after it.
    const sent = 5_000 + row.waitMs;
    expect(await requests(budget, clock, 1, "sweep")).toEqual([(4 * sent + sent + 1_000) / 5]);
  });

  it.for([
    { when: "that did not wait", waitMs: 0 },
    { when: "that waited", waitMs: 2_000 },
  ])("are not spread after urgent ones $when", async ({ waitMs }, { expect }) => {
    const clock = new SimulatedClock();
    await clock.advance(5_000);
    const budget = budgetOf(clock, ten);
    budget.pauseFor(waitMs);
    await requests(budget, clock, 6, "write");
    expect(await requests(budget, clock, 1, "sweep")).toEqual([5_000 + waitMs]);
  });
});
