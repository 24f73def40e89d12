import { describe, it } from "vitest";

import { diagnostic } from "../support/reports.ts";
import { edited, World } from "../support/world.ts";

const [shop, blog] = ["shop.example", "blog.example"] as const;

async function loadFiles(world: World, files: Partial<World>): Promise<World["loads"][number]> {
  Object.assign(world, files);
  await world.reload();
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
    await world.begin();
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
    await world.begin();
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
    await world.begin();
    world.takeResults();
    world.files.delete(blog);
    world.files.set(shop, edited);
    const unusable = { revision: "r2", diagnostics: broken, usable: false };
    expect(await loadFiles(world, unusable)).toMatchObject({
      result: "rejected",
      diagnostics: broken,
      active: { revision: "r1", hash: "r1" },
    });
    await world.sweep();
    expect(world.takeResults()).toEqual([`${shop} in_sync`, `${blog} in_sync`]);
  });

  it("that fails with an exception is rejected and reported, and the next one counts again", async ({
    expect,
  }) => {
    await using world = new World([shop, blog]);
    await world.begin();
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
    await world.begin();
    world.latencyMs = 60_000;
    await world.sweep("schedule", 90_000);
    world.files.set(blog, edited);
    world.revision = "r2";
    await world.sweep();
    expect(world.overlaps).toBe(1);
    expect(world.loads.at(-1)).toMatchObject({ result: "applied", active: { revision: "r2" } });
  });
});
