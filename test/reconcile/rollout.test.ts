import { describe, it } from "vitest";

import type { RolloutSettings } from "../../src/zone/wave.ts";
import { named } from "../support/reports.ts";
import {
  blocking,
  fleetInWaves,
  hour,
  off,
  reporting,
  settings,
  waves,
  weakBlocking,
} from "../support/waves.ts";
import { ServiceFault, type World } from "../support/world.ts";

const [first = [], second = [], third = []] = waves;
const [canary = "", otherCanary = ""] = first;

function sorted(...zones: readonly (readonly string[])[]): readonly string[] {
  return zones.flat().toSorted();
}

function after({ clock }: World, ms: number): Date {
  return new Date(Number(clock.now()) + ms);
}

function unreachable(world: World, zone: string): void {
  world.faults.set(zone, () => new ServiceFault("API_UNREACHABLE", true));
}

/** Somebody opens the policies of zones to all scripts. */
function widen(world: World, zones: readonly string[]): void {
  for (const zone of zones) {
    world.edit(zone, ({ policies }) => ({
      policies: policies.map((each) => ({ ...each, value: "script-src *" })),
    }));
  }
}

function widened(world: World): readonly string[] {
  return [...world.live]
    .filter(([, { policies = [] }]) => policies.some(({ value }) => value === "script-src *"))
    .map(([name]) => name);
}

describe("a revision whose changes go out in waves", () => {
  it("reaches each wave when the one before was applied and has soaked", async ({ expect }) => {
    expect(waves.map((each) => each.length)).toEqual([2, 3, 2]);
    await using world = await fleetInWaves();
    await world.commit("r2", blocking);
    expect(world.liveAs(blocking)).toEqual(first);
    expect(world.where).toEqual({
      wave: 1,
      unsettled: [],
      nextAt: after(world, 24 * hour - 60_000),
    });
    await world.clock.advance(23 * hour);
    expect(world.liveAs(blocking)).toEqual(first);
    await world.clock.advance(hour);
    expect(sorted(world.liveAs(blocking))).toEqual(sorted(first, second));
    await world.clock.advance(23 * hour);
    expect(sorted(world.liveAs(reporting))).toEqual(sorted(third));
    await world.clock.advance(hour);
    expect(world.liveAs(reporting)).toEqual([]);
    expect(world.where).toBeUndefined();
  });

  it("leaves drift in no zone that waits", async ({ expect }) => {
    await using world = await fleetInWaves();
    await world.commit("r2", blocking);
    widen(world, [...second, ...third]);
    await world.sweep("manual", 60_000);
    expect(widened(world)).toEqual([]);
    expect(world.liveAs(blocking)).toEqual(first);
  });

  it("reaches all zones at once with what only strengthens and cannot break", async ({
    expect,
  }) => {
    await using world = await fleetInWaves(settings, off);
    await world.commit("r2", reporting);
    expect(world.liveAs(off)).toEqual([]);
    expect(world.where).toBeUndefined();
  });

  it("reaches a zone as a whole", async ({ expect }) => {
    await using world = await fleetInWaves(settings, off);
    await world.commit("r2", blocking);
    expect(sorted(world.liveAs(off))).toEqual(sorted(second, third));
  });

  it("is judged once and as a whole by the limit of weakened zones, whatever its waves", async ({
    expect,
  }) => {
    await using world = await fleetInWaves();
    const limited = { ...world.options.fleetLimits, maxWeakened: { zones: 3, share: 0 } };
    world.reconciler.reconfigure({ ...world.options, fleetLimits: limited });
    await world.commit("r2", off);
    const { result, hold } = world.loads.at(-1) ?? {};
    expect([result, hold?.reason]).toEqual(["held", "fleet_change"]);
    expect(world.liveAs(off)).toEqual([]);
    const fleetLimits = { ...limited, accept: ["r2"] };
    world.reconciler.reconfigure({ ...world.options, fleetLimits });
    await world.reload("r2", 60_000);
    expect(world.liveAs(off)).toEqual(first);
    await world.clock.advance(48 * hour);
    expect(world.liveAs(off)).toHaveLength(7);
  });

  it.for([
    { appliesTo: "may_break", change: "blocks", to: blocking, waits: true },
    { appliesTo: "may_break", change: "weakens", to: off, waits: false },
    { appliesTo: "weakens", change: "weakens", to: off, waits: true },
    { appliesTo: "weakens", change: "blocks", to: blocking, waits: false },
  ] as const)(
    "that $change waits where applies_to is $appliesTo: $waits",
    async ({ appliesTo, to, waits }, { expect }) => {
      await using world = await fleetInWaves({ ...settings, appliesTo });
      await world.commit("r2", to);
      expect(sorted(world.liveAs(reporting))).toEqual(waits ? sorted(second, third) : []);
    },
  );

  it("passes over a wave in which it changes nothing", async ({ expect }) => {
    await using world = await fleetInWaves();
    const [one = "", ...others] = third;
    await world.commit("r2", blocking, [one]);
    expect(world.liveAs(blocking)).toEqual([one]);
    await world.commit("r3", blocking, [...second, ...others]);
    expect(sorted(world.liveAs(reporting))).toEqual(sorted(first, others));
  });

  it("waits in a zone whose drift hides what it changes", async ({ expect }) => {
    await using world = await fleetInWaves();
    // From what is live there, the revision would only add a policy.
    for (const zone of second) {
      world.edit(zone, ({ settings: now }) => ({
        settings: now && { ...now, enabled: false },
        policies: [],
      }));
    }
    await world.commit("r2", off);
    expect(sorted(world.liveAs(off))).toEqual(sorted(first));
    expect(sorted(world.liveAs(reporting))).toEqual(sorted(second, third));
  });

  it("leaves a zone as it is in which somebody applied it already", async ({ expect }) => {
    await using world = await fleetInWaves();
    await world.commit("r2", blocking);
    const [applied = ""] = third;
    const { policies } = world.live.get(canary) ?? {};
    world.edit(applied, () => ({ policies }));
    world.requests.length = 0;
    await world.sweep("manual", 60_000);
    expect(sorted(world.liveAs(blocking))).toEqual(sorted(first, [applied]));
    expect(world.requests.filter((each) => each.startsWith("write"))).toEqual([]);
  });

  it("suspends a zone at once that would wait", async ({ expect }) => {
    await using world = await fleetInWaves();
    const [suspended = ""] = third;
    const suspension = { reason: "move", until: undefined };
    for (const zone of world.files.keys()) world.files.set(zone, blocking);
    await world.commit("r2", { ...blocking, suspension }, [suspended]);
    widen(world, third);
    await world.sweep("manual", 60_000);
    expect(widened(world)).toEqual([suspended]);
  });
});

/** What happened to rollouts, in short. */
function turnsOf({ loads }: World): readonly string[] {
  const turns = loads.flatMap(({ rollout }) => rollout.turns);
  return turns.map(({ turn, wave, zones, former }) =>
    [turn, wave, zones, former].filter((each) => each !== undefined).join(" "),
  );
}

describe("what happens to a rollout", () => {
  it("is told once: its begin, each wave and its end", async ({ expect }) => {
    await using world = await fleetInWaves();
    await world.commit("r2", blocking);
    expect(new Set(turnsOf(world))).toEqual(new Set(["began", "wave_began 1 1"]));
    await world.clock.advance(48 * hour);
    const turns = turnsOf(world);
    expect(turns.filter((each) => each === "began" || each === "ended")).toEqual([
      "began",
      "ended",
    ]);
    expect([turns[0], turns.at(-1)]).toEqual(["began", "ended"]);
    const zones = (wave: number): number =>
      turns
        .filter((each) => each.startsWith(`wave_began ${wave} `))
        .reduce((sum, each) => sum + Number(each.split(" ").at(-1)), 0);
    expect([zones(1), zones(2), zones(3)]).toEqual([2, 3, 2]);
  });

  it("is told where all zones that it changes go at once", async ({ expect }) => {
    await using world = await fleetInWaves();
    await world.commit("r2", blocking, [canary]);
    expect(turnsOf(world)).toEqual(["began", "wave_began 1 1", "ended"]);
  });

  it("is nothing where nothing goes out in waves", async ({ expect }) => {
    await using world = await fleetInWaves(settings, off);
    await world.commit("r2", reporting);
    expect(turnsOf(world)).toEqual([]);
  });

  it("is the same over a restart, which neither begins nor ends it", async ({ expect }) => {
    await using before = await fleetInWaves();
    await before.commit("r2", blocking);
    await using world = await before.restart({ afterMs: hour });
    await world.clock.advance(24 * hour);
    expect(turnsOf(world).filter((each) => !each.startsWith("wave_began"))).toEqual([]);
    await world.clock.advance(24 * hour);
    expect(turnsOf(world).filter((each) => !each.startsWith("wave_began"))).toEqual(["ended"]);
  });

  it("names the revision that a newer one replaces, until that one has ended", async ({
    expect,
  }) => {
    await using world = await fleetInWaves();
    await world.commit("r2", blocking);
    world.loads.length = 0;
    await world.commit("r3", weakBlocking);
    expect(turnsOf(world)[0]).toBe("replaced r2");
    const { rollout, fleet } = world.loads.at(-1) ?? {};
    expect(rollout?.status?.replaced).toBe("r2");
    expect(fleet?.zones.get(named(third[0] ?? ""))?.wave?.hold.message).toMatch(
      /; revision sha256-r3 replaces sha256-r2, whose rollout had not ended$/,
    );
    await world.clock.advance(48 * hour);
    world.loads.length = 0;
    await world.commit("r4", off);
    expect(turnsOf(world)[0]).toBe("began");
    expect(world.loads.at(-1)?.rollout.status?.replaced).toBeUndefined();
  });

  it("ends with a revision that takes it back", async ({ expect }) => {
    await using world = await fleetInWaves();
    await world.commit("r2", blocking);
    world.loads.length = 0;
    await world.commit("r3", reporting);
    expect(turnsOf(world)).toEqual(["replaced r2", "ended"]);
  });
});

describe("the next wave", () => {
  it("waits for a zone that cannot be read, and says which", async ({ expect }) => {
    await using world = await fleetInWaves();
    unreachable(world, otherCanary);
    await world.commit("r2", blocking);
    await world.clock.advance(48 * hour);
    expect(world.liveAs(blocking)).toEqual([canary]);
    expect(world.where).toEqual({ wave: 1, unsettled: [otherCanary], nextAt: undefined });
    expect(world.loads.at(-1)?.fleet.zones.get(named(third[0] ?? ""))?.wave?.hold).toEqual({
      reason: "wave",
      message: `the zone waits for wave 3 of 3: wave 1 is not applied in ${otherCanary}`,
    });
    world.faults.clear();
    await world.sweep("manual", 60_000);
    expect(world.liveAs(blocking)).toEqual(first);
    await world.clock.advance(23 * hour);
    expect(world.liveAs(blocking)).toEqual(first);
    await world.clock.advance(hour);
    expect(world.liveAs(blocking)).toHaveLength(5);
  });

  it.for([
    { refused: canary, other: otherCanary },
    { refused: otherCanary, other: canary },
  ])("waits for $refused that the service refuses to change", async (given, { expect }) => {
    const { refused, other } = given;
    await using world = await fleetInWaves();
    const { requests } = world;
    world.faults.set(refused, () =>
      requests.at(-1)?.startsWith("write") === true
        ? new ServiceFault("API_REFUSED", false)
        : undefined,
    );
    await world.commit("r2", blocking);
    await world.clock.advance(48 * hour);
    expect(world.liveAs(blocking)).toEqual([other]);
    expect(world.where).toMatchObject({ wave: 1, unsettled: [refused] });
    world.faults.clear();
    await world.sweep("manual", 23 * hour);
    expect(world.liveAs(blocking)).toEqual(first);
  });

  it("waits for a zone that is suspended", async ({ expect }) => {
    const suspension = { reason: "incident", until: undefined };
    await using world = await fleetInWaves();
    await world.commit("r2", { ...reporting, suspension }, [canary]);
    world.files.set(canary, { ...blocking, suspension });
    await world.commit("r3", blocking, sorted([otherCanary], second, third));
    await world.clock.advance(48 * hour);
    expect(world.liveAs(blocking)).toEqual([otherCanary]);
    expect(world.where).toMatchObject({ wave: 1, unsettled: [canary] });
  });

  it("does not wait for a zone that is only observed", async ({ expect }) => {
    await using world = await fleetInWaves();
    world.files.set(canary, { ...blocking, mode: "observe" });
    await world.commit("r2", blocking, sorted([otherCanary], second, third));
    await world.clock.advance(24 * hour);
    expect(sorted(world.liveAs(blocking))).toEqual(sorted([otherCanary], second));
  });

  it("does not wait for a zone that is only observed after its wave has begun", async ({
    expect,
  }) => {
    await using world = await fleetInWaves();
    const { requests } = world;
    world.faults.set(canary, () =>
      requests.at(-1)?.startsWith("write") === true
        ? new ServiceFault("API_REFUSED", false)
        : undefined,
    );
    await world.commit("r2", blocking);
    await world.commit("r3", { ...blocking, mode: "observe" }, [canary]);
    await world.clock.advance(24 * hour);
    expect(sorted(world.liveAs(blocking))).toEqual(sorted([otherCanary], second));
  });

  it("does not wait for a zone that is no longer declared", async ({ expect }) => {
    await using world = await fleetInWaves();
    unreachable(world, canary);
    await world.commit("r2", blocking);
    world.files.delete(canary);
    await world.reload("r3", 25 * hour);
    expect(world.liveAs(blocking)).toHaveLength(1 + second.length);
  });

  it("waits for a zone that its credential does not show for a while", async ({ expect }) => {
    await using world = await fleetInWaves();
    unreachable(world, canary);
    await world.commit("r2", blocking);
    world.faults.clear();
    world.unlistable = { zones: [canary], failed: [] };
    await world.sweep("manual", 48 * hour);
    expect(world.liveAs(blocking)).toEqual([otherCanary]);
    world.unlistable = { zones: [], failed: [] };
    await world.sweep("manual", 60_000);
    expect(world.liveAs(blocking)).toEqual(first);
  });

  it("waits for a zone that was declared otherwise while its credential did not show it", async ({
    expect,
  }) => {
    await using world = await fleetInWaves();
    world.unlistable = { zones: [canary], failed: [] };
    await world.sweep("manual", 60_000);
    await world.commit("r2", blocking);
    expect(world.liveAs(blocking)).toEqual([otherCanary]);
    await world.clock.advance(48 * hour);
    expect(world.liveAs(blocking)).toEqual([otherCanary]);
    const [late = ""] = third;
    world.unlistable = { zones: [late], failed: [] };
    await world.sweep("manual", 60_000);
    world.unlistable = { zones: [], failed: [] };
    await world.sweep("manual", 60_000);
    expect(world.liveAs(blocking)).toEqual(first);
  });

  it("begins after the soak, however often the process restarts and its clocks disagree", async ({
    expect,
  }) => {
    let world = await fleetInWaves();
    await world.commit("r2", blocking);
    for (let nth = 0; nth < 10; nth += 1) {
      world.clock.step(1);
      await world.sweep("manual", 60_000);
      world = await world.restart({ afterMs: hour });
    }
    await using last = world;
    expect(last.liveAs(blocking)).toEqual(first);
    await last.clock.advance(13 * hour + 51 * 60_000);
    expect(last.liveAs(blocking)).toHaveLength(5);
  });

  it.for([{ jump: 30 * 24 * hour }, { jump: -30 * 24 * hour }])(
    "begins after the soak, whatever the clock on the wall shows: $jump ms",
    async ({ jump }, { expect }) => {
      await using world = await fleetInWaves();
      await world.commit("r2", blocking);
      await world.clock.advance(hour);
      world.clock.step(jump);
      await world.sweep("manual", 22 * hour);
      expect(world.liveAs(blocking)).toEqual(first);
      await world.clock.advance(hour);
      expect(world.liveAs(blocking)).toHaveLength(5);
    },
  );

  it("begins though the files on the disk are broken", async ({ expect }) => {
    await using world = await fleetInWaves();
    await world.commit("r2", blocking);
    world.usable = false;
    await world.reload("r3", 25 * hour);
    expect(world.liveAs(blocking)).toHaveLength(5);
  });
});

describe("a newer revision", () => {
  it("takes over zone by zone, where each stands", async ({ expect }) => {
    await using world = await fleetInWaves();
    await world.commit("r2", blocking);
    await world.clock.advance(24 * hour);
    expect(world.liveAs(blocking)).toHaveLength(5);
    // It begins again with the first wave: there it changes what r2 has made of the zones.
    await world.commit("r3", weakBlocking);
    expect(world.liveAs(weakBlocking)).toEqual(first);
    expect(sorted(world.liveAs(blocking))).toEqual(sorted(second));
    expect(sorted(world.liveAs(reporting))).toEqual(sorted(third));
    widen(world, [...second, ...third]);
    await world.sweep("manual", 60_000);
    expect(widened(world)).toEqual([]);
    expect(sorted(world.liveAs(blocking))).toEqual(sorted(second));
    expect(sorted(world.liveAs(reporting))).toEqual(sorted(third));
    await world.clock.advance(24 * hour);
    expect(sorted(world.liveAs(weakBlocking))).toEqual(sorted(first, second));
    await world.clock.advance(24 * hour);
    expect(world.liveAs(weakBlocking)).toHaveLength(7);
  });

  it.for([
    { when: "then" },
    { when: "after a restart" },
    { when: "while it is not listed" },
  ] as const)(
    "takes over from what was in force where the one before never arrived: $when",
    async ({ when }, { expect }) => {
      await using before = await fleetInWaves();
      const [late = ""] = second;
      await before.commit("r2", blocking);
      unreachable(before, late);
      await before.clock.advance(24 * hour);
      expect(before.liveAs(blocking)).toHaveLength(4);
      await using world = when === "after a restart" ? await before.restart() : before;
      if (when === "while it is not listed") {
        world.unlistable = { zones: [late], failed: [] };
        await world.sweep("manual", 60_000);
      }
      await world.commit("r3", weakBlocking);
      world.faults.clear();
      world.unlistable = { zones: [], failed: [] };
      world.edit(late, ({ settings: now }) => ({ settings: now && { ...now, enabled: false } }));
      await world.sweep("manual", 60_000);
      // What r3 replaces is not written any more, and drift from what is in force is corrected.
      expect(sorted(world.liveAs(reporting))).toEqual(sorted([late], third));
      await world.clock.advance(24 * hour);
      expect(sorted(world.liveAs(weakBlocking))).toEqual(sorted(first, second));
    },
  );

  it("that changes no zone of a wave does not make it soak again", async ({ expect }) => {
    await using world = await fleetInWaves();
    await world.commit("r2", blocking);
    await world.clock.advance(20 * hour);
    await world.commit("r3", weakBlocking, third);
    await world.clock.advance(4 * hour);
    expect(sorted(world.liveAs(blocking))).toEqual(sorted(first, second));
  });

  it("that takes the change back reaches all zones at once, however long it soaked", async ({
    expect,
  }) => {
    await using world = await fleetInWaves({ ...settings, soakMs: 48 * hour });
    await world.commit("r2", blocking);
    await world.clock.advance(80 * hour);
    expect(world.liveAs(blocking)).toHaveLength(5);
    // Nor does the fleet guard count it.
    const fleetLimits = { ...world.options.fleetLimits, maxFleetShare: 0.1, minFleet: 2 };
    world.reconciler.reconfigure({ ...world.options, fleetLimits });
    await world.commit("r3", reporting);
    expect(world.liveAs(reporting)).toHaveLength(7);
    expect(world.where).toBeUndefined();
  });

  it("that takes a change back which has reached all zones waits where that was more than a day ago", async ({
    expect,
  }) => {
    await using world = await fleetInWaves();
    await world.commit("r2", blocking);
    await world.clock.advance(60 * hour);
    expect(world.liveAs(blocking)).toHaveLength(7);
    await world.commit("r3", reporting);
    expect(sorted(world.liveAs(blocking))).toEqual(sorted(second));
  });

  it("does not soak for one that has reached all zones", async ({ expect }) => {
    await using world = await fleetInWaves();
    await world.commit("r2", blocking, first);
    await world.commit("r3", blocking, second);
    expect(sorted(world.liveAs(blocking))).toEqual(sorted(first, second));
  });

  it("that repeats a change that was taken back goes out in waves again", async ({ expect }) => {
    await using world = await fleetInWaves();
    await world.commit("r2", blocking);
    await world.commit("r3", reporting);
    expect(world.liveAs(reporting)).toHaveLength(7);
    await world.clock.advance(hour);
    await world.commit("r4", blocking);
    // What was in force within a day does not wait, and soaks.
    expect(world.liveAs(blocking)).toEqual(first);
    await world.clock.advance(23 * hour);
    expect(world.liveAs(blocking)).toEqual(first);
    await world.clock.advance(hour);
    expect(world.liveAs(blocking)).toHaveLength(5);
  });
});

describe("a zone that is new in the files", () => {
  it("is not written before its wave, and then as declared", async ({ expect }) => {
    await using world = await fleetInWaves();
    const [added = ""] = third;
    world.files.delete(added);
    await world.reload("r2", 60_000);
    await world.commit("r3", blocking, [...first, added]);
    expect(world.liveAs(blocking)).toEqual(first);
    const report = world.reports.findLast(({ zone }) => zone === added);
    expect(report).toMatchObject({ result: "held", holds: [{ reason: "wave" }] });
    await world.clock.advance(24 * hour);
    expect(sorted(world.liveAs(blocking))).toEqual(sorted(first, [added]));
  });
});

describe("the next process", () => {
  it("goes on where the waves were, and corrects drift in zones that wait", async ({ expect }) => {
    await using before = await fleetInWaves();
    await before.commit("r2", blocking);
    await before.clock.advance(20 * hour);
    await using world = await before.restart();
    for (const zone of third) {
      world.edit(zone, ({ policies }) => ({
        policies: policies.map((each) => ({
          ...each,
          description: `By hand: ${each.description}`,
        })),
      }));
    }
    for (const zone of second) {
      world.edit(zone, ({ settings: now }) => ({ settings: now && { ...now, enabled: false } }));
    }
    await world.sweep("manual", 60_000);
    // What the store alone says may strengthen a zone, and not weaken it.
    expect(sorted(world.liveAs(reporting))).toEqual(sorted(second, third));
    expect(world.liveAs(blocking)).toEqual(first);
    for (const zone of third) {
      expect(world.live.get(zone)?.policies?.[0]?.description).toMatch(/^By hand/);
    }
    await world.clock.advance(3 * hour);
    expect(world.liveAs(blocking)).toEqual(first);
    await world.clock.advance(hour);
    expect(sorted(world.liveAs(blocking))).toEqual(sorted(first, second));
  });

  it("counts the time in which no process ran", async ({ expect }) => {
    await using before = await fleetInWaves();
    await before.commit("r2", blocking);
    await using world = await before.restart({ afterMs: 25 * hour });
    expect(sorted(world.liveAs(blocking))).toEqual(sorted(first, second));
  });

  it("begins the soak again where the clock was set back meanwhile", async ({ expect }) => {
    await using before = await fleetInWaves();
    await before.commit("r2", blocking);
    await before.clock.advance(20 * hour);
    await using world = await before.restart({ afterMs: -1000 * hour });
    await world.clock.advance(23 * hour);
    expect(world.liveAs(blocking)).toEqual(first);
    await world.clock.advance(hour);
    expect(world.liveAs(blocking)).toHaveLength(5);
  });

  it("lets zones wait whose files have changed meanwhile", async ({ expect }) => {
    await using before = await fleetInWaves();
    await before.commit("r2", blocking);
    for (const zone of before.files.keys()) before.files.set(zone, weakBlocking);
    await using world = await before.restart();
    expect(world.liveAs(weakBlocking)).toEqual(first);
    expect(sorted(world.liveAs(reporting))).toEqual(sorted(second, third));
  });

  it.for([
    { lose: ["all"], what: "the store is lost" },
    { lose: ["rollout"], what: "it is not known who waited" },
    { lose: ["earlier"], what: "it is not known what was in force" },
  ] as const)("never changes all zones at once where $what", async ({ lose }, { expect }) => {
    await using before = await fleetInWaves();
    await before.commit("r2", blocking);
    await before.clock.advance(hour);
    await using world = await before.restart({ lose });
    await world.clock.advance(hour);
    expect(world.liveAs(blocking)).toEqual(first);
    for (const zone of third) {
      expect(world.reports.findLast((report) => report.zone === zone)).toMatchObject({
        result: "held",
        holds: [{ reason: "wave" }],
      });
    }
    await world.clock.advance(21 * hour);
    expect(world.liveAs(blocking)).toEqual(first);
    await world.clock.advance(3 * hour);
    expect(sorted(world.liveAs(blocking))).toEqual(sorted(first, second));
    await world.clock.advance(24 * hour);
    expect(world.liveAs(blocking)).toHaveLength(7);
  });
});

/** Waves without a soak: the next one begins when the one before was applied. */
const withoutSoak: RolloutSettings = { ...settings, soakMs: 0 };

describe("waves without a soak", () => {
  it("follow one another as fast as they are applied", async ({ expect }) => {
    await using world = await fleetInWaves(withoutSoak);
    await world.commit("r2", blocking);
    expect(world.liveAs(blocking)).toHaveLength(7);
  });
});
