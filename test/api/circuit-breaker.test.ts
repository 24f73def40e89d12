import { describe, it } from "vitest";

import type { Budget } from "../../src/api/budget/budget.ts";
import { ServiceError } from "../../src/zone/service-error.ts";
import { budgetOf } from "../support/budget.ts";
import { SimulatedClock } from "../support/clock.ts";

const forever = new AbortController().signal;
const silent = { left: [], policies: [] };

async function fail(budget: Budget): Promise<void> {
  const permit = await budget.acquire("sweep", forever);
  permit.end("unreachable", undefined);
}

describe("a service out of reach", () => {
  it("is probed, not hammered, and everybody goes on after the first answer", async ({
    expect,
  }) => {
    const clock = new SimulatedClock();
    const budget = budgetOf(clock);
    for (let nth = 0; nth < 5; nth += 1) await fail(budget);
    expect(budget.state.isCircuitOpen).toBe(true);

    const probe = budget.acquire("sweep", forever);
    const others = [budget.acquire("sweep", forever), budget.acquire("write", forever)];
    await clock.advance(999);
    expect(budget.state.waiting).toBe(3);
    await clock.advance(1);
    expect(budget.state.waiting).toBe(2);
    const permits = others.map(async (other) => (await other).end("answered", silent));
    const goes = await Promise.race([probe, ...others]);
    goes.end("answered", silent);
    const last = await probe;
    last.end("answered", silent);
    await Promise.all(permits);
    expect(budget.state).toMatchObject({ isCircuitOpen: false, waiting: 0 });
  });

  it("fails those who wait when a probe fails, and rests longer each time", async ({ expect }) => {
    const clock = new SimulatedClock();
    const budget = budgetOf(clock);
    for (let nth = 0; nth < 5; nth += 1) await fail(budget);
    const rests: number[] = [];
    for (let nth = 0; nth < 9; nth += 1) {
      const before = clock.monotonicMs();
      const probe = await clock.run(budget.acquire("sweep", forever));
      rests.push(clock.monotonicMs() - before);
      const retryAfterMs = Math.min(2 * (rests[nth] ?? 0), 60_000);
      const waiting = expect(budget.acquire("write", forever)).rejects.toMatchObject({
        code: "API_UNREACHABLE",
        fault: "reset",
        transient: true,
        mayHaveHappened: false,
        retryAfterMs,
        message: `the service is unreachable; zonewarden tries again in ${retryAfterMs / 1_000} s: check api.base_url and the network`,
      });
      probe.end("unreachable", undefined);
      await waiting;
    }
    expect(rests).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1000));
  });

  it("is not taken for dead because many requests under way break at once", async ({ expect }) => {
    const clock = new SimulatedClock();
    const budget = budgetOf(clock);
    const permits = await Promise.all(
      Array.from({ length: 8 }, () => budget.acquire("sweep", forever)),
    );
    for (const permit of permits) permit.end("unreachable", undefined);
    const probe = await clock.run(budget.acquire("sweep", forever));
    expect(clock.monotonicMs()).toBe(1_000);
    probe.end("aborted", undefined);
    const next = await clock.run(budget.acquire("sweep", forever));
    expect(clock.monotonicMs()).toBe(1_000);
    next.end("answered", silent);
    expect(budget.state.isCircuitOpen).toBe(false);
  });

  it("is probed by one request at a time, whatever else ends meanwhile", async ({ expect }) => {
    const clock = new SimulatedClock();
    const budget = budgetOf(clock);
    const slow = await Promise.all([
      budget.acquire("sweep", forever),
      budget.acquire("sweep", forever),
    ]);
    for (let nth = 0; nth < 5; nth += 1) await fail(budget);
    const probe = await clock.run(budget.acquire("sweep", forever));
    const next = budget.acquire("sweep", forever);
    for (const permit of slow) permit.end("aborted", undefined);
    expect(budget.state).toMatchObject({ waiting: 1, inFlight: 1 });
    probe.end("answered", silent);
    (await next).end("answered", silent);
    expect(budget.state).toMatchObject({ isCircuitOpen: false, waiting: 0 });
  });

  it("is in reach from any answer on, also of a request that was sent before", async ({
    expect,
  }) => {
    const budget = budgetOf(new SimulatedClock());
    const slow = await budget.acquire("sweep", forever);
    for (let nth = 0; nth < 5; nth += 1) await fail(budget);
    const waiting = budget.acquire("sweep", forever);
    expect(budget.state).toMatchObject({ isCircuitOpen: true, waiting: 1 });
    slow.end("answered", silent);
    expect(budget.state).toMatchObject({ isCircuitOpen: false, waiting: 0 });
    (await waiting).end("answered", silent);
  });

  it("is out of reach after five failures in a row, of which an answer is the end", async ({
    expect,
  }) => {
    const budget = budgetOf(new SimulatedClock());
    for (let nth = 0; nth < 4; nth += 1) await fail(budget);
    const answered = await budget.acquire("sweep", forever);
    answered.end("answered", silent);
    for (let nth = 0; nth < 4; nth += 1) await fail(budget);
    expect(budget.state.isCircuitOpen).toBe(false);
    await fail(budget);
    expect(budget.state.isCircuitOpen).toBe(true);
  });

  it("is why requests wait, until the next probe", async ({ expect }) => {
    const clock = new SimulatedClock();
    const budget = budgetOf(clock);
    for (let nth = 0; nth < 5; nth += 1) await fail(budget);
    expect(budget.state.pause).toBeUndefined();
    const probe = budget.acquire("sweep", forever);
    const until = new Date(clock.now().getTime() + 1_000);
    expect(budget.state.pause).toEqual({ until, reason: "unreachable" });
    (await clock.run(probe)).end("answered", silent);
    expect(budget.state.pause).toBeUndefined();
  });

  it("is another reason than a budget that is used up", async ({ expect }) => {
    const clock = new SimulatedClock();
    const budget = budgetOf(clock, { limit: 1, windowMs: 7_000, reserve: 0 });
    (await budget.acquire("sweep", forever)).end("answered", silent);
    const next = budget.acquire("sweep", forever);
    const until = new Date(clock.now().getTime() + 7_000);
    expect(budget.state.pause).toEqual({ until, reason: "exhausted" });
    (await clock.run(next)).end("answered", silent);
    const held = await clock.run(budget.acquire("sweep", forever));
    const waiting = budget.acquire("sweep", forever);
    // Nobody knows when the request under way ends.
    expect(budget.state.pause).toBeUndefined();
    held.end("answered", silent);
    (await clock.run(waiting)).end("answered", silent);
  });

  it("is told by each request once", async ({ expect }) => {
    const budget = budgetOf(new SimulatedClock());
    const permit = await budget.acquire("sweep", forever);
    for (let nth = 0; nth < 5; nth += 1) permit.end("unreachable", undefined);
    expect(budget.state).toMatchObject({ isCircuitOpen: false, inFlight: 0 });
  });

  it("is an ApiError with words on what to check", async ({ expect }) => {
    const clock = new SimulatedClock();
    const budget = budgetOf(clock, { maxWaitMs: 10 });
    for (let nth = 0; nth < 5; nth += 1) await fail(budget);
    const error: unknown = await budget.acquire("sweep", forever).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ code: "API_UNREACHABLE", retryAfterMs: 1_000 });
  });
});
