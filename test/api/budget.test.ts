import * as fc from "fast-check";
import { describe, it } from "vitest";

import type { Budget } from "../../src/api/budget/budget.ts";
import type { RateView } from "../../src/api/budget/rate-headers.ts";
import { requestPriorities, type RequestPriority } from "../../src/zone/ports.ts";
import { budgetOf } from "../support/budget.ts";
import { SimulatedClock } from "../support/clock.ts";
import { cases } from "../support/properties.ts";

const forever = new AbortController().signal;
const silent: RateView = { left: [], policies: [] };

/** One request: waits for its turn, takes `ms`, and says what the answer said of the limit. */
async function spend(
  budget: Budget,
  clock: SimulatedClock,
  priority: RequestPriority,
  ms = 100,
  rate: () => RateView = () => silent,
): Promise<number> {
  const permit = await budget.acquire(priority, forever);
  const at = clock.monotonicMs();
  await clock.sleep(ms, forever);
  permit.end("answered", rate());
  return at;
}

/** So many requests of one class, `workers` at a time; gives the moments at which they went. */
async function sweep(
  budget: Budget,
  clock: SimulatedClock,
  requests: number,
  priority: RequestPriority = "sweep",
  workers = 8,
): Promise<readonly number[]> {
  const moments: number[] = [];
  let left = requests;
  await Promise.all(
    Array.from({ length: workers }, async () => {
      while (left > 0) {
        left -= 1;
        moments.push(await spend(budget, clock, priority));
      }
    }),
  );
  return moments;
}

/** The most moments that any window of `ms` holds. */
function fullestWindow(moments: readonly number[], ms: number): number {
  const sorted = moments.toSorted((a, b) => a - b);
  let start = 0;
  return sorted.reduce((most, moment, index) => {
    while ((sorted[start] ?? 0) <= moment - ms) start += 1;
    return Math.max(most, index - start + 1);
  }, 0);
}

function says(left: number, seconds: number): () => RateView {
  return () => ({ left: [{ name: "default", left, ms: seconds * 1000 }], policies: [] });
}

describe("the budget", () => {
  it("never lets more through than its limit in any window, as the service counts", async ({
    expect,
  }) => {
    const burst = fc.record({
      pauseMs: fc.integer({ min: 0, max: 2_000 }),
      priority: fc.constantFrom(...requestPriorities),
      requests: fc.integer({ min: 1, max: 12 }),
      takesMs: fc.integer({ min: 0, max: 700 }),
      arrives: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    const limits = fc.record({
      limit: fc.integer({ min: 1, max: 30 }),
      windowMs: fc.integer({ min: 1, max: 3_000 }),
      reserve: fc.double({ min: 0, max: 0.9, noNaN: true }),
      concurrency: fc.integer({ min: 1, max: 9 }),
    });
    await fc.assert(
      fc.asyncProperty(limits, fc.array(burst, { maxLength: 12 }), async (options, bursts) => {
        const clock = new SimulatedClock();
        const budget = budgetOf(clock, { ...options, maxWaitMs: 1e9 });
        const counted: number[] = [];
        const request = async ({ priority, takesMs, arrives }: (typeof bursts)[number]) => {
          const permit = await budget.acquire(priority, forever);
          // The service counts it at some moment between its sending and its end.
          counted.push(clock.monotonicMs() + Math.round(takesMs * arrives));
          await clock.sleep(takesMs, forever);
          permit.end("answered", silent);
        };
        const all: Promise<void>[] = [];
        for (const one of bursts) {
          await clock.advance(one.pauseMs);
          for (let nth = 0; nth < one.requests; nth += 1) all.push(request(one));
        }
        await clock.run(Promise.all(all));

        const ours = Math.max(1, Math.floor(options.limit * (1 - options.reserve)));
        expect(fullestWindow(counted, options.windowMs)).toBeLessThanOrEqual(ours);
      }),
      cases(500),
    );
  });

  it("would be passed by a plain token bucket: the check can fail", ({ expect }) => {
    const limit = 10;
    const refilled = Array.from({ length: limit }, (_, index) => (index + 1) * 100);
    const bucket = [...Array.from({ length: limit }, () => 0), ...refilled];
    expect(fullestWindow(bucket, 1_000)).toBeGreaterThan(limit);
  });

  it("brings a sweep of 1,000 zones to its end within a twentieth of the bound", async ({
    expect,
  }) => {
    const clock = new SimulatedClock();
    const budget = budgetOf(clock);
    const requests = 3_100;
    const moments = await clock.run(sweep(budget, clock, requests));
    const bound = requests / (960 / 300_000);
    expect(fullestWindow(moments, 300_000)).toBeLessThanOrEqual(960);
    expect(clock.monotonicMs() / bound).toBeLessThan(1.05);
  }, 60_000);

  it("lets a changed zone through within seconds in the middle of a sweep", async ({ expect }) => {
    const clock = new SimulatedClock();
    const budget = budgetOf(clock);
    const swept = sweep(budget, clock, 4_000);
    await clock.advance(700_000);

    for (let change = 0; change < 5; change += 1) {
      const before = clock.monotonicMs();
      const changed = [
        ...(await clock.run(sweep(budget, clock, 10, "changed"))),
        ...(await clock.run(sweep(budget, clock, 5, "write"))),
      ];
      expect(Math.max(...changed) - before).toBeLessThan(5_000);
      await clock.advance(60_000);
    }
    await clock.run(swept);
  }, 60_000);

  it("takes a changed zone at once where only urgent places are left", async ({ expect }) => {
    const clock = new SimulatedClock();
    await clock.advance(1_000.4);
    const budget = budgetOf(clock, { concurrency: 941 });
    await clock.run(sweep(budget, clock, 941, "write", 941));
    expect(await clock.run(spend(budget, clock, "changed"))).toBe(1_100.4);
  });

  it("answers a small fleet at once: nothing is spread while there is plenty", async ({
    expect,
  }) => {
    const clock = new SimulatedClock();
    const moments = await clock.run(sweep(budgetOf(clock), clock, 300));
    expect(Math.max(...moments)).toBeLessThan(5_000);
  });

  it("goes by class first and by age within it", async ({ expect }) => {
    const clock = new SimulatedClock();
    const budget = budgetOf(clock, { concurrency: 1 });
    const order: string[] = [];
    const ask = async (name: string, priority: RequestPriority) => {
      await spend(budget, clock, priority);
      order.push(name);
    };
    const all = [
      ask("first, since nobody else was there", "inventory"),
      ask("inventory", "inventory"),
      ask("sweep 1", "sweep"),
      ask("sweep 2", "sweep"),
      ask("write", "write"),
      ask("changed", "changed"),
    ];
    await clock.run(Promise.all(all));
    expect(order).toEqual([
      "first, since nobody else was there",
      "write",
      "changed",
      "sweep 1",
      "sweep 2",
      "inventory",
    ]);
  });

  it("starves nobody: who has waited long enough goes before what just came", async ({
    expect,
  }) => {
    const clock = new SimulatedClock();
    const budget = budgetOf(clock, { concurrency: 1, limit: 1_000_000 });
    const until = new AbortController();
    const keepWriting = async () => {
      while (!until.signal.aborted) await spend(budget, clock, "write", 1_000);
    };
    const writers = Promise.all([keepWriting(), keepWriting()]);
    const waited = await clock.run(spend(budget, clock, "inventory", 1_000));
    until.abort();
    await clock.run(writers);
    expect(waited).toBeGreaterThan(100_000);
    expect(waited).toBeLessThan(200_000);
  });

  it("pauses requests of every priority while the service rate limits the token", async ({
    expect,
  }) => {
    const clock = new SimulatedClock();
    await clock.advance(5_000);
    const budget = budgetOf(clock);
    budget.pauseFor(300_000);
    budget.pauseFor(10);
    const until = new Date(clock.now().getTime() + 300_000);
    expect(budget.state).toMatchObject({ remaining: 0, resetAt: until, pause: { until } });
    expect(await clock.run(spend(budget, clock, "write"))).toBe(305_000);
    expect(budget.state.waitedMs).toBe(300_000);
  });

  it("rejects a request that waited too long for requests in flight", async ({ expect }) => {
    const clock = new SimulatedClock();
    const budget = budgetOf(clock, { maxWaitMs: 5_000, concurrency: 1 });
    await budget.acquire("write", forever);
    const told = { code: "API_BUDGET", retryAfterMs: 0 };
    const refused = expect(budget.acquire("sweep", forever)).rejects.toMatchObject(told);
    await clock.advance(5_000);
    await refused;
    expect(budget.state.waiting).toBe(0);
  });

  it("forgets who stops waiting", async ({ expect }) => {
    const clock = new SimulatedClock();
    const budget = budgetOf(clock, { concurrency: 1 });
    const first = await budget.acquire("sweep", forever);
    const controller = new AbortController();
    const second = budget.acquire("sweep", controller.signal);
    controller.abort(new Error("shutdown"));
    await expect(second).rejects.toMatchObject({ message: "shutdown" });
    expect(budget.state.waiting).toBe(0);
    expect(clock.sleeping).toBe(0);
    first.end("answered", silent);
    first.end("answered", silent);
    expect(clock.sleeping).toBe(0);
    await clock.run(spend(budget, clock, "sweep"));
  });
});

describe("what the service says about its limit", () => {
  it("holds us back when others have used the token", async ({ expect }) => {
    const clock = new SimulatedClock();
    const budget = budgetOf(clock);
    await clock.run(spend(budget, clock, "sweep", 100, says(1_199, 300)));
    await clock.run(spend(budget, clock, "sweep", 100, says(60, 30)));
    const moments = await clock.run(sweep(budget, clock, 3));
    expect(moments.filter((moment) => moment < 1_000)).toHaveLength(1);
    expect(Math.min(...moments.slice(1))).toBe(30_200);
    expect(budget.state).toMatchObject({ limit: 1_200 });
  });

  it("does not hold us back when the reserve is all that others use", async ({ expect }) => {
    const clock = new SimulatedClock();
    const budget = budgetOf(clock);
    await clock.run(spend(budget, clock, "sweep", 100, says(300, 300)));
    const moments = await clock.run(sweep(budget, clock, 100));
    expect(Math.max(...moments)).toBeLessThan(3_000);
  });

  it("narrows the limit where a policy is stricter, and never widens it", async ({ expect }) => {
    const clock = new SimulatedClock();
    const budget = budgetOf(clock, { limit: 100, windowMs: 60_000, reserve: 0 });
    const policies = [
      { name: "burst", limit: 10, ms: 10_000 },
      { name: "default", limit: 9_999, ms: 1_000 },
    ];
    await clock.run(spend(budget, clock, "sweep", 100, () => ({ left: [], policies })));
    const moments = await clock.run(sweep(budget, clock, 200, "write", 20));
    expect(fullestWindow(moments, 10_000)).toBe(10);
    expect(fullestWindow(moments, 60_000)).toBeLessThanOrEqual(60);
    expect(budget.state).toMatchObject({ limit: 10, perSecond: 1 });
  });
});
