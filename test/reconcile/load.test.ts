import { describe, it } from "vitest";

import { declared, desiredZone, policy } from "../support/model.ts";
import { diagnostic } from "../support/reports.ts";
import { World } from "../support/world.ts";

const [shop, blog] = ["shop.example", "blog.example"] as const;

/** The content of an edited file. */
const edited = desiredZone({
  settings: [{ name: "enabled", value: true }],
  policies: declared([policy("checkout", { action: "allow" })]),
}).content;

async function loadFiles(world: World, files: Partial<World>): Promise<World["loads"][number]> {
  Object.assign(world, files);
  world.reconciler.filesChanged();
  await world.clock.advance(0);
  const last = world.loads.at(-1);
  if (last === undefined) throw new Error("nothing was loaded");
  return last;
}

describe("a load", () => {
  const broken = [diagnostic()];

  it("is rejected until something is usable, and reports why each time", async ({ expect }) => {
    await using world = new World([shop]);
    const unreadable = [diagnostic({ code: "DIRECTORY_UNREADABLE" })];
    Object.assign(world, { diagnostics: unreadable, usable: false });
    world.start();
    await world.clock.advance(0);
    const nothing = { revision: "", hash: "" };
    expect(world.loads).toMatchObject([
      { result: "rejected", diagnostics: unreadable, active: nothing },
      { result: "rejected", diagnostics: unreadable, active: nothing },
    ]);
    expect(world.requests).toEqual([]);
    expect(await loadFiles(world, { diagnostics: [], usable: true })).toMatchObject({
      result: "applied",
      diagnostics: [],
      active: { revision: "r1" },
    });
    expect(world.takeResults()).toEqual([`${shop} applied`]);
    const away = { diagnostics: unreadable, usable: false };
    expect(await loadFiles(world, away)).toMatchObject({
      result: "rejected",
      diagnostics: unreadable,
      active: { revision: "r1" },
    });
    expect(await loadFiles(world, { diagnostics: [], usable: true })).toMatchObject({
      result: "unchanged",
      diagnostics: [],
    });
  });

  it("with one broken file of several is partial: the rest of the revision is active", async ({
    expect,
  }) => {
    await using world = new World([shop, blog]);
    world.start();
    await world.clock.advance(0);
    world.takeResults();
    world.files.set(blog, edited);
    const partial = { result: "partial", diagnostics: broken, active: { revision: "r2" } };
    expect(await loadFiles(world, { revision: "r2", diagnostics: broken })).toMatchObject(partial);
    expect(world.takeResults()).toEqual([`${blog} applied`]);
    expect(await loadFiles(world, {})).toMatchObject(partial);
    expect(world.takeResults()).toEqual([]);
    expect(await loadFiles(world, { diagnostics: [] })).toMatchObject({ result: "unchanged" });
  });

  it("of which no file is usable is rejected: zones stay as the revision before declares them", async ({
    expect,
  }) => {
    await using world = new World([shop, blog]);
    world.start();
    await world.clock.advance(0);
    world.takeResults();
    world.files.delete(blog);
    world.files.set(shop, edited);
    const unusable = { revision: "r2", diagnostics: broken, usable: false };
    expect(await loadFiles(world, unusable)).toMatchObject({
      result: "rejected",
      diagnostics: broken,
      active: { revision: "r1", hash: "r1" },
    });
    world.reconciler.requestSweep("schedule");
    await world.clock.advance(0);
    expect(world.takeResults()).toEqual([`${shop} in_sync`, `${blog} in_sync`]);
  });

  it("that fails with an exception is rejected and reported, and the next one counts again", async ({
    expect,
  }) => {
    await using world = new World([shop, blog]);
    world.start();
    await world.clock.advance(0);
    const odd = Object.defineProperty({ ...edited }, "mode", {
      enumerable: true,
      get: () => {
        throw new TypeError("odd");
      },
    });
    world.files.set(blog, odd);
    expect(await loadFiles(world, { revision: "r2" })).toMatchObject({
      result: "rejected",
      diagnostics: [{ code: "INTERNAL_ERROR", place: { file: "." } }],
      active: { revision: "r1" },
    });
    expect(world.bugs.take()).toEqual([new TypeError("odd")]);
    expect(world.bugs.zones).toEqual([""]);
    world.files.set(blog, edited);
    expect(await loadFiles(world, { revision: "r3" })).toMatchObject({ result: "applied" });
  });

  it("that is due with a sweep takes effect although that sweep waits for the one before", async ({
    expect,
  }) => {
    await using world = new World([shop, blog]);
    world.start();
    await world.clock.advance(0);
    world.latencyMs = 60_000;
    world.reconciler.requestSweep("schedule");
    await world.clock.advance(90_000);
    world.files.set(blog, edited);
    world.revision = "r2";
    world.reconciler.requestSweep("schedule");
    await world.clock.advance(0);
    expect(world.overlaps).toBe(1);
    expect(world.loads.at(-1)).toMatchObject({ result: "applied", active: { revision: "r2" } });
  });

  it("that declares no zone is applied where none is active", async ({ expect }) => {
    await using world = new World([shop]);
    world.files.clear();
    world.start();
    await world.clock.advance(0);
    expect(world.loads[0]).toMatchObject({ result: "applied", active: { revision: "r1" } });
  });

  it("that cannot be read while a revision is held keeps the suspensions of the held one", async ({
    expect,
  }) => {
    const zones = Array.from({ length: 12 }, (_, index) => `z${index}.example`);
    const [first = "", ...rest] = zones;
    await using world = new World(zones);
    world.remember();
    world.start();
    await world.clock.advance(0);
    for (const zone of rest) world.files.set(zone, edited);
    const suspension = { reason: "incident", until: undefined };
    world.files.set(first, { ...edited, suspension });
    expect(await loadFiles(world, { revision: "r2" })).toMatchObject({ result: "held" });
    const unusable = { revision: "r3", diagnostics: broken, usable: false };
    const { result, active, fleet } = await loadFiles(world, unusable);
    expect({ result, revision: active.revision }).toEqual({ result: "rejected", revision: "r1" });
    const suspended = [...fleet.zones.values()].filter(
      ({ desired }) => desired.content.suspension !== undefined,
    );
    expect(suspended.map(({ desired }) => desired.zone.name)).toEqual([first]);
  });
});
