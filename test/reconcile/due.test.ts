import { describe, it } from "vitest";

import { windowsOf } from "../../src/reconcile/schedule/windows.ts";
import { declared, desiredZone, policy } from "../support/model.ts";
import { window } from "../support/window.ts";
import { many, protectedContent, World } from "../support/world.ts";

const [shop, blog] = ["shop.example", "blog.example"] as const;
const [second, minute, hour] = [1_000, 60_000, 3_600_000] as const;

/** An `allow` window of 15 s, 40 s after each full hour; the simulation starts at noon. */
const brief = window({
  name: "brief",
  type: "allow",
  start: "40 0 * * * *",
  durationMs: 15 * second,
});

const nightly = window({ name: "nightly", type: "allow", start: "0 2 * * *", durationMs: hour });

describe("a plan with a hold that ends by itself", () => {
  it("is applied in the first second of the window, without a sweep", async ({ expect }) => {
    await using world = new World([shop, blog], { windows: windowsOf([brief]) });
    world.start();
    await world.clock.advance(40 * second - 1);
    expect(world.takeResults().toSorted()).toEqual([`${blog} held`, `${shop} held`]);
    await world.clock.advance(1);
    expect(world.reports.map(({ trigger }) => trigger)).toEqual(["due", "due"]);
    expect(world.takeResults().toSorted()).toEqual([`${blog} applied`, `${shop} applied`]);
    await world.clock.advance(24 * hour);
    expect(world.takeResults()).toEqual([]);
  });

  it("of a file change is applied when the window opens", async ({ expect }) => {
    await using world = new World([shop, blog], { windows: windowsOf([nightly]) });
    world.start();
    await world.clock.advance(20 * hour);
    world.takeResults();
    world.files.set(shop, { ...protectedContent, settings: [] });
    world.revision = "r2";
    world.edit(shop, () => ({ policies: [] }));
    await world.reload();
    expect(world.takeResults()).toEqual([`${shop} held`]);
    await world.clock.advance(18 * hour);
    expect(world.takeResults()).toEqual([`${shop} applied`]);
  });

  it("is run once at each edge, however many sweeps there are", async ({ expect }) => {
    const [first, second_] = [
      brief,
      { ...brief, name: "sale", type: "freeze", start: "0 0 12 * * *", durationMs: 90 * minute },
    ] as const;
    await using world = new World([shop], { windows: windowsOf([first, second_]) });
    world.start();
    await world.clock.advance(30 * minute);
    await world.sweep("schedule", 30 * minute);
    expect(world.takeResults()).toEqual([`${shop} held`, `${shop} held`]);
    await world.clock.advance(2 * hour);
    expect(world.takeResults()).toEqual([`${shop} applied`]);
  });

  it("is applied when the suspension of its zone ends", async ({ expect }) => {
    await using world = new World([shop, blog]);
    const until = new Date("2026-11-20T14:00:00Z");
    world.files.set(shop, { ...protectedContent, suspension: { reason: "sale", until } });
    world.files.set(blog, {
      ...protectedContent,
      suspension: { reason: "for good", until: undefined },
    });
    world.start();
    await world.clock.advance(2 * hour - 1);
    expect(world.takeResults().toSorted()).toEqual([`${blog} held`, `${shop} held`]);
    await world.clock.advance(1);
    expect(world.takeResults()).toEqual([`${shop} applied`]);
    await world.clock.advance(24 * hour);
    expect(world.takeResults()).toEqual([]);
  });

  it("is held until its last hold ends", async ({ expect }) => {
    await using world = new World([shop], { windows: windowsOf([brief]) });
    const until = new Date("2026-11-20T14:00:00Z");
    world.files.set(shop, { ...protectedContent, suspension: { reason: "sale", until } });
    world.start();
    await world.clock.advance(2 * hour);
    expect(world.takeResults()).toEqual([`${shop} held`, `${shop} held`]);
    await world.clock.advance(40 * second);
    expect(world.takeResults()).toEqual([`${shop} applied`]);
  });

  it("that is contended is tried again when the contention window has passed", async ({
    expect,
  }) => {
    await using world = new World([shop]);
    const policies = declared([policy("checkout", { action: "allow" })]);
    world.files.set(shop, desiredZone({ policies }).content);
    await world.begin();
    for (let round = 0; round < 4; round += 1) {
      await world.clock.advance(minute);
      world.edit(shop, () => ({ policies: [] }));
      await world.sweep();
    }
    expect(world.reports.at(-1)).toMatchObject({ holds: [{ reason: "contended" }] });
    world.takeResults();
    await world.clock.advance(57 * minute - 1);
    expect(world.takeResults()).toEqual([]);
    await world.clock.advance(1);
    expect(world.takeResults()).toEqual([`${shop} applied`]);
  });

  it("has no end where another hold has none", async ({ expect }) => {
    await using world = new World([shop], { windows: windowsOf([brief]), mode: "observe" });
    world.start();
    await world.clock.advance(24 * hour);
    expect(world.takeResults()).toEqual([`${shop} held`]);
  });
});

describe("a window that opens for hundreds of zones", () => {
  it("does not delay the run of an edited file", async ({ expect }) => {
    const frozen = many(200);
    await using world = new World([...frozen, shop], { windows: windowsOf([brief]) });
    world.files.set(shop, { ...protectedContent, mode: "observe" });
    world.remember();
    world.start();
    await world.clock.advance(40 * second - 1);
    world.latencyMs = second;
    await world.clock.advance(5 * second);
    world.takeResults();
    world.files.set(shop, protectedContent);
    await world.reload("r2", 20 * second);
    expect(world.takeResults().slice(0, 10)).toContain(`${shop} applied`);
  });
});

describe("a zone that waits for a window", () => {
  it("does not count as waiting", async ({ expect }) => {
    await using world = new World([shop], { windows: windowsOf([nightly]) });
    await world.begin();
    expect(world.reconciler.waiting).toBe(0);
  });

  it("runs again when the windows change, and is held until the new ones open", async ({
    expect,
  }) => {
    await using world = new World([shop, blog], { windows: windowsOf([nightly]) });
    await world.begin();
    world.takeResults();
    world.reconciler.reconfigure({ ...world.options, windows: windowsOf([brief]) });
    await world.clock.advance(0);
    expect(world.takeResults().toSorted()).toEqual([`${blog} held`, `${shop} held`]);
    await world.clock.advance(minute);
    expect(world.takeResults().toSorted()).toEqual([`${blog} applied`, `${shop} applied`]);
  });

  it("is forgotten with its declaration", async ({ expect }) => {
    await using world = new World([shop, blog], { windows: windowsOf([brief]) });
    await world.begin();
    world.takeResults();
    world.files.delete(shop);
    await world.reload("r2", minute);
    expect(world.takeResults()).toEqual([`${blog} applied`]);
  });
});
