import { describe, it } from "vitest";

import type { Mode } from "../../src/zone/desired-zone.ts";
import { toldHash } from "../support/held.ts";
import { carriedOut, declared, desiredZone, policy } from "../support/model.ts";
import { World } from "../support/world.ts";

const shop = "shop.example";
const [second, hour] = [1_000, 3_600_000] as const;

/** A world that holds the deletes of some managed policies, each of which takes 4 s. */
async function worldWithDeletes(count: number): Promise<World> {
  const world = new World([shop]);
  const keys = Array.from({ length: count }, (_, nth) => `p${nth}`);
  setPolicies(world, keys);
  world.files.set(shop, desiredZone({ policies: declared([]) }).content);
  world.waitMs = 4 * second;
  await world.begin();
  return world;
}

function setPolicies(world: World, keys: readonly string[]): void {
  world.edit(shop, () => ({ policies: keys.map((key) => carriedOut(key, policy(key))) }));
}

function accept(world: World, ...hashes: readonly string[]): void {
  goBy(world, "enforce", hashes);
}

/** Sets mode and releases, and requests a sweep. */
function goBy({ reconciler, options }: World, mode: Mode, hashes: readonly string[]): void {
  reconciler.reconfigure({ ...options, mode, limits: { ...options.limits, accept: hashes } });
  reconciler.requestSweep("signal");
}

function policiesLeft({ live }: World): readonly string[] {
  return (live.get(shop)?.policies ?? []).map(({ id }) => id);
}

/** The outcome of every write, run by run. */
function outcomesOf({ reports }: World): readonly string[][] {
  return reports.flatMap((report) =>
    report.result === "applied" ? [report.outcomes.map(({ status }) => status)] : [],
  );
}

const other = "ba5eba11ba5e";

describe("a released plan that takes long", () => {
  it("is applied whole, though another is released meanwhile", async ({ expect }) => {
    await using world = await worldWithDeletes(6);
    const hash = toldHash(world);
    accept(world, hash);
    await world.clock.advance(13 * second);
    accept(world, hash, other);
    await world.clock.advance(hour);
    expect(outcomesOf(world)).toEqual([Array<string>(6).fill("done")]);
    expect(policiesLeft(world)).toEqual([]);
  });

  it("is applied whole, though that takes longer than a read is valid", async ({ expect }) => {
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

function holdsOf({ reports }: World): readonly string[] {
  const last = reports.at(-1);
  return last?.result === "held" ? last.holds.map(({ message }) => message) : [];
}

describe("the rest of a released plan that was cancelled between two writes", () => {
  const [skipped, done] = ["skipped", "done"];

  it("is applied when no other hold is left, and the release is used then", async ({ expect }) => {
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
    await world.sweep("schedule", hour);
    expect(holdsOf(world)).toEqual([expect.stringMatching(/^would delete 3 of 3 .*--accept/)]);
  });

  it("may be cancelled more than once", async ({ expect }) => {
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

  it("is held as soon as the plan has one more change", async ({ expect }) => {
    for (const stranger of ["p0", "p9"]) {
      const { world, hash } = await stoppedWorld();
      await using _world = world;
      const left = policiesLeft(world);
      setPolicies(world, [...left, stranger]);
      accept(world, hash);
      await world.clock.advance(hour);
      expect(policiesLeft(world)).toEqual([...left, stranger]);
      expect(holdsOf(world)).toEqual([expect.stringMatching(/^would delete 4 of 4 .*--accept/)]);
      setPolicies(world, left);
      await world.sweep("schedule", hour);
      expect(policiesLeft(world)).toEqual(left);
    }
  });

  it("is held when its hash was removed from the list", async ({ expect }) => {
    const { world, hash } = await stoppedWorld();
    await using _world = world;
    goBy(world, "observe", []);
    accept(world, hash);
    await world.clock.advance(hour);
    expect(policiesLeft(world)).toHaveLength(3);
  });
});
