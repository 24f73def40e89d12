import { describe, it } from "vitest";

import { spreadMs } from "../../src/reconcile/queue/events.ts";
import { declared, desiredZone, policy } from "../support/model.ts";
import { protectedContent, ServiceFault, World } from "../support/world.ts";

const minute = 60_000;
const noon = new Date("2026-11-20T12:00:00Z");

function inMs(ms: number): Date {
  return new Date(Number(noon) + ms);
}

/** A fleet that was swept once, with the time until the next sweep. */
async function sweptWorld(count: number, gapMs: number): Promise<World> {
  const world = new World(Array.from({ length: count }, (_, index) => `z${index}.example`));
  world.nextSweep = new Date(Number(world.clock.now()) + gapMs);
  await world.begin();
  world.takeResults();
  world.requests.length = 0;
  return world;
}

describe("the runs of a sweep", () => {
  it.for([
    { schedule: "every ten seconds", next: inMs(10_000), spread: 0 },
    { schedule: "every minute", next: inMs(minute), spread: 48_000 },
    { schedule: "every quarter of an hour", next: inMs(15 * minute), spread: 12 * minute },
    { schedule: "every night", next: inMs(24 * 60 * minute), spread: 15 * minute },
    { schedule: "never again", next: undefined, spread: 0 },
  ])("on a schedule of $schedule are spread over $spread ms", ({ next, spread }, { expect }) => {
    expect(spreadMs(noon, next)).toBe(spread);
  });

  it("start one after the other on a schedule", async ({ expect }) => {
    await using world = await sweptWorld(4, 15 * minute);
    world.reconciler.requestSweep("schedule");
    const seen: number[] = [];
    for (let minutes = 0; minutes < 12; minutes += 3) {
      await world.clock.advance(minutes === 0 ? 0 : 3 * minute);
      seen.push(world.requests.length);
    }
    expect(seen).toEqual([1, 2, 3, 4]);
  });

  it.for([-60 * minute, 60 * minute])(
    "start in time though the wall clock is set by %s ms",
    async (ms, { expect }) => {
      await using world = await sweptWorld(4, 15 * minute);
      await world.sweep("schedule", 1_000);
      world.clock.step(ms);
      const seen: number[] = [];
      for (let run = 0; run < 4; run += 1) {
        seen.push(world.requests.length);
        await world.clock.advance(3 * minute);
      }
      expect(seen).toEqual([1, 2, 3, 4]);
    },
  );

  it.for(["startup", "signal", "manual"] as const)(
    "start at once on %s",
    async (trigger, { expect }) => {
      await using world = await sweptWorld(4, 15 * minute);
      await world.sweep(trigger);
      expect(world.requests).toHaveLength(4);
    },
  );
});

describe("a sweep that is in progress when the next is due", () => {
  it("counts as overlap, and the next begins when it has ended", async ({ expect }) => {
    await using world = await sweptWorld(4, 10_000);
    world.latencyMs = 6_000;
    await world.sweep("schedule", 10_000);
    await world.sweep("schedule", 2_000);
    expect(world.overlaps).toBe(1);
    expect(world.listings).toBe(2);
    await world.clock.advance(30_000);
    expect(world.listings).toBe(3);
    expect(world.requests).toHaveLength(8);
    expect(world.overlaps).toBe(1);
  });

  it("does not delay a sweep that somebody requests", async ({ expect }) => {
    await using world = await sweptWorld(4, 15 * minute);
    await world.sweep();
    await world.sweep("signal");
    expect(world.overlaps).toBe(0);
    expect(world.requests).toHaveLength(5);
  });

  it("ends where its last zone is dropped from the files", async ({ expect }) => {
    await using world = await sweptWorld(2, 15 * minute);
    await world.sweep();
    await world.sweep();
    expect(world.overlaps).toBe(1);
    world.files.delete("z1.example");
    await world.reload("r2");
    expect(world.requests).toEqual(["read z0.example", "read z0.example"]);
  });
});

describe("a sweep in which every zone waits after a failure", () => {
  it("ends when it begins, and the one that waits for its end begins then", async ({ expect }) => {
    await using world = new World(["z0.example"]);
    world.faults.set("z0.example", () => new ServiceFault("API_SERVER", true, 600_000));
    world.start();
    await world.clock.advance(1_000);
    world.faults.clear();
    world.latencyMs = 30_000;
    await world.sweep("schedule", 1_000);
    await world.sweep("schedule", 1_000);
    expect([world.listings, world.overlaps]).toEqual([2, 1]);
    await world.clock.advance(minute);
    expect(world.listings).toBe(3);
    await world.sweep("signal", 5 * minute);
    expect([world.listings, world.overlaps]).toEqual([4, 1]);
  });
});

describe("a sweep that is due while the zones are listed for another reason", () => {
  it("runs every zone once they are listed", async ({ expect }) => {
    await using world = await sweptWorld(1, 10_000);
    world.latencyMs = 2_000;
    world.files.set("new.example", protectedContent);
    await world.reload("r2", 500);
    await world.sweep("schedule", 3_600_000);
    expect(world.takeResults().toSorted()).toEqual(["new.example error", "z0.example in_sync"]);
    expect([world.listings, world.overlaps]).toEqual([2, 0]);
  });
});

describe("the zone listing", () => {
  it("that takes long delays neither the files nor the known zones", async ({ expect }) => {
    await using world = await sweptWorld(2, 10_000);
    world.latencyMs = 100_000;
    await world.sweep("schedule", 1_000);
    const { content } = desiredZone({ policies: declared([policy("other")]) });
    world.files.set("z1.example", content);
    await world.reload("r2");
    expect(world.loads.at(-1)?.result).toBe("applied");
    expect(world.requests).toEqual(["read z1.example"]);
  });

  it("that hangs at start does not delay the first load", async ({ expect }) => {
    await using world = new World(["z0.example"]);
    world.latencyMs = 1_000_000;
    await world.begin();
    expect(world.loads).toMatchObject([{ result: "applied" }]);
    expect(world.reports).toEqual([]);
  });

  it("that fails is not retried sooner by a schedule, which sweeps the known zones", async ({
    expect,
  }) => {
    await using world = await sweptWorld(1, 10_000);
    world.listFault = new ServiceFault("API_SERVER", true, 10 * minute);
    for (let tick = 0; tick < 9; tick += 1) {
      await world.sweep("schedule", minute);
    }
    expect(world.listings).toBe(2);
    expect(world.takeResults()).toEqual(Array.from({ length: 9 }, () => "z0.example in_sync"));
    await world.clock.advance(minute);
    expect([world.listings, world.overlaps]).toEqual([3, 0]);
  });

  it("that fails at start is not retried sooner by a schedule, and the first sweep stays due", async ({
    expect,
  }) => {
    await using world = new World(["z0.example", "z1.example"]);
    world.listFault = new ServiceFault("API_SERVER", true, 10 * minute);
    world.nextSweep = inMs(24 * 60 * minute);
    world.start();
    for (let tick = 0; tick < 9; tick += 1) {
      await world.clock.advance(minute);
      world.reconciler.requestSweep("schedule");
    }
    await world.clock.advance(0);
    expect(world.listings).toBe(1);
    world.listFault = undefined;
    world.takeResults();
    await world.clock.advance(minute);
    expect(world.listings).toBe(2);
    expect(world.reports.map(({ trigger }) => trigger)).toEqual(["startup", "startup"]);
    await world.clock.advance(60 * minute);
    expect(world.listings).toBe(2);
  });

  it("that fails is not retried sooner for a new name, which is reported as missing", async ({
    expect,
  }) => {
    await using world = await sweptWorld(1, 10_000);
    world.listFault = new ServiceFault("API_SERVER", true, 10 * minute);
    await world.sweep("schedule", minute);
    world.takeResults();
    world.files.set("new.example", protectedContent);
    await world.reload("r2", minute);
    expect(world.listings).toBe(2);
    expect(world.reports).toMatchObject([
      { zone: "new.example", failure: { message: "API_SERVER of the world" } },
    ]);
  });

  it.for(["signal", "manual", "retry"] as const)(
    "that fails is retried sooner on a %s, yet not before the moment that the service named",
    async (trigger, { expect }) => {
      await using world = await sweptWorld(1, 10_000);
      world.listFault = new ServiceFault("API_SERVER", true, 30_000);
      await world.sweep("schedule", 210_000);
      expect(world.listings).toBe(7);
      world.takeResults();

      // The next attempt is 160 s away, and would be 320 s away after that.
      await world.sweep(trigger, 29_999);
      expect(world.listings).toBe(7);
      expect(world.reports.map((report) => report.trigger)).toEqual([trigger]);
      await world.clock.advance(1);
      expect(world.listings).toBe(8);
      await world.clock.advance(30_000);
      expect(world.listings).toBe(8);
      await world.sweep(trigger);
      expect(world.listings).toBe(9);
    },
  );

  it("that fails for long starts one sweep of the known zones, not one for each attempt", async ({
    expect,
  }) => {
    await using world = await sweptWorld(1, 10_000);
    world.listFault = new ServiceFault("API_FORBIDDEN", false);
    await world.sweep("schedule", 15 * minute);
    expect(world.listings).toBeGreaterThan(5);
    expect(world.takeResults()).toEqual(["z0.example in_sync"]);
    world.listFault = undefined;
    await world.clock.advance(15 * minute);
    expect(world.takeResults()).toEqual([]);
  });
});
