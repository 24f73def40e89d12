import { describe, it } from "vitest";

import { bare, zoneNamed } from "../support/model.ts";
import { named } from "../support/reports.ts";
import { protectedContent, World } from "../support/world.ts";

const [shop, blog] = ["shop.example", "blog.example"] as const;

/** A world after the first sweep, whose service has a second zone that no file names yet. */
async function sweptWorld(): Promise<World> {
  const world = new World([shop, blog]);
  world.files.delete(blog);
  await world.begin();
  world.takeResults();
  return world;
}

/** The files name a zone; gives how often the zones have been listed then. */
async function declare(world: World, name: string, revision: string): Promise<number> {
  world.files.set(name, protectedContent);
  world.revision = revision;
  return await load(world);
}

async function load(world: World): Promise<number> {
  await world.reload();
  return world.listings;
}

describe("the zones are listed for a name in the files", () => {
  it("that was not listed before: the zone may be new", async ({ expect }) => {
    await using world = await sweptWorld();
    const name = named("new.example");
    world.live.set(name, bare(zoneNamed(name)));
    expect(await declare(world, name, "r2")).toBe(2);
    expect(world.takeResults()).toEqual([`${name} applied`]);
  });

  it("not at all where the listing has it", async ({ expect }) => {
    await using world = await sweptWorld();
    expect(await declare(world, blog, "r2")).toBe(1);
    expect(world.takeResults()).toEqual([`${blog} applied`]);
  });

  it("once, though the same files are loaded again and again", async ({ expect }) => {
    await using world = await sweptWorld();
    expect(await declare(world, "lost.example", "r2")).toBe(2);
    expect(await load(world)).toBe(2);
    expect(await load(world)).toBe(2);
    expect(world.takeResults()).toEqual(["lost.example error"]);
    expect(await declare(world, "other.example", "r3")).toBe(3);
  });

  it("not again where a sweep of the same files listed them", async ({ expect }) => {
    await using world = await sweptWorld();
    world.files.set("lost.example", protectedContent);
    world.revision = "r2";
    await world.sweep();
    expect(world.listings).toBe(2);
    expect(await load(world)).toBe(2);
  });
});
