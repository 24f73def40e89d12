import { describe, it } from "vitest";

import type { JsonObject } from "../../src/syntax/json.ts";
import { documentFor, query, rowsOf, zonesOf } from "../support/analytics.ts";
import {
  listIn,
  objectIn,
  resultOf,
  type TestEmulator,
  testEmulator,
  textIn,
} from "../support/emulator.ts";

const zone = "shop.example.com";
const hour = "2026-11-20T09:00:00Z";
const ofHour = `datetime_geq: "${hour}", datetime_lt: "2026-11-20T10:00:00Z"`;

/** The exact counts of an hour, as the control tells them. */
async function truth(world: TestEmulator, at = hour): Promise<JsonObject> {
  return (await world.control("GET", `/traffic?zone=${zone}&hour=${at}`)).body;
}

/** Counts by the values of dimensions, joined with a blank. */
function counts(rows: readonly JsonObject[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    rows.map(({ count, dimensions }) => [
      Object.values(objectIn(dimensions)).map(String).join(" "),
      count,
    ]),
  );
}

describe("the analytics", () => {
  it("count requests, violations and events as they truly were", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const id = await world.zoneId(zone);
    const { requests, policies, rules } = await truth(world);
    expect(requests).toBeGreaterThan(0);

    const asked = async (dataset: string, dimensions: string): Promise<readonly JsonObject[]> => {
      const selection = `count ${dimensions === "" ? "" : `dimensions { ${dimensions} }`}`;
      const document = documentFor([id], dataset, { filter: ofHour, selection });
      return rowsOf(await query(world, document), dataset);
    };
    expect(await asked("httpRequestsAdaptiveGroups", "")).toEqual([{ count: requests }]);

    const violations = counts(await asked("pageShieldReportsAdaptiveGroups", "policyID action"));
    expect(violations).toEqual(
      Object.fromEntries(
        listIn(policies).map((each) => [
          `${textIn(each, "id")} ${textIn(each, "action")}`,
          each["count"],
        ]),
      ),
    );
    expect(Object.keys(violations)).toHaveLength(1);

    const events = counts(await asked("firewallEventsAdaptiveGroups", "rulesetId ruleId action"));
    expect(events).toEqual(
      Object.fromEntries(
        listIn(rules).map((each) => [
          ["rulesetId", "id", "action"].map((name) => textIn(each, name)).join(" "),
          each["count"],
        ]),
      ),
    );
    expect(Object.keys(events).length).toBeGreaterThan(2);
  });

  it("add up, from minutes to hours", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const id = await world.zoneId(zone);
    const dataset = "httpRequestsAdaptiveGroups";
    const selected = async (name: string): Promise<readonly JsonObject[]> => {
      const selection = `count dimensions { ${name} }`;
      return rowsOf(
        await query(world, documentFor([id], dataset, { filter: ofHour, selection })),
        dataset,
      );
    };
    const minutes = await selected("datetimeMinute");
    expect(minutes).toHaveLength(60);
    const [only] = await selected("datetimeHour");
    expect(only).toEqual({
      count: minutes.reduce((sum, { count }) => sum + Number(count), 0),
      dimensions: { datetimeHour: hour },
    });
  });

  it.for([
    'datetime_geq: "2026-11-20T09:00:00Z", datetime_leq: "2026-11-20T09:59:59Z"',
    'datetime_gt: "2026-11-20T08:59:59Z", datetime_lt: "2026-11-20T10:00:00Z"',
    'datetimeHour: "2026-11-20T09:00:00Z"',
    'datetimeHour_geq: "2026-11-20T09:00:00Z", datetimeHour_leq: "2026-11-20T09:00:00Z"',
    'AND: [{ datetimeHour_gt: "2026-11-20T08:00:00Z" }, { datetimeHour_lt: "2026-11-20T10:00:00Z" }]',
    'date: "2026-11-20", datetimeHour_in: ["2026-11-20T09:00:00Z"]',
    'OR: [{ datetimeFifteenMinutes_geq: "2026-11-20T09:30:00Z", datetimeHour: "2026-11-20T09:00:00Z" }, { datetime_geq: "2026-11-20T09:00:00Z", datetime_lt: "2026-11-20T09:30:00Z" }]',
  ])("are of one hour by %s", async (filter, context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const dataset = "httpRequestsAdaptiveGroups";
    const document = documentFor([await world.zoneId(zone)], dataset, { filter });
    const { requests } = await truth(world);
    expect(rowsOf(await query(world, document), dataset)).toEqual([{ count: requests }]);
  });

  it("have times in seconds, and alternatives with gaps", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const dataset = "httpRequestsAdaptiveGroups";
    await world.control("POST", "/traffic", { zone, requests_per_hour: 500_000 });
    await world.control("POST", "/clock", { advance: "2h" });
    const id = await world.zoneId(zone);
    const count = async (filter: string): Promise<number> => {
      const [row] = rowsOf(await query(world, documentFor([id], dataset, { filter })), dataset);
      return Number(row?.["count"]);
    };
    const day = "2026-11-20T";
    const until = await count(`datetime_geq: "${day}12:00:00Z", datetime_leq: "${day}12:00:59Z"`);
    expect(until).toBe(await count(`datetimeMinute: "${day}12:00:00Z"`));
    const later = await count(`datetimeMinute: "${day}12:40:00Z"`);
    const both = [0, 40].map((minute) => {
      const from = `${day}12:${String(minute).padStart(2, "0")}:00Z`;
      const to = `${day}12:${String(minute + 1).padStart(2, "0")}:00Z`;
      return `{ datetime_geq: "${from}", datetime_lt: "${to}" }`;
    });
    expect(await count(`OR: [${both.join(" ")}]`)).toBe(until + later);
    expect(later).toBeGreaterThan(5_000);
    const parts = await Promise.all(
      [
        ["00", "07"],
        ["07", "31"],
        ["31", "60"],
      ].map(([from = "", to = ""]) =>
        count(
          `datetime_geq: "${day}12:00:${from}Z", datetime_leq: "${day}12:00:${String(Number(to) - 1).padStart(2, "0")}Z"`,
        ),
      ),
    );
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(until);
    expect(Math.min(...parts)).toBeGreaterThan(until / 10);
  });

  it("have dates without a time", async (context) => {
    await using world = await testEmulator(context);
    const dataset = "httpRequestsAdaptiveGroups";
    const selection = "dimensions { date datetimeHour }";
    const document = documentFor([await world.zoneId(zone)], dataset, {
      filter: ofHour,
      selection,
    });
    context
      .expect(rowsOf(await query(world, document), dataset))
      .toEqual([{ dimensions: { date: "2026-11-20", datetimeHour: hour } }]);
  });

  it("stay as they were when rules change, and follow from the rules in force", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const edit = { zone, rule: "Login attempts", set: { action: "js_challenge" } };
    const before = await truth(world);
    await world.control("POST", "/edit", edit);
    expect(await truth(world)).toEqual(before);
    await world.control("POST", "/clock", { advance: "2h" });
    await world.control("POST", "/edit", { zone, rule: "Login attempts", delete: true });
    await world.control("POST", "/clock", { advance: "2h" });

    const phase = `/zones/${await world.zoneId(zone)}/rulesets/phases/http_ratelimit/entrypoint`;
    const { id } = resultOf(await world.call("GET", phase));
    const actionsIn = async (at: string): Promise<readonly unknown[]> =>
      listIn((await truth(world, at))["rules"])
        .filter(({ rulesetId }) => rulesetId === id)
        .map(({ action }) => action);
    expect(await actionsIn("2026-11-20T11:00:00Z")).toEqual(["block"]);
    expect(await actionsIn("2026-11-20T12:00:00Z")).toEqual(["js_challenge"]);
    expect(await actionsIn("2026-11-20T14:00:00Z")).toEqual([]);
  });

  it("have settings for each dataset, by plan", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const ids = [await world.zoneId("old.brand.example"), await world.zoneId("www.brand.example")];
    const settings = "{ enabled notOlderThan maxDuration maxPageSize }";
    const names = [
      "pageShieldReportsAdaptiveGroups",
      "firewallEventsAdaptiveGroups",
      "firewallEventsAdaptive",
      "httpRequestsAdaptiveGroups",
    ];
    const answer = await query(
      world,
      `query ($tags: [string!]) { viewer { zones(filter: { zoneTag_in: $tags }) { zoneTag settings { ${names.map((name) => `${name} ${settings}`).join(" ")} } } } }`,
      { tags: ids },
    );
    const day = 86_400;
    const rest = { maxPageSize: 10_000 };
    const none = { enabled: false, notOlderThan: 0, maxDuration: 0, ...rest };
    const daysOf = (notOlderThan: number, maxDuration = notOlderThan): JsonObject => ({
      enabled: true,
      notOlderThan: notOlderThan * day,
      maxDuration: maxDuration * day,
      ...rest,
    });
    const settingsOf = (...each: readonly JsonObject[]): JsonObject =>
      Object.fromEntries(names.map((name, nth) => [name, each[nth] ?? {}]));
    expect(zonesOf(answer)).toEqual([
      { zoneTag: ids[0], settings: settingsOf(none, none, daysOf(1), daysOf(7, 1)) },
      { zoneTag: ids[1], settings: settingsOf(daysOf(30), daysOf(3), daysOf(3), daysOf(31)) },
    ]);
  });
});
