import { getEventListeners } from "node:events";

import { describe, it } from "vitest";

import { Deadline, runDeadlineMs, stuckAfterMs } from "../../src/reconcile/run/deadline.ts";
import { failureOf } from "../../src/state/run-report.ts";
import type { LiveReader, LiveWriter, PartsToRead } from "../../src/zone/ports.ts";
import { SimulatedClock } from "../support/clock.ts";
import { liveZone } from "../support/model.ts";
import { World } from "../support/world.ts";
import { writes } from "../support/writes.ts";

const shop = "shop.example";
const wanted: PartsToRead = {
  settings: true,
  policies: true,
  rules: ["managed_rules"] as const,
  scoreRule: false,
};

/** A service that never answers, and rejects when the signal aborts. */
const silent: LiveReader & LiveWriter = {
  readAnswers: (_zone, _wanted, _urgency, signal) => untilAborted(signal),
  readScripts: (_zone, _urgency, signal) => untilAborted(signal),
  write: (_live, _write, signal) => untilAborted(signal),
};

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function begun(clock: SimulatedClock): Deadline {
  const deadline = new Deadline({ reader: silent, writer: silent, clock });
  deadline.begin();
  return deadline;
}

/** Counts the listeners of a signal. */
function listenersOf(signal: AbortSignal): () => number {
  return () => getEventListeners(signal, "abort").length;
}

function nothing(): void {}

describe("the deadline of a run", () => {
  const live = liveZone({ policies: [] });
  const write = writes["create-policy"](live);

  it("aborts a read in flight", async ({ expect, signal }) => {
    const clock = new SimulatedClock();
    using deadline = begun(clock);
    const reading = deadline.reader
      .readAnswers(live.zone, wanted, "sweep", signal)
      .catch(failureOf);
    await clock.advance(runDeadlineMs);
    const failure = await reading;
    expect(failure).toMatchObject({ code: "API_DEADLINE", transient: true });
    expect(failure).toHaveProperty("message", expect.stringContaining("its deadline of 30 min"));
    const scripts = deadline.reader.readScripts(live.zone, "sweep", signal).catch(failureOf);
    expect(await scripts).toMatchObject({ code: "API_DEADLINE", transient: true });
  });

  it("leaves the outcome of a write in flight unknown", async ({ expect, signal }) => {
    const clock = new SimulatedClock();
    using deadline = begun(clock);
    const writing = deadline.writer.write(live, write, signal, signal).catch(failureOf);
    await clock.advance(runDeadlineMs);
    expect(await writing).toMatchObject({ code: "API_UNKNOWN_OUTCOME" });
  });

  it("sends no request after it", async ({ expect, signal }) => {
    const clock = new SimulatedClock();
    using deadline = begun(clock);
    await clock.advance(runDeadlineMs);
    const failure = await deadline.writer.write(live, write, signal, signal).catch(failureOf);
    expect(failure).toMatchObject({ code: "API_DEADLINE" });
  });

  it("rejects with the reason of the caller's signal", async ({ expect }) => {
    const clock = new SimulatedClock();
    using deadline = begun(clock);
    const stopping = new AbortController();
    const reading = deadline.reader.readAnswers(live.zone, wanted, "sweep", stopping.signal);
    stopping.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
  });

  it("gives that reason also where the request fails with another error", async ({ expect }) => {
    const clock = new SimulatedClock();
    const reader: LiveReader = {
      ...silent,
      readScripts: (_zone, _urgency, signal) =>
        untilAborted(signal).catch(() => Promise.reject(new Error("the connection was closed"))),
    };
    using deadline = new Deadline({ reader, writer: silent, clock });
    const stopping = new AbortController();
    const reading = deadline.reader.readScripts(live.zone, "sweep", stopping.signal);
    stopping.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
  });

  it("hands each request on as it is, and its error", async ({ expect, signal }) => {
    const asked: unknown[] = [];
    const note = (...given: readonly unknown[]): Promise<never> => {
      asked.push(given.filter((each) => !(each instanceof AbortSignal)));
      return Promise.reject(new Error("asked"));
    };
    const port = { readAnswers: note, readScripts: note, write: note };
    using deadline = new Deadline({ reader: port, writer: port, clock: new SimulatedClock() });
    const { zone } = live;
    const settled = await Promise.allSettled([
      deadline.reader.readAnswers(zone, wanted, "changed", signal),
      deadline.reader.readScripts(zone, "sweep", signal),
      deadline.writer.write(live, write, signal, signal, nothing),
    ]);
    const error = { status: "rejected", reason: new Error("asked") };
    expect(settled).toEqual([error, error, error]);
    expect(asked).toEqual([
      [zone, wanted, "changed", undefined],
      [zone, "sweep"],
      [live, write, nothing],
    ]);
  });

  it("passes before a run counts as stuck", ({ expect }) => {
    expect(stuckAfterMs).toBeGreaterThan(runDeadlineMs);
  });

  it("is that of one run, though the next run uses the same object", async ({ expect, signal }) => {
    const clock = new SimulatedClock();
    using deadline = begun(clock);
    await clock.advance(runDeadlineMs - 1);
    deadline.end();
    await clock.advance(runDeadlineMs);
    deadline.begin();
    const reading = deadline.reader
      .readAnswers(live.zone, wanted, "sweep", signal)
      .catch(failureOf);
    await clock.advance(runDeadlineMs - 1);
    expect(deadline.isOver).toBe(false);
    await clock.advance(1);
    expect(deadline.isOver).toBe(true);
    expect(await reading).toMatchObject({ code: "API_DEADLINE" });
  });

  it("leaves no listener on the signal of an earlier run", ({ expect }) => {
    const [first, second] = [new AbortController(), new AbortController()];
    using deadline = begun(new SimulatedClock());
    for (const { signal } of [first, second]) {
      void deadline.reader.readScripts(live.zone, "sweep", signal).catch(failureOf);
    }
    expect([first, second].map(({ signal }) => listenersOf(signal)())).toEqual([0, 1]);
  });

  it("leaves neither timer nor listener behind", async ({ expect }) => {
    const clock = new SimulatedClock();
    const stopping = new AbortController();
    const counted = listenersOf(stopping.signal);
    {
      using deadline = begun(clock);
      void deadline.reader.readScripts(live.zone, "sweep", stopping.signal).catch(failureOf);
      deadline.end();
      deadline.begin();
      void deadline.reader.readScripts(live.zone, "sweep", stopping.signal).catch(failureOf);
      expect(counted()).toBe(1);
    }
    await clock.advance(0);
    expect(clock.sleeping).toBe(0);
    expect(counted()).toBe(0);
  });
});

describe("a zone whose service never answers", () => {
  it("is reported, frees its worker, and is retried", async ({ expect }) => {
    await using world = new World([shop]);
    world.latencyMs = 10 * runDeadlineMs;
    world.start();
    await world.clock.advance(world.latencyMs);
    expect([...world.reconciler.running.keys()]).toEqual([shop]);
    await world.clock.advance(runDeadlineMs);
    expect(world.reports).toMatchObject([{ result: "error", failure: { code: "API_DEADLINE" } }]);
    expect(world.reconciler.waiting).toBe(1);
  });
});

describe("a write in flight at the end of the grace period", () => {
  it("is reported as unknown, not as a bug", async ({ expect }) => {
    await using world = new World([shop]);
    world.latencyMs = 100;
    world.start();
    await world.clock.advance(250);
    world.stop.abort();
    world.abort.abort();
    await world.clock.advance(0);
    await world.ended;
    expect(world.reports).toMatchObject([
      { outcomes: [{ status: "unknown", failure: { transient: true } }, { status: "skipped" }] },
    ]);
    expect(world.live.get(shop)?.policies).toEqual([]);
  });
});
