import { setTimeout as sleep } from "node:timers/promises";

import { describe, it } from "vitest";

import { cronMistake, startSchedule } from "../../src/reconcile/schedule.ts";

const quiet = { wake: () => undefined, missed: () => undefined };

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

  it("knows its next moment", ({ expect }) => {
    using schedule = startSchedule({ cron: ["*/5 * * * *"], timezone: "Etc/UTC" }, quiet);
    const next = schedule.nextRun();
    expect(Number(next) % 300_000).toBe(0);
  });

  it("wakes when a moment comes", async ({ expect }) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    using _schedule = startSchedule(
      { cron: ["* * * * * *"], timezone: "Etc/UTC" },
      { wake: () => resolve("woken"), missed: () => undefined },
    );
    const pulse = setInterval(() => undefined, 100);
    expect(await promise).toBe("woken");
    clearInterval(pulse);
  });

  it("counts a moment that went by while the process stood still", async ({ expect }) => {
    const missed = Promise.withResolvers<string>();
    const listener = { wake: () => undefined, missed: () => missed.resolve("missed") };
    using _schedule = startSchedule({ cron: ["* * * * * *"], timezone: "Etc/UTC" }, listener);
    await sleep(100);
    const end = performance.now() + 3_000;
    while (performance.now() < end);
    expect(await missed.promise).toBe("missed");
  });

  it("goes by several expressions at once", ({ expect }) => {
    const cron = ["0 3 * * *", "30 15 * * *"];
    using schedule = startSchedule({ cron, timezone: "Asia/Kathmandu" }, quiet);
    // Half past three in the afternoon and three in the morning there: 9:45 and 21:15 of UTC.
    const next = schedule.nextRun()?.toISOString().slice(11, 16);
    expect(["09:45", "21:15"]).toContain(next);
    expect(schedule.intervalSeconds).toBe(12.5 * 3_600);
  });

  it.for(["61 * * * *", "* * * *", "nonsense", ""])(
    "refuses %s with a reason",
    (cron, { expect }) => {
      expect(cronMistake(cron)).toBeTypeOf("string");
    },
  );

  it("accepts what can be kept", ({ expect }) => {
    expect(cronMistake("*/15 * * * *")).toBeUndefined();
  });
});
