import { describe, it } from "vitest";

import type { Change } from "../../src/plan/change.ts";
import { fleetHash, isHash, planHash } from "../../src/plan/guard/release.ts";
import { zoneId } from "../../src/zone/zone.ts";
import { policyPlan } from "../support/plan-of.ts";

const mild = policyPlan(3, 1, 0);

describe("the hash of a plan", () => {
  it("is the same for the same requests to the same zone", ({ expect }) => {
    expect(planHash(policyPlan(3, 1, 0))).toBe(planHash(mild));
    expect(planHash(mild)).toMatch(/^[0-9a-f]{64}$/);
  });

  it("is another for other requests and for another zone", ({ expect }) => {
    expect(planHash(policyPlan(3, 2, 0))).not.toBe(planHash(mild));
    const id = zoneId("1".repeat(32)) ?? mild.zone.id;
    expect(planHash({ ...mild, zone: { ...mild.zone, id } })).not.toBe(planHash(mild));
  });

  it("of several plans is the same in any order, and another for any other plans", ({ expect }) => {
    const [one, two] = [mild, policyPlan(3, 2, 0)].map(planHash);
    if (one === undefined || two === undefined) throw new Error("no hashes");
    const both = fleetHash([one, two]);
    expect(fleetHash([two, one])).toBe(both);
    expect(new Set([both, fleetHash([one]), fleetHash([one, one]), one, two]).size).toBe(5);
    expect([both, one].map(isHash)).toEqual([true, true]);
    const others = [one.slice(1), `${one}0`, `0${one}`, one.toUpperCase(), one.replace(/^./, "g")];
    expect(others.map(isHash)).toEqual(others.map(() => false));
  });

  it("does not hang on words", ({ expect }) => {
    const changes: readonly Change[] = mild.changes.map((each) => ({ ...each, title: "Other" }));
    expect(planHash({ ...mild, changes, notes: ["a note"] })).toBe(planHash(mild));
  });
});
