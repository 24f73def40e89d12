import { getEventListeners } from "node:events";

import { describe, it } from "vitest";

import { type QueueEntry, ZoneQueue } from "../../src/reconcile/queue/zone-queue.ts";
import { SimulatedClock } from "../support/clock.ts";
import { queueOn } from "../support/queue-on.ts";
import { named } from "../support/reports.ts";

const [a, b, c] = [named("a.example"), named("b.example"), named("c.example")];

describe("the queue of zones", () => {
  it("gives a changed zone before the oldest one of a sweep", async ({ expect, signal }) => {
    const { queue, next } = queueOn(new SimulatedClock());
    queue.add(a, "sweep", "schedule", 0);
    queue.add(b, "changed", "file", 0);
    queue.add(c, "retry", "retry", 0);
    expect([await next(signal), await next(signal), await next(signal)]).toEqual([
      "b.example changed file",
      "c.example retry retry",
      "a.example sweep schedule",
    ]);
  });

  it("has a zone once, however often it is added, with its most urgent trigger", async ({
    expect,
    signal,
  }) => {
    const { queue, next } = queueOn(new SimulatedClock());
    queue.add(a, "sweep", "schedule", 0);
    queue.add(a, "changed", "file", 0);
    queue.add(a, "retry", "retry", 60_000);
    expect(queue.size).toBe(1);
    expect(await next(signal)).toBe("a.example changed file");
    expect(queue.size).toBe(0);
  });

  it("loses no zone while another is added again and again", async ({ expect, signal }) => {
    const clock = new SimulatedClock();
    const { queue, next } = queueOn(clock);
    queue.add(b, "retry", "retry", 10_000);
    for (let delayMs = 5_000; delayMs > 0; delayMs -= 1) queue.add(a, "retry", "retry", delayMs);
    queue.add(c, "retry", "retry", 20_000);
    await clock.advance(20_000);
    expect([await next(signal), await next(signal), await next(signal)]).toEqual([
      "a.example retry retry",
      "b.example retry retry",
      "c.example retry retry",
    ]);
    expect(queue.size).toBe(0);
  });

  it("never gives a zone that is being run, but once more afterwards", async ({
    expect,
    signal,
  }) => {
    const clock = new SimulatedClock();
    const { queue, next } = queueOn(clock);
    queue.add(a, "sweep", "schedule", 0);
    await next(signal);
    queue.add(a, "changed", "file", 0);
    const again = next(signal);
    await clock.advance(10_000);
    expect([...queue.running.keys()]).toEqual([a]);
    expect(queue.size).toBe(1);
    queue.done(a);
    expect(await again).toBe("a.example changed file");
  });

  it("gives a delayed zone when it is due, not before", async ({ expect, signal }) => {
    const clock = new SimulatedClock();
    const { queue, next } = queueOn(clock);
    queue.add(a, "retry", "retry", 5_000);
    let given = "";
    const taking = next(signal).then((text) => (given = text));
    await clock.advance(4_999);
    expect(given).toBe("");
    await clock.advance(1);
    await taking;
    expect(given).toBe("a.example retry retry");
  });

  it("gives zones of one priority in the order in which they are due", async ({
    expect,
    signal,
  }) => {
    const clock = new SimulatedClock();
    const { queue, next } = queueOn(clock);
    queue.add(a, "sweep", "schedule", 200);
    queue.add(b, "sweep", "schedule", 100);
    queue.add(c, "sweep", "schedule", 200);
    await clock.advance(200);
    const given = [await next(signal), await next(signal), await next(signal)];
    expect(given.map((text) => text.split(" ")[0])).toEqual([
      "b.example",
      "a.example",
      "c.example",
    ]);
  });

  it.for(["before", "after"] as const)(
    "does not shorten the back-off of a failed zone for a sweep that came %s the failure",
    async (order, { expect, signal }) => {
      const clock = new SimulatedClock();
      const { queue, next } = queueOn(clock);
      if (order === "before") queue.add(a, "sweep", "schedule", 0);
      expect(queue.add(a, "retry", "retry", 60_000)).toBe("queued");
      if (order === "after") expect(queue.add(a, "sweep", "schedule", 0)).toBe("held-back");
      queue.add(b, "sweep", "schedule", 30_000);
      await clock.advance(59_999);
      expect(await next(signal)).toBe("b.example sweep schedule");
      const last = next(signal);
      expect(queue.size).toBe(1);
      await clock.advance(1);
      expect(await last).toBe("a.example retry retry");
      expect(queue.size).toBe(0);
    },
  );

  it("forgets a zone that is no longer declared", async ({ expect, signal }) => {
    const { queue, next } = queueOn(new SimulatedClock());
    queue.add(a, "changed", "file", 0);
    queue.add(b, "sweep", "schedule", 0);
    queue.remove(a);
    expect(await next(signal)).toBe("b.example sweep schedule");
  });

  it("stops waiting when the signal aborts", async ({ expect }) => {
    const { next } = queueOn(new SimulatedClock());
    const stopping = new AbortController();
    const taking = next(stopping.signal);
    stopping.abort(new Error("enough"));
    await expect(taking).rejects.toThrow("enough");
  });

  it("gives a zone that is due before a changed one, not before its moment", async ({
    expect,
    signal,
  }) => {
    const clock = new SimulatedClock();
    const { queue, next } = queueOn(clock);
    queue.add(a, "due", "due", 60_000);
    expect(queue.size).toBe(0);
    queue.add(b, "changed", "file", 0);
    expect(await next(signal)).toBe("b.example changed file");
    await clock.advance(60_000);
    queue.add(c, "changed", "file", 0);
    expect(queue.size).toBe(2);
    expect(await next(signal)).toBe("a.example due due");
  });

  it("gives a zone that is due later for an earlier request, with its trigger", async ({
    expect,
    signal,
  }) => {
    const { queue, next } = queueOn(new SimulatedClock());
    queue.add(a, "due", "due", 60_000);
    queue.add(a, "sweep", "schedule", 0);
    expect(await next(signal)).toBe("a.example sweep schedule");
  });

  it("gives a zone that is due before its later sweep", async ({ expect, signal }) => {
    const clock = new SimulatedClock();
    const { queue, next } = queueOn(clock);
    queue.add(a, "due", "due", 1_000);
    queue.add(a, "sweep", "schedule", 60_000);
    await clock.advance(1_000);
    expect(await next(signal)).toBe("a.example due due");
  });

  it("gives zones that are due later at once after a promotion", async ({ expect, signal }) => {
    const { queue, next } = queueOn(new SimulatedClock());
    queue.add(a, "due", "due", 60_000);
    queue.promoteDue();
    expect(await next(signal)).toBe("a.example due due");
  });

  it("promotes no zone that waits for another reason", async ({ expect, signal }) => {
    const clock = new SimulatedClock();
    const { queue, next } = queueOn(clock);
    queue.add(a, "retry", "retry", 60_000);
    queue.promoteDue();
    const given = next(signal);
    await clock.advance(59_999);
    expect([queue.size, queue.running.size]).toEqual([1, 0]);
    await clock.advance(1);
    expect(await given).toBe("a.example retry retry");
  });

  it("leaves neither listener nor timer behind", async ({ expect }) => {
    const clock = new SimulatedClock();
    const { queue, next } = queueOn(clock);
    const stopping = new AbortController();
    for (let turn = 0; turn < 3; turn += 1) {
      const given = next(stopping.signal);
      await clock.advance(0);
      queue.add(a, "changed", "file", 0);
      await given;
      queue.done(a);
    }
    expect([getEventListeners(stopping.signal, "abort").length, clock.sleeping]).toEqual([0, 0]);
  });
});

describe("workers of a queue", () => {
  it("run a zone again after an internal error, which is reported as one of no zone", async ({
    expect,
  }) => {
    const clock = new SimulatedClock();
    const queue = new ZoneQueue(clock);
    const stopping = new AbortController();
    const mistake = new TypeError("a bug of ours");
    const [bugs, runs]: [unknown[], string[]] = [[], []];
    const run = async ({ zone, trigger }: QueueEntry): Promise<void> => {
      runs.push(`${zone} ${trigger}`);
      await Promise.resolve();
      if (runs.length === 1) throw mistake;
    };
    const working = queue.work(run, (...told) => bugs.push(told), stopping.signal);
    queue.add(a, "changed", "file", 0);
    await clock.advance(0);
    queue.add(a, "sweep", "schedule", 0);
    await clock.advance(0);
    expect(runs).toEqual(["a.example file", "a.example schedule"]);
    expect([bugs, queue.running.size]).toEqual([[[mistake, ""]], 0]);
    stopping.abort();
    await working;
  });

  it("work until they are stopped", async ({ expect }) => {
    const clock = new SimulatedClock();
    const stopping = new AbortController();
    let hasEnded = false;
    const { promise: running, resolve: finish } = Promise.withResolvers<void>();
    const queue = new ZoneQueue(clock);
    const working = queue.work(
      () => running,
      () => undefined,
      stopping.signal,
    );
    void working.then(() => (hasEnded = true));
    queue.add(a, "changed", "file", 0);
    await clock.advance(1_000);
    stopping.abort();
    await clock.advance(0);
    // The run in progress is finished first.
    expect(hasEnded).toBe(false);
    finish();
    await clock.advance(0);
    expect(hasEnded).toBe(true);
  });
});
