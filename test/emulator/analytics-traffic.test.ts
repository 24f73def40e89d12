import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import * as fc from "fast-check";
import { describe, it } from "vitest";

import { Protections } from "../../src/emulator/analytics/protections.ts";
import type { TrueHour } from "../../src/emulator/analytics/true-hour.ts";
import type { Seed } from "../../src/emulator/seed/seed.ts";
import { seededState } from "../../src/emulator/seed/seeded-state.ts";
import type { JsonObject } from "../../src/syntax/json.ts";
import { documentFor, query, rowsOf } from "../support/analytics.ts";
import {
  errorOf,
  goodSeed,
  listIn,
  listOf,
  objectIn,
  type TestEmulator,
  testEmulator,
  testStart,
  textIn,
} from "../support/emulator.ts";
import { cases } from "../support/properties.ts";

const requests = "httpRequestsAdaptiveGroups";
const hourMs = 3_600_000;
const custom = "http_request_firewall_custom";

/** A zone with two custom rules, three policies and an OWASP ruleset; `more` is for its traffic. */
function seedWith(traffic: JsonObject = {}, more: JsonObject = {}): Seed {
  const rule = { action: "block", expression: "ssl" };
  const policy = { action: "log", expression: "ssl", value: "script-src 'self'" };
  return {
    rate_limit: false,
    zones: [
      {
        name: "a.example",
        traffic: { requests_per_hour: 2_000, ...traffic },
        policies: [
          { ...policy, description: "first" },
          { ...policy, description: "second", enabled: false },
          { ...policy, description: "third", action: "allow", value: "script-src 'none'" },
        ],
        entrypoint: [{ deploy: "owasp", description: "owasp", paranoia_level: 2 }],
        rulesets: [
          {
            name: "default",
            phase: custom,
            rules: [
              { ...rule, description: "first rule", ref: "first-rule" },
              { ...rule, description: "off", enabled: false, expression: "true" },
            ],
          },
        ],
        ...more,
      },
    ],
  };
}

/** The hour some hours before the start. */
function hourBefore(hours: number): Date {
  return new Date(testStart.getTime() - hours * hourMs);
}

/** The moment some days after the start. */
function day(number: number): Date {
  return new Date(testStart.getTime() + number * 24 * hourMs);
}

/** A filter for that hour. */
function filterOf(hours: number): string {
  const [from, to] = [hourBefore(hours), hourBefore(hours - 1)];
  return `datetime_geq: "${from.toISOString()}", datetime_lt: "${to.toISOString()}"`;
}

/** The sum of the exact counts of many hours. */
function summed(world: TestEmulator, hours: number, of: (hour: TrueHour) => number): number {
  const all = Array.from({ length: hours }, (_, index) =>
    of(world.emulator.trueHour("a.example", hourBefore(index + 1))),
  );
  return all.reduce((sum, count) => sum + count, 0);
}

/** The moment some minutes after the start. */
function minute(number: number): string {
  return new Date(testStart.getTime() + number * 60_000).toISOString().replace(".000", "");
}

function clockTo(at: number): JsonObject {
  return { now: new Date(at).toISOString() };
}

function totalOf(counts: readonly { readonly count: number }[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}

describe("the traffic", () => {
  it("is the same for one seed, and another for another", async (context) => {
    const { expect } = context;
    const hoursWith = async (seed: number): Promise<readonly number[]> => {
      await using world = await testEmulator(context, { seed: seedWith({ seed }) });
      return Array.from(
        { length: 48 },
        (_, index) => world.emulator.trueHour("a.example", hourBefore(index)).requests,
      );
    };
    const first = await hoursWith(1);
    expect(await hoursWith(1)).toEqual(first);
    expect(await hoursWith(2)).not.toEqual(first);
  });

  it("has its mean over weeks, more by day than by night and less at weekends", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { seed: seedWith() });
    const mean = summed(world, 28 * 24, (hour) => hour.requests) / (28 * 24);
    expect(mean / 2_000).toBeCloseTo(0.93, 1);
    const at = (text: string): number =>
      world.emulator.trueHour("a.example", new Date(text)).requests;
    expect(at("2026-11-18T14:00:00Z")).toBeGreaterThan(2 * at("2026-11-18T02:00:00Z"));
    // 2026-11-15 is a Sunday.
    expect(at("2026-11-15T14:00:00Z")).toBeLessThan(at("2026-11-18T14:00:00Z"));
  });

  it.for([
    { zone: "a.example", paused: false, status: "active", hasRequests: true },
    { zone: "a.example", paused: true, status: "active", hasRequests: false },
    { zone: "a.example", paused: false, status: "pending", hasRequests: false },
  ])(
    "reaches a zone that is $status and paused $paused: $hasRequests",
    async ({ zone, paused, status, hasRequests }, context) => {
      const { expect } = context;
      await using world = await testEmulator(context, { seed: seedWith({}, { paused, status }) });
      const truth = world.emulator.trueHour(zone, hourBefore(1));
      expect(truth.requests > 0).toBe(hasRequests);
      expect(truth.rules.length > 0).toBe(hasRequests);
      const document = documentFor([await world.zoneId(zone)], requests, { filter: filterOf(1) });
      expect(rowsOf(await query(world, document), requests)).toHaveLength(hasRequests ? 1 : 0);
    },
  );

  it("is divided by host", async (context) => {
    const { expect } = context;
    const hosts = { "a.example": 100, "www.a.example": 2_000 };
    await using world = await testEmulator(context, { seed: seedWith({ hosts }) });
    const id = await world.zoneId("a.example");
    const selection = "count dimensions { clientRequestHTTPHost }";
    const rows = rowsOf(
      await query(
        world,
        documentFor([id], requests, { filter: filterOf(1), selection, orderBy: "count_DESC" }),
      ),
      requests,
    );
    expect(rows.map(({ dimensions }) => objectIn(dimensions)["clientRequestHTTPHost"])).toEqual([
      "www.a.example",
      "a.example",
    ]);
    const truth = world.emulator.trueHour("a.example", hourBefore(1));
    expect(rows.reduce((sum, { count }) => sum + Number(count), 0)).toBe(truth.requests);
    const filtered = async (filter: string): Promise<unknown> => {
      const document = documentFor([id], requests, {
        filter: `${filterOf(1)}, clientRequestHTTPHost${filter}`,
      });
      return rowsOf(await query(world, document), requests).map(({ count }) => count);
    };
    const [www, apex] = rows.map(({ count }) => count);
    expect(await filtered('_in: ["a.example", "b.example"]')).toEqual([apex]);
    expect(await filtered(': "a.example"')).toEqual([apex]);
    expect(await filtered('_neq: "a.example"')).toEqual([www]);
    expect(await filtered('_notin: ["www.a.example"]')).toEqual([apex]);
    expect(await filtered(': "b.example"')).toEqual([]);
  });

  it("meets only what is enabled, with the action that it has", async (context) => {
    const { expect } = context;
    const shares = { first: 0.5, third: 0.25, "first-rule": 0.1, owasp: 0.05 };
    await using world = await testEmulator(context, { seed: seedWith({ shares }) });
    const requestsOfDay = summed(world, 24, (hour) => hour.requests);
    const share = (action: string): number =>
      summed(world, 24, ({ policies, rules }) =>
        totalOf([...policies, ...rules].filter((each) => each.action === action)),
      ) / requestsOfDay;
    expect(share("log")).toBeCloseTo(0.5, 1);
    expect(share("allow")).toBeCloseTo(0.25, 1);
    // The score rule of the OWASP ruleset blocks as the custom rule does.
    expect(share("block")).toBeCloseTo(0.15, 1);
    const { policies, rules } = world.emulator.trueHour("a.example", hourBefore(1));
    expect(policies).toHaveLength(2);
    expect(rules.map(({ action }) => action)).toEqual(["block", "block"]);
    expect(new Set(rules.map(({ rulesetId }) => rulesetId)).size).toBe(2);
  });

  it.for([
    { set: { paranoia_level: 4 }, more: true },
    { set: { paranoia_level: 1 }, more: false },
    { set: { score_threshold: 25 }, more: true },
    { set: { score_threshold: 60 }, more: false },
  ])("meets the OWASP ruleset more often after $set: $more", async ({ set, more }, context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { seed: seedWith() });
    const share = (): number => {
      const { requests: all, rules } = world.emulator.trueHour(
        "a.example",
        new Date("2026-11-20T14:00:00Z"),
      );
      return totalOf(rules.filter(({ rulesetId }) => rulesetId?.startsWith("4814"))) / all;
    };
    await world.control("POST", "/clock", { advance: "4h" });
    const before = share();
    await world.control("POST", "/clock", { now: testStart.toISOString() });
    await world.control("POST", "/edit", { zone: "a.example", rule: "owasp", set });
    await world.control("POST", "/clock", { advance: "4h" });
    expect(before).toBeGreaterThan(0);
    expect(share() > before).toBe(more);
  });

  it("meets a rule again that is made again with another id", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { seed: seedWith() });
    const later = new Date("2026-11-20T15:00:00Z");
    const countsOf = (): readonly number[] =>
      world.emulator.trueHour("a.example", later).rules.map(({ count }) => count);
    await world.control("POST", "/clock", { advance: "4h" });
    const before = countsOf();
    await world.control("POST", "/clock", { now: testStart.toISOString() });
    const zone = "a.example";
    await world.control("POST", "/edit", { zone, rule: "first rule", delete: true });
    const rule = { action: "block", expression: "ssl", description: "made again" };
    await world.control("POST", "/edit", { zone, rule, ruleset: custom });
    await world.control("POST", "/clock", { advance: "4h" });
    expect(countsOf()).toEqual(before);
  });

  it("meets policies by what they say, and again when they are made again", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { seed: seedWith() });
    const zone = "a.example";
    const later = new Date("2026-11-20T15:00:00Z");
    const counts = (): readonly number[] =>
      world.emulator.trueHour(zone, later).policies.map(({ count }) => count);
    await world.control("POST", "/clock", { advance: "4h" });
    const [first = 0, third = 0] = counts();
    expect(first).toBeGreaterThan(0);
    expect(third).not.toBe(first);
    await world.control("POST", "/clock", clockTo(testStart.getTime()));
    await world.control("POST", "/edit", { zone, policy: "first", delete: true });
    const policy = { action: "log", expression: "ssl", value: "script-src 'self'", enabled: true };
    await world.control("POST", "/edit", { zone, policy: { ...policy, description: "again" } });
    const reporting = { ...policy, action: "add_reporting_directives", description: "reports" };
    await world.control("POST", "/edit", { zone, policy: reporting });
    await world.control("POST", "/clock", { advance: "4h" });
    expect(counts()).toEqual([third, first]);
  });

  it("meets a rule for all requests always, one for none never, and a skip only if it is logged", async (context) => {
    const { expect } = context;
    const skip = { action: "skip", action_parameters: { ruleset: "current" } };
    const rules = [
      { action: "managed_challenge", expression: "true", ref: "all" },
      { action: "js_challenge", expression: "false", ref: "none" },
      { ...skip, expression: "true", ref: "told", logging: { enabled: true } },
      { ...skip, expression: "true", ref: "untold", logging: { enabled: false } },
    ];
    const rulesets = [{ name: "default", phase: custom, rules }];
    const off = [{ deploy: "owasp", expression: "false" }];
    await using world = await testEmulator(context, {
      seed: seedWith({}, { rulesets, entrypoint: off }),
    });
    const truth = world.emulator.trueHour("a.example", hourBefore(1));
    expect(truth.rules.map(({ action, count }) => [action, count])).toEqual([
      ["managed_challenge", truth.requests],
      ["skip", truth.requests],
    ]);
  });

  it("meets the rules of a custom ruleset only where it is deployed", async (context) => {
    const { expect } = context;
    const rules = [{ action: "block", expression: "true" }];
    const team = { name: "Team", kind: "custom", phase: custom, rules };
    const deployed = { name: "default", phase: custom, rules: [{ deploy: "Team" }] };
    const idle = { name: "Idle", kind: "custom", phase: custom, rules };
    const rulesets = [team, idle, deployed];
    await using world = await testEmulator(context, {
      seed: seedWith({}, { rulesets, entrypoint: [] }),
    });
    const truth = world.emulator.trueHour("a.example", hourBefore(1));
    expect(truth.rules.map(({ count }) => count)).toEqual([truth.requests]);
    const collection = `/zones/${await world.zoneId("a.example")}/rulesets`;
    const found = listOf(await world.call("GET", collection)).find(({ name }) => name === "Team");
    expect(truth.rules[0]?.rulesetId).toBe(found?.["id"]);
  });

  it("can change from now on, while the past stays", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { seed: seedWith() });
    const zone = "a.example";
    const past = world.emulator.trueHour(zone, hourBefore(1));
    const given = { requests_per_hour: 100_000, shares: { "first-rule": 0.5 } };
    const { body } = await world.control("POST", "/traffic", { zone, ...given });
    expect(body["traffic"]).toEqual(given);
    await world.control("POST", "/clock", { advance: "1h" });
    expect(world.emulator.trueHour(zone, hourBefore(1))).toEqual(past);
    const now = world.emulator.trueHour(zone, testStart);
    expect(now.requests).toBeGreaterThan(50_000);
    expect(Math.max(...now.rules.map(({ count }) => count)) / now.requests).toBeCloseTo(0.5, 0);
  });

  it.for([
    { what: "policy", named: "thir", kind: "policies", counted: 1 },
    { what: "rule", named: "owa", kind: "rules", counted: 0 },
  ] as const)(
    "raises what one $what counts from now on, and lowers it again",
    async ({ named, kind, counted }, context) => {
      const { expect } = context;
      const shares = { third: 0.001, "first-rule": 0.02 };
      const limits = { requests_per_hour: 60_000, sampled_above: 1_000_000 };
      await using world = await testEmulator(context, { seed: seedWith({ shares, ...limits }) });
      const zone = "a.example";
      const traffic = (share: number | null): Promise<unknown> =>
        world.control("POST", "/traffic", { zone, shares: { [named]: share } });
      /** The parts of requests that each counts in the five minutes of a moment. */
      const rates = async (start: number): Promise<readonly number[]> => {
        const hour = minute(start);
        const { body } = await world.control("GET", `/traffic?zone=${zone}&hour=${hour}&minutes=5`);
        expect(textIn(body, "hour").replace(".000", "")).toBe(hour);
        return listIn(body[kind]).map(({ count }) => Number(count) / Number(body["requests"]));
      };
      await traffic(0.5);
      await world.control("POST", "/clock", { advance: "5m" });
      await traffic(null);
      await world.control("POST", "/clock", { advance: "5m" });
      const [raised, lowered] = [await rates(0), await rates(5)];
      expect(raised[counted]).toBeGreaterThan(0.3);
      expect(lowered[counted]).toBeLessThan(0.1);
      // The other one counts as before.
      const other = (of: readonly number[]): number =>
        of.filter((_, nth) => nth !== counted)[0] ?? 0;
      expect(other(raised)).toBeLessThan(0.1);
      await traffic(0.4);
      const before = await world.control("POST", "/traffic", { zone, shares: { [named]: 0.3 } });
      expect(Object.values(objectIn(objectIn(before.body["traffic"])["shares"]))).not.toContain(
        0.4,
      );
    },
  );

  it("counts what a policy would block, and then blocks, by the action in force", async (context) => {
    const { expect } = context;
    const seed = seedWith({ requests_per_hour: 60_000, shares: { first: 0.1, third: 0 } });
    await using world = await testEmulator(context, { seed });
    const zone = "a.example";
    await world.control("POST", "/clock", { advance: "5m" });
    await world.control("POST", "/edit", { zone, policy: "first", set: { action: "allow" } });
    await world.control("POST", "/clock", { advance: "5m" });
    const id = await world.zoneId(zone);
    const dataset = "pageShieldReportsAdaptiveGroups";
    const filter = `datetime_geq: "${minute(0)}", datetime_lt: "${minute(10)}"`;
    const selection = "count dimensions { action datetimeFiveMinutes }";
    const rows = rowsOf(
      await query(world, documentFor([id], dataset, { filter, selection })),
      dataset,
    );
    const truths = await Promise.all(
      [0, 5].map((start) =>
        world.control("GET", `/traffic?zone=${zone}&hour=${minute(start)}&minutes=5`),
      ),
    );
    const counts = truths.map(({ body }) => listIn(body["policies"])[0]?.["count"]);
    expect(rows).toEqual([
      { count: counts[0], dimensions: { action: "log", datetimeFiveMinutes: minute(0) } },
      { count: counts[1], dimensions: { action: "allow", datetimeFiveMinutes: minute(5) } },
    ]);
    expect(counts.every((count) => Number(count) > 300)).toBe(true);
  });

  it.for([
    { given: { zone: "b.example" }, says: "a.example" },
    { given: { zone: "a.example", shares: { fir: 0.1 } }, says: "more than one policy or rule" },
    { given: { zone: "a.example", shares: { owasp: 1.5 } }, says: "shares must have numbers" },
    { given: { zone: "a.example", shares: [1] }, says: "shares" },
    { given: { zone: "a.example", hosts: { "a.example": -1 } }, says: "hosts" },
    { given: { zone: "a.example", requests: 3 }, says: "requests" },
    { given: { zone: "a.example", sampled_above: 0 }, says: "sampled_above" },
  ])("cannot be $given", async ({ given, says }, context) => {
    await using world = await testEmulator(context, { seed: seedWith() });
    const answer = await world.control("POST", "/traffic", given);
    context.expect(answer.status).toBeGreaterThanOrEqual(400);
    context.expect(textIn(errorOf(answer), "message")).toContain(says);
  });

  it("of an hour is told to the control, and refused for none", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { seed: seedWith() });
    const hour = "2026-11-20T11:20:00Z";
    const told = await world.control("GET", `/traffic?zone=a.example&hour=${hour}`);
    expect(told.body).toEqual(world.emulator.trueHour("a.example", new Date(hour)));
    expect(told.body["hour"]).toBe("2026-11-20T11:00:00.000Z");
    expect((await world.control("GET", "/traffic?zone=a.example&hour=noon")).status).toBe(400);
    expect((await world.control("GET", "/traffic?zone=b.example&hour=noon")).status).toBe(404);
    const seven = await world.control("GET", `/traffic?zone=a.example&hour=${hour}&minutes=7`);
    expect(seven.status).toBe(400);
  });

  it("can be in a seed", ({ expect }) => {
    const yaml = `
zones:
  - name: a.example
    traffic: { seed: 3, hosts: { a.example: 100 }, shares: { owasp: 0.1 }, sampled_above: 1000 }
`;
    expect(goodSeed(yaml).zones[0]?.traffic).toMatchObject({ seed: 3, sampled_above: 1_000 });
    expect(() => goodSeed(yaml.replace("0.1", "1.1"))).toThrow();
    expect(() => goodSeed(yaml.replace("seed", "sead"))).toThrow();
  });
});

describe("single events", () => {
  it("are as many as the groups count, oldest first if asked, without capital letters in sources", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { seed: seedWith() });
    const dataset = "firewallEventsAdaptive";
    const id = await world.zoneId("a.example");
    const selection = "datetime ruleId rulesetId action source sampleInterval";
    const asked = async (more: { readonly limit?: number }): Promise<readonly JsonObject[]> =>
      rowsOf(
        await query(
          world,
          documentFor([id], dataset, {
            filter: filterOf(1),
            selection,
            orderBy: "datetime_ASC",
            ...more,
          }),
        ),
        dataset,
      );
    const events = await asked({});
    const { rules } = world.emulator.trueHour("a.example", hourBefore(1));
    expect(events).toHaveLength(totalOf(rules));
    for (const { id: ruleId, count } of rules) {
      expect(events.filter((event) => event["ruleId"] === ruleId)).toHaveLength(count);
    }
    const times = events.map((event) => textIn(event, "datetime"));
    expect(times).toEqual(times.toSorted());
    expect(times[0]).toMatch(/^2026-11-20T11:0\d:\d\dZ$/);
    expect(new Set(events.map(({ source }) => source))).toEqual(
      new Set(["firewallmanaged", "firewallcustom"]),
    );
    expect(await asked({ limit: 5 })).toEqual(events.slice(0, 5));
  });
});

describe("a sampled dataset", () => {
  it("gives multiples of its interval, which are right in the mean", async (context) => {
    const { expect } = context;
    const traffic = { requests_per_hour: 50_000, sampled_above: 1_000 };
    await using world = await testEmulator(context, { seed: seedWith(traffic) });
    const id = await world.zoneId("a.example");
    const ofDay = `datetime_geq: "2026-11-19T00:00:00Z", datetime_lt: "2026-11-20T00:00:00Z"`;
    const selection = "count avg { sampleInterval } dimensions { datetimeHour }";
    for (const [dataset, tolerance] of [
      [requests, 0.02],
      ["firewallEventsAdaptiveGroups", 0.3],
    ] as const) {
      const document = documentFor([id], dataset, { filter: ofDay, selection });
      const rows = rowsOf(await query(world, document), dataset);
      let [count, truth] = [0, 0];
      for (const row of rows) {
        const { sampleInterval } = objectIn(row["avg"]);
        expect([10, 100]).toContain(sampleInterval);
        expect(Number(row["count"]) % Number(sampleInterval)).toBe(0);
        count += Number(row["count"]);
      }
      for (let hour = 0; hour < 24; hour += 1) {
        const at = new Date(Date.parse("2026-11-19T00:00:00Z") + hour * hourMs);
        const { requests: all, rules } = world.emulator.trueHour("a.example", at);
        truth += dataset === requests ? all : totalOf(rules);
      }
      expect(Math.abs(count / truth - 1)).toBeLessThan(tolerance);
    }
  });

  it("is exact below the volume", async (context) => {
    await using world = await testEmulator(context, { seed: seedWith() });
    const id = await world.zoneId("a.example");
    const selection = "count avg { sampleInterval }";
    const document = documentFor([id], requests, { filter: filterOf(1), selection });
    const truth = world.emulator.trueHour("a.example", hourBefore(1)).requests;
    context
      .expect(rowsOf(await query(world, document), requests))
      .toEqual([{ count: truth, avg: { sampleInterval: 1 } }]);
  });
});

describe("the counts of the past", () => {
  const zone = "a.example";
  const edit = fc.oneof(
    fc.record({
      rule: fc.constantFrom("first rule", "off", "owasp"),
      set: fc.record({ enabled: fc.boolean() }),
    }),
    fc.record({
      rule: fc.constant("first rule"),
      set: fc.record({ action: fc.constantFrom("block", "managed_challenge") }),
    }),
    fc.record({
      policy: fc.constantFrom("first", "second", "third"),
      set: fc.record({ enabled: fc.boolean(), action: fc.constantFrom("log", "allow") }),
    }),
  );
  const step = fc.oneof(
    fc.record({ path: fc.constant("/edit"), body: edit }),
    fc.record({
      path: fc.constant("/traffic"),
      body: fc.record({ requests_per_hour: fc.integer({ min: 0, max: 5_000 }) }),
    }),
    fc.record({ path: fc.constant("/clock"), minutes: fc.integer({ min: -90, max: 400 }) }),
  );

  it("never change, whatever is edited and however the clock jumps, and agree with the datasets", async (context) => {
    const { expect } = context;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 15 }), async (steps) => {
        await using world = await testEmulator(context, { seed: seedWith() });
        const id = await world.zoneId(zone);
        let now = testStart.getTime();
        const known = new Map<number, TrueHour>();
        for (const each of steps) {
          const body =
            "minutes" in each ? clockTo((now += each.minutes * 60_000)) : { zone, ...each.body };
          expect((await world.control("POST", each.path, body)).status).toBe(200);
          for (const hour of known.keys()) if (hour + hourMs > now) known.delete(hour);
          for (let back = 1; back <= 8; back += 1) {
            const hour = Math.floor(now / hourMs - back) * hourMs;
            const truth = world.emulator.trueHour(zone, new Date(hour));
            expect(truth).toEqual(known.get(hour) ?? truth);
            known.set(hour, truth);
          }
        }
        const [from, to] = [Math.min(...known.keys()), Math.max(...known.keys()) + hourMs];
        const filter = `datetime_geq: "${new Date(from).toISOString()}", datetime_lt: "${new Date(to).toISOString()}"`;
        const selection = "count dimensions { datetimeHour ruleId action }";
        const dataset = "firewallEventsAdaptiveGroups";
        const rows = rowsOf(
          await query(world, documentFor([id], dataset, { filter, selection })),
          dataset,
        );
        const total = [...known.values()].reduce((sum, { rules }) => sum + totalOf(rules), 0);
        expect(rows.reduce((sum, { count }) => sum + Number(count), 0)).toBe(total);
      }),
      cases(15),
    );
  });

  it("outlive a restart of the emulator with a state file", async (context) => {
    const { expect } = context;
    const directory = await mkdtemp(path.join(tmpdir(), "zonewarden-analytics-"));
    const options = { seed: seedWith(), statePath: path.join(directory, "state.json") };
    try {
      let before: TrueHour | undefined;
      {
        await using world = await testEmulator(context, options);
        await world.control("POST", "/clock", { advance: "25m" });
        const set = { action: "managed_challenge" };
        await world.control("POST", "/edit", { zone, rule: "first rule", set });
        await world.control("POST", "/clock", { advance: "2h" });
        before = world.emulator.trueHour(zone, testStart);
        expect(new Set(before.rules.map(({ action }) => action)).size).toBe(2);
      }
      await using world = await testEmulator(context, options);
      expect(world.emulator.trueHour(zone, testStart)).toEqual(before);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});

describe("what was in force", () => {
  const [zone] = seededState(seedWith(), testStart).state.zones;
  if (zone === undefined) throw new Error("the seed has no zone");
  it("is not kept twice where nothing changed that counts", ({ expect }) => {
    const protections = new Protections();
    const [policy] = zone.policies;
    if (policy === undefined) throw new Error("the zone has no policy");
    const renamed = { ...zone, policies: zone.policies.with(0, { ...policy, description: "b" }) };
    protections.change(zone, renamed, day(1));
    expect(protections.of(renamed)).toHaveLength(1);
    protections.change(renamed, { ...renamed, policies: [] }, day(2));
    expect(protections.of(renamed).map(({ policies }) => policies.length)).toEqual([2, 0]);
  });

  it("is kept for as long as datasets go back, and what is older is dropped", ({ expect }) => {
    const protections = new Protections();
    let before = zone;
    for (let number = 1; number <= 300; number += 1) {
      const next = { ...zone, traffic: { requests_per_hour: number } };
      protections.change(before, next, day(number));
      before = next;
    }
    const kept = protections.of(before).map(({ from }) => from);
    expect(kept).toHaveLength(101);
    expect(kept[0]).toBeLessThan(day(300 - 90).getTime());
    expect(kept.at(-1)).toBe(day(300).getTime());
  });
});
