import { describe, it } from "vitest";

import type { Change } from "../../src/plan/change.ts";
import type { JudgedLoad, Loaded } from "../../src/reconcile/fleet/active-revision.ts";
import type { DesiredFleet, FleetZone } from "../../src/reconcile/fleet/desired-fleet.ts";
import { FirstRound } from "../../src/reconcile/fleet/first-round.ts";
import type { FleetLimits } from "../../src/reconcile/fleet/fleet-guard.ts";
import type { ZoneReport } from "../../src/state/run-report.ts";
import type { Mode } from "../../src/zone/desired-zone.ts";
import type { ResourceKey } from "../../src/zone/resource.ts";
import { hashToAccept } from "../support/held.ts";
import { desiredZone } from "../support/model.ts";
import { change, failure, named, planOf, report } from "../support/reports.ts";
import { zone } from "../support/service.ts";

function names(from: number, until: number): readonly string[] {
  return Array.from({ length: until - from }, (_, index) => `z${from + index}.example`);
}

interface Fleet {
  readonly zones: readonly string[];
  /** Declared names without a zone. */
  readonly missing?: readonly string[];
  /** Zones of other processes. */
  readonly ofOthers?: number;
  readonly isAllListed?: boolean;
}

/** The first round over a fleet, without a daemon around it. */
class Bench {
  options: { readonly mode: Mode; readonly fleetLimits: FleetLimits } = {
    mode: "enforce",
    fleetLimits: { maxFleetShare: 0.3, minFleet: 5, accept: [] },
  };
  /** How often the round told that other zones may be written. */
  told = 0;
  /** Zones of which it is remembered what was applied. */
  readonly known = new Set<string>();
  readonly round = new FirstRound(
    this.options,
    (name) => this.known.has(name),
    () => (this.told += 1),
  );
  #fleet: Fleet = { zones: [] };
  #digest = "d1";

  declare(fleet: Fleet, result: Loaded["result"] = "applied", digest = "d1"): JudgedLoad {
    this.#fleet = fleet;
    this.#digest = digest;
    const { zones, missing = [], ofOthers = 0, isAllListed = true } = fleet;
    const found: DesiredFleet = {
      zones: new Map(zones.map((name) => [named(name), this.zone(name)])),
      diagnostics: [],
      missing: new Map(missing.map((name) => [named(name), undefined])),
    };
    const state = { documents: [], diagnostics: [], usable: true, revision: "r1", hash: "r1" };
    const loaded: Loaded = {
      result,
      state,
      diagnostics: [],
      fleet: found,
      declared: zones.length + missing.length + ofOthers,
      active: state,
      hold: undefined,
    };
    return this.round.declare(loaded, isAllListed);
  }

  /** What the round says of the same files and the same listing. */
  get now(): JudgedLoad {
    return this.declare(this.#fleet, "unchanged", this.#digest);
  }

  zone(name: string, digest = this.#digest): FleetZone {
    return { desired: { zone: zone(name), content: desiredZone({}).content }, digest };
  }

  plan(name: string, ...keys: readonly ResourceKey[]): void {
    this.round.record(this.zone(name), planned(name, ...keys));
  }

  planAll(zones: readonly string[], ...keys: readonly ResourceKey[]): void {
    for (const name of zones) this.plan(name, ...keys);
  }

  fail(name: string, transient: boolean): void {
    const failed = { result: "error", failure: failure("503", { transient }) } as const;
    this.round.record(this.zone(name), report(name, 1, failed));
  }

  apply(name: string, ...keys: readonly ResourceKey[]): void {
    const applied = { result: "applied", cause: "pending", changes: changesOf(keys) } as const;
    this.round.record(this.zone(name), report(name, 2, applied));
  }

  mayWrite(name: string, ...keys: readonly ResourceKey[]): boolean {
    return this.round.mayWrite(this.zone(name), planOf(name, changesOf(keys)));
  }

  reconfigure(mode: Mode, fleetLimits: Partial<FleetLimits> = {}): void {
    this.options = { mode, fleetLimits: { ...this.options.fleetLimits, ...fleetLimits } };
    this.round.reconfigure(this.options);
  }
}

function changesOf(keys: readonly ResourceKey[]): readonly Change[] {
  return keys.map((key) => change(key));
}

function planned(name: string, ...keys: readonly ResourceKey[]): ZoneReport {
  if (keys.length === 0) return report(name, 1, { result: "in_sync" });
  return report(name, 1, { result: "planned", cause: "pending", changes: changesOf(keys) });
}

/** A fleet of ten zones, of which all plans are held. */
function held(): Bench {
  const bench = new Bench();
  bench.declare({ zones: names(0, 10) });
  bench.planAll(names(0, 10), "policy/checkout");
  return bench;
}

/** Ten zones: the plans of nine were accepted, the last could not be read. */
function accepted(): Bench {
  const bench = new Bench();
  bench.declare({ zones: names(0, 10) });
  bench.planAll(names(0, 9), "policy/checkout");
  bench.fail("z9.example", false);
  bench.reconfigure("enforce", { accept: [hashToAccept(bench.now.hold?.message)] });
  return bench;
}

describe("the plans of a first round", () => {
  it("are judged together once each zone has one, and that is told once", ({ expect }) => {
    const bench = new Bench();
    bench.declare({ zones: names(0, 10) });
    bench.planAll(names(0, 9), "policy/checkout");
    expect(bench.now.hold).toBeUndefined();
    expect([bench.told, bench.mayWrite("z0.example", "policy/checkout")]).toEqual([0, false]);
    bench.plan("z9.example", "policy/checkout");
    expect(bench.told).toBe(1);
    expect(bench.now).toMatchObject({
      result: "held",
      hold: { touched: new Set(names(0, 10)) },
      round: { phase: "planning", passed: 0, isBinding: true },
    });
    expect(bench.mayWrite("z0.example", "policy/checkout")).toBe(false);
    // A sweep that finds the same plans again changes nothing.
    bench.planAll(names(0, 10), "policy/checkout");
    expect(bench.told).toBe(1);
    bench.plan("z9.example", "policy/other");
    expect(bench.told).toBe(2);
  });

  it("may all be written where few change, and those that change are run at once", ({ expect }) => {
    const bench = new Bench();
    bench.declare({ zones: names(0, 10) });
    bench.planAll(names(0, 7));
    bench.planAll(names(7, 10), "policy/checkout");
    expect(bench.told).toBe(1);
    expect(bench.round.takeReleased()).toEqual(names(7, 10));
    expect(bench.round.takeReleased()).toEqual([]);
    expect(bench.now).toMatchObject({ result: "unchanged", round: { phase: "closed", passed: 3 } });
    expect(bench.mayWrite("z0.example", "policy/any")).toBe(true);
  });

  it.for([
    { zones: 4, ofOthers: 0, isHeld: false },
    { zones: 4, ofOthers: 1, isHeld: true },
    { zones: 5, ofOthers: 0, isHeld: true },
  ])(
    "of $zones zones beside $ofOthers of other processes are held: $isHeld",
    ({ zones, ofOthers, isHeld }, { expect }) => {
      const bench = new Bench();
      bench.declare({ zones: names(0, zones), ofOthers });
      expect(bench.mayWrite("z0.example", "policy/checkout")).toBe(!isHeld);
      bench.planAll(names(0, zones), "policy/checkout");
      expect(bench.now.hold !== undefined).toBe(isHeld);
      expect(bench.now.round.phase).toBe(isHeld ? "planning" : "closed");
    },
  );

  it("are a share of the declared zones, of those too that are missing", ({ expect }) => {
    const bench = new Bench();
    bench.declare({ zones: names(0, 9), missing: ["gone.example"] });
    bench.planAll(names(0, 6));
    bench.planAll(names(6, 9), "policy/checkout");
    // 3 of 10, and the round goes on until the missing one is planned.
    expect(bench.now).toMatchObject({ hold: undefined, round: { phase: "open", passed: 3 } });
  });

  it("are judged without zones that failed for good, or three times", ({ expect }) => {
    const bench = new Bench();
    bench.declare({ zones: names(0, 10) });
    bench.planAll(names(0, 8), "policy/checkout");
    bench.fail("z8.example", false);
    for (let attempt = 0; attempt < 2; attempt += 1) bench.fail("z9.example", true);
    expect(bench.now.hold).toBeUndefined();
    bench.fail("z9.example", true);
    expect(bench.told).toBe(1);
    expect(bench.now.hold?.message).toContain("would change 8 of 10 declared zones");
  });

  it("are judged anew where a declaration changes", ({ expect }) => {
    const bench = held();
    expect(bench.now.result).toBe("held");
    bench.declare({ zones: names(0, 10) }, "applied", "d2");
    // A run that began before the change says nothing.
    const before = bench.zone("z9.example", "d1");
    bench.planAll(names(0, 9));
    bench.round.record(before, planned("z9.example"));
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
    const load = held().declare({ zones: names(0, 10) }, given.result);
    expect(load.result).toBe(given.shown);
    const isOwn = given.result === "held" || given.result === "rejected";
    expect(load.hold === undefined).toBe(isOwn);
  });

  it("are held no longer where the daemon only observes, and again where it enforces", ({
    expect,
  }) => {
    const bench = held();
    bench.reconfigure("observe");
    expect(bench.told).toBe(2);
    const round = { phase: "planning", isBinding: false };
    expect(bench.now).toMatchObject({ hold: undefined, round });
    bench.reconfigure("enforce");
    expect([bench.told, bench.now.result]).toEqual([3, "held"]);
  });
});

describe("plans that a person accepted", () => {
  it("may be written as they are, and no others", ({ expect }) => {
    const bench = accepted();
    expect(bench.round.takeReleased()).toEqual(names(0, 9));
    expect(bench.now).toMatchObject({ hold: undefined, round: { phase: "open", passed: 0 } });
    expect(bench.mayWrite("z0.example", "policy/checkout")).toBe(true);
    expect(bench.mayWrite("z0.example", "policy/other")).toBe(false);
    expect(bench.mayWrite("z9.example", "policy/checkout")).toBe(false);
  });

  it("leave the limit to zones that are planned later", ({ expect }) => {
    const bench = accepted();
    bench.round.takeReleased();
    const { told } = bench;
    bench.plan("z9.example", "policy/other");
    // The phase is as before: what is new is the zone that may be written.
    expect(bench.told).toBe(told + 1);
    expect(bench.round.takeReleased()).toEqual(["z9.example"]);
    expect(bench.now.round).toMatchObject({ phase: "open", passed: 1 });
    expect(bench.mayWrite("z9.example", "policy/any")).toBe(true);
    expect(bench.mayWrite("z0.example", "policy/other")).toBe(false);
    bench.plan("z0.example", "policy/checkout");
    expect([bench.told, bench.now.round.passed]).toEqual([told + 1, 1]);
  });

  it("do not count against the limit when they are written, and then the round is over", ({
    expect,
  }) => {
    const bench = accepted();
    for (const name of names(0, 9)) bench.apply(name, "policy/checkout");
    expect(bench.now.round).toMatchObject({ phase: "open", passed: 0 });
    bench.plan("z9.example");
    expect(bench.now.round).toMatchObject({ phase: "closed", passed: 0 });
  });

  it("are judged again where they became others", ({ expect }) => {
    const bench = accepted();
    bench.planAll(names(0, 5), "policy/other");
    // Three of ten may change beside what was accepted; after them the limit holds the others.
    const free = names(0, 5).filter((name) => bench.mayWrite(name, "policy/other"));
    expect(free).toEqual(names(0, 3));
    expect(bench.now.hold?.message).toContain("(3 of them already)");
    expect(bench.now.hold?.touched).toEqual(new Set(names(3, 5)));
    expect(bench.round.limitsOfFiles.maxFleetShare).toBe(0.3);
  });
});

describe("a first round without a limit", () => {
  it("judges what is planned at once, and is over when all zones are listed", ({ expect }) => {
    const bench = new Bench();
    bench.reconfigure("enforce", { maxFleetShare: 1 });
    bench.declare({ zones: names(0, 10), isAllListed: false });
    bench.plan("z0.example", "policy/checkout");
    expect(bench.now.round).toEqual({ phase: "open", passed: 1, isBinding: true });
    expect(bench.mayWrite("z0.example", "policy/checkout")).toBe(true);
    expect(bench.declare({ zones: names(0, 10) }).round.phase).toBe("closed");
  });
});
