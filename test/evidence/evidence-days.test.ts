import { describe, it } from "vitest";

import { checkTimesOf } from "../../src/evidence/evidence-days.ts";
import type { ScriptEvent, ScriptRecord } from "../../src/state/scripts/script-watch.ts";

const period = { since: new Date("2026-11-02T00:00:00Z"), until: new Date("2026-11-06T00:00:00Z") };

function record(at: string, event?: "opened" | "closed", isRead = true, first = at): ScriptRecord {
  const moment = new Date(`2026-${at}:00Z`);
  const finding = {
    id: "unmonitored-1",
    kind: "unmonitored",
    subject: "",
    detail: "off",
    firstSeenAt: new Date(`2026-${first}:00Z`),
    lastSeenAt: moment,
    pageUrls: [],
    versions: [],
    acceptance: undefined,
  } as const;
  const events: readonly ScriptEvent[] = event === undefined ? [] : [{ event, finding }];
  const read = isRead ? { scripts: 1, authorised: 1 } : undefined;
  return {
    at: moment,
    zone: "shop.example.com",
    revision: "",
    commit: undefined,
    read,
    open: 0,
    acknowledged: 0,
    events,
  };
}

describe("the days of a period", () => {
  it.for([
    { what: "nothing is recorded", records: [], days: "no_record no_record no_record no_record" },
    {
      what: "each day has a check",
      records: ["11-02T00:00", "11-03T12:00", "11-04T12:00", "11-05T23:59"].map((at) => record(at)),
      days: "checked checked checked checked",
    },
    {
      what: "checks are only before and after",
      records: [record("11-01T23:59"), record("11-06T00:00")],
      days: "no_record no_record no_record no_record",
    },
    {
      what: "the inventory could not be read",
      records: [record("11-02T12:00"), record("11-03T12:00", undefined, false)],
      days: "checked not_read no_record no_record",
    },
    {
      what: "monitoring is off from a moment on",
      records: [
        record("11-02T06:00"),
        record("11-02T12:00", "opened"),
        record("11-03T12:00"),
        record("11-04T12:00", "closed"),
        record("11-05T12:00"),
      ],
      days: "partly_off monitoring_off partly_off checked",
    },
    {
      what: "monitoring is off since before the period, and its beginning is not kept",
      records: [record("11-02T12:00"), record("11-05T12:00", "closed", true, "11-01T12:00")],
      days: "monitoring_off no_record no_record partly_off",
    },
  ])("are as recorded where $what", ({ records, days }, { expect }) => {
    const found = checkTimesOf(records, period).days;
    expect(found.map(({ day }) => day)).toEqual([
      "2026-11-02",
      "2026-11-03",
      "2026-11-04",
      "2026-11-05",
    ]);
    expect(found.map(({ status }) => status).join(" ")).toBe(days);
  });
});

describe("times without a check", () => {
  const month = {
    since: new Date("2026-11-01T00:00:00Z"),
    until: new Date("2026-12-01T00:00:00Z"),
  };

  it.for([
    { what: "the whole period", at: [], pauses: ["11-01T00:00 12-01T00:00"] },
    {
      what: "the time before the first and after the last check",
      at: ["11-10T00:00", "11-16T00:00"],
      pauses: ["11-01T00:00 11-10T00:00", "11-16T00:00 12-01T00:00"],
    },
    {
      what: "not seven days exactly",
      at: ["11-08T00:00", "11-15T00:00", "11-22T00:00", "11-29T00:00"],
      pauses: [],
    },
    {
      what: "what began before the period",
      at: ["10-30T00:00", "11-06T00:01", "11-13T00:00", "11-20T00:00", "11-27T00:00"],
      pauses: ["10-30T00:00 11-06T00:01"],
    },
  ])("are $what", ({ at, pauses }, { expect }) => {
    const times = checkTimesOf(
      at.map((each) => record(each)),
      month,
    );
    expect(times.pauses.map(({ since, until }) => `${minuteOf(since)} ${minuteOf(until)}`)).toEqual(
      pauses,
    );
    expect(times.checks).toBe(at.filter((each) => each >= "11-01").length);
  });
});

function minuteOf(moment: Date): string {
  return moment.toISOString().slice(5, 16);
}
