import { getEventListeners } from "node:events";

import { describe, it } from "vitest";

import type { Budget, BudgetOptions } from "../../src/api/budget/budget.ts";
import type { RequestPriority } from "../../src/zone/ports.ts";
import { budgetOf } from "../support/budget.ts";
import { SimulatedClock } from "../support/clock.ts";

const forever = new AbortController().signal;

/** Ten requests a second, none of them reserved. */
const ten: Partial<BudgetOptions> = { limit: 10, windowMs: 1_000, reserve: 0, concurrency: 100 };

/** Requests that are answered in the moment in which they are sent; gives these moments. */
async function requests(
  budget: Budget,
  clock: SimulatedClock,
  count: number,
  priority: RequestPriority,
): Promise<readonly number[]> {
  return clock.run(
    Promise.all(
      Array.from({ length: count }, async () => {
        const permit = await budget.acquire(priority, forever);
        permit.end("answered", undefined);
        return clock.monotonicMs();
      }),
    ),
  );
}

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
    await expect(budget.acquire("sweep", forever)).rejects.toMatchObject({ code: "API_BUDGET" });
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
    await expect(leaving).rejects.toThrow("gone");
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

  it("is not rejected because one request got no answer", async ({ expect }) => {
    const clock = new SimulatedClock();
    const budget = budgetOf(clock, { concurrency: 1 });
    const failing = await budget.acquire("sweep", forever);
    const waiting = budget.acquire("sweep", forever);
    failing.end("unreachable", undefined);
    (await waiting).end("answered", undefined);
    expect(budget.state).toMatchObject({ waiting: 0, inFlight: 0 });
  });

  it("is told how long the service is left alone after a failed probe", async ({ expect }) => {
    const clock = new SimulatedClock();
    const budget = budgetOf(clock);
    for (let nth = 0; nth < 5; nth += 1) {
      (await budget.acquire("sweep", forever)).end("unreachable", undefined);
    }
    const probe = await clock.run(budget.acquire("sweep", forever));
    const waiting = budget.acquire("sweep", forever);
    const told = expect(waiting).rejects.toMatchObject({
      code: "API_UNREACHABLE",
      fault: "reset",
      transient: true,
      retryAfterMs: 2_000,
      message:
        "the service is unreachable; zonewarden tries again in 2 s: check api.base_url and the network",
    });
    probe.end("unreachable", undefined);
    await told;
    expect(budget.state.waiting).toBe(0);
  });
});

describe("a request that does not wait", () => {
  it("is not sent where it was given up before", async ({ expect }) => {
    const budget = budgetOf(new SimulatedClock());
    const gone = AbortSignal.abort(new Error("shutdown"));
    await expect(budget.acquire("write", gone)).rejects.toThrow("shutdown");
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

describe("requests of low priority", () => {
  it("are spread over the window once half of it is used", async ({ expect }) => {
    const clock = new SimulatedClock();
    await clock.advance(5_000);
    const budget = budgetOf(clock, ten);
    await requests(budget, clock, 6, "sweep");
    // Four places, the last request at 5,000, and the first place back at 6,000.
    expect(await requests(budget, clock, 1, "sweep")).toEqual([(4 * 5_000 + 6_000) / 5]);
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

describe("a window", () => {
  it.for([1_099.2, 1_099.6])(
    "of a request that ended at 99.4 ms is not over at %d ms",
    async (now, { expect }) => {
      const clock = new SimulatedClock();
      const budget = budgetOf(clock, { ...ten, limit: 1 });
      await clock.advance(99.4);
      await requests(budget, clock, 1, "sweep");
      await clock.advance(now - 99.4);
      const next = budget.acquire("sweep", forever);
      expect(budget.state.waiting).toBe(1);
      await clock.advance(2);
      (await next).end("answered", undefined);
    },
  );
});

describe("the state of a budget", () => {
  it("shows no pause from the moment in which it is over", async ({ expect }) => {
    const clock = new SimulatedClock();
    const budget = budgetOf(clock, ten);
    budget.pauseFor(1_000);
    await clock.advance(999);
    expect(budget.state).toMatchObject({ remaining: 0, pause: { reason: "rate_limited" } });
    await clock.advance(1);
    expect(budget.state).toMatchObject({ remaining: 10, resetAt: undefined, pause: undefined });
  });

  it("shows the pause of the request whose turn comes first", async ({ expect }) => {
    const clock = new SimulatedClock();
    const budget = budgetOf(clock, { ...ten, limit: 100 });
    await requests(budget, clock, 1, "write");
    await clock.advance(500);
    await requests(budget, clock, 99, "write");
    const start = clock.now().getTime();
    // The urgent request takes the first place that comes back; the other one leaves two to urgent requests.
    const waiting = Promise.all([
      requests(budget, clock, 1, "sweep"),
      requests(budget, clock, 1, "write"),
    ]);
    const until = new Date(start + 500);
    expect(budget.state.pause).toEqual({ until, reason: "exhausted" });
    expect(budget.state.resetAt).toEqual(until);
    expect(await waiting).toEqual([[1_500], [1_000]]);
  });
});

it("leaves nothing behind on the signal of a long run", async ({ expect }) => {
  const clock = new SimulatedClock();
  const budget = budgetOf(clock, { concurrency: 1 });
  const { signal } = new AbortController();
  for (let nth = 0; nth < 20; nth += 1) {
    const held = await budget.acquire("sweep", signal);
    const waiting = budget.acquire("sweep", signal);
    held.end("answered", undefined);
    (await waiting).end("answered", undefined);
  }
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
