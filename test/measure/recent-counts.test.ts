import { describe, it } from "vitest";

import { createAnalytics } from "../../src/api/analytics-reader.ts";
import { Collector } from "../../src/measure/collector.ts";
import type { HourCount } from "../../src/measure/measurement.ts";
import type { RecentCounts } from "../../src/measure/recent-counts.ts";
import { coerceObject, coerceObjects, type JsonObject } from "../../src/syntax/json.ts";
import type { ResourceKey } from "../../src/zone/resource.ts";
import { control, endFaults } from "../support/ask.ts";
import { SimulatedClock } from "../support/clock.ts";
import {
  Collecting,
  collectorPorts,
  countedContent,
  keptMs,
  startHour,
} from "../support/collecting.ts";
import { countingZone, type QueryFault } from "../support/counting-service.ts";
import { type Emulated, emulated } from "../support/emulated.ts";

const fiveMs = 300_000;
const checkout = "policy/checkout";
const reports = "policy/reports";
const logins = "custom_rule/logins";
const start = new Date("2026-11-20T12:00:00Z");

/** A collector over the emulator, for a zone of which a run found three objects live. */
class Watching implements AsyncDisposable {
  readonly clock: SimulatedClock;
  readonly at: Emulated;
  readonly collector: Collector;
  queries = 0;

  private constructor(at: Emulated, clock: SimulatedClock, live: ReadonlyMap<string, ResourceKey>) {
    this.at = at;
    this.clock = clock;
    const ask = createAnalytics(at.service);
    const ports = collectorPorts({
      ask: (...query) => {
        this.queries += 1;
        return ask(...query);
      },
      clock,
    });
    this.collector = new Collector({ maxAgeMs: keptMs }, ports);
    this.collector.declare([{ zone: at.zone, content: countedContent }]);
    this.collector.note(at.zone.name, live);
  }

  static async start(traffic: JsonObject): Promise<Watching> {
    const clock = new SimulatedClock(start);
    const policy = { action: "log", expression: "ssl", value: "script-src 'self'" };
    const rule = { action: "block", expression: "ssl", ref: "zonewarden:logins" };
    const at = await emulated(
      {
        settings: { enabled: true },
        policies: [
          { ...policy, description: "Scripts of the checkout [zonewarden:checkout]" },
          { ...policy, description: "Reports", value: "script-src 'none'" },
        ],
        rulesets: [{ name: "zone", phase: "http_request_firewall_custom", rules: [rule] }],
        traffic: { requests_per_hour: 12_000, ...traffic },
      },
      { clock },
    );
    const { policies, rules } = at.emulator.trueHour(
      at.zone.name,
      new Date("2026-11-20T11:00:00Z"),
    );
    const [first, second, third] = [...policies, ...rules].map(({ id }) => id);
    const live = new Map<string, ResourceKey>([
      [first ?? "", checkout],
      [second ?? "", reports],
      [third ?? "", logins],
    ]);
    return new Watching(at, clock, live);
  }

  async read(...watched: readonly ResourceKey[]): Promise<RecentCounts> {
    const { signal } = new AbortController();
    const zone = this.at.zone.name;
    const found = await this.collector.readRecent([{ zone, keys: watched }], signal);
    const counts = found.get(zone);
    if (counts === undefined) throw new Error("the zone is not measured");
    return counts;
  }

  /** What the emulator knows of the five minutes of a moment: of the requests, the policies by description, and the rule. */
  async truth(at: Date): Promise<Readonly<Record<string, number>>> {
    const url = `/_emulator/traffic?zone=${this.at.zone.name}&hour=${at.toISOString()}&minutes=5`;
    const response = await fetch(new URL(url, this.at.emulator.baseUrl));
    const { requests, policies, rules } = coerceObject(await response.json());
    const [first, second] = coerceObjects(policies);
    const [rule] = coerceObjects(rules);
    return {
      requests: Number(requests),
      [checkout]: Number(first?.["count"]),
      [reports]: Number(second?.["count"]),
      [logins]: Number(rule?.["count"]),
    };
  }

  traffic(order: object): Promise<void> {
    return control(this.at.emulator, "/traffic", { zone: this.at.zone.name, ...order });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.at[Symbol.asyncDispose]();
  }
}

/** The moments of counts. */
function momentsOf({ since, requests }: RecentCounts): readonly Date[] {
  return requests.map((_, nth) => new Date(since.getTime() + nth * fiveMs));
}

describe("recent counts", () => {
  it("are those that the service knows of each five minutes that are over", async ({ expect }) => {
    await using watching = await Watching.start({});
    await watching.clock.advance(4 * 60_000);
    const counts = await watching.read(checkout, logins);
    expect(counts.since).toEqual(new Date("2026-11-20T11:00:00Z"));
    expect([...counts.objects.keys()]).toEqual([checkout, logins]);
    for (const [nth, at] of momentsOf(counts).entries()) {
      const truth = await watching.truth(at);
      const measured = (what: string, action?: string): HourCount => {
        const count = truth[what] ?? 0;
        const actions = action === undefined ? {} : { [action]: count };
        return { state: "measured", count, actions, sampleInterval: 1 };
      };
      expect(counts.requests[nth]).toEqual(measured("requests"));
      expect(counts.objects.get(checkout)?.[nth]).toEqual(measured(checkout, "log"));
      expect(counts.objects.get(logins)?.[nth]).toEqual(measured(logins, "block"));
    }
    expect(counts.requests).toHaveLength(12);
    // What the plan lets one read, and each dataset.
    expect(watching.queries).toBe(4);
    await watching.read(reports);
    expect(watching.queries).toBe(6);
  });

  it("rise within ten minutes of one curl, and only those of that policy", async ({ expect }) => {
    await using watching = await Watching.start({ shares: { Reports: 0.01 } });
    await watching.read(checkout);
    await watching.traffic({ shares: { checkout: 0.6 } });
    await watching.clock.advance(8 * 60_000);
    const counts = await watching.read(checkout, reports);
    const rates = (key: ResourceKey): readonly number[] =>
      (counts.objects.get(key) ?? []).map(
        (count, nth) => countOf(count) / countOf(counts.requests[nth]),
      );
    expect(momentsOf(counts).at(-1)).toEqual(start);
    expect(rates(checkout).at(-1)).toBeGreaterThan(0.4);
    expect(Math.max(...rates(checkout).slice(0, -1))).toBeLessThan(0.1);
    expect(Math.max(...rates(reports))).toBeLessThan(0.1);
    await watching.traffic({ shares: { checkout: null } });
    await watching.clock.advance(10 * 60_000);
    const lowered = await watching.read(checkout);
    expect(countOf(lowered.objects.get(checkout)?.at(-1))).toBeLessThan(
      countOf(counts.objects.get(checkout)?.at(-1)) / 4,
    );
  });

  it("say that they are estimates", async ({ expect }) => {
    const shares = { "Scripts of the checkout [zonewarden:checkout]": 0.2 };
    await using watching = await Watching.start({ sampled_above: 1_000, shares });
    const counts = await watching.read(checkout);
    const intervals = counts.requests.map(
      (count) => count.state === "measured" && count.sampleInterval,
    );
    expect(intervals.every((interval) => interval === 100)).toBe(true);
    for (const count of counts.objects.get(checkout) ?? []) {
      expect(countOf(count) % 100).toBe(0);
    }
  });

  it("that come late count when they are read again", async ({ expect }) => {
    await using watching = await Watching.start({});
    await watching.at.fault({ fault: "analytics_late", seconds: 600 });
    const late = await watching.read(checkout);
    await endFaults(watching.at.emulator);
    const counts = await watching.read(checkout);
    const truth = await watching.truth(momentsOf(counts).at(-1) ?? start);
    expect(countOf(late.requests.at(-1))).toBeLessThan(truth["requests"] ?? 0);
    expect(countOf(counts.requests.at(-1))).toBe(truth["requests"]);
    expect(countOf(counts.objects.get(checkout)?.at(-1))).toBe(truth[checkout]);
  });
});

function countOf(count: HourCount | undefined): number {
  return count?.state === "measured" ? count.count : Number.NaN;
}

const hour = 3_600_000;

const all = {
  httpRequestsAdaptiveGroups: 7 * 24,
  firewallEventsAdaptiveGroups: 24,
  firewallEventsAdaptive: 24,
  pageShieldReportsAdaptiveGroups: 8 * 24,
};

const pro = countingZone("shop.example", 1, all);
const free = countingZone("blog.example", 2, {
  httpRequestsAdaptiveGroups: 7 * 24,
  firewallEventsAdaptive: 24,
});
const policy = "policy/policy-0";
const rule = "custom_rule/rule-0";

/** The recent counts of zones, and the true ones of the same times. */
async function readOf(
  at: Collecting,
  collector: Collector,
  keys: readonly ResourceKey[] = [policy, rule],
): Promise<ReadonlyMap<string, RecentCounts>> {
  const watched = at.service.zones.map(({ zone }) => ({ zone: zone.name, keys }));
  return collector.readRecent(watched, new AbortController().signal);
}

function trueCounts(at: Collecting, id: string, { since }: RecentCounts): readonly number[] {
  return Array.from({ length: 12 }, (_, nth) => {
    const from = since.getTime() + nth * fiveMs;
    const times = at.service.timesOf(id, Math.floor(from / hour));
    return times.filter((time) => time >= from && time < from + fiveMs).length;
  });
}

function statesOf(counts: readonly HourCount[] = []): readonly string[] {
  return [
    ...new Set(counts.map((count) => (count.state === "refused" ? count.reason : count.state))),
  ];
}

describe("recent counts of other answers", () => {
  it.for<{ fault: QueryFault; nth: number; states: readonly string[]; queries: number }>([
    // The zone that an answer left out is asked for alone.
    { fault: "partial", nth: 1, states: ["measured", "measured", "measured"], queries: 5 },
    { fault: "missing_zone", nth: 2, states: ["measured", "measured", "measured"], queries: 5 },
    // A part of the zones is asked for at a time.
    { fault: "void", nth: 1, states: ["measured", "measured", "measured"], queries: 6 },
    { fault: "null", nth: 1, states: ["measured", "measured", "measured"], queries: 6 },
    { fault: "html", nth: 3, states: ["measured", "measured", "measured"], queries: 6 },
    // What was asked for is not over by the next answer.
    { fault: "wrong_date", nth: 0, states: ["failed", "failed", "failed"], queries: 4 },
    { fault: "wrong_date", nth: 1, states: ["failed", "measured", "measured"], queries: 4 },
    { fault: "wrong_date", nth: 3, states: ["measured", "measured", "failed"], queries: 4 },
    { fault: "server", nth: 2, states: ["measured", "failed", "measured"], queries: 4 },
    // Nothing more is asked with this credential.
    { fault: "rate_limited", nth: 1, states: ["failed", "failed", "failed"], queries: 2 },
    { fault: "budget", nth: 2, states: ["measured", "failed", "failed"], queries: 3 },
    { fault: "cut", nth: 0, states: ["failed", "failed", "failed"], queries: 1 },
  ])("of $fault in query $nth are $states", async ({ fault, nth, states, queries }, { expect }) => {
    const other = countingZone("bank.example", 3, all);
    await using at = new Collecting([pro, other]);
    const collector = at.start();
    at.service.faults = [...Array.from<QueryFault>({ length: nth }).fill("none"), fault];
    const found = await readOf(at, collector);
    expect(at.service.queries).toHaveLength(queries);
    for (const each of [pro, other]) {
      const counts = found.get(each.zone.name);
      if (counts === undefined) throw new Error("the zone is not measured");
      const { requests, objects } = counts;
      const [events, violations] = [objects.get(rule), objects.get(policy)];
      expect([requests, events, violations].flatMap(statesOf)).toEqual(states);
      const [ruleId = "", policyId = ""] = [each.ruleIds[0], each.policyIds[0]];
      for (const [id, list] of [
        [each.zone.id, requests],
        [ruleId, events],
        [policyId, violations],
      ] as const) {
        if (list?.[0]?.state !== "measured") continue;
        expect(list.map(countOf)).toEqual(trueCounts(at, id, counts));
      }
    }
  });
});

describe("the queries of recent counts", () => {
  it.for<{ why: string; isOn: boolean; keys: readonly ResourceKey[]; zones: number }>([
    { why: "measurements are off", isOn: false, keys: [policy], zones: 0 },
    { why: "nothing is watched", isOn: true, keys: [], zones: 1 },
    { why: "what is watched is not live", isOn: true, keys: ["policy/other"], zones: 1 },
  ])("are none where $why", async ({ isOn, keys, zones }, { expect }) => {
    await using at = new Collecting([pro]);
    const found = await readOf(at, at.start(isOn), keys);
    expect(at.service.queries).toEqual([]);
    expect(found.size).toBe(zones);
    for (const { objects } of found.values()) {
      expect([...objects.values()].map(statesOf)).toEqual(keys.map(() => ["undeclared"]));
    }
  });

  it("are none for a zone that is not declared", async ({ expect }) => {
    await using at = new Collecting([pro]);
    const collector = at.start();
    const watched = [{ zone: free.zone.name, keys: [policy] }] as const;
    expect(await collector.readRecent(watched, new AbortController().signal)).toEqual(new Map());
    expect(at.service.queries).toEqual([]);
  });

  it("have ten zones and one dataset at most", async ({ expect }) => {
    const zones = Array.from({ length: 23 }, (_, nth) => countingZone(`z${nth}.example`, nth, all));
    await using at = new Collecting(zones);
    const collector = at.start();
    const found = await readOf(at, collector, [rule]);
    expect(found.size).toBe(23);
    // Three for the limits, the requests and the events each.
    expect(at.service.queries).toHaveLength(9);
    for (const { requests, objects } of found.values()) {
      expect([requests, objects.get(rule)].flatMap(statesOf)).toEqual(["measured", "measured"]);
    }
  });

  it("are one for what the service refuses, in a day", async ({ expect }) => {
    await using at = new Collecting([pro]);
    const collector = at.start();
    at.service.isPermitted = false;
    for (let nth = 0; nth < 3; nth += 1) {
      const counts = (await readOf(at, collector)).get(pro.zone.name);
      expect([counts?.requests, counts?.objects.get(rule)].flatMap(statesOf)).toEqual([
        "denied",
        "denied",
      ]);
    }
    expect(at.service.queries).toHaveLength(1);
  });

  it("read single events where a plan has no groups, and nothing that it does not include", async ({
    expect,
  }) => {
    await using at = new Collecting([free]);
    const found = (await readOf(at, at.start())).get(free.zone.name);
    if (found === undefined) throw new Error("the zone is not measured");
    expect(statesOf(found.objects.get(policy))).toEqual(["unavailable"]);
    expect(found.objects.get(rule)?.map(countOf)).toEqual(
      trueCounts(at, free.ruleIds[0] ?? "", found),
    );
    expect(at.service.queries).toHaveLength(3);
  });

  it("are more where an answer has no room for all", async ({ expect }) => {
    await using at = new Collecting([pro]);
    at.service.largestPage = 3;
    const found = (await readOf(at, at.start())).get(pro.zone.name);
    if (found === undefined) throw new Error("the zone is not measured");
    const [ruleId = ""] = pro.ruleIds;
    expect(found.objects.get(rule)?.map(countOf)).toEqual(trueCounts(at, ruleId, found));
    expect(trueCounts(at, ruleId, found).filter((count) => count > 0).length).toBeGreaterThan(3);
    expect(at.service.queries.length).toBeGreaterThan(4);
  });

  it.for([-50, 50])(
    "ask for times of the service where the clock is %i hours off",
    async (hours, { expect }) => {
      await using at = new Collecting([pro]);
      const collector = at.start();
      at.clock.step(hours * hour);
      const found = (await readOf(at, collector)).get(pro.zone.name);
      expect(found?.since).toEqual(new Date(startHour * hour - hour - fiveMs));
      expect([found?.requests, found?.objects.get(rule)].flatMap(statesOf)).toEqual([
        "measured",
        "measured",
      ]);
    },
  );

  it("end with the signal", async ({ expect }) => {
    await using at = new Collecting([pro]);
    const collector = at.start();
    at.answerMs = 1_000;
    const stop = new AbortController();
    const reading = collector.readRecent([{ zone: pro.zone.name, keys: [rule] }], stop.signal);
    stop.abort();
    await expect(reading).rejects.toThrow("aborted");
  });
});
