import { describe, it } from "vitest";

import { zoneId } from "../../src/zone/zone.ts";
import { bare } from "../support/model.ts";
import { edited, many, protectedContent, World } from "../support/world.ts";

const [shop, blog] = ["shop.example", "blog.example"] as const;

describe("a new revision of the files", () => {
  it("that changes too many zones is held, and the revision before stays active", async ({
    expect,
  }) => {
    const zones = many(10);
    await using world = new World(zones);
    world.remember();
    await world.begin();
    world.takeResults();
    world.requests.length = 0;
    for (const zone of zones.slice(0, 4)) world.files.set(zone, edited);
    await world.reload("r2");
    expect(world.loads.at(-1)).toMatchObject({
      result: "held",
      state: { revision: "r2" },
      active: { revision: "r1", hash: "r1" },
      hold: { reason: "fleet_change", touched: new Set(zones.slice(0, 4)) },
    });
    expect(world.requests).toEqual([]);

    await world.sweep();
    expect(new Set(world.reports.map(({ result }) => result))).toEqual(new Set(["in_sync"]));
  });

  it.for([
    { how: "suspends", change: { suspension: { reason: "incident", until: undefined } } },
    { how: "only observes", change: { mode: "observe" as const } },
  ])("that $how the whole fleet is active at once", async ({ change }, { expect }) => {
    const zones = many(12);
    await using world = new World(zones);
    world.remember();
    await world.begin();
    for (const zone of zones) world.files.set(zone, { ...protectedContent, ...change });
    await world.reload("r2");
    expect(world.loads.at(-1)).toMatchObject({ result: "applied", active: { revision: "r2" } });

    world.requests.length = 0;
    for (const zone of world.live.values()) world.live.set(zone.zone.name, bare(zone.zone));
    world.takeResults();
    await world.sweep();
    expect(world.takeResults()).toEqual(zones.map((zone) => `${zone} held`));
    expect(world.requests.filter((request) => request.startsWith("write"))).toEqual([]);
  });

  it("that ends suspensions counts like every other change", async ({ expect }) => {
    const zones = many(12);
    await using world = new World(zones);
    const suspension = { reason: "incident", until: undefined };
    for (const zone of zones) world.files.set(zone, { ...protectedContent, suspension });
    world.remember();
    await world.begin();
    for (const zone of zones) world.files.set(zone, protectedContent);
    await world.reload("r2");
    expect(world.loads.at(-1)).toMatchObject({ hold: { touched: new Set(zones) } });
  });

  it("that is held suspends the zones that it suspends, until it is reverted", async ({
    expect,
  }) => {
    const zones = many(12);
    const [first = "", ...rest] = zones;
    await using world = new World(zones);
    world.remember();
    await world.begin();
    world.takeResults();
    for (const zone of rest) world.files.set(zone, edited);
    const suspension = { reason: "incident", until: undefined };
    world.files.set(first, { ...edited, suspension });
    await world.reload("r2");
    expect(world.loads.at(-1)).toMatchObject({
      active: { revision: "r1" },
      hold: { touched: new Set(rest) },
    });
    for (const zone of world.live.values()) world.live.set(zone.zone.name, bare(zone.zone));
    world.takeResults();
    await world.sweep();
    expect(world.takeResults().filter((text) => text.endsWith("held"))).toEqual([`${first} held`]);
    expect(world.live.get(rest[0] ?? "")?.policies).toMatchObject([{ action: "log" }]);

    for (const zone of zones) world.files.set(zone, protectedContent);
    await world.reload("r1");
    expect(world.takeResults()).toEqual([`${first} applied`]);
  });

  it("that drops a zone forgets it and leaves its live state", async ({ expect }) => {
    await using world = new World([shop, blog]);
    await world.begin();
    world.takeResults();
    world.files.delete(blog);
    world.revision = "r2";
    world.reconciler.filesChanged();
    await world.sweep();
    expect(world.takeResults()).toEqual([`${shop} in_sync`]);
    expect(world.live.get(blog)?.policies).toHaveLength(1);
  });
});

describe("while a revision is held", () => {
  const zones = many(10);

  /** A fleet in which `r2` is held since it edits every zone; `unlisted` zones are declared in both, and not listed yet. */
  async function heldWorld(...unlisted: readonly string[]): Promise<World> {
    const world = new World([...zones, ...unlisted]);
    world.unlistable = { zones: unlisted, failed: [] };
    world.remember();
    await world.begin();
    for (const zone of zones) world.files.set(zone, edited);
    await world.reload("r2");
    world.takeResults();
    world.requests.length = 0;
    return world;
  }

  it("a zone that the service lists later gets the declaration of the active revision", async ({
    expect,
  }) => {
    await using world = await heldWorld("new.example");
    world.unlistable = { zones: [], failed: [] };
    await world.sweep();
    const reports = world.reports.filter(({ zone }) => zone === "new.example");
    expect(reports).toMatchObject([{ result: "applied", revision: "r1" }]);
    expect(world.loads.at(-1)).toMatchObject({ result: "held", active: { revision: "r1" } });
  });

  it("a zone that was recreated is read by its new id", async ({ expect }) => {
    await using world = await heldWorld();
    const [first = ""] = zones;
    const live = world.live.get(first);
    const id = zoneId("f".repeat(32));
    if (live === undefined || id === undefined) throw new Error("no zone");
    world.live.set(first, bare({ ...live.zone, id }));
    await world.sweep();
    expect(world.loads.at(-1)?.fleet.zones.get(live.zone.name)?.desired.zone.id).toBe(id);
    expect(world.takeResults()).toContain(`${first} applied`);
  });

  it("a zone that is no longer listed is reported, and not read again", async ({ expect }) => {
    await using world = await heldWorld();
    const [first = ""] = zones;
    world.unlistable = { zones: [first], failed: [] };
    await world.sweep();
    expect(world.takeResults()).toContain(`${first} error`);
    expect(world.requests).not.toContain(`read ${first}`);
  });

  it("a listing with fewer zones for a moment does not release it", async ({ expect }) => {
    await using world = await heldWorld();
    world.unlistable = { zones, failed: [] };
    await world.sweep();
    world.unlistable = { zones: [], failed: [] };
    await world.sweep();
    expect(world.loads.map(({ result }) => result).slice(-3)).toEqual(["held", "held", "held"]);
    expect(world.requests.filter((request) => request.startsWith("write"))).toEqual([]);
  });

  it("its replacement is compared with the zones that were listed meanwhile, too", async ({
    expect,
  }) => {
    const late = Array.from({ length: 20 }, (_, index) => `late${index}.example`);
    await using world = await heldWorld(...late);
    for (const zone of late) world.files.set(zone, edited);
    world.revision = "r3";
    world.unlistable = { zones: [], failed: [] };
    await world.sweep();
    world.revision = "r4";
    for (const zone of zones) world.files.set(zone, protectedContent);
    await world.reload();
    expect(world.loads.at(-1)?.hold?.touched).toEqual(new Set(late));
  });
});
