import { describe, it } from "vitest";

import { unmarked } from "../../src/zone/mark.ts";
import { declared, desiredZone, policy } from "../support/model.ts";
import { named } from "../support/reports.ts";
import { ServiceFault, World } from "../support/world.ts";

const shop = "shop.example";

/** A world whose zones are in sync, and were run since. */
async function sweptWorld(...others: readonly string[]): Promise<World> {
  const world = new World([shop, ...others]);
  await world.begin();
  await lookAgain(world);
  world.parsed.splice(0);
  return world;
}

/** Brings a zone to what is declared, by hand: its policy has no mark. */
async function madeByHand(world: World): Promise<void> {
  await world.begin();
  const live = world.live.get(shop);
  if (live?.policies === undefined) throw new Error("no policies");
  const policies = live.policies.map((each) => ({
    ...each,
    description: unmarked(each.description).description,
  }));
  world.live.set(shop, { ...live, policies });
  await lookAgain(world);
}

/** The results of one more sweep. */
async function lookAgain(world: World): Promise<readonly string[]> {
  world.takeResults();
  await world.sweep();
  return world.takeResults();
}

describe("a zone that has not changed since the last run", () => {
  it("is read, but not parsed and planned again", async ({ expect }) => {
    await using world = await sweptWorld();
    world.requests.splice(0);
    expect(await lookAgain(world)).toEqual([`${shop} in_sync`]);
    expect(world.requests).toEqual([`read ${shop}`]);
    expect(world.parsed).toEqual([]);
  });

  it("is reported as before, with its new facts from the listing", async ({ expect }) => {
    await using world = await sweptWorld();
    const live = world.live.get(shop);
    if (live === undefined) throw new Error("no live zone");
    const moved = { ...live.zone, status: "moved" };
    world.live.set(shop, { ...live, zone: moved });
    await world.sweep();
    const report = world.reports.at(-1);
    expect(report).toMatchObject({ result: "in_sync", plan: { zone: moved, changes: [] } });
  });
});

describe("a zone is planned again", () => {
  it("when its live state changed", async ({ expect }) => {
    await using world = await sweptWorld();
    const live = world.live.get(shop);
    if (live === undefined) throw new Error("no live zone");
    world.live.set(shop, { ...live, policies: [] });
    expect(await lookAgain(world)).toEqual([`${shop} applied`]);
  });

  it("when its declaration changed and the live state did not", async ({ expect }) => {
    await using world = await sweptWorld();
    const content = desiredZone({
      settings: [{ name: "enabled", value: true }],
      policies: declared([policy("checkout", { action: "allow" })]),
    }).content;
    world.files.set(shop, content);
    await world.reload("r2");
    expect(world.takeResults().at(-1)).toBe(`${shop} applied`);
  });

  it("when the owner changed", async ({ expect }) => {
    await using world = await sweptWorld();
    world.reconciler.reconfigure({ ...world.options, owner: "somebody-else" });
    await lookAgain(world);
    expect(world.parsed).toEqual([shop]);
  });

  it("when declared resources are to be adopted from now on", async ({ expect }) => {
    await using world = new World([shop]);
    await madeByHand(world);
    world.reconciler.reconfigure({ ...world.options, adopt: true });
    expect(await lookAgain(world)).toEqual([`${shop} applied`]);
    expect(await lookAgain(world)).toEqual([`${shop} in_sync`]);
  });

  it("when other rules are remembered as adopted", async ({ expect }) => {
    await using world = await sweptWorld();
    const rules = [{ id: "r1", ref: "by-hand", key: "owasp" }];
    world.store.setAdopted(named(shop), rules);
    await lookAgain(world);
    await lookAgain(world);
    expect(world.parsed).toEqual([shop]);
    world.store.setAdopted(named(shop), [{ id: "r2", ref: "by-hand", key: "owasp" }]);
    await lookAgain(world);
    expect(world.parsed).toEqual([shop, shop]);
  });

  it("after it was dropped from the files and added again", async ({ expect }) => {
    await using world = await sweptWorld("blog.example");
    const content = world.files.get(shop);
    if (content === undefined) throw new Error("no file");
    world.files.delete(shop);
    await world.reload("r2");
    world.files.set(shop, content);
    await world.reload("r3");
    expect(world.parsed).toEqual([shop]);
  });

  it("after a read that failed", async ({ expect }) => {
    await using world = await sweptWorld();
    world.faults.set(shop, () => new ServiceFault("API_SERVER", false));
    expect(await lookAgain(world)).toEqual([`${shop} error`]);
    world.faults.clear();
    expect(await lookAgain(world)).toEqual([`${shop} in_sync`]);
    expect(world.parsed).toEqual([shop]);
  });
});
