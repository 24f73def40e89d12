import { afterEach, describe, it, vi } from "vitest";

import { cronError, startSchedule } from "../../src/reconcile/schedule/schedule.ts";

const quiet = { due: () => undefined, missed: () => undefined };

afterEach(() => {
  vi.useRealTimers();
});

/** Fakes what the schedule reads and nothing else: test files share a process, in which other timers run. */
function fakeTimeFrom(now: string): void {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: new Date(now) });
}

describe("a schedule", () => {
  it.for([
    { cron: ["*/15 * * * *"], seconds: 900 },
    { cron: ["*/10 * * * * *"], seconds: 10 },
    { cron: ["0 * * * *", "30 * * * *"], seconds: 1_800 },
    { cron: ["0 0 * * *", "*/5 * * * *"], seconds: 300 },
    { cron: ["0 3 * * *"], seconds: 86_400 },
  ])("$cron has a longest gap of $seconds s", ({ cron, seconds }, { expect }) => {
    using schedule = startSchedule({ cron, timezone: "Etc/UTC" }, quiet);
    expect(schedule.intervalSeconds).toBe(seconds);
  });

  it("has the gap of the night as its longest, also where the next is that of the day", ({
    expect,
  }) => {
    fakeTimeFrom("2026-11-20T08:00:00Z");
    using schedule = startSchedule({ cron: ["0 9,17 * * *"], timezone: "Etc/UTC" }, quiet);
    expect(schedule.intervalSeconds).toBe(16 * 3_600);
  });

  it("gives its next run", ({ expect }) => {
    using schedule = startSchedule({ cron: ["*/5 * * * *"], timezone: "Etc/UTC" }, quiet);
    const next = schedule.nextRun();
    expect(Number(next) % 300_000).toBe(0);
  });

  it("is due when a moment comes", async ({ expect }) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    using _schedule = startSchedule(
      { cron: ["* * * * * *"], timezone: "Etc/UTC" },
      { due: () => resolve("woken"), missed: () => undefined },
    );
    const pulse = setInterval(() => undefined, 100);
    expect(await promise).toBe("woken");
    clearInterval(pulse);
  });

  it.for([
    { when: "a nightly moment", cron: ["0 3 * * *"], missed: 1 },
    { when: "several moments", cron: ["0,20,40 3 * * *"], missed: 3 },
    { when: "moments of two expressions", cron: ["0 3 * * *", "0,20 3 * * *"], missed: 3 },
  ])(
    "counts $when missed while the process was paused, and is due once for all",
    async ({ cron, missed }, { expect }) => {
      fakeTimeFrom("2026-11-20T02:59:59Z");
      const calls: string[] = [];
      const listener = { due: () => calls.push("due"), missed: () => calls.push("missed") };
      using _schedule = startSchedule({ cron, timezone: "Etc/UTC" }, listener);
      vi.setSystemTime(new Date("2026-11-20T03:50:00Z"));
      await vi.advanceTimersByTimeAsync(2_000);
      expect(calls.filter((word) => word === "missed")).toHaveLength(missed);
      expect(calls.filter((word) => word === "due")).toHaveLength(1);
    },
  );

  it("is due once at a moment of several expressions", async ({ expect }) => {
    fakeTimeFrom("2026-11-20T02:59:59Z");
    let wakes = 0;
    const listener = { due: () => (wakes += 1), missed: () => undefined };
    const cron = ["0 3 * * *", "0 * * * *"];
    using _schedule = startSchedule({ cron, timezone: "Etc/UTC" }, listener);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(wakes).toBe(1);
  });

  it("combines several expressions", ({ expect }) => {
    const cron = ["0 3 * * *", "30 15 * * *"];
    // Half past three in the afternoon and three in the morning there: 9:45 and 21:15 of UTC.
    for (const [now, next] of [
      ["09:00", "09:45"],
      ["10:00", "21:15"],
    ]) {
      fakeTimeFrom(`2026-11-20T${now}:00Z`);
      using schedule = startSchedule({ cron, timezone: "Asia/Kathmandu" }, quiet);
      expect(schedule.nextRun()).toEqual(new Date(`2026-11-20T${next}:00Z`));
      expect(schedule.intervalSeconds).toBe(12.5 * 3_600);
    }
  });

  it("is due at each moment, until it is disposed", async ({ expect }) => {
    fakeTimeFrom("2026-11-20T02:59:59Z");
    let wakes = 0;
    const listener = { due: () => (wakes += 1), missed: () => undefined };
    const schedule = startSchedule({ cron: ["*/10 * * * *"], timezone: "Etc/UTC" }, listener);
    await vi.advanceTimersByTimeAsync(25 * 60_000);
    expect(wakes).toBe(3);
    schedule[Symbol.dispose]();
    await vi.advanceTimersByTimeAsync(25 * 60_000);
    expect(wakes).toBe(3);
  });

  it.for(["61 * * * *", "* * * *", "nonsense", ""])(
    "rejects %s with a reason",
    (cron, { expect }) => {
      expect(cronError(cron)).toBeTypeOf("string");
    },
  );

  it("accepts a valid expression", ({ expect }) => {
    expect(cronError("*/15 * * * *")).toBeUndefined();
  });
});
