import { describe, it } from "vitest";

import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import { declared, desiredZone, policy } from "../support/model.ts";
import { named } from "../support/reports.ts";
import { MemoryRunStore } from "../support/run-store.ts";
import {
  defaultOptions,
  edited,
  many,
  oneCredential,
  protectedContent,
  ServiceFault,
  World,
} from "../support/world.ts";

const [minute, hour] = [60_000, 3_600_000] as const;

const off = desiredZone({
  settings: [{ name: "enabled", value: false }],
  policies: declared([policy("checkout")]),
}).content;
/** A delete of a section: the policy is no longer declared. */
const dropped = desiredZone({
  settings: [{ name: "enabled", value: true }],
  policies: declared([]),
}).content;
/** An exception: the policy no longer applies to all requests. */
const excepted = desiredZone({
  settings: [{ name: "enabled", value: true }],
  policies: declared([
    policy("checkout", {
      expression: 'http.host eq "shop.example.com" and http.request.uri.path ne "/x"',
    }),
  ]),
}).content;
/** A fleet that is as declared, in which revisions of any share of the zones pass. */
async function fleetOf(count: number, store = new MemoryRunStore(), options = {}): Promise<World> {
  const fleetLimits = { ...defaultOptions.fleetLimits, maxFleetShare: 1 };
  const world = new World(many(count), { fleetLimits, ...options }, oneCredential, store);
  await world.begin();
  world.requests.length = 0;
  world.takeResults();
  return world;
}

/** The same of many zones, of which none is written before. */
async function largeFleet(count: number): Promise<World> {
  await using one = await fleetOf(1);
  const live = one.live.get("z0.example");
  const fleetLimits = { ...defaultOptions.fleetLimits, maxFleetShare: 1 };
  const world = new World(many(count), { fleetLimits });
  for (const [name, { zone }] of world.live) {
    if (live !== undefined) world.live.set(name, { ...live, zone });
  }
  await world.begin();
  return world;
}

/** The process after one that ended, with what that one left. */
async function restarted(world: World, store: MemoryRunStore): Promise<World> {
  const { options } = world;
  const next = new World(many(world.files.size), options, oneCredential, store);
  for (const [name, live] of world.live) next.live.set(name, live);
  for (const [name, content] of world.files) next.files.set(name, content);
  next.revision = world.revision;
  next.remember();
  await world[Symbol.asyncDispose]();
  await next.begin();
  return next;
}

let revisions = 1;

async function commit(
  world: World,
  zones: readonly string[],
  content: ZoneContent,
  ms = 0,
): Promise<void> {
  for (const zone of zones) world.files.set(zone, content);
  world.revision = `r${(revisions += 1)}`;
  world.reconciler.filesChanged();
  await world.clock.advance(ms);
}

function written({ requests }: World): ReadonlySet<string> {
  return new Set(requests.flatMap((each) => /^write (\S+)/.exec(each)?.[1] ?? []));
}

describe("a revision that weakens more zones than the limit", () => {
  it.for([
    { what: "switches Page Shield off in 4 of 5", zones: 5, touched: 4, content: off },
    { what: "switches Page Shield off in 11 of 40", zones: 40, touched: 11, content: off },
    { what: "deletes a section of 5 of 12", zones: 12, touched: 5, content: dropped },
    { what: "adds an exception to all of 9", zones: 9, touched: 9, content: excepted },
  ])("$what: it is held, and nothing is written", async (row, { expect }) => {
    await using world = await fleetOf(row.zones);
    const before = world.loads.at(-1)?.active.revision;
    await commit(world, many(row.touched), row.content);
    expect(written(world)).toEqual(new Set());
    const { result, hold, active } = world.loads.at(-1) ?? {};
    expect([result, hold?.reason, active?.revision]).toEqual(["held", "fleet_change", before]);
    expect(hold?.message).toContain(
      `would weaken the protection of ${row.touched} of ${row.zones} declared zones, or may (z0.example, z1.example, z2.example and ${row.touched - 3} more); the limit is 3 within an hour: to accept it, add ${world.revision} to limits.accept, or raise limits.max_weakened`,
    );
    // The revision before is in force: drift is corrected against it.
    expect(world.live.get("z0.example")?.settings?.enabled).toBe(true);
    world.edit("z0.example", ({ policies }) => ({
      policies: policies.map((each) => ({ ...each, value: "script-src *" })),
    }));
    await world.sweep("schedule", 2 * hour);
    expect(written(world)).toEqual(new Set(["z0.example"]));
  });

  it("holds 64 of 400 zones in one revision, and 40 in each of three within 40 s", async ({
    expect,
  }) => {
    await using world = await largeFleet(400);
    await commit(world, many(64), off, minute);
    expect(written(world)).toEqual(new Set());
    expect(world.loads.at(-1)?.hold?.message).toContain(
      "would weaken the protection of 64 of 400 declared zones, or may (z0.example, z1.example, z2.example and 61 more); the limit is 4 within an hour",
    );
    await commit(world, many(64), protectedContent, minute);
    expect(world.loads.at(-1)).toMatchObject({ hold: undefined });
    for (const from of [0, 40, 80]) await commit(world, many(from + 40, from), off, 13_000);
    await world.clock.advance(minute);
    expect(written(world)).toEqual(new Set());
    expect(world.loads.at(-1)).toMatchObject({ result: "held", hold: { reason: "fleet_change" } });
  });

  it("is released by its revision, and reads no zone twice for it", async ({ expect }) => {
    await using world = await fleetOf(20);
    await commit(world, many(6), off);
    world.accept(world.revision);
    await world.clock.advance(0);
    expect(written(world)).toEqual(new Set(many(6)));
    expect(world.loads.at(-1)).toMatchObject({
      result: "applied",
      active: { revision: world.revision },
    });
    expect(world.live.get("z5.example")?.settings?.enabled).toBe(false);
  });

  it("lets the other zones go on while it is judged", async ({ expect }) => {
    await using world = await fleetOf(8);
    const before = world.revision;
    world.slow.set("z0.example", 5 * minute);
    await commit(world, many(5), off);
    world.edit("z7.example", () => ({ policies: [] }));
    await world.sweep("manual", minute);
    expect(written(world)).toEqual(new Set(["z7.example"]));
    const shown = new Map(world.reports.map(({ zone, revision }) => [zone, revision]));
    expect(["z4", "z7"].map((zone) => shown.get(named(`${zone}.example`)))).toEqual([
      world.revision,
      before,
    ]);
    expect(world.loads.at(-1)).toMatchObject({ result: "unchanged", hold: undefined });
    await world.clock.advance(10 * minute);
    expect(written(world)).toEqual(new Set(["z7.example"]));
    expect(world.loads.at(-1)?.result).toBe("held");
  });
});

describe("a revision that weakens no more zones than the limit", () => {
  it.for([
    { what: "strengthens all zones", zones: 14, touched: 14, content: edited },
    { what: "switches Page Shield off in 3 zones", zones: 30, touched: 3, content: off },
  ])("$what: it is applied", async ({ zones, touched, content }, { expect }) => {
    await using world = await fleetOf(zones);
    await commit(world, many(touched), content);
    expect(written(world)).toEqual(new Set(many(touched)));
    // Each zone is planned once, before the first write.
    expect(world.requests.filter((each) => each.startsWith("read"))).toHaveLength(touched);
    expect(world.loads.at(-1)).toMatchObject({
      hold: undefined,
      active: { revision: world.revision },
    });
  });

  it("adds zones: it is applied", async ({ expect }) => {
    await using world = new World(many(14));
    for (const zone of many(14, 6)) world.files.delete(zone);
    await world.begin();
    await commit(world, many(14, 6), protectedContent);
    expect(written(world)).toEqual(new Set(many(14)));
  });
});

describe("several revisions within an hour", () => {
  it("are counted together", async ({ expect }) => {
    await using world = await fleetOf(20);
    await commit(world, many(2), off, 10 * minute);
    expect(written(world).size).toBe(2);
    await commit(world, many(4, 2), off, 10 * minute);
    expect(written(world).size).toBe(2);
    expect(world.loads.at(-1)?.hold?.message).toContain(
      "of 2 of 20 declared zones, or may (z2.example, z3.example), after 2 within the last hour",
    );
    // A later hour counts anew.
    await world.clock.advance(hour);
    await world.sweep("manual");
    expect(written(world).size).toBe(4);
  });

  it("are counted together where they come within seconds", async ({ expect }) => {
    await using world = await fleetOf(20);
    world.latencyMs = 2_000;
    for (const from of [0, 2, 4]) await commit(world, many(from + 2, from), off, 500);
    await world.clock.advance(5 * minute);
    expect(written(world).size).toBeLessThanOrEqual(3);
    expect(world.loads.at(-1)?.result).toBe("held");
  });

  it("are counted together across a restart", async ({ expect }) => {
    const store = new MemoryRunStore();
    const first = await fleetOf(20, store);
    await commit(first, many(2), off);
    await using world = await restarted(first, store);
    await commit(world, many(5, 3), off, minute);
    expect(written(world)).toEqual(new Set());
    expect(world.loads.at(-1)?.result).toBe("held");
  });

  it("that a person released do not count", async ({ expect }) => {
    await using world = await fleetOf(20);
    world.accept(`r${revisions + 1}`);
    await commit(world, many(9), off);
    expect(written(world).size).toBe(9);
    await commit(world, many(11, 9), off);
    expect(written(world).size).toBe(11);
  });
});

describe("an emergency revert", () => {
  it("is not held, though it weakens all zones", async ({ expect }) => {
    const fleetLimits = { ...defaultOptions.fleetLimits, accept: ["r1"] };
    await using world = await fleetOf(20, new MemoryRunStore(), { fleetLimits });
    world.accept(`r${revisions + 1}`);
    await commit(world, many(20), edited);
    expect(written(world).size).toBe(20);
    world.requests.length = 0;
    world.accept();
    await commit(world, many(20), protectedContent);
    expect(written(world).size).toBe(20);
    expect(world.loads.at(-1)).toMatchObject({
      hold: undefined,
      active: { revision: world.revision },
    });
  });

  it("goes back after a restart, and no longer after a day", async ({ expect }) => {
    const store = new MemoryRunStore();
    const first = await fleetOf(20, store);
    await commit(first, many(8), edited);
    await using world = await restarted(first, store);
    await commit(world, many(5), protectedContent);
    expect(written(world)).toEqual(new Set(many(5)));
    world.requests.length = 0;
    world.clock.step(25 * hour);
    await commit(world, many(5), edited);
    await commit(world, many(8), protectedContent);
    expect(written(world)).toEqual(new Set(many(8)));
  });
});

describe("zones that somebody strengthened by hand", () => {
  it("are weakened again up to the limit, and then held alone", async ({ expect }) => {
    await using world = await fleetOf(12);
    for (const zone of many(5)) {
      world.edit(zone, ({ policies }) => ({
        policies: policies.map((each) => ({ ...each, action: "allow" })),
      }));
    }
    await world.sweep("manual", minute);
    expect(written(world)).toEqual(new Set(many(3)));
    const held = world.reports.filter(({ result }) => result === "held");
    expect(held.map(({ zone }) => zone)).toEqual(many(5, 3));
    const [hold] = held.flatMap((each) => (each.result === "held" ? each.holds : []));
    expect(hold?.reason).toBe("fleet_change");
    expect(hold?.message).toContain("somebody changed it by hand");
    expect(world.loads.at(-1)?.result).toBe("unchanged");
    // They hold no revision that weakens nothing.
    await commit(world, many(12, 5), edited);
    expect(written(world)).toEqual(new Set([...many(3), ...many(12, 5)]));
  });
});

describe("a zone that could not be planned with its revision", () => {
  it("is counted when it is written", async ({ expect }) => {
    await using world = await fleetOf(12);
    const late = many(9, 3);
    for (const zone of late) {
      world.faults.set(zone, () => new ServiceFault("API_FORBIDDEN", false));
    }
    await commit(world, many(9), off);
    expect(written(world)).toEqual(new Set(many(3)));
    world.faults.clear();
    await world.sweep("manual", minute);
    expect(written(world)).toEqual(new Set(many(3)));
  });
});

describe("the mode observe", () => {
  it("holds nothing, and leaves no more than the limit to write", async ({ expect }) => {
    await using world = await fleetOf(12);
    const { options } = world;
    world.reconciler.reconfigure({ ...options, mode: "observe" });
    await commit(world, many(6), off);
    expect(world.loads.at(-1)?.hold).toBeUndefined();
    world.reconciler.reconfigure(options);
    await world.sweep("manual", minute);
    expect(written(world).size).toBe(3);
  });
});
