import * as fc from "fast-check";
import { describe, it } from "vitest";

import {
  countIn,
  type MeasuredObject,
  type CountRow,
  type DayRecord,
  dayRecordOf,
  dayRecordText,
  emptyDay,
  shortId,
  withRead,
} from "../../src/measure/day-record.ts";
import { firstHourOf } from "../../src/measure/hours.ts";
import { datasetOf, type HourCount } from "../../src/measure/measurement.ts";
import type { ResourceKey } from "../../src/zone/resource.ts";
import { countedIds, readDay, type ReadStep, readStep } from "../support/arbitrary-reads.ts";
import { fullDay } from "../support/full-day.ts";
import { cases } from "../support/properties.ts";

const firstHour = firstHourOf(readDay);
const empty = emptyDay("shop.example", readDay);
const owasp: MeasuredObject = {
  key: "managed_rule/owasp",
  ids: ["aaaaaaaa1111"],
  since: firstHour + 2,
  until: Infinity,
};

function row(hour: number, count: number, more: Partial<CountRow> = {}): CountRow {
  return {
    nth: firstHour + hour,
    ids: ["aaaaaaaa1111"],
    action: "log",
    count,
    sampleInterval: 1,
    ...more,
  };
}

function measured(hours: readonly number[], rows: readonly CountRow[]): DayRecord {
  return withRead(empty, "events", hours, { result: "measured", rows }, [owasp]);
}

describe("the count of an hour", () => {
  const record = measured(
    [0, 1, 2, 3, 4],
    [
      row(0, 7),
      row(3, 5),
      row(3, 2, { action: "block", sampleInterval: 10 }),
      row(3, 9, { ids: ["cccccccc"] }),
    ],
  );
  const log = { actions: { log: 7 }, sampleInterval: 1 };
  it.for<{ hour: number; what?: ResourceKey; is: HourCount; why: string }>([
    { hour: 0, is: { state: "measured", count: 7, ...log }, why: "it counted, so it was live" },
    { hour: 1, is: { state: "undeclared" }, why: "nobody knows that it was live" },
    { hour: 2, is: { state: "measured", count: 0, actions: {}, sampleInterval: 1 }, why: "none" },
    {
      hour: 3,
      is: { state: "measured", count: 7, actions: { log: 5, block: 2 }, sampleInterval: 10 },
      why: "it is the sum, sampled as the roughest part",
    },
    { hour: 5, is: { state: "missing" }, why: "nobody read it" },
    { hour: 3, what: "policy/checkout", is: { state: "missing" }, why: "another dataset" },
    { hour: 3, what: "custom_rule/a", is: { state: "undeclared" }, why: "not ours then" },
  ])("is $is.state in hour $hour: $why", ({ hour, what = owasp.key, is }, { expect }) => {
    expect(countIn(record, what, hour)).toEqual(is);
    expect(
      countIn(dayRecordOf(record.zone, record.day, dayRecordText(record)), what, hour),
    ).toEqual(is);
  });

  it("is missing without a record", ({ expect }) => {
    expect(countIn(undefined, "requests", 3)).toEqual({ state: "missing" });
  });

  it("stays measured when a later read fails", ({ expect }) => {
    const hours = [3, 4, 5];
    const later = withRead(record, "events", hours, { result: "failed", why: "" }, [owasp]);
    expect(countIn(later, owasp.key, 3)).toEqual(countIn(record, owasp.key, 3));
    expect(countIn(later, owasp.key, 5)).toEqual({ state: "failed" });
    const refused = { result: "refused", reason: "unavailable" } as const;
    const last = withRead(later, "events", hours, refused, [owasp]);
    expect(countIn(last, owasp.key, 5)).toEqual({ state: "refused", reason: "unavailable" });
  });

  it("is that of the later of two reads", ({ expect }) => {
    const read = { result: "measured", rows: [row(3, 11)] } as const;
    const later = withRead(record, "events", [3], read, [owasp]);
    const counted = { state: "measured", count: 11, actions: { log: 11 }, sampleInterval: 1 };
    expect(countIn(later, owasp.key, 3)).toEqual(counted);
    expect(countIn(later, owasp.key, 0)).toEqual(countIn(record, owasp.key, 0));
  });
});

function sum(rows: readonly CountRow[]): number {
  return rows.reduce((all, each) => all + each.count, 0);
}

/** The reads of the dataset of an object, or of the requests, in an hour. */
function readsOf(
  steps: readonly ReadStep[],
  what: ResourceKey | "requests",
  hour: number,
): readonly ReadStep[] {
  const dataset = what === "requests" ? what : datasetOf(what);
  return steps.filter((step) => step.dataset === dataset && step.hours.includes(hour));
}

function rowsIn({ read }: ReadStep, hour: number): readonly CountRow[] {
  const rows = read.result === "measured" ? read.rows : [];
  return rows.filter((each) => each.nth === firstHour + hour);
}

/** What a record should say, computed from the reads themselves. */
function expectedCount(
  steps: readonly ReadStep[],
  what: ResourceKey | "requests",
  hour: number,
): HourCount {
  const own = readsOf(steps, what, hour);
  const good = own.filter(({ read }) => read.result === "measured");
  const last = good.at(-1);
  if (last === undefined) {
    const read = own.at(-1)?.read;
    if (read?.result === "refused") return { state: "refused", reason: read.reason };
    return { state: read === undefined ? "missing" : "failed" };
  }
  const inHour = rowsIn(last, hour);
  const sampleInterval = Math.max(1, ...inHour.map((each) => each.sampleInterval));
  if (what !== "requests") return expectedOf(good, what, hour, sampleInterval);
  return { state: "measured", count: sum(inHour), actions: {}, sampleInterval };
}

/** What is not declared at a later read keeps its count. */
function expectedOf(
  good: readonly ReadStep[],
  what: ResourceKey,
  hour: number,
  sampleInterval: number,
): HourCount {
  const ids = new Set((countedIds.get(what) ?? []).map(shortId));
  const known = good.flatMap((step) => {
    const object = step.objects.find(({ key }) => key === what);
    if (object === undefined) return [];
    const rows = rowsIn(step, hour).filter((each) => each.ids.some((id) => ids.has(shortId(id))));
    const at = firstHour + hour;
    const isLive = (object.since <= at && at <= object.until) || rows.length > 0;
    return [{ rows, isLive }];
  });
  const rows = known.at(-1)?.rows ?? [];
  if (!known.some(({ isLive }) => isLive)) return { state: "undeclared" };
  const byAction = Map.groupBy(rows, ({ action }) => action);
  const actions = [...byAction].map(([action, all]) => [action, sum(all)] as const);
  const counted = Object.fromEntries(actions.filter(([, count]) => count > 0));
  return { state: "measured", count: sum(rows), actions: counted, sampleInterval };
}

describe("a record", () => {
  it("says what was read, and nothing else, also after it was stored", ({ expect }) => {
    const law = fc.property(fc.array(readStep, { maxLength: 6 }), (steps) => {
      let record = empty;
      for (const { dataset, hours, read, objects } of steps) {
        record = withRead(record, dataset, hours, read, objects);
        const stored = dayRecordOf(record.zone, record.day, dayRecordText(record));
        expect(stored && dayRecordText(stored)).toBe(dayRecordText(record));
        record = stored ?? record;
      }
      for (const what of ["requests", ...countedIds.keys()] as const) {
        for (let hour = 0; hour < 24; hour += 1) {
          expect({ what, hour, ...countIn(record, what, hour) }).toEqual({
            what,
            hour,
            ...expectedCount(steps, what, hour),
          });
        }
      }
    });
    fc.assert(law, cases(1_500));
  });

  it("of ten objects takes at most 2 KB", ({ expect }) => {
    const record = fullDay("shop.example", readDay);
    expect(countIn(record, "policy/block-countries-7", 5)).toMatchObject({ count: 1_834 });
    expect(Buffer.byteLength(dayRecordText(record))).toBeLessThanOrEqual(2_048);
  });

  it.for([
    "",
    "{",
    "[]",
    '"text"',
    '{"zone":"a"}',
    '{"zone":"b","day":"2026-11-26"}',
    '{"zone":"a","day":"2026-11-25"}',
    '{"zone":"a","day":"2026-11-26","hours":{"events":"mmx"}}',
    `{"zone":"a","day":"2026-11-26","hours":{"events":"${"m".repeat(25)}"}}`,
    '{"zone":"a","day":"2026-11-26","hours":{"events":"😀"}}',
    '{"zone":"a","day":"2026-11-26","requests":"1,-2"}',
    '{"zone":"a","day":"2026-11-26","requests":"1.5"}',
    '{"zone":"a","day":"2026-11-26","requests":"zzzzzzzzzzz"}',
    '{"zone":"a","day":"2026-11-26","requests":"zzzzzzzzzz,1,zzzzzzzzzzz"}',
    `{"zone":"a","day":"2026-11-26","requests":"${",1".repeat(24)}"}`,
    '{"zone":"a","day":"2026-11-26","objects":{"setting/enabled":["a","1",{}]}}',
    '{"zone":"a","day":"2026-11-26","objects":{"policy/a":["","1",{}]}}',
    '{"zone":"a","day":"2026-11-26","objects":{"policy/a":["a","",{}]}}',
    '{"zone":"a","day":"2026-11-26","objects":{"policy/a":["a","1",{"log":"A"}]}}',
  ])("that is damaged says nothing: %s", (text, { expect }) => {
    expect(dayRecordOf("a", readDay, text)).toBeUndefined();
  });
});
