import { describe, it } from "vitest";

import { toldHash } from "../support/held.ts";
import { carriedOut, declared, desiredZone, policy } from "../support/model.ts";
import { MemoryRunStore } from "../support/run-store.ts";
import { ServiceFault, World } from "../support/world.ts";

const shop = "shop.example";
const reporting = policy("checkout", { action: "log" });
const blocking = carriedOut("p1", policy("checkout", { action: "allow" }));

/** A world that holds weakening plans, and has one. */
async function worldWithHeldPlan(store = new MemoryRunStore()): Promise<World> {
  const options = { contention: { rounds: 100, windowMs: 3_600_000 } };
  const world = new World([shop], options, undefined, store);
  world.files.set(shop, desiredZone({ policies: declared([reporting]) }).content);
  accept(world, []);
  letBlock(world);
  await world.begin();
  return world;
}

function accept({ reconciler, options }: World, hashes: readonly string[]): void {
  const limits = { ...options.limits, weakening: "refuse", accept: hashes } as const;
  reconciler.reconfigure({ ...options, limits });
}

/** Somebody makes the policy block scripts. */
function letBlock(world: World): void {
  world.edit(shop, () => ({ policies: [blocking] }));
}

async function lookAgain(world: World): Promise<readonly string[]> {
  await world.sweep("schedule", 60_000);
  return world.takeResults();
}

describe("a plan that limits.accept releases", () => {
  it("can be released again where its hash was taken out, also after a restart", async ({
    expect,
  }) => {
    const store = new MemoryRunStore();
    await using world = await worldWithHeldPlan(store);
    const hash = toldHash(world);
    accept(world, [hash]);
    expect(await lookAgain(world)).toEqual([`${shop} applied`]);
    expect(store.usedReleases()).toEqual([hash]);
    accept(world, []);
    expect(store.usedReleases()).toEqual([]);
  });

  it("is forgotten where its hash was taken out while no process ran", async ({ expect }) => {
    const store = new MemoryRunStore();
    store.setUsedReleases(["f".repeat(64)]);
    await using world = new World([shop], {}, undefined, store);
    await world.begin();
    expect(store.usedReleases()).toEqual([]);
  });

  it("is applied once, and held when it comes again", async ({ expect }) => {
    await using world = await worldWithHeldPlan();
    const hash = toldHash(world);
    accept(world, [hash]);
    expect(await lookAgain(world)).toEqual([`${shop} applied`]);
    for (let round = 0; round < 2; round += 1) {
      letBlock(world);
      expect(await lookAgain(world)).toEqual([`${shop} held`]);
    }
  });

  it("stays held while its use cannot be written, and is applied once it can", async ({
    expect,
  }) => {
    const store = new MemoryRunStore();
    store.isWritable = false;
    await using world = await worldWithHeldPlan(store);
    accept(world, [toldHash(world)]);
    expect(await lookAgain(world)).toEqual([`${shop} held`]);
    store.isWritable = true;
    expect(await lookAgain(world)).toEqual([`${shop} applied`]);
  });

  it("is all that a use that cannot be written takes back: other limits stay", async ({
    expect,
  }) => {
    const store = new MemoryRunStore();
    store.isWritable = false;
    await using world = await worldWithHeldPlan(store);
    world.takeResults();
    const { options, reconciler } = world;
    reconciler.reconfigure({ ...options, limits: { ...options.limits, weakening: "allow" } });
    expect(await lookAgain(world)).toEqual([`${shop} applied`]);
  });

  it("is named as used where the plan is held again, with how to release it again", async ({
    expect,
  }) => {
    await using world = await worldWithHeldPlan();
    const hash = toldHash(world);
    accept(world, [hash]);
    await lookAgain(world);
    letBlock(world);
    await world.sweep("schedule", 60_000);
    const way = `take ${hash}, which was used, out of limits.accept and put it in again, or give it to apply --accept`;
    const [report] = world.reports;
    const messages = report?.result === "held" ? report.holds.map((each) => each.message) : [];
    expect(messages).toHaveLength(1);
    expect(messages.join("")).toContain(`limits.weakening is refuse: ${way}`);
  });

  it("stays released after another change of the configuration only where the release was not used", async ({
    expect,
  }) => {
    await using world = await worldWithHeldPlan();
    const hash = toldHash(world);
    accept(world, [hash]);
    accept(world, ["0123456789ab", hash]);
    expect(await lookAgain(world)).toEqual([`${shop} applied`]);
    letBlock(world);
    accept(world, [hash]);
    expect(await lookAgain(world)).toEqual([`${shop} held`]);
  });

  it("stays released while nothing of it could be written", async ({ expect }) => {
    await using world = await worldWithHeldPlan();
    const hash = toldHash(world);
    accept(world, [hash]);
    let fault: Error | undefined = new ServiceFault("API_REFUSED", false);
    world.faults.set(shop, () => (world.requests.at(-1)?.startsWith("write") ? fault : undefined));
    expect(await lookAgain(world)).toEqual([`${shop} applied`]);
    fault = undefined;
    expect(await lookAgain(world)).toEqual([`${shop} applied`]);
    expect(world.reports).toEqual([]);
    letBlock(world);
    expect(await lookAgain(world)).toEqual([`${shop} held`]);
  });
});
