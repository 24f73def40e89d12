import { describe, it } from "vitest";

import { planHash } from "../../src/plan/guard/release.ts";
import {
  changingZone,
  type ChangingZone,
  fleetChange,
  fleetGuard,
  maxWeakenedOf,
  planToJudge,
} from "../../src/reconcile/fleet/fleet-guard.ts";
import { zoneName, type ZoneName } from "../../src/zone/zone.ts";
import { desiredZone } from "../support/model.ts";
import { change, hold as holdOf, named, planOf, report } from "../support/reports.ts";

const files = { revision: "abc1234def", hash: "90ab", declaredHash: "5678ef90" };
const limits = { maxFleetShare: 0.3, minFleet: 10, accept: [] };

/** Zones `z1.example` … with a digest each; the first `changed` of them differ. */
function fleet(size: number, changed = 0): ReadonlyMap<ZoneName, string> {
  return new Map(
    Array.from({ length: size }, (_, index) => {
      const name = zoneName(`z${index}.example`);
      if (name === undefined) throw new Error("no zone name");
      return [name, index < changed ? "other" : "same"] as const;
    }),
  );
}

/** The same as the zones before a revision. */
function zones(size: number): ReadonlyMap<ZoneName, { readonly digest: string }> {
  return new Map([...fleet(size)].map(([name, digest]) => [name, { digest }]));
}

describe("a new revision of the files", () => {
  it.for([
    { when: "nothing changes", before: zones(10), after: fleet(10), held: false },
    {
      when: "a share within the limit changes",
      before: zones(10),
      after: fleet(10, 3),
      held: false,
    },
    { when: "more than the limit changes", before: zones(10), after: fleet(10, 4), held: true },
    { when: "more than the limit is dropped", before: zones(10), after: fleet(6), held: true },
    { when: "the fleet is small", before: zones(9), after: fleet(9, 9), held: false },
    { when: "zones are only added", before: zones(10), after: fleet(100), held: false },
    { when: "it is the first one", before: zones(0), after: fleet(500), held: false },
    { when: "a small fleet is dropped whole", before: zones(1), after: fleet(0), held: true },
  ])("when $when", ({ before, after, held }, { expect }) => {
    expect(fleetGuard({ before, after, revision: files }, limits) !== undefined).toBe(held);
  });

  it("names the numbers, the limit and the remedy", ({ expect }) => {
    const hold = fleetGuard({ before: zones(10), after: fleet(8, 2), revision: files }, limits);
    expect(hold).toEqual({
      reason: "fleet_change",
      touched: new Set(["z0.example", "z1.example", "z8.example", "z9.example"]),
      message:
        "revision abc1234def changes 2 and drops 2 of 10 zones (40 %), the limit is 30 %: to accept it, add 5678ef90 to limits.accept, or raise limits.max_fleet_share",
      hash: "5678ef90",
    });
  });

  it("tells what changes from what is dropped", ({ expect }) => {
    const hold = fleetGuard({ before: zones(10), after: fleet(7, 1), revision: files }, limits);
    expect(hold?.message).toContain("changes 1 and drops 3 of 10 zones (40 %)");
  });

  it.for([
    { size: 1_000, changed: 301, says: "(30.1 %), the limit is 30 %:" },
    { size: 10_000, changed: 3_001, says: "(30.01 %), the limit is 30 %:" },
    { size: 10_000, changed: 5_001, says: "(50 %), the limit is 30 %:" },
  ])("never rounds the share of $changed of $size to the limit", (given, { expect }) => {
    const { size, changed, says } = given;
    const hold = fleetGuard(
      { before: zones(size), after: fleet(size, changed), revision: files },
      limits,
    );
    expect(hold?.message).toContain(says);
  });

  const commit = "8db4839c1de1f40a77e9b7c1d0f8a2b3c4d5e6f7";
  const content = `sha256-${"03574248".repeat(8)}`;

  it.for([
    { revision: commit, accept: commit, held: false },
    { revision: commit, accept: commit.slice(0, 12), held: true },
    { revision: commit, accept: commit.slice(0, 39), held: true },
    { revision: commit, accept: "0".repeat(40), held: true },
    { revision: content, accept: content, held: false },
    { revision: content, accept: content.slice("sha256-".length), held: true },
    { revision: content, accept: content.slice(0, 19), held: true },
  ])("$revision accepted as $accept is held: $held", ({ revision, accept, held }, { expect }) => {
    const declared = { ...files, declaredHash: revision };
    const hold = fleetGuard(
      { before: zones(10), after: fleet(10, 5), revision: declared },
      { ...limits, accept: [accept] },
    );
    expect(hold !== undefined).toBe(held);
  });

  it("is applied where it is the first one, whatever the smallest fleet", ({ expect }) => {
    const judged = { ...limits, minFleet: 0 };
    expect(
      fleetGuard({ before: zones(0), after: fleet(5), revision: files }, judged),
    ).toBeUndefined();
  });

  it("without any listed zone is held, accepted or not", ({ expect }) => {
    const acknowledged = { ...limits, accept: ["5678ef90"] };
    expect(
      fleetGuard({ before: zones(10), after: fleet(0), revision: files }, acknowledged),
    ).toEqual({
      reason: "fleet_change",
      touched: new Set(fleet(10).keys()),
      message:
        "revision abc1234def leaves none of 10 zones: no zone that the service lists is declared; check names, selectors and what the credentials see",
    });
  });
});

/** Zones with changes, of which the first `weaker` weaken their protection. */
function changing(count: number, weaker = 0): readonly ChangingZone[] {
  return Array.from({ length: count }, (_, nth) => ({
    zone: named(`z${nth}.example`),
    hash: `h${nth}`,
    weakens: nth < weaker,
  }));
}

describe("all plans of a fleet", () => {
  it.for([
    { when: "none changes anything, whatever passed before", changes: 0, passed: 8, declared: 10 },
    { when: "the share is within the limit", changes: 3, passed: 0, declared: 10 },
    { when: "the share is so with what passed before", changes: 1, passed: 2, declared: 10 },
    { when: "the fleet is small", changes: 9, passed: 0, declared: 9 },
  ])("pass where $when", ({ changes, passed, declared }, { expect }) => {
    const found = { changing: changing(changes), passed, declared, hash: "r2" };
    expect(fleetChange(found, limits)).toEqual({ result: "passed" });
  });

  it("are held with the numbers and the hash to accept", ({ expect }) => {
    const hash = "r2";
    const held = { changing: changing(4, 1), declared: 10, hash };
    expect(fleetChange(held, limits)).toEqual({
      result: "held",
      found:
        "would change 4 of 10 declared zones (40 %), the limit is 30 %; 1 of them weaken the protection, or may",
      hash,
      limit: "max_fleet_share",
    });
    expect(fleetChange({ ...held, passed: 2 }, limits)).toEqual({
      result: "held",
      found:
        "would change 6 of 10 declared zones (2 of them already) (60 %), the limit is 30 %; 1 of them weaken the protection, or may",
      hash,
      limit: "max_fleet_share",
    });
    expect(fleetChange(held, { ...limits, accept: [hash] })).toEqual({ result: "accepted" });
    const others = { ...held, hash: "r3" };
    expect(fleetChange(others, { ...limits, accept: [hash] }).result).toBe("held");
  });
});

describe("the number of zones that may be weakened", () => {
  it.for([
    { limit: undefined, declared: 5, most: 3 },
    { limit: undefined, declared: 399, most: 3 },
    { limit: undefined, declared: 400, most: 4 },
    { limit: { zones: 0, share: 0 }, declared: 400, most: 0 },
    { limit: { zones: 5, share: 0 }, declared: 2, most: 5 },
    { limit: { zones: 0, share: 0.02 }, declared: 149, most: 2 },
  ])("of $declared is $most with $limit", ({ limit, declared, most }, { expect }) => {
    const set = limit === undefined ? limits : { ...limits, maxWeakened: limit };
    expect(maxWeakenedOf(set, declared)).toBe(most);
  });
});

describe("a zone that changes", () => {
  it.for([
    { directions: ["strengthens"], weakens: false },
    { directions: ["strengthens", "weakens"], weakens: true },
    { directions: ["unclear"], weakens: true },
  ] as const)("with changes that are $directions weakens: $weakens", (row, { expect }) => {
    const plan = planOf(
      "shop.example.com",
      row.directions.map((direction, nth) => change(`policy/p${nth}`, direction)),
    );
    expect(changingZone(plan)).toMatchObject({ hash: planHash(plan), weakens: row.weakens });
  });
});

describe("a run, as the fleet guard counts its plan", () => {
  const changes = [change("policy/checkout")];
  const cause = "pending";
  const held = { result: "held", cause, changes } as const;

  it.for([
    { came: { result: "planned", cause, changes }, counts: true },
    { came: { ...held, holds: [holdOf("freeze")] }, counts: true },
    { came: { ...held, holds: [holdOf("suspend"), holdOf("contended")] }, counts: true },
    { came: { ...held, holds: [holdOf("observe")] }, counts: true },
    { came: { ...held, holds: [holdOf("fleet_change")] }, counts: true },
    { came: { ...held, holds: [holdOf("freeze"), holdOf("too_many_deletes")] }, counts: false },
    { came: { ...held, holds: [holdOf("weakening")] }, counts: false },
    { came: { result: "applied", cause, changes }, counts: false },
    { came: { result: "in_sync" }, counts: false },
    { came: { result: "error" }, counts: false },
  ] as const)("$came.result with $came.holds.0.reason counts: $counts", (given, { expect }) => {
    const came = report("shop.example.com", 1, given.came);
    const counted = planToJudge(came, desiredZone({ mode: "enforce" }));
    expect(counted?.changes.map(({ key }) => key)).toEqual(
      given.counts ? ["policy/checkout"] : undefined,
    );
    // A zone that its file only observes is never written.
    expect(planToJudge(came, desiredZone({ mode: "observe" }))).toBeUndefined();
  });
});
