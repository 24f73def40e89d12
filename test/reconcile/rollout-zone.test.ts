import { describe, it } from "vitest";

import type { Change } from "../../src/plan/change.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { digestOf, type FleetZone, type InForce } from "../../src/reconcile/fleet/desired-fleet.ts";
import { Rollout } from "../../src/reconcile/fleet/rollout.ts";
import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import { SimulatedClock } from "../support/clock.ts";
import { change, named, report } from "../support/reports.ts";
import { noPast } from "../support/revision-files.ts";
import { MemoryRunStore } from "../support/run-store.ts";
import { zone } from "../support/service.ts";
import { blocking, off, reporting, settings } from "../support/waves.ts";

/** The first canary, one that only a selector declares, and a zone of the last wave. */
const [canary, selected, last] = ["z4.example", "z2.example", "z9.example"] as const;

const breaks = change("policy/checkout", "strengthens", { mayBreak: true });
const protects = change("policy/checkout", "strengthens");

/** A rollout without a daemon around it: the test plays the files, the listing and the runs. */
class Played {
  readonly clock = new SimulatedClock();
  readonly known = new Set<string>([canary, selected, last]);
  readonly rollout: Rollout;
  #inForce = new Map<string, InForce>();
  #revisions = 0;

  constructor() {
    this.rollout = new Rollout(settings, {
      clock: this.clock,
      past: noPast(),
      halts: new MemoryRunStore(),
      isKnown: (name) => this.known.has(name),
      changed: () => {
        this.rollout.begin();
      },
    });
  }

  /** A revision becomes active, or is found in another listing. */
  declare(contents: Readonly<Record<string, ZoneContent>>, isNew = true, isAllListed = true): void {
    const zones = Object.entries(contents).map(([name, content]) => declared(name, content));
    if (isNew) this.#revisions += 1;
    const hash = `r${this.#revisions}`;
    this.rollout.declare({
      revision: hash,
      fleet: {
        zones: new Map(zones.map((each) => [each.desired.zone.name, each])),
        diagnostics: [],
        missing: new Map(),
      },
      absent: new Map(),
      isAllListed,
      isNew,
      before: (name) => this.#inForce.get(name),
      restored: () => undefined,
    });
    const revision = { revision: hash, hash, declaredHash: hash };
    for (const each of zones) this.#inForce.set(each.desired.zone.name, { ...each, revision });
  }

  /** What a zone is reconciled against. */
  zone(name: string, content: ZoneContent): FleetZone {
    const each = declared(name, content);
    const fleet = { zones: new Map([[named(name), each]]), diagnostics: [], missing: new Map() };
    return this.rollout.inForce(fleet).zones.get(named(name)) ?? each;
  }

  /** A run finds the zone as it is in force, and what is declared would make a change. */
  decide(name: string, content: ZoneContent, changes = [breaks]): void {
    this.rollout.decide(this.zone(name, content), { toInForce: [], toWaiting: changes });
  }

  waits(name: string): boolean {
    return this.rollout.isWaiting(named(name));
  }
}

function declared(name: string, content: ZoneContent): FleetZone {
  return { desired: { zone: zone(name), content }, digest: digestOf(content) };
}

function planOf(changes: readonly Change[]): Plan {
  const planned = report("a.example", 1, { result: "planned", cause: "pending", changes });
  if (planned.result !== "planned") throw new Error("not planned");
  return planned.plan;
}

/** Nothing waits, and the next revision is new. */
function settled(
  contents: Readonly<Record<string, ZoneContent>> = {
    [canary]: reporting,
    [selected]: reporting,
    [last]: reporting,
  },
): Played {
  const played = new Played();
  played.rollout.restore({ revision: "r0", waiting: new Map(), gone: new Map() });
  played.declare(contents, false);
  return played;
}

describe("a zone of a rollout", () => {
  it("that a selector declares delays the next wave while no credential shows it", ({ expect }) => {
    const played = settled();
    played.declare({ [canary]: reporting, [selected]: blocking, [last]: blocking });
    played.declare({ [canary]: reporting, [last]: blocking }, false);
    played.decide(last, blocking);
    played.rollout.begin();
    expect(played.rollout.status).toMatchObject({ wave: 1, unsettled: [selected] });
    expect(played.waits(last)).toBe(true);
  });

  it("is held where it is listed only after the state was lost", ({ expect }) => {
    const played = new Played();
    played.declare({ [canary]: reporting }, false);
    played.declare({ [canary]: reporting, [last]: reporting }, false);
    expect(played.zone(last, reporting).wave).toMatchObject({ isHeld: true });
  });

  it("is settled by a run that was planned against what is declared now", ({ expect }) => {
    const played = settled();
    played.declare({ [canary]: blocking, [selected]: reporting, [last]: reporting });
    played.decide(canary, blocking);
    const before = played.zone(canary, blocking);
    played.rollout.record(declared(canary, off), report(canary, 1, { result: "in_sync" }));
    expect(played.rollout.status?.unsettled).toEqual([canary]);
    played.rollout.record(before, report(canary, 2, { result: "in_sync" }));
    expect(played.rollout.status).toBeUndefined();
  });

  it("stays on its way when it is declared otherwise, and what was in force comes back", ({
    expect,
  }) => {
    const played = settled();
    played.declare({ [canary]: blocking, [selected]: reporting, [last]: reporting });
    played.decide(canary, blocking);
    const suspension = { reason: "incident", until: undefined };
    const suspended = { ...blocking, suspension };
    played.declare({ [canary]: suspended, [selected]: reporting, [last]: reporting });
    expect(played.waits(canary)).toBe(false);
    played.rollout.record(declared(canary, suspended), report(canary, 1, { result: "in_sync" }));
    expect(played.rollout.status).toBeUndefined();
  });

  it("is not written by a plan of before it went", ({ expect }) => {
    const played = settled();
    played.declare({ [canary]: reporting, [selected]: reporting, [last]: blocking });
    const before = played.zone(last, blocking);
    expect(played.rollout.waitOf(before)).toBeUndefined();
    played.rollout.decide(before, { toInForce: [breaks], toWaiting: [] });
    expect(played.rollout.waitOf(before)).toContain("what is in force in the zone has changed");
    expect(played.rollout.waitOf(played.zone(last, blocking))).toBeUndefined();
  });

  it("of which nothing is known is held for changes that go out in waves alone", ({ expect }) => {
    const played = settled();
    played.declare({
      [canary]: reporting,
      [selected]: reporting,
      [last]: reporting,
      "a.example": off,
    });
    const added = played.zone("a.example", off);
    expect(played.rollout.holdsOf(added, planOf([breaks]))).toMatchObject([{ reason: "wave" }]);
    expect(played.rollout.holdsOf(added, planOf([protects]))).toEqual([]);
  });

  it("that a person released soaks, too", async ({ expect }) => {
    const played = settled({ [selected]: reporting, [last]: reporting });
    played.declare({ [canary]: blocking, [selected]: reporting, [last]: blocking });
    const applied = { result: "applied", cause: "pending", changes: [breaks] } as const;
    played.rollout.record(played.zone(canary, blocking), report(canary, 1, applied));
    played.rollout.decide(played.zone(canary, blocking), { toInForce: [], toWaiting: [] });
    played.decide(last, blocking);
    await played.clock.advance(settings.soakMs - 1);
    played.rollout.begin();
    expect(played.waits(last)).toBe(true);
    await played.clock.advance(settings.soakMs);
    played.rollout.begin();
    expect(played.waits(last)).toBe(false);
  });
});
