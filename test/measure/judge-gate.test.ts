import { describe, it } from "vitest";

import { dayRecordText, emptyDay, withRead } from "../../src/measure/day-record.ts";
import { GateKeeper } from "../../src/measure/gate-keeper.ts";
import { dayOf, firstHourOf, hoursOfDay } from "../../src/measure/hours.ts";
import { hoursOfSoak, judgeGate } from "../../src/measure/judge-gate.ts";
import type { HourCount } from "../../src/measure/measurement.ts";
import type { GatedZone, GateJudgement } from "../../src/state/rollout-gate.ts";
import { hourMs } from "../../src/syntax/time-units.ts";
import type { ResourceKey } from "../../src/zone/resource.ts";
import type { Gate } from "../../src/zone/wave.ts";
import { SimulatedClock } from "../support/clock.ts";
import { named } from "../support/reports.ts";

const limits: Gate = { violationsPer10k: 5, blockedPer10k: 20, requestsAtLeast: 1_000 };

function hour(
  count: number,
  actions: Readonly<Record<string, number>> = {},
  sampleInterval = 1,
): HourCount {
  return { state: "measured", count, actions, sampleInterval };
}

const failed: HourCount = { state: "failed" };
const missing: HourCount = { state: "missing" };
const denied: HourCount = { state: "refused", reason: "denied" };
const unavailable: HourCount = { state: "refused", reason: "unavailable" };
const undeclared: HourCount = { state: "undeclared" };

interface Case {
  readonly when: string;
  /** Of each hour. */
  readonly requests: readonly HourCount[];
  readonly counts: Partial<Record<ResourceKey, readonly HourCount[]>>;
  readonly limits?: Partial<Gate>;
  readonly state: GateJudgement["state"];
  readonly why?: string;
}

const busy = [hour(4_000), hour(4_000), hour(2_000)];

const cases: readonly Case[] = [
  {
    when: "a policy at its limit",
    requests: busy,
    counts: { "policy/checkout": [hour(2), hour(1), hour(2)] },
    state: "kept",
  },
  {
    when: "a policy over its limit",
    requests: busy,
    counts: { "policy/checkout": [hour(2), hour(2), hour(2)] },
    state: "over",
    why: "6 violations of policy/checkout in 10,000 requests, the limit is 5",
  },
  {
    when: "a policy barely over its limit, which no rounding hides",
    requests: [hour(100_000), hour(100_000), hour(100_000)],
    counts: { "policy/checkout": [hour(50), hour(50), hour(51)] },
    state: "over",
    why: "5.04 violations",
  },
  {
    when: "a limit of nothing at all",
    requests: busy,
    counts: { "policy/checkout": [hour(0), hour(1), hour(0)] },
    limits: { violationsPer10k: 0 },
    state: "over",
  },
  {
    when: "no violation under a limit of nothing at all",
    requests: busy,
    counts: { "policy/checkout": [hour(0), hour(0), hour(0)] },
    limits: { violationsPer10k: 0 },
    state: "kept",
  },
  {
    when: "many events of a rule that only logs",
    requests: busy,
    counts: {
      "custom_rule/office": [hour(900, { log: 900 }), hour(0), hour(20, { log: 10, block: 10 })],
    },
    state: "kept",
  },
  {
    when: "a rule that blocks and challenges too many",
    requests: busy,
    counts: {
      "managed_rule/owasp": [
        hour(15, { block: 15 }),
        hour(5, { managed_challenge: 5 }),
        hour(1, { js_challenge: 1 }),
      ],
    },
    state: "over",
    why: "21 requests blocked or challenged by managed_rule/owasp",
  },
  {
    when: "one object over its limit beside one that is within, and one that is unknown",
    requests: busy,
    counts: {
      "custom_rule/office": [failed, failed, failed],
      "policy/checkout": [hour(1), hour(1), hour(1)],
      "policy/cart": [hour(9), hour(9), hour(9)],
    },
    state: "over",
    why: "policy/cart",
  },
  {
    when: "an object without a limit, which may be unknown too",
    requests: busy,
    counts: { "policy/checkout": [denied, failed, hour(900)] },
    limits: { violationsPer10k: undefined },
    state: "kept",
  },
  { when: "nothing that is counted", requests: busy, counts: {}, state: "kept" },
  {
    when: "an hour that failed",
    requests: busy,
    counts: { "policy/checkout": [hour(1), failed, hour(1)] },
    state: "unknown",
    why: "policy/checkout is measured in 2 of 3 hours: its counts could not be read from the service",
  },
  {
    when: "requests of an hour that failed",
    requests: [hour(4_000), missing, hour(4_000)],
    counts: { "policy/checkout": [hour(1), hour(1), hour(1)] },
    state: "unknown",
    why: "in 2 of 3 hours: of the requests, the store has no measurements of it",
  },
  {
    when: "an hour that was read later in place of one that failed",
    requests: [...busy, hour(4_000)],
    counts: { "policy/checkout": [hour(1), failed, hour(1), hour(1)] },
    state: "kept",
  },
  {
    when: "too few hours",
    requests: [hour(4_000), hour(4_000)],
    counts: { "policy/checkout": [hour(0), hour(0)] },
    state: "unknown",
    why: "measured in 2 of 3 hours",
  },
  {
    when: "too few hours, and yet over its limit",
    requests: [hour(1_000)],
    counts: { "policy/checkout": [hour(30)] },
    state: "over",
    why: "300 violations",
  },
  {
    when: "a token that may not read",
    requests: busy,
    counts: { "policy/checkout": [denied, denied, denied] },
    state: "unknown",
    why: "0 of 3 hours: the token may not read the counts",
  },
  {
    when: "a plan without the dataset",
    requests: busy,
    counts: { "policy/checkout": [unavailable, unavailable, unavailable] },
    state: "unknown",
    why: "the plan of the zone does not include the counts",
  },
  {
    when: "an object that is not known to be live",
    requests: busy,
    counts: { "policy/checkout": [undeclared, undeclared, undeclared] },
    state: "unknown",
    why: "not known to have been live",
  },
  {
    when: "no record at all",
    requests: [missing, missing, missing],
    counts: { "policy/checkout": [] },
    state: "unknown",
  },
  {
    when: "too little traffic",
    requests: [hour(400), hour(400), hour(199)],
    counts: { "policy/checkout": [hour(0), hour(0), hour(0)] },
    state: "unknown",
    why: "999 requests were counted in 3 hours, fewer than 1000",
  },
  {
    when: "too little traffic for what would be over",
    requests: [hour(10), hour(10), hour(10)],
    counts: { "policy/checkout": [hour(1), hour(1), hour(1)] },
    state: "unknown",
  },
  {
    when: "no traffic",
    requests: [hour(0), hour(0), hour(0)],
    counts: { "policy/checkout": [hour(0), hour(0), hour(0)] },
    state: "unknown",
  },
  {
    when: "a sample of too few requests",
    requests: [hour(4_000, {}, 10), hour(4_000, {}, 10), hour(1_990, {}, 10)],
    counts: { "policy/checkout": [hour(0), hour(0), hour(0)] },
    state: "unknown",
    why: "999 requests",
  },
  {
    when: "events that are a sample of too few requests",
    requests: busy,
    counts: { "policy/checkout": [hour(0, {}, 20), hour(0, {}, 20), hour(0, {}, 20)] },
    state: "unknown",
    why: "500 requests",
  },
  {
    when: "a burst before the latest hours",
    requests: [hour(1_000), ...busy],
    counts: { "policy/checkout": [hour(500), hour(1), hour(1), hour(1)] },
    state: "kept",
  },
];

describe("the gate of a zone", () => {
  it.for(cases)("is judged by $when: $state", (each, { expect }) => {
    const { requests, counts, state, why } = each;
    const countsOf = (key: ResourceKey): readonly HourCount[] => counts[key] ?? [];
    const isKey = (key: string): key is ResourceKey => key in counts;
    const changed = Object.keys(counts).filter(isKey);
    const own = { ...limits, ...each.limits };
    const found = judgeGate({ requests, countsOf }, changed, own, 3);
    expect(found.state).toBe(state);
    expect("why" in found ? found.why : "").toContain(why ?? "");
  });

  it.for([
    { soakMs: 60_000, hours: 1 },
    { soakMs: hourMs, hours: 1 },
    { soakMs: 2 * hourMs, hours: 1 },
    { soakMs: 2.5 * hourMs, hours: 2 },
    { soakMs: 24 * hourMs, hours: 23 },
  ])("needs $hours measured hours for a soak of $soakMs ms", ({ soakMs, hours }, { expect }) => {
    expect(hoursOfSoak(soakMs)).toBe(hours);
  });
});

const shop = named("shop.example");

/** A keeper of gates over records of the zone, by hours since 1970. */
function keeper(start: Date, violations: (hour: number) => number | undefined) {
  const clock = new SimulatedClock(start);
  const judgements: GateJudgement[] = [];
  let reads = 0;
  let gated: readonly GatedZone[] = [];
  let service: Date | undefined = start;
  const read = async (day: string): Promise<string> => {
    reads += 1;
    const firstHour = firstHourOf(day);
    const key = "policy/checkout" as const;
    const objects = [{ key, ids: ["a"], since: 0, until: Infinity }];
    let record = emptyDay(shop, day);
    for (let nth = 0; nth < hoursOfDay; nth += 1) {
      const at = firstHour + nth;
      const count = violations(at);
      if (count === undefined) continue;
      const row = { nth: at, ids: ["a"], action: "log", count, sampleInterval: 1 };
      const requests = { ...row, ids: [], action: "", count: 10_000 };
      record = withRead(record, "requests", [nth], { result: "measured", rows: [requests] }, []);
      record = withRead(record, "violations", [nth], { result: "measured", rows: [row] }, objects);
    }
    return Promise.resolve(dayRecordText(record));
  };
  const made = new GateKeeper(
    { limits, soakMs: 3 * hourMs },
    {
      gated: () => gated,
      judged: (found) => judgements.push(...found.values()),
      reader: { read },
      serviceNow: () => service?.getTime(),
      clock,
      bug: (error) => {
        throw error;
      },
    },
  );
  return {
    judge: async (
      appliedForMs: number,
      now: Date | undefined,
    ): Promise<GateJudgement | undefined> => {
      service = now;
      gated = [{ name: shop, changed: ["policy/checkout"], appliedForMs }];
      judgements.length = 0;
      await made.judge(new AbortController().signal);
      return judgements[0];
    },
    reads: () => reads,
  };
}

describe("the keeper of gates", () => {
  const noon = new Date("2026-11-26T12:00:00Z");
  const at = (hours: number): Date => new Date(Number(noon) + hours * hourMs);

  it("counts only whole hours since the zone is as declared", async ({ expect }) => {
    // It was full of violations until noon, and is applied at 12:10.
    const { judge } = keeper(noon, (each) => (each < Number(noon) / hourMs + 1 ? 900 : 0));
    expect(await judge(2.34 * hourMs, at(2.5))).toEqual({
      state: "unknown",
      why: "policy/checkout is measured in 1 of 2 hours",
    });
    expect(await judge(3.14 * hourMs, at(3.3))).toEqual({ state: "kept" });
  });

  it("reads nothing again before another hour is over, once the gate is kept", async ({
    expect,
  }) => {
    const { judge, reads } = keeper(noon, () => 0);
    expect(await judge(9 * hourMs, at(3.3))).toEqual({ state: "kept" });
    const before = reads();
    expect(await judge(9.1 * hourMs, at(3.4))).toBeUndefined();
    expect(reads()).toBe(before);
    expect(await judge(10 * hourMs, at(4.3))).toEqual({ state: "kept" });
  });

  it("tells nothing of a zone while the service has told no time", async ({ expect }) => {
    const { judge, reads } = keeper(noon, () => 0);
    expect(await judge(9 * hourMs, undefined)).toMatchObject({ state: "unknown" });
    expect(reads()).toBe(0);
  });

  it("looks back two days beyond the soak at most, however long a gate is shut", async ({
    expect,
  }) => {
    const days = new Set<string>();
    const { judge } = keeper(noon, (each) => {
      days.add(dayOf(each));
      return 90;
    });
    expect(await judge(30 * 24 * hourMs, at(0.5))).toMatchObject({ state: "over" });
    expect(days.size).toBeLessThanOrEqual(4);
  });
});
