import { describe, it } from "vitest";

import { planHash } from "../../src/plan/guard/release.ts";
import type { Mode } from "../../src/zone/desired-zone.ts";
import { carriedOut, declared, desiredZone, policy } from "../support/model.ts";
import { World } from "../support/world.ts";

const shop = "shop.example";
const [second, hour] = [1_000, 3_600_000] as const;

/** A world that holds the deletion of so many policies of ours, each of which takes four seconds. */
async function worldWithDeletes(count: number): Promise<World> {
  const world = new World([shop]);
  const keys = Array.from({ length: count }, (_, nth) => `p${nth}`);
  setPolicies(world, keys);
  world.files.set(shop, desiredZone({ policies: declared([]) }).content);
  world.turnMs = 4 * second;
  world.start();
  await world.clock.advance(0);
  return world;
}

function setPolicies(world: World, keys: readonly string[]): void {
  const live = world.live.get(shop);
  if (live === undefined) throw new Error("no live zone");
  const policies = keys.map((key) => carriedOut(key, policy(key)));
  world.live.set(shop, { ...live, policies });
}

/** The hash that the report of the held plan tells. */
function toldHash({ reports }: World): string {
  const [report] = reports.splice(0);
  if (report?.result !== "held") throw new Error(`not held: ${String(report?.result)}`);
  return planHash(report.plan);
}

function accept(world: World, ...hashes: readonly string[]): void {
  goBy(world, "enforce", hashes);
}

/** Goes by this mode and these releases, and looks. */
function goBy({ reconciler, options }: World, mode: Mode, hashes: readonly string[]): void {
  reconciler.reconfigure({ ...options, mode, limits: { ...options.limits, accept: hashes } });
  reconciler.requestSweep("signal");
}

function policiesLeft({ live }: World): readonly string[] {
  return (live.get(shop)?.policies ?? []).map(({ id }) => id);
}

/** What became of every write, run by run. */
function outcomesOf({ reports }: World): readonly string[][] {
  return reports.flatMap((report) =>
    report.result === "applied" ? [report.outcomes.map(({ status }) => status)] : [],
  );
}

const other = "ba5eba11ba5e";

describe("a released plan that takes its time", () => {
  it("is carried out whole, though another is released meanwhile", async ({ expect }) => {
    await using world = await worldWithDeletes(6);
    const hash = toldHash(world);
    accept(world, hash);
    await world.clock.advance(13 * second);
    accept(world, hash, other);
    await world.clock.advance(hour);
    expect(outcomesOf(world)).toEqual([Array<string>(6).fill("done")]);
    expect(policiesLeft(world)).toEqual([]);
  });

  it("is carried out whole, though that takes longer than a reading may be old", async ({
    expect,
  }) => {
    await using world = await worldWithDeletes(20);
    accept(world, toldHash(world));
    await world.clock.advance(hour);
    expect(outcomesOf(world)).toEqual([Array<string>(20).fill("done")]);
    expect(policiesLeft(world)).toEqual([]);
  });
});

/** A world in which a released plan of six deletes was stopped after three, and its hash. */
async function stoppedWorld(): Promise<{ readonly world: World; readonly hash: string }> {
  const world = await worldWithDeletes(6);
  const hash = toldHash(world);
  accept(world, hash);
  await world.clock.advance(13 * second);
  goBy(world, "observe", [hash]);
  await world.clock.advance(5 * second);
  return { world, hash };
}

function refusalsOf({ reports }: World): readonly string[] {
  const last = reports.at(-1);
  return last?.result === "held" ? last.holds.map(({ message }) => message) : [];
}

describe("the rest of a released plan that was called off half-way", () => {
  const [skipped, done] = ["skipped", "done"];

  it("is carried out when nothing speaks against it any more, and released no more then", async ({
    expect,
  }) => {
    const { world, hash } = await stoppedWorld();
    await using _world = world;
    expect(policiesLeft(world)).toHaveLength(3);
    accept(world, other, hash);
    await world.clock.advance(hour);
    expect(outcomesOf(world)).toEqual([
      [done, done, done, skipped, skipped, skipped],
      [done, done, done],
    ]);
    setPolicies(world, ["p3", "p4", "p5"]);
    world.reconciler.requestSweep("schedule");
    await world.clock.advance(hour);
    expect(refusalsOf(world)).toEqual([expect.stringMatching(/^would delete 3 of 3 .*--accept/)]);
  });

  it("may be called off more than once", async ({ expect }) => {
    const { world, hash } = await stoppedWorld();
    await using _world = world;
    accept(world, hash);
    await world.clock.advance(5 * second);
    goBy(world, "observe", [hash]);
    await world.clock.advance(5 * second);
    expect(policiesLeft(world)).toHaveLength(2);
    accept(world, hash);
    await world.clock.advance(hour);
    expect(policiesLeft(world)).toEqual([]);
  });

  it("is held as soon as anything else has joined it, or been undone", async ({ expect }) => {
    for (const stranger of ["p0", "p9"]) {
      const { world, hash } = await stoppedWorld();
      await using _world = world;
      const left = policiesLeft(world);
      setPolicies(world, [...left, stranger]);
      accept(world, hash);
      await world.clock.advance(hour);
      expect(policiesLeft(world)).toEqual([...left, stranger]);
      expect(refusalsOf(world)).toEqual([expect.stringMatching(/^would delete 4 of 4 .*--accept/)]);
      setPolicies(world, left);
      world.reconciler.requestSweep("schedule");
      await world.clock.advance(hour);
      expect(policiesLeft(world)).toEqual(left);
    }
  });

  it("is held when its hash has been taken out of the list", async ({ expect }) => {
    const { world, hash } = await stoppedWorld();
    await using _world = world;
    goBy(world, "observe", []);
    accept(world, hash);
    await world.clock.advance(hour);
    expect(policiesLeft(world)).toHaveLength(3);
  });
});
