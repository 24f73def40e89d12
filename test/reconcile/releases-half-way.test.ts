import { describe, it } from "vitest";

import { hashOf } from "../../src/plan/plan-hash.ts";
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
  if (report?.result !== "refused") throw new Error(`not held: ${String(report?.result)}`);
  return hashOf(report.plan);
}

function accept({ reconciler, options }: World, ...hashes: readonly string[]): void {
  reconciler.reconfigure({ ...options, limits: { ...options.limits, accept: hashes } });
  reconciler.wake("signal");
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
