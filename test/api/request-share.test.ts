import { describe, it } from "vitest";

import { Budget } from "../../src/api/budget/budget.ts";
import { RequestShare } from "../../src/api/budget/request-share.ts";
import { SimulatedClock } from "../support/clock.ts";

const windowMs = 300_000;

describe("a share of the request budget", () => {
  it.for([
    { perSecond: 3.2, inWindow: 19 },
    { perSecond: 4, inWindow: 24 },
    { perSecond: 0.01, inWindow: 1 },
  ])("of $perSecond a second is $inWindow in a window", async (row, { expect, signal }) => {
    const clock = new SimulatedClock();
    const share = new RequestShare(windowMs, () => row.perSecond, clock);
    const sent: number[] = [];
    const send = async (): Promise<void> => {
      for (let index = 0; index < 3 * row.inWindow; index += 1) {
        await share.take(signal);
        sent.push(clock.monotonicMs());
      }
    };
    void send();
    await clock.advance(3 * windowMs);
    const turns = Array.from({ length: 3 * row.inWindow }, (_, nth) =>
      Math.floor(nth / row.inWindow),
    );
    expect(sent).toEqual(turns.map((turn) => turn * windowMs));
  });

  it("sleeps once until the turn of a request", async ({ expect, signal }) => {
    const waits: number[] = [];
    const clock = new SimulatedClock();
    const sleep = clock.sleep.bind(clock);
    clock.sleep = async (ms, stop) => {
      waits.push(ms);
      await sleep(ms, stop);
    };
    const share = new RequestShare(windowMs, () => 0.5, clock);
    await share.take(signal);
    await clock.advance(100.5);
    for (let nth = 0; nth < 3; nth += 1) await clock.run(share.take(signal));
    // Three in a window: the fourth waits for the first, and whole milliseconds are rounded up.
    expect(waits).toEqual([windowMs - 100]);
    expect(clock.monotonicMs()).toBe(windowMs + 0.5);
  });

  it("counts retries, and gives up when the signal aborts", async ({ expect }) => {
    const clock = new SimulatedClock();
    const stop = new AbortController();
    const share = new RequestShare(windowMs, () => 0.2, clock);
    share.note(1);
    const taking = share.take(stop.signal);
    stop.abort(new Error("stopped"));
    await expect(taking).rejects.toMatchObject({ message: "stopped" });
  });

  it("counts nothing for who has given up already", async ({ expect, signal }) => {
    const clock = new SimulatedClock();
    const share = new RequestShare(windowMs, () => 0.01, clock);
    const gone = share.take(AbortSignal.abort(new Error("stopped")));
    await expect(gone).rejects.toMatchObject({ message: "stopped" });
    await share.take(signal);
    expect(clock.monotonicMs()).toBe(0);
  });

  it("waits no longer than to the end of the window", async ({ expect, signal }) => {
    const clock = new SimulatedClock();
    const share = new RequestShare(windowMs, () => 0.01, clock);
    await share.take(signal);
    await clock.advance(windowMs - 1);
    await clock.run(share.take(signal));
    expect(clock.monotonicMs()).toBe(windowMs);
  });

  it("does not starve while sweeps want the whole budget", async ({ expect, signal }) => {
    const clock = new SimulatedClock();
    const limits = { limit: 100, windowMs, reserve: 0, concurrency: 4, maxWaitMs: 10 * windowMs };
    const budget = new Budget(limits, clock);
    const share = new RequestShare(windowMs, () => budget.state.perSecond, clock);
    const sweep = async (): Promise<void> => {
      for (;;) (await budget.acquire("sweep", signal)).end("answered", undefined);
    };
    for (let worker = 0; worker < 20; worker += 1) void sweep().catch(() => undefined);
    await clock.advance(windowMs);
    const waits: number[] = [];
    const follow = async (): Promise<void> => {
      for (let index = 0; index < 4; index += 1) {
        await share.take(signal);
        const since = clock.monotonicMs();
        (await budget.acquire("changed", signal)).end("answered", undefined);
        waits.push(clock.monotonicMs() - since);
      }
    };
    void follow();
    await clock.advance(3 * windowMs);
    expect(waits).toHaveLength(4);
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(15_000);
  });
});
