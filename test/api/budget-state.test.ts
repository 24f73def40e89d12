import { getEventListeners } from "node:events";

import { describe, it } from "vitest";

import { budgetOf, requests, ten } from "../support/budget.ts";
import { SimulatedClock } from "../support/clock.ts";

const forever = new AbortController().signal;

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
    expect(budget.state).toMatchObject({
      remaining: 0,
      pause: { reason: "rate_limited" },
      waitedMs: 0,
    });
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
