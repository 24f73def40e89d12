import { describe, it } from "vitest";

import { hashToAccept } from "../support/held.ts";
import { bare } from "../support/model.ts";
import {
  defaultOptions,
  edited,
  many,
  protectedContent,
  ServiceFault,
  weakened,
  World,
} from "../support/world.ts";

/** The limit of weakened zones has its own tests (weakened-zones.test.ts). */
const fleetLimits = { ...defaultOptions.fleetLimits, maxWeakened: { zones: 0, share: 1 } };

/** A fleet that was protected before, and files that declare something else of the first zones. */
async function changed(
  count: number,
  touched: number,
  content = weakened,
  options = {},
): Promise<World> {
  const zones = many(count);
  await using before = new World(zones, { fleetLimits: { ...fleetLimits, maxFleetShare: 1 } });
  await before.begin();
  const world = new World(zones, { fleetLimits, ...options });
  for (const [name, live] of before.live) world.live.set(name, live);
  for (const zone of zones.slice(0, touched)) world.files.set(zone, content);
  return world;
}

function writes({ requests }: World): readonly string[] {
  return requests.filter((each) => each.startsWith("write"));
}

function writtenZones(world: World): ReadonlySet<string | undefined> {
  return new Set(writes(world).map((each) => each.split(" ")[1]));
}

describe("the first round of a daemon that remembers nothing", () => {
  it("holds the fleet where it would change too many zones, and writes nothing", async ({
    expect,
  }) => {
    await using world = await changed(40, 40);
    await world.begin();
    expect(writes(world)).toEqual([]);
    // The log of each zone says what it waits for.
    const waits = world.reports.map((each) => (each.result === "planned" ? each.waits : ""));
    expect(waits.filter((why) => why?.includes("first round"))).toHaveLength(40);
    expect(world.loads.at(-1)).toMatchObject({
      result: "held",
      active: { revision: "r1" },
      hold: { reason: "fleet_change", touched: new Set(many(40)) },
      round: { phase: "planning", isBinding: true },
    });
    const { message = "" } = world.loads.at(-1)?.hold ?? {};
    expect(message).toContain("would change 40 of 40 declared zones (100 %), the limit is 30 %");
    expect(message).toContain("40 of them weaken the protection");
    // Neither a sweep, nor a file change, nor a drift in one zone begins to write.
    world.reconciler.requestSweep("schedule");
    await world.reload();
    expect(writes(world)).toEqual([]);
    expect(world.loads.at(-1)).toMatchObject({ result: "held" });
  });

  it("is released by its revision, and does not ask again", async ({ expect }) => {
    await using world = await changed(40, 40);
    await world.begin();
    world.accept(hashToAccept(world.loads.at(-1)?.hold?.message));
    await world.clock.advance(0);
    expect(writtenZones(world).size).toBe(40);
    expect(world.loads.at(-1)).toMatchObject({ result: "unchanged", round: { phase: "closed" } });
    // A plan that is fresh enough is written without another read, and only once.
    expect(world.requests.filter((each) => each.startsWith("read"))).toHaveLength(40);
    const sent = writes(world).length;
    await world.sweep("manual");
    expect(writes(world)).toHaveLength(sent);
  });

  it("reads zones again whose plans are too old to be written", async ({ expect }) => {
    await using world = await changed(40, 40);
    await world.begin();
    await world.clock.advance(120_000);
    world.accept(hashToAccept(world.loads.at(-1)?.hold?.message));
    await world.clock.advance(0);
    expect(world.requests.filter((each) => each.startsWith("read"))).toHaveLength(80);
    expect(world.loads.at(-1)).toMatchObject({ round: { phase: "closed" } });
  });

  it("does not write another revision than the accepted one", async ({ expect }) => {
    await using world = await changed(40, 40);
    await world.begin();
    const hash = hashToAccept(world.loads.at(-1)?.hold?.message);
    for (const name of many(20)) world.edit(name, ({ zone }) => bare(zone));
    for (const name of many(20)) world.files.set(name, edited);
    await world.reload("r2");
    world.accept(hash);
    await world.clock.advance(0);
    expect(writes(world)).toEqual([]);
    expect(hashToAccept(world.loads.at(-1)?.hold?.message)).not.toBe(hash);
  });

  it.for([
    { what: "few zones change", zones: 40, touched: 12 },
    { what: "the fleet is small", zones: 9, touched: 9 },
  ])("writes after the last plan where $what", async ({ zones, touched }, { expect }) => {
    await using world = await changed(zones, touched);
    await world.begin();
    expect(world.loads.at(-1)).toMatchObject({ hold: undefined, round: { phase: "closed" } });
    expect(writtenZones(world).size).toBe(touched);
    const reads = world.requests.findLastIndex((each) => each.startsWith("read"));
    const firstWrite = world.requests.findIndex((each) => each.startsWith("write"));
    if (zones >= 10) expect(firstWrite).toBeGreaterThan(reads);
  });

  it("is over where the files are reverted", async ({ expect }) => {
    await using world = await changed(40, 40);
    await world.begin();
    for (const zone of many(40)) world.files.set(zone, protectedContent);
    await world.reload("r2");
    expect(world.loads.at(-1)).toMatchObject({
      hold: undefined,
      active: { revision: "r2" },
      round: { phase: "closed" },
    });
    expect(writes(world)).toEqual([]);
  });

  it("does not wait for ever for zones that cannot be read", async ({ expect }) => {
    await using world = await changed(40, 4);
    world.faults.set("z39.example", () => new ServiceFault("API_FORBIDDEN", false));
    world.faults.set("z38.example", () => new ServiceFault("API_SERVER", true));
    await world.begin();
    expect(writes(world)).toEqual([]);
    // What has failed for good is not waited for again.
    world.reconciler.filesChanged();
    await world.clock.advance(3_600_000);
    expect(writtenZones(world).size).toBe(4);
    expect(world.loads.at(-1)).toMatchObject({ round: { phase: "open" } });
    world.faults.clear();
    await world.sweep("manual", 3_600_000);
    expect(world.loads.at(-1)).toMatchObject({ round: { phase: "closed" } });
  });

  it("judges zones that can be read later together with what it let pass", async ({ expect }) => {
    // 10 of 40 change at first, 10 more when they can be read: 30 % are 12.
    await using world = await changed(40, 20);
    const late = many(20).slice(10);
    for (const zone of late) {
      world.faults.set(zone, () => new ServiceFault("API_FORBIDDEN", false));
    }
    await world.begin();
    const written = (): number => writtenZones(world).size;
    expect(written()).toBe(10);
    world.faults.clear();
    for (let sweep = 0; sweep < 3; sweep += 1) {
      await world.sweep("manual");
    }
    expect(written()).toBeLessThanOrEqual(12);
    const { hold } = world.loads.at(-1) ?? {};
    expect(hold?.message).toContain("(12 of them already)");
    world.accept(hashToAccept(hold?.message));
    await world.clock.advance(0);
    expect(written()).toBe(20);
    expect(world.loads.at(-1)).toMatchObject({ result: "unchanged", round: { phase: "closed" } });
  });

  it("counts plans that only a freeze or a suspension holds", async ({ expect }) => {
    const suspension = { reason: "sale", until: new Date("2100-01-01T00:00:00Z") };
    await using world = await changed(40, 40, { ...weakened, suspension });
    await world.begin();
    expect(world.loads.at(-1)).toMatchObject({ result: "held", hold: { reason: "fleet_change" } });
  });

  it("plans a zone again whose file changes during its run", async ({ expect }) => {
    await using world = await changed(10, 0, weakened, { concurrency: 10 });
    world.latencyMs = 10;
    world.start();
    await world.clock.advance(15);
    expect(world.requests).toHaveLength(10);
    for (const zone of many(10)) world.files.set(zone, weakened);
    await world.reload("r2", 1_000);
    expect(writes(world)).toEqual([]);
    expect(world.loads.at(-1)).toMatchObject({ result: "held", active: { revision: "r2" } });
  });
});

describe("a daemon that restores a revision", () => {
  it("counts the zones that the limit let pass before", async ({ expect }) => {
    await using world = await changed(40, 5, edited);
    world.remember();
    [world.storedRound, world.storedPassed] = ["open", 10];
    await world.begin();
    expect(writtenZones(world).size).toBe(2);
  });
});
