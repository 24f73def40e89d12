import { describe, it } from "vitest";

import {
  dayRecordText,
  emptyDay,
  type HoursRead,
  type MeasuredObject,
  withRead,
} from "../../src/measure/day-record.ts";
import { dayOf, firstHourOf } from "../../src/measure/hours.ts";
import { withStoredEffects } from "../../src/measure/measured-effects.ts";
import type { MeasurementReader } from "../../src/measure/measurement-store.ts";
import type { Change } from "../../src/plan/change.ts";
import type { CountedEffect, LiveSince, MeasuredEffect } from "../../src/plan/measured-effect.ts";
import { hourMs } from "../../src/syntax/time-units.ts";
import type { ResourceKey } from "../../src/zone/resource.ts";
import { MemoryMeasurements } from "../support/counting-service.ts";
import { change, named } from "../support/reports.ts";

const shop = named("shop.example.com");
const now = new Date("2026-11-20T12:30:00Z");
const hour = now.getTime() / hourMs - 0.5;
const first = hour - 168;
const always = { at: new Date(0) };
const rule = "custom_rule/logins";
const checkout = "policy/checkout";

const live: readonly MeasuredObject[] = [
  { key: rule, ids: ["aaaaaaaa"], since: 0, until: Infinity },
  { key: checkout, ids: ["cccccccc"], since: 0, until: Infinity, form: "0123abcd", formSince: 0 },
];

/** Stores what a read of some hours gave. */
class Measured {
  readonly store = new MemoryMeasurements();
  readonly #days = new Map<string, ReturnType<typeof emptyDay>>();

  async put(
    dataset: "requests" | "events" | "violations",
    from: number,
    to: number,
    read: (at: number) => HoursRead,
    objects = live,
  ): Promise<this> {
    for (let at = from; at < to; at += 1) {
      const day = dayOf(at);
      const record = this.#days.get(day) ?? emptyDay(shop, day);
      const hours = [at - firstHourOf(day)];
      this.#days.set(day, withRead(record, dataset, hours, read(at), objects));
    }
    for (const [day, record] of this.#days) {
      await this.store.write(day, new Map([[shop, dayRecordText(record)]]));
    }
    return this;
  }
}

function rows(id: string, ...counts: readonly (readonly [string, number])[]) {
  return (at: number): HoursRead => ({
    result: "measured",
    rows: counts.map(([action, count]) => {
      return { nth: at, ids: [id], action, count, sampleInterval: 1 };
    }),
  });
}

function counted(
  key: ResourceKey,
  more: Partial<CountedEffect> = {},
  since: LiveSince = always,
): Change {
  const effect = { before: "log", after: "block", extent: "all", since, ...more } as const;
  return { ...change(key), counted: effect };
}

async function effectOf(
  reader: Pick<MeasurementReader, "read"> | string,
  given: Change,
): Promise<MeasuredEffect | undefined> {
  const [measured] = await withStoredEffects([given], shop, reader, now);
  return measured?.measured;
}

/** A week of 1,000 requests an hour, of which the rule logged 2 and blocked 3. */
async function wholeWeek(): Promise<Measured> {
  const week = new Measured();
  await week.put("requests", first, hour, rows("", ["", 1_000]));
  return week.put("events", first, hour, rows("aaaaaaaa", ["log", 2], ["block", 3]));
}

describe("the measured effect of a change", () => {
  it("is what the rule did in seven days, with all requests", async ({ expect }) => {
    const { store } = await wholeWeek();
    expect(await effectOf(store, counted(rule))).toEqual({
      before: "log",
      after: "block",
      extent: "all",
      count: 336,
      requests: 168_000,
      isEstimate: false,
      hours: 168,
      ofHours: 168,
    });
    expect(await effectOf(store, counted(rule, { before: "mixed" }))).toMatchObject({ count: 504 });
    expect(await effectOf(store, counted(rule, { before: "challenge" }))).toMatchObject({
      count: 0,
    });
  });

  it("is only of whole hours in which the rule was as it is", async ({ expect }) => {
    const { store } = await wholeWeek();
    const since = { at: new Date((hour - 5) * hourMs + 1) };
    expect(await effectOf(store, counted(rule, {}, since))).toMatchObject({
      count: 8,
      requests: 4_000,
      hours: 4,
      ofHours: 168,
    });
    const just = { at: new Date(Number(now) - 60_000) };
    expect(await effectOf(store, counted(rule, {}, just))).toEqual({
      why: "no whole hour was measured since it is as it is live",
    });
  });

  it("is only of hours in which the policy had its present form", async ({ expect }) => {
    const measured = new Measured();
    const violations = rows("cccccccc", ["log", 7]);
    const other = live.map((each) => ({ ...each, form: "ffffffff" }));
    const none = live.map((each) => ({ ...each, formSince: Infinity }));
    await measured.put("requests", first, hour, rows("", ["", 100]));
    await measured.put("violations", first, hour - 30, violations, other);
    await measured.put("violations", hour - 30, hour - 29, violations, none);
    await measured.put("violations", hour - 29, hour, violations);
    const present = { form: "0123abcd" };
    expect(await effectOf(measured.store, counted(checkout, {}, present))).toMatchObject({
      count: 7 * 29,
      requests: 2_900,
      hours: 29,
    });
    expect(await effectOf(measured.store, counted(checkout, {}, { form: "00000000" }))).toEqual({
      why: "no whole hour was measured since it is as it is live",
    });
  });

  it("has no requests where only these were not measured", async ({ expect }) => {
    const measured = await new Measured().put("events", first, hour, rows("aaaaaaaa", ["log", 2]));
    expect(await effectOf(measured.store, counted(rule))).toMatchObject({
      count: 336,
      requests: undefined,
      hours: 168,
    });
  });

  it("compares hours that have both counts", async ({ expect }) => {
    const measured = await new Measured().put("events", first, hour, rows("aaaaaaaa", ["log", 2]));
    await measured.put("requests", hour - 3, hour, rows("", ["", 50]));
    expect(await effectOf(measured.store, counted(rule))).toMatchObject({
      count: 6,
      requests: 150,
      hours: 3,
    });
  });

  it("is an estimate where a sample was counted", async ({ expect }) => {
    const week = await wholeWeek();
    await week.put("requests", hour - 9, hour - 8, (at) => ({
      result: "measured",
      rows: [{ nth: at, ids: [], action: "", count: 9_000, sampleInterval: 10 }],
    }));
    expect(await effectOf(week.store, counted(rule))).toMatchObject({
      requests: 176_000,
      isEstimate: true,
    });
  });

  it.for<readonly [string, HoursRead]>([
    ["the token may not read the counts", { result: "refused", reason: "denied" }],
    [
      "the plan of the zone does not include the counts",
      { result: "refused", reason: "unavailable" },
    ],
    ["its counts could not be read from the service", { result: "failed", why: "cut" }],
  ])("is not known where %s", async ([why, read], { expect }) => {
    const measured = new Measured();
    await measured.put("requests", first, hour, rows("", ["", 100]));
    await measured.put("events", first, hour, () => read);
    expect(await effectOf(measured.store, counted(rule))).toEqual({ why });
  });

  it("is not known of what nobody measured", async ({ expect }) => {
    const { store } = await wholeWeek();
    expect(await effectOf(store, counted("custom_rule/new"))).toEqual({
      why: "it is not known to have been live when the zone was measured",
    });
    expect(await effectOf(new MemoryMeasurements(), counted(rule))).toEqual({
      why: "the store has no measurements of it",
    });
    expect(await effectOf("there is no store", counted(rule))).toEqual({
      why: "there is no store",
    });
  });

  it("is not known where the store cannot be read", async ({ expect }) => {
    const broken = {
      days: () => Promise.resolve([]),
      read: () => Promise.reject(new Error("EIO")),
    };
    expect(await effectOf(broken, counted(rule))).toEqual({
      why: "the measurements could not be read: EIO",
    });
  });

  it("reads nothing where no count could say it", async ({ expect }) => {
    let reads = 0;
    const reader: Pick<MeasurementReader, "read"> = {
      read: () => {
        reads += 1;
        return Promise.resolve(undefined);
      },
    };
    const why = { why: "it is off, and then nothing is counted" };
    const uncounted = { ...change("policy/cart"), counted: why };
    const found = await withStoredEffects([change(rule), uncounted], shop, reader, now);
    expect(found.map(({ measured }) => measured)).toEqual([undefined, why]);
    expect(reads).toBe(0);
    await withStoredEffects([uncounted, counted(rule)], shop, reader, now);
    expect(reads).toBe(8);
  });
});
