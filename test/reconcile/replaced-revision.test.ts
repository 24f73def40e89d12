import { describe, it } from "vitest";

import { selectZones } from "../../src/desired/zones/select.ts";
import { declaredIn } from "../../src/reconcile/fleet/desired-fleet.ts";
import { FleetPast } from "../../src/reconcile/fleet/fleet-past.ts";
import type { DesiredState } from "../../src/zone/desired-state.ts";
import { SimulatedClock } from "../support/clock.ts";
import { named } from "../support/reports.ts";
import {
  activeRevision,
  byName,
  document,
  files,
  limits,
  listing,
  off,
  on,
  suspension,
  withActive,
  zones,
  judge,
  judgeBy,
} from "../support/revision-files.ts";
import { MemoryRunStore } from "../support/run-store.ts";

/** All zones are as declared first, except for some. */
function edited(revision: string, from: number, until: number): DesiredState {
  const documents = byName(10).map((each, nth) =>
    nth < from || nth >= until ? each : { ...each, content: off },
  );
  return files(revision, documents);
}

describe("a new revision", () => {
  it("is compared with the one before it, not with the first", ({ expect }) => {
    const active = activeRevision(selectZones);
    const known = listing(10);
    const load = (state: DesiredState): unknown => active.activate(state, known, judge).result;
    expect(load(edited("r1", 0, 0))).toBe("applied");
    expect(load(edited("r2", 0, 3))).toBe("applied");
    expect(load(edited("r3", 0, 6))).toBe("applied");
    expect(load(edited("r4", 0, 10))).toBe("held");
    expect(load(edited("r5", 6, 10))).toBe("held");
  });

  it("goes back to what was in force within a day, however many zones it changes", ({ expect }) => {
    const clock = new SimulatedClock();
    const past = new FleetPast(new MemoryRunStore(), clock);
    const active = activeRevision(selectZones, past);
    const known = listing(10);
    const load = (state: DesiredState, share = limits.maxFleetShare): unknown =>
      active.activate(state, known, judgeBy({ ...limits, maxFleetShare: share })).result;
    expect(load(edited("r1", 0, 0))).toBe("applied");
    expect(load(edited("r2", 0, 8), 1)).toBe("applied");
    expect(load(edited("r3", 0, 1))).toBe("applied");
    expect(load(edited("r4", 0, 8))).toBe("applied");
    clock.step(24 * 3_600_000);
    expect(load(edited("r5", 0, 0))).toBe("held");
  });

  it("that is active already is never held, though few zones are listed", ({ expect }) => {
    const active = withActive(10);
    const loaded = active.activate(files("r1", byName(10)), listing(2), judge);
    expect(loaded).toMatchObject({ result: "partial", hold: undefined });
    expect(declaredIn(loaded.fleet)).toBe(10);
    expect(loaded.fleet.zones.size).toBe(2);
  });

  it("ends the suspensions of one that was held before it", ({ expect }) => {
    const active = withActive(4);
    const suspended = byName(4, off).map((each) => ({
      ...each,
      content: { ...each.content, suspension: { ...suspension, until: new Date("2100-01-01") } },
    }));
    expect(active.activate(files("r2", suspended), listing(4), judge).result).toBe("held");
    const isSuspended = (): boolean =>
      [...active.fleet.zones.values()].some(
        ({ desired }) => desired.content.suspension !== undefined,
      );
    expect(isSuspended()).toBe(true);
    active.activate(files("r2a", [], { usable: false }), listing(4), judge);
    expect([active.active.revision, isSuspended()]).toEqual(["r1", true]);
    active.activate(edited("r3", 0, 1), listing(4), judge);
    expect([active.active.revision, isSuspended()]).toEqual(["r3", false]);
    active.activate(files("r4", [], { usable: false }), listing(4), judge);
    expect([active.active.revision, isSuspended()]).toEqual(["r3", false]);
  });
});

describe("the zones of the active revision while another is held", () => {
  it("are suspended where that one suspends them, and stay where it drops them", ({ expect }) => {
    const active = withActive(4);
    const held = [
      ...zones(1).map(({ name }) => document({ by: "name", name }, { ...off, suspension })),
      ...zones(2)
        .slice(1)
        .map(({ name }) => document({ by: "name", name }, off)),
    ];
    const loaded = active.activate(files("r2", held), listing(4), judge);
    expect(loaded.hold?.touched).toEqual(new Set(["z1.example", "z2.example", "z3.example"]));
    const contents = [...active.fleet.zones.values()].map(({ desired }) => desired.content);
    expect(contents).toEqual([{ ...on, suspension }, on, on, on]);
    // What runs compare shows the suspension, and nothing else.
    const [first, ...others] = [...active.fleet.zones.values()].map(({ digest }) => digest);
    expect(new Set(others).size).toBe(1);
    expect(others).not.toContain(first);
  });

  it("are as they were after an error of the program", ({ expect }) => {
    const active = withActive(4);
    const state = files("r2", byName(4, off));
    const loaded = active.reject(state, new TypeError("a bug of ours"));
    expect(loaded).toMatchObject({ result: "rejected", state, active: { revision: "r1" } });
    expect(loaded.fleet.zones.get(named("z0.example"))?.desired.content).toEqual(on);
    expect(loaded.diagnostics).toHaveLength(1);
  });
});
