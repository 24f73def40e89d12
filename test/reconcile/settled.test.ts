import { describe, it } from "vitest";

import { declared, desiredZone, policy } from "../support/model.ts";
import { ServiceFault, World } from "../support/world.ts";

const shop = "shop.example";

/** A world in which the zones are as declared, and have been looked at since they became so. */
async function settledWorld(...others: readonly string[]): Promise<World> {
  const world = new World([shop, ...others]);
  world.start();
  await world.clock.advance(0);
  await lookAgain(world);
  world.understood.splice(0);
  return world;
}

/** Results of one more look at all zones. */
async function lookAgain(world: World): Promise<readonly string[]> {
  world.told();
  world.reconciler.requestSweep("schedule");
  await world.clock.advance(0);
  return world.told();
}

describe("a zone of which nothing has changed since the last look", () => {
  it("is read, but not understood and planned again", async ({ expect }) => {
    await using world = await settledWorld();
    world.requests.splice(0);
    expect(await lookAgain(world)).toEqual([`${shop} in_sync`]);
    expect(world.requests).toEqual([`read ${shop}`]);
    expect(world.understood).toEqual([]);
  });

  it("is told as it was, under its new facts in the listing", async ({ expect }) => {
    await using world = await settledWorld();
    const live = world.live.get(shop);
    if (live === undefined) throw new Error("no live zone");
    const moved = { ...live.zone, status: "moved" };
    world.live.set(shop, { ...live, zone: moved });
    world.reconciler.requestSweep("schedule");
    await world.clock.advance(0);
    const report = world.reports.at(-1);
    expect(report).toMatchObject({ result: "in_sync", plan: { zone: moved, changes: [] } });
  });
});

describe("a zone is planned anew", () => {
  it("when its live state has moved", async ({ expect }) => {
    await using world = await settledWorld();
    const live = world.live.get(shop);
    if (live === undefined) throw new Error("no live zone");
    world.live.set(shop, { ...live, policies: [] });
    expect(await lookAgain(world)).toEqual([`${shop} applied`]);
  });

  it("when its declaration has changed while the live state is as it was", async ({ expect }) => {
    await using world = await settledWorld();
    const content = desiredZone({
      settings: [{ name: "enabled", value: true }],
      policies: declared([policy("checkout", { action: "allow" })]),
    }).content;
    world.files.set(shop, content);
    world.revision = "r2";
    world.reconciler.filesChanged();
    await world.clock.advance(0);
    expect(world.told().at(-1)).toBe(`${shop} applied`);
  });

  it("when it goes by another mark of ownership", async ({ expect }) => {
    await using world = await settledWorld();
    world.reconciler.reconfigure({ ...world.options, owner: "somebody-else" });
    await lookAgain(world);
    expect(world.understood).toEqual([shop]);
  });

  it("after it was taken out of the files and put back", async ({ expect }) => {
    await using world = await settledWorld("blog.example");
    const content = world.files.get(shop);
    if (content === undefined) throw new Error("no file");
    world.files.delete(shop);
    world.revision = "r2";
    world.reconciler.filesChanged();
    await world.clock.advance(0);
    world.files.set(shop, content);
    world.revision = "r3";
    world.reconciler.filesChanged();
    await world.clock.advance(0);
    expect(world.understood).toEqual([shop]);
  });

  it("after a look that could not be had", async ({ expect }) => {
    await using world = await settledWorld();
    world.faults.set(shop, () => new ServiceFault("API_SERVER", false));
    expect(await lookAgain(world)).toEqual([`${shop} error`]);
    world.faults.clear();
    expect(await lookAgain(world)).toEqual([`${shop} in_sync`]);
    expect(world.understood).toEqual([shop]);
  });
});
