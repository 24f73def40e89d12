import { describe, it } from "vitest";

import { selectZones } from "../../src/desired/zones/select.ts";
import {
  desiredFleet,
  joinListings,
  missingReport,
} from "../../src/reconcile/fleet/desired-fleet.ts";
import type { Failure } from "../../src/state/run-report.ts";
import { ServiceError } from "../../src/zone/service-error.ts";
import { zoneId } from "../../src/zone/zone.ts";
import { desiredBench } from "../support/desired.ts";
import { zone } from "../support/service.ts";

const run = { run: "r", trigger: "manual", revision: "v", now: new Date(0) } as const;

const otherId = zoneId("c".repeat(32)) ?? zone("b.example").id;

const pending = [
  zone("shop.example.com", { status: "pending", accountName: "Agency" }),
  zone("shop.example.com", { status: "moved" }),
];

describe("a declared name without a zone", () => {
  it.for([
    { when: "the service does not list it", listed: [], code: "ZONE_NOT_LISTED", says: "the name" },
    { when: "several zones have it", listed: pending, code: "ZONE_AMBIGUOUS", says: "by its id" },
  ])("is an error with the reason when $when", async (row, { expect }) => {
    const text =
      "zones: [{ name: shop.example.com, page_shield: { settings: { enabled: true } } }]";
    const state = await desiredBench({ "a.yaml": text }).load();
    const known = { zones: row.listed, unlisted: [] };
    const { zones, missing } = desiredFleet(selectZones, state, known);
    const reports = [...missing].map(([name, why]) => missingReport(name, why, run));
    const failures = reports.map((report): Failure | undefined =>
      report.result === "error" ? report.failure : undefined,
    );
    expect(zones.size).toBe(0);
    expect(failures.map((failure) => failure?.code)).toEqual([row.code]);
    expect(failures[0]?.message).toContain(row.says);
    // Only another declaration or listing helps, and both start a run.
    expect(failures[0]).toMatchObject({ transient: false, ray: "", retryAfterMs: 0 });
    expect(reports).toMatchObject([
      { run: "r", trigger: "manual", revision: "v", phases: { fetch: 0, plan: 0, apply: 0 } },
    ]);
  });
});

it("a declared name is missing, for no reason yet, before the first listing", async ({
  expect,
}) => {
  const text = "zones: [{ name: shop.example.com, page_shield: { settings: { enabled: true } } }]";
  const state = await desiredBench({ "a.yaml": text }).load();
  const { zones, diagnostics, missing } = desiredFleet(selectZones, state, undefined);
  expect([zones.size, diagnostics]).toEqual([0, []]);
  expect([...missing]).toEqual([["shop.example.com", undefined]]);
});

it("a zone that the service lists no more is gone, though the others are the same", ({
  expect,
}) => {
  const [first, second] = [zone("a.example"), { ...zone("b.example"), id: otherId }];
  const known = joinListings(undefined, { zones: [first, second], failed: [] });
  const after = joinListings(known, { zones: [first], failed: [] });
  expect(after.zones).toEqual([first]);
});

describe("a declared name while the zones of a credential are not known", () => {
  const id = zoneId("b".repeat(32));
  const moved = {
    ...zone("shop.example.com", { status: "moved", accountName: "Agency" }),
    ...(id !== undefined && { id }),
  };
  const active = zone("shop.example.com");
  const failed = [{ credential: "ours", error: new ServiceError("API_SERVER", "503") }];

  it.for([
    { target: "name: shop.example.com", listed: [moved], yields: [], after: [active] },
    { target: "match: { name: shop* }", listed: [moved], yields: [], after: [active] },
    { target: "name: shop.example.com", listed: [active], yields: [active], after: [active] },
    { target: `id: "${moved.id}"`, listed: [moved], yields: [moved], after: [moved] },
  ])("matches no zone that is not active ($target)", async (row, { expect }) => {
    const text = `zones: [{ ${row.target}, page_shield: { settings: { enabled: true } } }]`;
    const state = await desiredBench({ "a.yaml": text }).load();
    const inPart = joinListings(undefined, { zones: row.listed, failed });
    const before = desiredFleet(selectZones, state, inPart);
    expect([...before.zones.values()].map(({ desired }) => desired.zone)).toEqual(row.yields);
    const isLeftAlone = row.yields.length === 0;
    expect(before.diagnostics.map(({ code }) => code)).toEqual(
      isLeftAlone ? ["ZONE_UNCERTAIN"] : [],
    );
    expect(before.diagnostics.every(({ message }) => message.includes("ours"))).toBe(true);

    const whole = joinListings(inPart, { zones: [moved, active], failed: [] });
    const after = desiredFleet(selectZones, state, whole);
    expect([...after.zones.values()].map(({ desired }) => desired.zone)).toEqual(row.after);
    expect(after.missing.size).toBe(0);

    const later = joinListings(whole, { zones: [moved], failed });
    const kept = desiredFleet(selectZones, state, later);
    expect([...kept.zones.values()].map(({ desired }) => desired.zone)).toEqual(row.after);
  });

  it("is reported as an error that names the credential", async ({ expect }) => {
    const text =
      "zones: [{ name: shop.example.com, page_shield: { settings: { enabled: true } } }]";
    const state = await desiredBench({ "a.yaml": text }).load();
    const { missing } = desiredFleet(selectZones, state, { zones: [moved], unlisted: ["ours"] });
    expect([...missing.values()]).toMatchObject([{ code: "ZONE_UNCERTAIN" }]);
    expect([...missing.values()][0]?.message).toMatch(/moved, in Agency.*credential ours/s);
  });

  it("is still unknown when only another credential recovers", ({ expect }) => {
    const theirs = { credential: "theirs", error: new ServiceError("API_REFUSED", "401") };
    const first = joinListings(undefined, { zones: [moved], failed: [...failed, theirs] });
    expect(first.unlisted).toEqual(["ours", "theirs"]);
    const second = joinListings(first, { zones: [moved], failed });
    expect(second.unlisted).toEqual(["ours"]);
    expect(joinListings(second, { zones: [moved], failed: [...failed, theirs] })).toBe(second);
  });
});
