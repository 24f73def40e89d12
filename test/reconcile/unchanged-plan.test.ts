import { describe, it } from "vitest";

import { unmarked } from "../../src/zone/mark.ts";
import { named } from "../support/reports.ts";
import { edited, ServiceFault, World } from "../support/world.ts";

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
  world.edit(shop, ({ policies }) => ({
    policies: policies.map((each) => ({
      ...each,
      description: unmarked(each.description).description,
    })),
  }));
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
    world.edit(shop, ({ zone }) => ({ zone: { ...zone, status: "moved" } }));
    await world.sweep();
    const report = world.reports.at(-1);
    const zone = world.live.get(shop)?.zone;
    expect(report).toMatchObject({ result: "in_sync", plan: { zone, changes: [] } });
  });
});

describe("a zone is planned again", () => {
  it("when its live state changed", async ({ expect }) => {
    await using world = await sweptWorld();
    world.edit(shop, () => ({ policies: [] }));
    expect(await lookAgain(world)).toEqual([`${shop} applied`]);
  });

  it("when its declaration changed and the live state did not", async ({ expect }) => {
    await using world = await sweptWorld();
    world.files.set(shop, edited);
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
    const rules = [{ kind: "managed_rule", id: "r1", ref: "by-hand", key: "owasp" } as const];
    world.store.setAdopted(named(shop), rules);
    await lookAgain(world);
    await lookAgain(world);
    expect(world.parsed).toEqual([shop]);
    world.store.setAdopted(named(shop), [
      { kind: "managed_rule", id: "r2", ref: "by-hand", key: "owasp" },
    ]);
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
