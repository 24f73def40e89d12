import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { describe, it } from "vitest";

import { defaultOptions, many, World } from "../support/world.ts";

const names = many(5);
const sweeps = 10_000;
const quarterMs = 900_000;

setFlagsFromString("--expose-gc");
const collect: unknown = runInNewContext("gc");

/** Bytes that are alive. */
function alive(): number {
  if (typeof collect !== "function") throw new Error("the garbage collector cannot be called");
  collect();
  return process.memoryUsage().heapUsed;
}

/** Sweeps every quarter of an hour; files are looked at twice in between, and a zone fails now and then. */
async function live(world: World, count: number): Promise<void> {
  for (let sweep = 0; sweep < count; sweep += 1) {
    world.reconciler.requestSweep("schedule");
    for (const part of [1, 2, 3]) {
      await world.clock.advance(quarterMs / 3);
      if (part < 3) world.reconciler.filesChanged();
    }
    const { reports, loads, requests, priorities } = world;
    for (const heard of [reports, loads, requests, priorities]) heard.length = 0;
  }
}

describe("three months of sweeps", () => {
  it("hold no more memory at their end than after their first days", async ({ expect }) => {
    // The first start changes each zone: no guard may hold that, or nothing would be in sync.
    const fleetLimits = { ...defaultOptions.fleetLimits, maxFleetShare: 1 };
    await using world = new World(names, { fleetLimits });
    world.start();
    await live(world, 1_000);
    const before = alive();
    await live(world, sweeps - 1_000);
    const grownBy = alive() - before;
    expect(world.listings).toBe(sweeps);
    // Once when they were changed, and once in sync.
    expect(world.parsed).toHaveLength(2 * names.length);
    // 500 bytes of every sweep would be 5 MB.
    expect(grownBy).toBeLessThan(1_000_000);
    expect(world.clock.sleeping).toBeLessThan(20);
    process.stdout.write(`${sweeps} sweeps: ${Math.round(grownBy / 1000)} kB more alive\n`);
  });
});
