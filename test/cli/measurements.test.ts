import { describe, it } from "vitest";

import {
  type DayRecord,
  dayRecordText,
  emptyDay,
  type HoursRead,
  type MeasuredObject,
  withRead,
} from "../../src/measure/day-record.ts";
import { firstHourOf } from "../../src/measure/hours.ts";
import type { MeasuredDataset } from "../../src/measure/measurement.ts";
import { coerceObject, coerceObjects, parseJson } from "../../src/syntax/json.ts";
import { SimulatedClock } from "../support/clock.ts";
import { type Workplace, workplace } from "../support/command-line.ts";

const shop = "shop.example.com";
const day = "2026-11-20";
const firstHour = firstHourOf(day);

const objects: readonly MeasuredObject[] = [
  { key: "custom_rule/logins", ids: ["aaaaaaaa"], since: firstHour, until: Infinity },
  { key: "managed_rule/owasp", ids: ["bbbbbbbb"], since: firstHour, until: Infinity },
  { key: "policy/checkout", ids: ["cccccccc"], since: firstHour, until: Infinity },
];

function put(
  record: DayRecord,
  dataset: MeasuredDataset,
  hours: readonly number[],
  read: HoursRead,
): DayRecord {
  return withRead(record, dataset, hours, read, objects);
}

function rows(...all: readonly (readonly [number, string, string, number, number])[]): HoursRead {
  return {
    result: "measured",
    rows: all.map(([hour, id, action, count, sampleInterval]) => ({
      nth: firstHour + hour,
      ids: [id],
      action,
      count,
      sampleInterval,
    })),
  };
}

/** Four hours: one that nobody read, and violations that the plan does not include. */
function recordOf(): DayRecord {
  let record = put(emptyDay(shop, day), "requests", [0, 1, 2], {
    ...rows([0, "", "", 40_000, 1], [1, "", "", 20_000, 10]),
  });
  record = put(record, "events", [0, 1], {
    ...rows([0, "aaaaaaaa", "block", 120, 1], [1, "aaaaaaaa", "log", 30, 10]),
  });
  record = put(record, "events", [2], { result: "failed", why: "cut" });
  return put(record, "violations", [0, 1], { result: "refused", reason: "unavailable" });
}

/** Four hours after midnight, with a file of measurements. */
async function placeWith(text: string): Promise<Workplace> {
  const clock = new SimulatedClock(new Date(`${day}T04:20:00Z`));
  const place = await workplace({}, { clock });
  await place.write("zonewarden.yaml", "mode: observe\nstore: { path: state }\n");
  await place.write(`state/measurements/${day}.jsonl`, text);
  return place;
}

const line = `${dayRecordText(recordOf())}\n`;
const other = `${dayRecordText(emptyDay("blog.example.com", day))}\n`;

describe("measurements", () => {
  it("are sums, and what was not measured is no zero", async ({ expect }) => {
    await using place = await placeWith(`${other}${line}`);
    const { stdout, code } = await place.run("measurements", shop, "--since", day);
    expect(code).toBe(0);
    expect(stdout)
      .toBe(`shop.example.com, 2026-11-20 00:00 to 2026-11-20 04:00 UTC (4 hours): ~60,000 requests (3 measured, 1 missing)

OBJECT              COUNT  OF REQUESTS  ACTIONS            HOURS
custom_rule/logins  ~150   0.25 %       block 120, log 30  2 measured, 1 failed, 1 missing
managed_rule/owasp  ~0     0.00 %                          2 measured, 1 failed, 1 missing
`);
  });

  it("are no share of requests that were not measured", async ({ expect }) => {
    let record = put(emptyDay(shop, day), "requests", [0, 1], {
      result: "refused",
      reason: "unavailable",
    });
    record = put(record, "requests", [2], rows([2, "", "", 5_000, 1]));
    record = put(record, "events", [0, 1], rows([0, "aaaaaaaa", "block", 120, 1]));
    await using place = await placeWith(`${dayRecordText(record)}\n`);
    const { stdout } = await place.run("measurements", shop, "--since", day);
    expect(stdout).toContain("custom_rule/logins  120    unknown");
  });

  it("are each hour in JSON", async ({ expect }) => {
    await using place = await placeWith(line);
    const { stdout } = await place.run("measurements", shop, "--since", "3h", "--format", "json");
    const report = coerceObject(parseJson(stdout));
    expect(report).toMatchObject({
      format: 1,
      zone: shop,
      since: "2026-11-20T01:00:00.000Z",
      until: "2026-11-20T04:00:00.000Z",
      requests: [
        { hour: "2026-11-20T01:00:00.000Z", state: "sampled", count: 20_000, sample_interval: 10 },
        { hour: "2026-11-20T02:00:00.000Z", state: "no_traffic", count: 0, sample_interval: 1 },
        { hour: "2026-11-20T03:00:00.000Z", state: "missing" },
      ],
    });
    expect(coerceObjects(report["objects"])[0]).toEqual({
      key: "custom_rule/logins",
      hours: [
        {
          hour: "2026-11-20T01:00:00.000Z",
          state: "sampled",
          count: 30,
          actions: { log: 30 },
          sample_interval: 10,
        },
        { hour: "2026-11-20T02:00:00.000Z", state: "failed" },
        { hour: "2026-11-20T03:00:00.000Z", state: "missing" },
      ],
    });
  });

  it("are a line for each hour in CSV", async ({ expect }) => {
    await using place = await placeWith(line);
    const { stdout } = await place.run("measurements", shop, "--since", day, "--format", "csv");
    const lines = stdout.split("\r\n");
    expect(lines).toHaveLength(1 + 3 * 4 + 1);
    expect(lines.slice(0, 2)).toEqual([
      "object,hour,state,reason,count,actions,sample_interval",
      "requests,2026-11-20T00:00:00.000Z,measured,,40000,,1",
    ]);
    expect(lines).toContain("requests,2026-11-20T02:00:00.000Z,no_traffic,,0,,1");
    expect(lines).toContain("custom_rule/logins,2026-11-20T01:00:00.000Z,sampled,,30,log 30,10");
    expect(lines).toContain("custom_rule/logins,2026-11-20T02:00:00.000Z,failed,,,,");
  });

  it.for([
    { what: "no file", text: "" },
    { what: "a damaged line", text: line.slice(0, 60) },
    { what: "a record of another zone", text: line.replaceAll('"zone":"shop', '"zone":"pay') },
    { what: "a record of another day", text: line.replace(`"day":"${day}"`, '"day":"2026-11-19"') },
  ])("are unknown with $what", async ({ text }, { expect }) => {
    await using place = await placeWith(text);
    const { stdout, stderr, code } = await place.run("measurements", shop, "--since", day);
    expect(stdout).toContain("requests unknown (0 measured, 4 missing)");
    expect(stderr).toContain("nothing is measured since 2026-11-20 00:00");
    expect(code).toBe(1);
  });

  it.for([
    { flags: ["not a zone"], says: "is not the name of a zone" },
    { flags: [shop, "--since", "yesterday"], says: "--since takes a moment" },
    { flags: [shop, "--since", "2027-01-01"], says: "--since takes a moment" },
  ])("need $flags to be right", async ({ flags, says }, { expect }) => {
    await using place = await placeWith(line);
    const { stderr, code } = await place.run("measurements", ...flags);
    expect(stderr).toContain(says);
    expect(code).toBe(1);
  });

  it("need a store", async ({ expect }) => {
    await using place = await workplace();
    await place.write("zonewarden.yaml", "mode: observe\n");
    const { stderr, code } = await place.run("measurements", shop);
    expect(stderr).toContain("sets no store");
    expect(code).toBe(1);
  });
});
