import { getEventListeners } from "node:events";

import { describe, it } from "vitest";

import { type Priority, type QueueEntry, ZoneQueue } from "../../src/reconcile/queue/zone-queue.ts";
import type { Trigger } from "../../src/state/run-report.ts";
import type { ZoneName } from "../../src/zone/zone.ts";
import { SimulatedClock } from "../support/clock.ts";
import { named } from "../support/reports.ts";

const [a, b, c] = [named("a.example"), named("b.example"), named("c.example")];

/** How a zone is added. */
type Add = Parameters<ZoneQueue["add"]>;

/** An add for one reason; it is due at once, or after so many milliseconds. */
function adding(priority: Priority, trigger: Trigger): (name: string, delayMs?: number) => Add {
  return (name, delayMs = 0) => [named(`${name}.example`), priority, trigger, delayMs];
}

const [due, changed] = [adding("due", "due"), adding("changed", "file")];
const [retry, sweep] = [adding("retry", "retry"), adding("sweep", "schedule")];

function nine(text: string): readonly ZoneName[] {
  return Array.from({ length: 9 }, (_, index) => named(`${text}${index}.example`));
}

/** A queue on a simulated clock, and what it gives next. */
function queueOn(clock: SimulatedClock): {
  readonly queue: ZoneQueue;
  readonly next: (signal: AbortSignal) => Promise<string>;
} {
  const queue = new ZoneQueue(clock);
  return {
    queue,
    next: async (signal) => {
      const { zone, priority, trigger } = await queue.take(signal);
      return `${zone} ${priority} ${trigger}`;
    },
  };
}

describe("the queue of zones", () => {
  it.for<{ readonly gives: string; readonly adds: readonly Add[]; readonly in: readonly string[] }>(
    [
      {
        gives: "a changed zone before one that failed, and that before the oldest of a sweep",
        adds: [sweep("a"), changed("b"), retry("c")],
        in: ["b changed", "c retry", "a sweep"],
      },
      {
        gives: "a zone once, with its most urgent trigger, however often it was added",
        adds: [sweep("a"), changed("a"), retry("a", 60_000)],
        in: ["a changed"],
      },
      {
        gives: "zones of one priority in the order in which they are due",
        adds: [sweep("a", 200), sweep("b", 100), sweep("c", 200)],
        in: ["b sweep", "a sweep", "c sweep"],
      },
      {
        gives: "a zone at the earlier of two moments, with the trigger of the more urgent",
        adds: [retry("a", 60_000), adding("sweep", "manual")("a", 1_000)],
        in: ["a retry"],
      },
      {
        gives: "a changed zone at its moment, though a hold ends later",
        adds: [changed("a"), due("a", 60_000)],
        in: ["a changed"],
      },
      {
        gives: "a zone whose hold ends later for an earlier request, with its trigger",
        adds: [due("a", 60_000), sweep("a")],
        in: ["a sweep"],
      },
      {
        gives: "a zone whose hold ends at the moment of a sweep, with its trigger",
        adds: [due("a"), sweep("a")],
        in: ["a due"],
      },
      {
        gives: "a zone whose hold has ended before its later sweep",
        adds: [due("a", 1_000), sweep("a", 60_000)],
        in: ["a due"],
      },
      {
        gives: "a zone in its place, if another request changes nothing",
        adds: [sweep("a"), sweep("b"), sweep("a")],
        in: ["a sweep", "b sweep"],
      },
      {
        gives: "a zone in the next sweep, if it waits for its turn in the one before",
        adds: [sweep("a", 60_000), sweep("a")],
        in: ["a sweep"],
      },
    ],
  )("gives $gives", async ({ adds, in: order }, { expect, signal }) => {
    const clock = new SimulatedClock();
    const { queue, next } = queueOn(clock);
    for (const add of adds) expect(queue.add(...add)).toBe("queued");
    await clock.advance(1_000);
    expect(queue.size).toBe(order.length);
    for (const given of order) {
      const [name, priority] = given.split(" ");
      const [, , trigger] = adds.find((add) => add[1] === priority) ?? [];
      expect(await next(signal)).toBe(`${name}.example ${priority} ${trigger}`);
    }
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

describe("the next zone of a queue", () => {
  it("gives a zone of a sweep at every fifth take, however many changes there are", async ({
    expect,
    signal,
  }) => {
    const clock = new SimulatedClock();
    const { queue, next } = queueOn(clock);
    queue.add(a, "sweep", "schedule", 0);
    await clock.advance(3_600_000);
    const given: string[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      queue.add(b, "changed", "file", 0);
      given.push(await next(signal));
      queue.done(b);
    }
    const change = "b.example changed file";
    expect(given).toEqual([change, change, change, change, "a.example sweep schedule"]);
  });

  it("alternates between changed and due zones, with one of a sweep at every fifth take", async ({
    expect,
    signal,
  }) => {
    const clock = new SimulatedClock();
    const { queue, next } = queueOn(clock);
    for (const zone of nine("due")) queue.add(zone, "due", "due", 0);
    for (const zone of nine("sweep")) queue.add(zone, "sweep", "schedule", 1_000);
    for (const zone of nine("changed")) queue.add(zone, "changed", "file", 2_000);
    await clock.advance(2_000);
    const given: string[] = [];
    for (let turn = 0; turn < 10; turn += 1) {
      given.push((await next(signal)).split(" ")[1] ?? "");
    }
    const round = ["due", "changed", "due", "changed", "sweep"];
    expect(given).toEqual(round.concat(round));
  });

  it("gives the zone that has been due longest at every fifth take, of any lower priority", async ({
    expect,
    signal,
  }) => {
    const clock = new SimulatedClock();
    const { queue, next } = queueOn(clock);
    for (const zone of nine("changed")) queue.add(zone, "changed", "file", 0);
    queue.add(a, "retry", "retry", 2_000);
    queue.add(b, "sweep", "schedule", 1_000);
    await clock.advance(2_000);
    const given: string[] = [];
    for (let turn = 0; turn < 10; turn += 1) given.push(await next(signal));
    expect([given[4], given[9]]).toEqual(["b.example sweep schedule", "a.example retry retry"]);
  });

  it.for(["due", "sweep"] as const)(
    "is one of the only priority that waits, in order: %s",
    async (priority, { expect, signal }) => {
      const { queue, next } = queueOn(new SimulatedClock());
      const zones = nine("only");
      for (const zone of zones) queue.add(zone, priority, "schedule", 0);
      for (const zone of zones) expect(await next(signal)).toBe(`${zone} ${priority} schedule`);
    },
  );

  it("is one whose hold has ended, before those of a sweep", async ({ expect, signal }) => {
    const { queue, next } = queueOn(new SimulatedClock());
    for (const zone of nine("due")) queue.add(zone, "due", "due", 0);
    for (const zone of nine("sweep")) queue.add(zone, "sweep", "schedule", 0);
    const given: string[] = [];
    for (let turn = 0; turn < 5; turn += 1) given.push((await next(signal)).split(" ")[1] ?? "");
    expect(given).toEqual(["due", "due", "due", "due", "sweep"]);
  });

  it("is part of a sweep where it waits because of its file", ({ expect }) => {
    const { queue } = queueOn(new SimulatedClock());
    queue.add(a, "changed", "file", 0);
    expect(queue.add(a, "sweep", "schedule", 0)).toBe("queued");
    expect(queue.size).toBe(1);
  });

  it("is one of a sweep at every fifth take, however often the queue was empty", async ({
    expect,
    signal,
  }) => {
    const clock = new SimulatedClock();
    const { queue, next } = queueOn(clock);
    for (let turn = 0; turn < 3; turn += 1) {
      const given = next(signal);
      await clock.advance(0);
      queue.add(b, "changed", "file", 0);
      await given;
      queue.done(b);
    }
    queue.add(a, "sweep", "schedule", 0);
    for (const zone of nine("changed")) queue.add(zone, "changed", "file", 0);
    expect([await next(signal), await next(signal)]).toEqual([
      "changed0.example changed file",
      "a.example sweep schedule",
    ]);
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
