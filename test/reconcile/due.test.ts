import { describe, it } from "vitest";

import { windowsOf } from "../../src/reconcile/schedule/windows.ts";
import { window } from "../support/window.ts";
import { protectedContent, World } from "../support/world.ts";

const [shop, blog] = ["shop.example", "blog.example"] as const;
const [second, minute, hour] = [1_000, 60_000, 3_600_000] as const;

/** An allowance of fifteen seconds, at the fortieth second of each hour's first minute; the world begins at noon. */
const brief = window({
  name: "brief",
  type: "allow",
  start: "40 0 * * * *",
  durationMs: 15 * second,
});

const nightly = window({ name: "nightly", type: "allow", start: "0 2 * * *", durationMs: hour });

function switchOff(world: World, zone: string): void {
  const live = world.live.get(zone);
  if (live?.settings === undefined) throw new Error("no settings");
  world.live.set(zone, { ...live, settings: { ...live.settings, enabled: false } });
}

describe("a plan that only time holds", () => {
  it("is carried out in the first second of the window, with no sweep in it", async ({
    expect,
  }) => {
    await using world = new World([shop, blog], { windows: windowsOf([brief]) });
    world.start();
    await world.clock.advance(40 * second - 1);
    expect(world.told().toSorted()).toEqual([`${blog} held`, `${shop} held`]);
    await world.clock.advance(1);
    expect(world.reports.map(({ trigger }) => trigger)).toEqual(["due", "due"]);
    expect(world.told().toSorted()).toEqual([`${blog} applied`, `${shop} applied`]);
    await world.clock.advance(24 * hour);
    expect(world.told()).toEqual([]);
  });

  it("that a change of the files led to is carried out when the window opens", async ({
    expect,
  }) => {
    await using world = new World([shop, blog], { windows: windowsOf([nightly]) });
    world.start();
    await world.clock.advance(20 * hour);
    world.told();
    world.files.set(shop, { ...protectedContent, settings: [] });
    world.revision = "r2";
    world.live.set(shop, { ...(world.live.get(shop) ?? never()), policies: [] });
    world.reconciler.filesChanged();
    await world.clock.advance(0);
    expect(world.told()).toEqual([`${shop} held`]);
    await world.clock.advance(18 * hour);
    expect(world.told()).toEqual([`${shop} applied`]);
  });

  it("is asked for once at each edge, though sweeps come and go", async ({ expect }) => {
    const [first, second_] = [
      brief,
      { ...brief, name: "sale", type: "freeze", start: "0 0 12 * * *", durationMs: 90 * minute },
    ] as const;
    await using world = new World([shop], { windows: windowsOf([first, second_]) });
    world.start();
    await world.clock.advance(30 * minute);
    world.reconciler.requestSweep("schedule");
    await world.clock.advance(30 * minute);
    expect(world.told()).toEqual([`${shop} held`, `${shop} held`]);
    await world.clock.advance(2 * hour);
    expect(world.told()).toEqual([`${shop} applied`]);
  });

  it("is carried out when the suspension of its zone ends", async ({ expect }) => {
    await using world = new World([shop, blog]);
    const until = new Date("2026-11-20T14:00:00Z");
    world.files.set(shop, { ...protectedContent, suspension: { reason: "sale", until } });
    world.files.set(blog, {
      ...protectedContent,
      suspension: { reason: "for good", until: undefined },
    });
    world.start();
    await world.clock.advance(2 * hour - 1);
    expect(world.told().toSorted()).toEqual([`${blog} held`, `${shop} held`]);
    await world.clock.advance(1);
    expect(world.told()).toEqual([`${shop} applied`]);
    await world.clock.advance(24 * hour);
    expect(world.told()).toEqual([]);
  });

  it("is held by the last of what holds it", async ({ expect }) => {
    await using world = new World([shop], { windows: windowsOf([brief]) });
    const until = new Date("2026-11-20T14:00:00Z");
    world.files.set(shop, { ...protectedContent, suspension: { reason: "sale", until } });
    world.start();
    await world.clock.advance(2 * hour);
    expect(world.told()).toEqual([`${shop} held`, `${shop} held`]);
    await world.clock.advance(40 * second);
    expect(world.told()).toEqual([`${shop} applied`]);
  });

  it("since another writer undid it is tried again when the time for that has passed", async ({
    expect,
  }) => {
    await using world = new World([shop]);
    world.start();
    await world.clock.advance(0);
    for (let round = 0; round < 4; round += 1) {
      await world.clock.advance(minute);
      switchOff(world, shop);
      world.reconciler.requestSweep("schedule");
      await world.clock.advance(0);
    }
    expect(world.reports.at(-1)).toMatchObject({ holds: [{ reason: "contended" }] });
    world.told();
    await world.clock.advance(57 * minute - 1);
    expect(world.told()).toEqual([]);
    await world.clock.advance(1);
    expect(world.told()).toEqual([`${shop} applied`]);
  });

  it("waits for nothing where something else holds it too", async ({ expect }) => {
    await using world = new World([shop], { windows: windowsOf([brief]), mode: "observe" });
    world.start();
    await world.clock.advance(24 * hour);
    expect(world.told()).toEqual([`${shop} held`]);
  });
});

describe("a window that opens for hundreds of zones", () => {
  it("does not bar the way of a file that is edited then", async ({ expect }) => {
    const frozen = Array.from({ length: 200 }, (_, index) => `z${index}.example`);
    await using world = new World([...frozen, shop], { windows: windowsOf([brief]) });
    world.files.set(shop, { ...protectedContent, mode: "observe" });
    world.start();
    await world.clock.advance(40 * second - 1);
    world.latencyMs = second;
    await world.clock.advance(5 * second);
    world.told();
    world.files.set(shop, protectedContent);
    world.revision = "r2";
    world.reconciler.filesChanged();
    await world.clock.advance(20 * second);
    expect(world.told().slice(0, 10)).toContain(`${shop} applied`);
  });
});

describe("a zone that waits for a window", () => {
  it("does not count as waiting to be looked at", async ({ expect }) => {
    await using world = new World([shop], { windows: windowsOf([nightly]) });
    world.start();
    await world.clock.advance(0);
    expect(world.reconciler.waiting).toBe(0);
  });

  it("is looked at again when windows become others, and held until those open", async ({
    expect,
  }) => {
    await using world = new World([shop, blog], { windows: windowsOf([nightly]) });
    world.start();
    await world.clock.advance(0);
    world.told();
    world.reconciler.reconfigure({ ...world.options, windows: windowsOf([brief]) });
    await world.clock.advance(0);
    expect(world.told().toSorted()).toEqual([`${blog} held`, `${shop} held`]);
    await world.clock.advance(minute);
    expect(world.told().toSorted()).toEqual([`${blog} applied`, `${shop} applied`]);
  });

  it("is let go with its declaration", async ({ expect }) => {
    await using world = new World([shop, blog], { windows: windowsOf([brief]) });
    world.start();
    await world.clock.advance(0);
    world.told();
    world.files.delete(shop);
    world.revision = "r2";
    world.reconciler.filesChanged();
    await world.clock.advance(minute);
    expect(world.told()).toEqual([`${blog} applied`]);
  });
});

function never(): never {
  throw new Error("no such zone");
}
