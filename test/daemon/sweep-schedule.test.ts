import { describe, it, vi } from "vitest";

import { Credential } from "../../src/api/credentials/credential.ts";
import {
  forecastOf,
  sweepRequests,
  SweepSchedule,
  sweepsOf,
} from "../../src/daemon/sweep-schedule.ts";
import type { DesiredZone } from "../../src/zone/desired-zone.ts";
import { defaultBudget } from "../support/budget.ts";
import { SimulatedClock } from "../support/clock.ts";
import { customRuleset, declared, desiredZone, policy, zoneNamed } from "../support/model.ts";

/** Zones in which two kinds of things are declared. */
function zones(count: number, name: string): readonly DesiredZone[] {
  return Array.from({ length: count }, (_, index) => ({
    zone: zoneNamed(`z${index}.${name}.example`),
    content: desiredZone({
      settings: [{ name: "enabled", value: true }],
      policies: declared([policy("checkout")]),
    }).content,
  }));
}

function everyMinute(
  budgets: readonly { readonly name: string; readonly perSecond: number }[],
  warned: object[] = [],
  due = (): unknown => undefined,
): SweepSchedule {
  return new SweepSchedule(
    { cron: ["* * * * *"], timezone: "Etc/UTC" },
    {
      due,
      missed: () => undefined,
      budgets: () => budgets,
      logger: { warn: (facts) => warned.push(facts) },
    },
  );
}

describe("a sweep that is due", () => {
  it("is one of the term, or is missed by it; without a term, another process sweeps", ({
    expect,
  }) => {
    const done: string[] = [];
    const work = { requestSweep: (trigger: string) => done.push(trigger) };
    const current: { term: { reconciler: typeof work } | undefined } = { term: undefined };
    const sweeps = sweepsOf(current, {
      recordMissedRun: (reason) => done.push(`missed: ${reason}`),
    });
    sweeps.due();
    sweeps.missed();
    expect(done).toEqual([]);
    current.term = { reconciler: work };
    sweeps.due();
    sweeps.missed();
    expect(done).toEqual(["schedule", "missed: paused"]);
  });
});

describe("a sweep", () => {
  it("is told before it begins: how many requests, and how long they take", ({ expect }) => {
    const main = new Credential(
      {
        name: "main",
        source: { read: () => Promise.resolve("") },
        accounts: [],
        zones: [],
        budget: defaultBudget,
      },
      new SimulatedClock(),
    );
    const { perSecond } = main.state;
    const forecast = forecastOf(
      zones(101, "shop"),
      { credentials: [main], credentialOf: () => "main" },
      "read",
    );
    expect(forecast).toEqual({ requests: 205, ms: (204.02 / perSecond) * 1_000 });
  });

  it("takes one request for each declared kind, and the pages of the zone list", ({ expect }) => {
    const requests = sweepRequests(zones(100, "shop"), () => "main", "read");
    expect(requests.get("main")).toBeCloseTo(2 * 100 + 2);
  });

  it.for([
    { versions: "read" as const, requests: 3 },
    { versions: "trust" as const, requests: 1 },
  ])("takes $requests requests for three lists of rules with $versions", (given, { expect }) => {
    const empty = declared([]);
    const rules = { custom_rules: empty, rate_limiting_rules: empty, managed_rules: empty };
    const lists = zones(50, "shop").map((zone) => ({
      ...zone,
      content: desiredZone({ rules }).content,
    }));
    const requests = sweepRequests(lists, () => "main", given.versions);
    expect(requests.get("main")).toBeCloseTo(given.requests * 50 + 1);
  });

  it.for([
    // Settings, policies, the rules that execute the rulesets, the list of these, and each of two.
    { versions: "read", requests: 6 },
    // The list says which rules have changed.
    { versions: "trust", requests: 3 },
  ] as const)(
    "takes $requests requests with two custom rulesets: $versions",
    (given, { expect }) => {
      const { content } = desiredZone({
        settings: [{ name: "enabled", value: true }],
        policies: declared([policy("checkout")]),
        customRulesets: declared([customRuleset("payments"), customRuleset("search")]),
      });
      const listed = zones(50, "shop").map((zone) => ({ ...zone, content }));
      const requests = sweepRequests(listed, () => "main", given.versions);
      expect(requests.get("main")).toBeCloseTo(given.requests * 50 + 1);
    },
  );

  it("is due by the schedule that took the place of another, until it ends", async ({
    expect,
    onTestFinished,
  }) => {
    onTestFinished(() => void vi.useRealTimers());
    const [start, minuteMs] = [new Date("2026-11-20T12:00:30Z"), 60_000];
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: start });
    const hourly = { cron: ["0 * * * *"], timezone: "Etc/UTC" };
    const due: Date[] = [];
    {
      using schedule = everyMinute([], [], () => due.push(new Date()));
      expect(schedule.options.cron).toEqual(["* * * * *"]);
      await vi.advanceTimersByTimeAsync(minuteMs);
      schedule.replace(hourly);
      expect(schedule.options).toBe(hourly);
      expect(schedule.nextRun()).toEqual(new Date("2026-11-20T13:00:00Z"));
      await vi.advanceTimersByTimeAsync(60 * minuteMs);
    }
    await vi.advanceTimersByTimeAsync(60 * minuteMs);
    expect(due.map((each) => each.toISOString().slice(11, 16))).toEqual(["12:01", "13:00"]);
  });

  it("takes as long as the slowest credential", ({ expect }) => {
    const budgets = [
      { name: "a", perSecond: 10 },
      { name: "b", perSecond: 1 },
      { name: "of no zone", perSecond: 0.001 },
    ];
    using schedule = everyMinute(budgets);
    const all = [...zones(100, "a"), ...zones(50, "b")];
    schedule.expectRequests(
      sweepRequests(all, ({ name }) => (name.endsWith("a.example") ? "a" : "b"), "read"),
    );
    expect(schedule.sweepMs).toBeCloseTo(101_000);
    using unlimited = everyMinute([]);
    unlimited.expectRequests(new Map([["a", 101]]));
    expect(unlimited.sweepMs).toBe(0);
  });

  it("that takes all the time that the schedule leaves is not too long", ({ expect }) => {
    const warned: object[] = [];
    using schedule = everyMinute([{ name: "main", perSecond: 2 }], warned);
    schedule.expectRequests(new Map([["main", 120]]));
    expect(schedule.sweepMs).toBe(schedule.longestGapMs);
    expect(warned).toEqual([]);
    schedule.expectRequests(new Map([["main", 121]]));
    expect(warned).toEqual([{ sweep_seconds: 61, schedule_seconds: 60 }]);
  });

  it("warns once when sweeps take longer than the schedule leaves for them, and again after they did not", ({
    expect,
  }) => {
    const warned: object[] = [];
    using schedule = everyMinute([{ name: "main", perSecond: 3.2 }], warned);
    const small = sweepRequests(zones(90, "shop"), () => "main", "read");
    const large = sweepRequests(zones(100, "shop"), () => "main", "read");
    for (const requests of [large, large, small]) schedule.expectRequests(requests);
    expect(warned).toEqual([{ sweep_seconds: 63, schedule_seconds: 60 }]);
    schedule.expectRequests(large);
    expect(warned).toHaveLength(2);
  });
});
