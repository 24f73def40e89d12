import { describe, it } from "vitest";

import { acceptedRound, heldRound, JudgedRound } from "../support/judged-round.ts";
import { report } from "../support/reports.ts";
import { many } from "../support/world.ts";

describe("the plans of a first round", () => {
  it("are judged together once each zone has one, and that is told once", ({ expect }) => {
    const bench = new JudgedRound();
    bench.declare({ zones: many(10) });
    bench.planAll(many(9), "policy/checkout");
    expect(bench.now.hold).toBeUndefined();
    expect([bench.told, bench.mayWrite("z0.example")]).toEqual([0, false]);
    bench.plan("z9.example", "policy/checkout");
    expect(bench.told).toBe(1);
    expect(bench.now).toMatchObject({
      result: "held",
      hold: { reason: "fleet_change", touched: new Set(many(10)) },
      round: { phase: "planning", passed: 0, isBinding: true },
    });
    expect(bench.mayWrite("z0.example")).toBe(false);
    // A sweep that finds the same plans again changes nothing.
    bench.planAll(many(10), "policy/checkout");
    expect(bench.told).toBe(1);
    bench.plan("z9.example", "policy/other");
    expect(bench.told).toBe(1);
  });

  it("may all be written where few change, and those that change are run at once", ({ expect }) => {
    const bench = new JudgedRound();
    bench.declare({ zones: many(10) });
    bench.planAll(many(7));
    bench.planAll(many(10, 7), "policy/checkout");
    expect(bench.told).toBe(1);
    expect(bench.takeReleased()).toEqual(many(10, 7));
    expect(bench.takeReleased()).toEqual([]);
    expect(bench.now).toMatchObject({ result: "unchanged", round: { phase: "closed", passed: 3 } });
    expect(bench.mayWrite("z0.example")).toBe(true);
  });

  it.for([
    { zones: 4, absent: 0, isHeld: false },
    { zones: 4, absent: 1, isHeld: true },
    { zones: 5, absent: 0, isHeld: true },
  ])(
    "of $zones zones beside $absent that the service does not list are held: $isHeld",
    ({ zones, absent, isHeld }, { expect }) => {
      const bench = new JudgedRound();
      bench.declare({ zones: many(zones), missing: many(zones + absent, zones) });
      expect(bench.mayWrite("z0.example")).toBe(!isHeld);
      expect(bench.now.round.phase).toBe(isHeld ? "planning" : "closed");
      bench.planAll(many(zones), "policy/checkout");
      expect(bench.now.hold !== undefined).toBe(isHeld);
      expect(bench.now.round.phase).toBe(isHeld ? "planning" : "closed");
    },
  );

  it("are a share of the declared zones, of those too that are missing", ({ expect }) => {
    const bench = new JudgedRound();
    bench.declare({ zones: many(9), missing: ["gone.example"] });
    bench.planAll(many(6));
    bench.planAll(many(9, 6), "policy/checkout");
    // 3 of 10, and the round goes on until the missing one is planned.
    expect(bench.now).toMatchObject({ hold: undefined, round: { phase: "open", passed: 3 } });
  });

  it("are judged without zones that failed for good, or three times", ({ expect }) => {
    const bench = new JudgedRound();
    bench.declare({ zones: many(10) });
    bench.planAll(many(8), "policy/checkout");
    bench.fail("z8.example", false);
    for (let attempt = 0; attempt < 2; attempt += 1) bench.fail("z9.example", true);
    expect(bench.now.hold).toBeUndefined();
    bench.fail("z9.example", true);
    expect(bench.told).toBe(1);
    expect(bench.now.hold?.message).toContain("would change 8 of 10 declared zones");
  });

  it("are judged anew where a declaration changes", ({ expect }) => {
    const bench = heldRound();
    expect(bench.now.result).toBe("held");
    bench.declare({ zones: many(10) }, "applied", "d2");
    // A run that began before the change says nothing.
    const before = bench.zone("z9.example", "d1");
    bench.planAll(many(9));
    bench.round.record(before, report("z9.example", 1, { result: "in_sync" }));
    expect(bench.mayWrite("z0.example")).toBe(false);
    bench.plan("z9.example");
    expect(bench.now).toMatchObject({ hold: undefined, round: { phase: "closed", passed: 0 } });
  });

  it.for([
    { result: "applied", shown: "held" },
    { result: "unchanged", shown: "held" },
    { result: "partial", shown: "held" },
    { result: "held", shown: "held" },
    { result: "rejected", shown: "rejected" },
  ] as const)("are held: a load that is $result shows as $shown", (given, { expect }) => {
    const load = heldRound().declare({ zones: many(10) }, given.result);
    expect(load).toMatchObject({ result: given.shown, isAllListed: true });
    const isOwn = given.result === "held" || given.result === "rejected";
    expect(load.hold === undefined).toBe(isOwn);
  });

  it("are held no longer where the daemon only observes, and again where it enforces", ({
    expect,
  }) => {
    const bench = heldRound();
    bench.reconfigure("observe");
    expect(bench.told).toBe(2);
    const round = { phase: "planning", isBinding: false };
    expect(bench.now).toMatchObject({ hold: undefined, round });
    bench.reconfigure("enforce");
    expect([bench.told, bench.now.result]).toEqual([3, "held"]);
  });
});

describe("a revision that a person accepted", () => {
  it("may be written as far as it is planned", ({ expect }) => {
    const bench = acceptedRound();
    expect(bench.takeReleased()).toEqual(many(9));
    expect(bench.now).toMatchObject({ hold: undefined, round: { phase: "open", passed: 0 } });
    expect(bench.mayWrite("z0.example")).toBe(true);
    expect(bench.mayWrite("z9.example")).toBe(false);
  });

  it("releases zones that are planned later, too", ({ expect }) => {
    const bench = acceptedRound();
    bench.takeReleased();
    bench.plan("z9.example", "policy/other");
    expect(bench.takeReleased()).toEqual(["z9.example"]);
    expect(bench.mayWrite("z9.example")).toBe(true);
    expect(bench.now.round).toMatchObject({ phase: "closed", passed: 0 });
  });

  it("does not count against the limit when it is written, and then the round is over", ({
    expect,
  }) => {
    const bench = acceptedRound();
    for (const name of many(9)) bench.apply(name, "policy/checkout");
    expect(bench.now.round).toMatchObject({ phase: "open", passed: 0 });
    bench.plan("z9.example");
    expect(bench.now.round).toMatchObject({ phase: "closed", passed: 0 });
  });
});

describe("a first round without a limit", () => {
  it("judges what is planned at once, and is over when all zones are listed", ({ expect }) => {
    const bench = new JudgedRound();
    bench.reconfigure("enforce", { maxFleetShare: 1 });
    bench.declare({ zones: many(10), isAllListed: false });
    bench.plan("z0.example", "policy/checkout");
    expect(bench.now.round).toEqual({
      phase: "open",
      passed: 1,
      judgesKnown: false,
      isBinding: true,
    });
    expect(bench.mayWrite("z0.example")).toBe(true);
    expect(bench.declare({ zones: many(10) }).round.phase).toBe("closed");
  });
});
