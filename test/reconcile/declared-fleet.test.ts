import { describe, it } from "vitest";

import { selectZones } from "../../src/desired/select.ts";
import { declaredFleet, missingReport } from "../../src/reconcile/declared-fleet.ts";
import type { Failure } from "../../src/report/run-report.ts";
import { desiredBench } from "../support/desired.ts";
import { zone } from "../support/service.ts";

const occasion = { run: "r", trigger: "manual", revision: "v", now: new Date(0) } as const;

const pending = [
  zone("shop.example.com", { status: "pending", accountName: "Agency" }),
  zone("shop.example.com", { status: "moved" }),
];

describe("a declared name that stands for no zone", () => {
  it.for([
    { when: "the listing does not show it", listed: [], code: "ZONE_NOT_LISTED", says: "the name" },
    { when: "it stands for several", listed: pending, code: "ZONE_AMBIGUOUS", says: "by its id" },
  ])("is unreadable, with the reason, when $when", async (row, { expect }) => {
    const text =
      "zones: [{ name: shop.example.com, page_shield: { settings: { enabled: true } } }]";
    const state = await desiredBench({ "a.yaml": text }).load();
    const { zones, missing } = declaredFleet(selectZones, state, row.listed);
    const reports = [...missing].map(([name, why]) => missingReport(name, why, occasion));
    const failures = reports.map((report): Failure | undefined =>
      report.result === "unreadable" ? report.failure : undefined,
    );
    expect(zones.size).toBe(0);
    expect(failures.map((failure) => failure?.code)).toEqual([row.code]);
    expect(failures[0]?.message).toContain(row.says);
  });
});
