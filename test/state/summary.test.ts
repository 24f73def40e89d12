import { describe, it } from "vitest";

import { failureOf, type ZoneReport } from "../../src/state/run-report.ts";
import { isConverged, summarize } from "../../src/state/summary.ts";
import { ServiceError } from "../../src/zone/service-error.ts";
import { applied, planned } from "../support/plan-stories.ts";

function zoneOf(reports: readonly ZoneReport[], name: string): ZoneReport {
  const report = reports.find(({ zone }) => zone === name);
  if (report === undefined) throw new Error(`no report of ${name}`);
  return report;
}

describe("a run in numbers", () => {
  it("counts zones, changes, requests and what is left alone", ({ expect }) => {
    expect(summarize(planned)).toEqual({
      zones: { in_sync: 2, error: 1, held: 1, planned: 3, applied: 0 },
      converged: 2,
      changes: { create: 7, update: 4, delete: 5 },
      writes: 14,
      outcomes: { done: 0, failed: 0, unknown: 0, skipped: 0 },
      unmanaged: 12,
    });
    expect(summarize(applied)).toMatchObject({
      zones: { applied: 1 },
      outcomes: { done: 2, failed: 1, unknown: 0, skipped: 4 },
    });
  });

  it("knows the changes of a report, none where it could not be read", ({ expect }) => {
    const {
      create,
      update,
      delete: deleted,
    } = summarize([zoneOf(planned, "shop.example.com")]).changes;
    expect(create + update + deleted).toBe(7);
    const none = { create: 0, update: 0, delete: 0 };
    expect(summarize([zoneOf(planned, "locked.example.com")]).changes).toEqual(none);
  });

  it("calls a zone converged when nothing is to be done, or all was done and nothing is left", ({
    expect,
  }) => {
    const half = zoneOf(applied, "shop.example.com");
    if (half.result !== "applied") throw new Error("not applied");
    const done = half.plan.writes.map((write) => ({
      status: "done" as const,
      write,
      ray: "r",
      interleaved: false,
    }));
    const states = [
      zoneOf(planned, "calm.example.com"),
      zoneOf(planned, "shop.example.com"),
      zoneOf(planned, "brand.example.com"),
      zoneOf(planned, "locked.example.com"),
      half,
      { ...half, outcomes: done },
      { ...half, outcomes: done, left: [] },
    ];
    expect(states.map(isConverged)).toEqual([true, false, false, false, false, false, true]);
  });
});

describe("an error as data", () => {
  it("has the code of a service error", ({ expect }) => {
    const refused = new ServiceError("API_REFUSED", "PUT policies: 400", { ray: "8f2a" });
    expect(failureOf(refused)).toEqual({
      code: "API_REFUSED",
      message: "PUT policies: 400",
      transient: false,
      ray: "8f2a",
      retryAfterMs: 0,
    });
  });

  it.for([
    { what: "a bug", error: new TypeError("x of undefined, token abc") },
    { what: "another library's error", error: Object.assign(new Error("x"), { code: "ENOENT" }) },
    {
      what: "an error that only looks like it",
      error: Object.assign(new Error("x"), { code: "API_X", transient: true }),
    },
    { what: "no error at all", error: "API_REFUSED" },
  ])(
    "is a fault of the program otherwise, and its words stay in the log: $what",
    (given, { expect }) => {
      expect(failureOf(given.error)).toEqual({
        code: "INTERNAL",
        message: "internal error: see the log",
        transient: true,
        ray: "",
        retryAfterMs: 0,
      });
    },
  );
});
