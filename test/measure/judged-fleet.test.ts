import { describe, it } from "vitest";

import {
  type CountRow,
  type DayRecord,
  dayRecordText,
  emptyDay,
  withRead,
} from "../../src/measure/day-record.ts";
import { dayOf, firstHourOf } from "../../src/measure/hours.ts";
import { judgeFleet, newlyUnusual, type ZoneToJudge } from "../../src/measure/judged-fleet.ts";
import type { ZoneName } from "../../src/zone/zone.ts";
import { MemoryMeasurements } from "../support/counting-service.ts";
import { named } from "../support/reports.ts";

const shop = named("shop.example");
const blog = named("blog.example");
const ids = { "custom_rule/logins": "aaaaaaaa", "policy/checkout": "bbbbbbbb" } as const;
const keys = ["custom_rule/logins", "policy/checkout"] as const;
const zone: ZoneToJudge = { datasets: ["requests", "events", "violations"], keys };
const hour = firstHourOf("2026-11-26") + 10;
const allHours = Array.from({ length: 24 }, (_, nth) => nth);

function rowsOf(day: string, id: string, count: (hour: number) => number): readonly CountRow[] {
  const firstHour = firstHourOf(day);
  return allHours.map((nth) => {
    const at = { nth: firstHour + nth, action: "log", sampleInterval: 1 };
    return { ...at, ids: id === "" ? [] : [id], count: count(firstHour + nth) };
  });
}

interface Counts {
  readonly requests: (hour: number) => number;
  readonly logins: (hour: number) => number;
  readonly checkout: (hour: number) => number;
}

const usualCounts: Counts = { requests: () => 5_000, logins: () => 200, checkout: () => 40 };

/** A day in which all was measured. */
function measuredDay(name: ZoneName, day: string, counts: Counts): DayRecord {
  const objects = keys.map((key) => ({ key, ids: [ids[key]], since: 0, until: Infinity }));
  const put = (
    record: DayRecord,
    dataset: "requests" | "events" | "violations",
    rows: readonly CountRow[],
  ): DayRecord => withRead(record, dataset, allHours, { result: "measured", rows }, objects);
  const requests = put(emptyDay(name, day), "requests", rowsOf(day, "", counts.requests));
  const events = put(requests, "events", rowsOf(day, ids["custom_rule/logins"], counts.logins));
  return put(events, "violations", rowsOf(day, ids["policy/checkout"], counts.checkout));
}

/** 35 days of two zones. */
async function stored(
  countsOf: Partial<Record<ZoneName, Counts>>,
  last: (record: DayRecord) => DayRecord = (record) => record,
): Promise<MemoryMeasurements> {
  const store = new MemoryMeasurements();
  for (let back = 35; back >= 0; back -= 1) {
    const day = dayOf(hour - back * 24);
    const records = [shop, blog].map((name): readonly [ZoneName, string] => {
      const record = measuredDay(name, day, countsOf[name] ?? usualCounts);
      return [name, dayRecordText(back === 0 && name === shop ? last(record) : record)];
    });
    await store.write(day, new Map(records));
  }
  return store;
}

const both = new Map([
  [shop, zone],
  [blog, { ...zone, datasets: ["requests", "events"], keys: ["custom_rule/logins"] }],
] satisfies [ZoneName, ZoneToJudge][]);

describe("the judgement of an hour", () => {
  it("tells of each zone its requests, counts by kind and the states of its objects", async ({
    expect,
  }) => {
    const jumped: Counts = {
      ...usualCounts,
      logins: (at) => (at >= hour - 1 ? 4_000 : 200),
      checkout: (at) => (at === hour ? 4_000 : 40),
    };
    const judged = await judgeFleet(await stored({ [shop]: jumped }), both, hour);
    expect(judged.at).toEqual(new Date("2026-11-26T10:00:00Z"));
    expect(judged.zones.get(shop)).toEqual({
      requests: 5_000,
      counts: new Map([
        ["custom_rule", 4_000],
        ["policy", 4_000],
      ]),
      states: new Map([
        ["above", 1],
        ["unconfirmed", 1],
      ]),
      unusual: [{ key: "custom_rule/logins", state: "above", count: 4_000, requests: 5_000 }],
    });
    expect(judged.zones.get(blog)).toEqual({
      requests: 5_000,
      counts: new Map([["custom_rule", 200]]),
      states: new Map([["usual", 1]]),
      unusual: [],
    });
    expect(judged.datasets).toEqual({
      requests: new Map([["measured", 2]]),
      events: new Map([["measured", 2]]),
      violations: new Map([["measured", 1]]),
    });
  });

  it("reads the days that it needs, each once", async ({ expect }) => {
    const store = await stored({});
    const read: string[] = [];
    const reader = {
      readAll: (day: string) => {
        read.push(day);
        return store.readAll(day);
      },
    };
    await judgeFleet(reader, both, hour);
    expect(read).toEqual([28, 21, 14, 7, 3, 2, 1, 0].map((back) => dayOf(hour - back * 24)));
    read.length = 0;
    await judgeFleet(reader, both, hour - 10);
    expect(read).toHaveLength(13);
  });

  it("tells what was not measured as that, and counts it nowhere", async ({ expect }) => {
    const store = await stored({}, (record) => ({
      ...record,
      hours: {
        requests: record.hours.requests,
        events: allHours.map((nth) => (nth === 10 ? "unavailable" : "measured")),
        violations: allHours.map((nth) => (nth === 10 ? "failed" : "measured")),
      },
      sampleIntervals: { ...record.sampleIntervals, requests: allHours.map(() => 10) },
    }));
    const judged = await judgeFleet(store, both, hour);
    expect(judged.zones.get(shop)).toEqual({
      requests: 5_000,
      counts: new Map(),
      states: new Map([
        ["unavailable", 1],
        ["failed", 1],
      ]),
      unusual: [],
    });
    expect(judged.datasets).toEqual({
      requests: new Map([
        ["sampled", 1],
        ["measured", 1],
      ]),
      events: new Map([
        ["unavailable", 1],
        ["measured", 1],
      ]),
      violations: new Map([["failed", 1]]),
    });
  });

  it("tells of no traffic as that", async ({ expect }) => {
    const none: Counts = {
      requests: (at) => (at === hour ? 0 : 5_000),
      logins: () => 0,
      checkout: () => 0,
    };
    const judged = await judgeFleet(await stored({ [shop]: none }), both, hour);
    expect(judged.zones.get(shop)?.states).toEqual(new Map([["no_traffic", 2]]));
    expect(judged.datasets.requests).toEqual(
      new Map([
        ["no_traffic", 1],
        ["measured", 1],
      ]),
    );
  });

  it("knows nothing of a day whose record is missing, damaged or of another zone", async ({
    expect,
  }) => {
    const missing = {
      requests: undefined,
      counts: new Map(),
      states: new Map([["missing", 2]]),
      unusual: [],
    };
    for (const text of [
      undefined,
      "{",
      dayRecordText(measuredDay(blog, "2026-11-26", usualCounts)),
    ]) {
      const store = await stored({});
      const records = new Map([[blog, dayRecordText(emptyDay(blog, "2026-11-26"))]]);
      if (text !== undefined) records.set(shop, text);
      store.records.set("2026-11-26", records);
      expect((await judgeFleet(store, both, hour)).zones.get(shop)).toEqual(missing);
    }
    const empty = await judgeFleet(new MemoryMeasurements(), both, hour);
    expect(empty.zones.get(shop)).toEqual(missing);
  });

  it("tells what left its range once, and again on the other side", async ({ expect }) => {
    const much = await judgeFleet(
      await stored({ [shop]: { ...usualCounts, logins: jump(4_000) } }),
      both,
      hour,
    );
    const none = await judgeFleet(
      await stored({ [shop]: { ...usualCounts, logins: jump(0) } }),
      both,
      hour,
    );
    const usual = await judgeFleet(await stored({}), both, hour);
    const above = { key: "custom_rule/logins", state: "above", count: 4_000, requests: 5_000 };
    const below = { key: "custom_rule/logins", state: "below", count: 0, requests: 5_000 };
    expect(newlyUnusual(much, undefined)).toEqual([{ zone: shop, share: above }]);
    expect(newlyUnusual(much, usual)).toEqual([{ zone: shop, share: above }]);
    expect(newlyUnusual(much, much)).toEqual([]);
    expect(newlyUnusual(none, much)).toEqual([{ zone: shop, share: below }]);
    expect(newlyUnusual(usual, much)).toEqual([]);
  });
});

function jump(count: number): (at: number) => number {
  return (at) => (at >= hour - 1 ? count : 200);
}
