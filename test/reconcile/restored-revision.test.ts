import { describe, it } from "vitest";

import type { DesiredState } from "../../src/zone/desired-state.ts";
import { desiredZone } from "../support/model.ts";
import { edited, many, ServiceFault, weakened, World } from "../support/world.ts";

/** What was active when the process before this one ended. */
async function storedOf(zones: readonly string[], revision = "r1"): Promise<DesiredState> {
  await using before = new World(zones);
  before.revision = revision;
  await before.begin();
  const state = before.loads.at(-1)?.state;
  if (state === undefined) throw new Error("nothing was loaded");
  return state;
}

/** A daemon that starts with what another one stored, and with files that weaken all zones. */
async function restarted(zones: readonly string[], content = weakened): Promise<World> {
  const world = new World(zones);
  world.stored = await storedOf(zones);
  for (const zone of zones) world.files.set(zone, content);
  world.revision = "r2";
  return world;
}

describe("a daemon that starts with a stored revision", () => {
  it("holds a revision that changes too many zones, as before the restart", async ({ expect }) => {
    await using world = await restarted(many(12));
    await world.begin();
    expect(world.loads.at(-1)).toMatchObject({
      result: "held",
      active: { revision: "r1" },
      hold: { reason: "fleet_change" },
    });
    // The zones are brought to what the stored revision declares: all of it strengthens, and cannot break.
    expect([...world.live.values()].map(({ settings }) => settings?.enabled)).toEqual(
      many(12).map(() => true),
    );
  });

  it("writes what only strengthens, and the rest once the files on the disk are active", async ({
    expect,
  }) => {
    const zones = many(12);
    await using world = new World(zones);
    const settings = desiredZone({ settings: [{ name: "enabled", value: true }] }).content;
    // One zone needs what may break a site, the others a setting.
    for (const name of zones) world.files.set(name, settings);
    world.files.set("z7.example", edited);
    world.remember();
    for (const name of zones.slice(0, 5)) world.files.set(name, weakened);
    world.revision = "r2";
    await world.begin();
    expect(world.loads.at(-1)).toMatchObject({ result: "held", active: { revision: "r1" } });
    expect(world.reports.find(({ zone }) => zone === "z7.example")).toMatchObject({
      result: "held",
      holds: [{ reason: "fleet_change" }],
    });
    expect([...world.live.values()].map(({ settings: found }) => found?.enabled)).toEqual(
      zones.map((name) => name !== "z7.example"),
    );
    // Its declaration is the same in the files that become active now.
    world.accept("r2");
    world.takeResults();
    await world.reload();
    expect(world.loads.at(-1)).toMatchObject({ result: "applied", active: { revision: "r2" } });
    expect(world.takeResults()).toContain("z7.example applied");
  });

  it("writes nothing that may break while the files on the disk are rejected", async ({
    expect,
  }) => {
    await using world = new World(many(3));
    for (const name of many(3)) world.files.set(name, edited);
    world.remember();
    world.usable = false;
    await world.begin();
    expect(world.loads.at(-1)).toMatchObject({ result: "rejected", active: { revision: "r1" } });
    expect(new Set(world.takeResults())).toEqual(new Set(many(3).map((name) => `${name} held`)));
    // The files are as they were when the state was stored.
    world.usable = true;
    await world.reload();
    expect(new Set(world.takeResults())).toEqual(new Set(many(3).map((name) => `${name} applied`)));
  });

  it("fails where that cannot be read, and sends nothing", async ({ expect }) => {
    const world = await restarted(many(1));
    const fault = new Error("no permission to read the state");
    world.restoring = () => Promise.reject(fault);
    world.start();
    await expect(world.ended).rejects.toBe(fault);
    await world.clock.advance(60_000);
    expect([world.loadCount, world.requests]).toEqual([0, []]);
    world.stop.abort();
  });

  it("ends quietly where it is stopped before that is read", async ({ expect }) => {
    await using world = await restarted(many(1));
    world.restoring = (signal) => world.clock.sleep(10_000, signal);
    world.start();
    await world.clock.advance(1_000);
    world.stop.abort(new Error("the Lease is lost"));
    await expect(world.ended).resolves.toBeUndefined();
    expect(world.loads).toEqual([]);
    expect(world.requests).toEqual([]);
  });

  it("compares nothing before the zones are listed, and writes nothing", async ({ expect }) => {
    await using world = await restarted(many(12));
    world.listFault = new ServiceFault("API_SERVER", true);
    await world.begin();
    await world.reload();
    expect(world.loads.at(-1)).toMatchObject({ result: "unchanged", active: { revision: "r1" } });
    expect(world.requests).toEqual([]);
    world.listFault = undefined;
    await world.sweep("signal");
    expect(world.loads.at(-1)).toMatchObject({ result: "held", active: { revision: "r1" } });
  });

  it("applies a revision that changes few zones", async ({ expect }) => {
    const zones = many(12);
    await using world = new World(zones);
    world.stored = await storedOf(zones);
    world.files.set("z3.example", edited);
    world.revision = "r2";
    await world.begin();
    expect(world.loads.at(-1)).toMatchObject({ result: "applied", active: { revision: "r2" } });
    expect(world.live.get("z3.example")?.policies?.map(({ action }) => action)).toEqual(["allow"]);
  });

  it("rejects files that declare no zone any more", async ({ expect }) => {
    const zones = many(3);
    await using world = new World(zones);
    world.stored = await storedOf(zones);
    world.files.clear();
    world.revision = "r2";
    await world.begin();
    expect(world.loads.at(-1)).toMatchObject({ result: "rejected", active: { revision: "r1" } });
  });

  it("finds nothing new where the files are as they were", async ({ expect }) => {
    const zones = many(12);
    await using world = new World(zones);
    world.stored = await storedOf(zones);
    await world.begin();
    expect(world.loads.map(({ result }) => result)).not.toContain("applied");
    expect(world.loads.at(-1)).toMatchObject({ result: "unchanged", active: { revision: "r1" } });
    expect(new Set(world.reports.map(({ result }) => result))).toEqual(new Set(["applied"]));
  });

  it("without one takes the files as they are", async ({ expect }) => {
    await using world = new World(many(12));
    await world.begin();
    expect(world.loads[0]).toMatchObject({ result: "applied", active: { revision: "r1" } });
  });
});
