import { describe, it } from "vitest";

import { heldRound, JudgedRound } from "../support/judged-round.ts";
import { named } from "../support/reports.ts";
import { many } from "../support/world.ts";

describe("a new revision that changes most zones", () => {
  it.for([
    { phase: "planning", mode: "enforce", result: "passed" },
    { phase: "planning", mode: "observe", result: "held" },
    { phase: "open", mode: "enforce", result: "held" },
    { phase: "closed", mode: "enforce", result: "held" },
  ] as const)("is $result by its files while the round is $phase in $mode", (row, { expect }) => {
    // While nothing was written yet, the plans are judged and not the files.
    const bench = new JudgedRound();
    bench.round.restore({ phase: row.phase, passed: 0, judgesKnown: false });
    bench.reconfigure(row.mode);
    const before = new Map(many(10).map((name) => [named(name), bench.zone(name)]));
    const after = new Map(many(10).map((name) => [named(name), "d2"]));
    const revision = { revision: "r2", hash: "r2", declaredHash: "r2" };
    const zones = new Map(many(6).map((name) => [named(name), bench.zone(name, "d2")]));
    const candidate = { revision, before, after, zones, declared: 10 };
    expect(bench.round.judge(candidate).result).toBe(row.result);
  });
});

/** Ten zones, of which the earlier process wrote the first five and let two changes pass. */
function left(): JudgedRound {
  const bench = new JudgedRound();
  for (const name of many(5)) bench.known.add(name);
  bench.round.restore({ phase: "open", passed: 2, judgesKnown: false });
  bench.declare({ zones: many(10) });
  return bench;
}

describe("a round that an earlier process left open", () => {
  it("lets zones be written of which it is known what was applied, and no others", ({ expect }) => {
    const bench = left();
    expect(bench.now.round).toEqual({
      phase: "open",
      passed: 2,
      judgesKnown: false,
      isBinding: true,
    });
    expect(bench.mayWrite("z4.example")).toBe(true);
    expect(bench.mayWrite("z5.example")).toBe(false);
  });

  it("counts what passed before, and not the changes of known zones", ({ expect }) => {
    const bench = left();
    bench.planAll(many(5), "policy/checkout");
    bench.plan("z5.example", "policy/checkout");
    expect(bench.now).toMatchObject({ hold: undefined, round: { passed: 3 } });
    expect(bench.takeReleased()).toEqual(["z5.example"]);
    bench.plan("z6.example", "policy/checkout");
    expect(bench.now.hold?.touched).toEqual(new Set(["z6.example"]));
    expect(bench.now.hold?.message).toContain(
      "would change 4 of 10 declared zones (3 of them already)",
    );
  });

  it("is over when the others were planned too", ({ expect }) => {
    const bench = left();
    bench.planAll(many(9, 5));
    expect([bench.now.round.phase, bench.told]).toEqual(["open", 0]);
    bench.plan("z9.example");
    expect([bench.now.round.phase, bench.told]).toEqual(["closed", 1]);
    // What runs find from then on is no matter of the round.
    bench.planAll(many(10), "policy/checkout");
    expect(bench.now).toMatchObject({ hold: undefined, round: { phase: "closed", passed: 2 } });
    expect(bench.told).toBe(1);
  });

  it("is not over while a credential could not list its zones", ({ expect }) => {
    const bench = left();
    bench.declare({ zones: many(10), isAllListed: false });
    bench.planAll(many(10, 5));
    expect(bench.now.round.phase).toBe("open");
    expect(bench.declare({ zones: many(10) }).round.phase).toBe("closed");
  });
});

describe("a round that began with a state of which the revision was lost", () => {
  it.for([
    { found: "in a zone", known: many(1), judgesKnown: true },
    { found: "in a zone that is not listed yet", known: many(10, 9), judgesKnown: true },
    { found: "nowhere", known: [], judgesKnown: false },
  ])("is told where it is known what was applied: $found", (row, { expect }) => {
    const bench = new JudgedRound();
    for (const name of row.known) bench.known.add(name);
    bench.declare({ zones: many(9), missing: ["z9.example"] });
    // Runs of this process add to what is known.
    bench.known.add("z5.example");
    expect(bench.now.round.judgesKnown).toBe(row.judgesKnown);
  });

  it("goes on to judge known zones after a restart while it is open", ({ expect }) => {
    const bench = new JudgedRound();
    bench.round.restore({ phase: "open", passed: 3, judgesKnown: true });
    for (const name of many(10)) bench.known.add(name);
    bench.declare({ zones: many(10) });
    expect(bench.mayWrite("z0.example")).toBe(false);
    bench.plan("z0.example", "policy/checkout");
    expect(bench.now.hold?.touched).toEqual(new Set(["z0.example"]));
    expect(bench.now.round).toMatchObject({ phase: "open", passed: 3, judgesKnown: true });
  });
});

describe("a round that an earlier process left while it planned", () => {
  it("judges zones of which it is known what was applied, and tells so", ({ expect }) => {
    const bench = new JudgedRound();
    for (const name of many(10)) bench.known.add(name);
    bench.round.restore({ phase: "planning", passed: 0, judgesKnown: false });
    bench.declare({ zones: many(10) });
    bench.planAll(many(10), "policy/checkout");
    expect(bench.now.round).toMatchObject({ phase: "planning", judgesKnown: true });
    expect(bench.now.hold?.touched).toEqual(new Set(many(10)));
  });
});

describe("a round that closed in an earlier process", () => {
  it("lets every zone be written", ({ expect }) => {
    const bench = new JudgedRound();
    bench.round.restore({ phase: "closed", passed: 0, judgesKnown: false });
    bench.declare({ zones: many(10) });
    bench.planAll(many(10), "policy/checkout");
    expect(bench.now).toMatchObject({ hold: undefined, round: { phase: "closed" } });
    expect(bench.mayWrite("z0.example")).toBe(true);
  });
});

describe("a round that is over", () => {
  it("stays so where a credential cannot list its zones later", ({ expect }) => {
    const bench = new JudgedRound();
    bench.reconfigure("enforce", { maxFleetShare: 1 });
    bench.declare({ zones: many(10) });
    expect(bench.now.round.phase).toBe("closed");
    const later = bench.declare({ zones: many(10), isAllListed: false });
    expect(later.round.phase).toBe("closed");
    expect(bench.mayWrite("z0.example")).toBe(true);
  });
});

describe("a round without a limit that is over", () => {
  it("stays so where a limit is set, though a zone could not be planned", ({ expect }) => {
    const bench = new JudgedRound();
    bench.reconfigure("enforce", { maxFleetShare: 1 });
    bench.declare({ zones: many(10), isAllListed: false });
    bench.planAll(many(9));
    bench.fail("z9.example", false);
    expect(bench.declare({ zones: many(10) }).round.phase).toBe("closed");
    bench.reconfigure("enforce", { maxFleetShare: 0.3 });
    expect(bench.now.round.phase).toBe("closed");
  });
});

describe("a round that plans", () => {
  it("lets no zone be written, though it is known what was applied to it", ({ expect }) => {
    const bench = new JudgedRound();
    bench.known.add("z0.example");
    bench.declare({ zones: many(10) });
    expect(bench.mayWrite("z0.example")).toBe(false);
  });

  it("judges a zone that it could not read later, though it is known what was applied to it", ({
    expect,
  }) => {
    const bench = new JudgedRound();
    for (const name of many(10)) bench.known.add(name);
    bench.declare({ zones: many(10) });
    for (const name of many(10)) bench.fail(name, false);
    bench.planAll(many(3), "policy/checkout");
    expect(bench.now).toMatchObject({ hold: undefined, round: { phase: "open", passed: 3 } });
    bench.plan("z3.example", "policy/checkout");
    expect(bench.now.hold?.touched).toEqual(new Set(["z3.example"]));
    expect(bench.mayWrite("z3.example")).toBe(false);
  });

  it("counts a zone that was in sync with the changes that a later run found", ({ expect }) => {
    const bench = new JudgedRound();
    bench.declare({ zones: many(10) });
    bench.plan("z0.example");
    bench.planAll(many(10), "policy/checkout");
    expect(bench.now.hold?.touched).toEqual(new Set(many(10)));
  });

  it("takes no run of a zone that is not declared", ({ expect }) => {
    const bench = new JudgedRound();
    bench.plan("z0.example", "policy/checkout");
    bench.declare({ zones: many(10) });
    bench.plan("other.example", "policy/checkout");
    expect([bench.told, bench.now.hold]).toEqual([0, undefined]);
  });
});

describe("a fleet that changes during the round", () => {
  it("is judged when the last zone without a plan is dropped from the files", ({ expect }) => {
    const bench = new JudgedRound();
    bench.declare({ zones: many(10) });
    bench.planAll(many(9), "policy/checkout");
    expect(bench.declare({ zones: many(9) }).hold?.touched).toEqual(new Set(many(9)));
  });

  it("stays held while a zone that came later is not planned", ({ expect }) => {
    const bench = heldRound();
    const hold = bench.now.hold;
    expect(bench.declare({ zones: many(11) })).toMatchObject({ result: "held", hold });
  });

  it("is judged without a zone that was planned and dropped", ({ expect }) => {
    const bench = heldRound();
    const load = bench.declare({ zones: many(10, 1) });
    expect(load.hold?.touched).toEqual(new Set(many(10, 1)));
  });

  it("holds no plans while it is small, and counts them", ({ expect }) => {
    const bench = new JudgedRound();
    bench.declare({ zones: many(4), isAllListed: false });
    expect(bench.mayWrite("z0.example")).toBe(true);
    bench.planAll(many(4), "policy/checkout");
    expect(bench.now).toMatchObject({ hold: undefined, round: { phase: "open", passed: 4 } });
  });

  it("counts the zones that were written while it was small", ({ expect }) => {
    const bench = new JudgedRound();
    bench.declare({ zones: many(4), isAllListed: false });
    for (const name of many(4)) bench.apply(name, "policy/checkout");
    expect(bench.now.round).toMatchObject({ phase: "open", passed: 4 });
    bench.declare({ zones: many(10) });
    bench.plan("z4.example", "policy/checkout");
    expect(bench.now.hold?.message).toContain(
      "would change 5 of 10 declared zones (4 of them already)",
    );
    expect(bench.mayWrite("z0.example")).toBe(true);
  });

  it("of which no zone is listed is not judged", ({ expect }) => {
    const bench = new JudgedRound();
    bench.declare({ zones: [], missing: many(3) });
    bench.reconfigure("enforce", { maxFleetShare: 1 });
    expect(bench.now.round.phase).toBe("planning");
  });

  it("is not judged before a load, whatever the options", ({ expect }) => {
    const bench = new JudgedRound();
    bench.reconfigure("enforce", { maxFleetShare: 1 });
    expect([bench.told, bench.mayWrite("z0.example")]).toEqual([0, false]);
  });
});
