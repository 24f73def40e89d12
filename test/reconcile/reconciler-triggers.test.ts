import { describe, it } from "vitest";

import { hashToAccept } from "../support/held.ts";
import { declared, desiredZone, policy } from "../support/model.ts";
import { many, ServiceFault, World } from "../support/world.ts";

const shop = "shop.example";

/** The content of an edited file. */
const edited = desiredZone({
  policies: declared([policy("checkout", { action: "allow" })]),
}).content;

async function startedWorld(): Promise<World> {
  const world = new World([shop]);
  await world.begin();
  world.takeResults();
  return world;
}

describe("the trigger of a run", () => {
  it("is the schedule where its sweep waited for the end of another", async ({ expect }) => {
    await using world = await startedWorld();
    world.latencyMs = 1_000;
    await world.sweep("schedule", 1_500);
    await world.sweep("schedule", 60_000);
    expect(world.overlaps).toBe(1);
    expect(world.reports.map(({ trigger }) => trigger)).toEqual(["schedule", "schedule"]);
  });
});

describe("a zone that is declared and not listed", () => {
  it("is reported with the trigger of each sweep", async ({ expect }) => {
    await using world = await startedWorld();
    world.files.set("lost.example", edited);
    world.revision = "r2";
    await world.sweep("manual");
    expect(world.reports.find(({ zone }) => zone === "lost.example")?.trigger).toBe("manual");
  });

  it("is uncertain while a credential cannot list its zones", async ({ expect }) => {
    await using world = await startedWorld();
    expect(world.loads.at(-1)?.isAllListed).toBe(true);
    await using other = new World([shop, "blog.example"]);
    const error = new ServiceFault("API_UNAUTHORIZED", false);
    other.unlistable = { zones: ["blog.example"], failed: [{ credential: "blogs", error }] };
    await other.begin();
    expect(other.loads.at(-1)?.isAllListed).toBe(false);
  });
});

describe("the trigger of a zone that the first round releases", () => {
  it("is the end of its hold", async ({ expect }) => {
    await using world = new World(many(12));
    world.start();
    // Their plans are too old by then: they are planned again.
    await world.clock.advance(60_000);
    world.reports.length = 0;
    world.accept(hashToAccept(world.loads.at(-1)?.hold?.message));
    await world.clock.advance(0);
    const ran = world.reports.map(({ trigger, result }) => `${trigger} ${result}`);
    expect(ran).toEqual(world.reports.map(() => "due applied"));
    expect(ran).toHaveLength(12);
  });
});

describe("a zone that is released and dropped from the files at once", () => {
  it("is not written, and the others are", async ({ expect }) => {
    const zones = many(12);
    await using world = new World(zones);
    world.start();
    await world.clock.advance(60_000);
    world.requests.length = 0;
    const hash = hashToAccept(world.loads.at(-1)?.hold?.message);
    world.files.delete("z0.example");
    world.revision = "r2";
    world.reconciler.filesChanged();
    world.accept(hash);
    await world.clock.advance(0);
    const written = world.requests.filter((each) => each.endsWith("create-policy"));
    expect(written).toEqual(zones.slice(1).map((zone) => `write ${zone} create-policy`));
  });
});

describe("the back-off of a listing that failed", () => {
  it.for([
    { trigger: "schedule", listings: 2 },
    { trigger: "manual", listings: 3 },
  ] as const)("with a sweep of the trigger $trigger", async ({ trigger, listings }, { expect }) => {
    await using world = await startedWorld();
    world.listFault = new ServiceFault("API_SERVER", true);
    await world.sweep("schedule", 1_000);
    expect(world.listings).toBe(2);
    await world.sweep(trigger);
    expect(world.listings).toBe(listings);
  });
});

describe("a name that is not listed", () => {
  it("does not shorten the back-off of a listing that failed", async ({ expect }) => {
    await using world = await startedWorld();
    world.listFault = new ServiceFault("API_SERVER", true);
    await world.sweep("schedule", 1_000);
    world.files.set("new.example", edited);
    await world.reload("r2");
    expect(world.listings).toBe(2);
  });
});

describe("a file change waits for a sweep", () => {
  it("from when that is configured until it is configured otherwise", async ({ expect }) => {
    await using world = await startedWorld();
    const { options, reconciler } = world;
    reconciler.reconfigure({ ...options, onChange: false });
    world.files.set(shop, edited);
    world.revision = "r2";
    reconciler.filesChanged();
    await world.clock.advance(60_000);
    expect(world.takeResults()).toEqual([]);
    reconciler.reconfigure(options);
    reconciler.filesChanged();
    await world.clock.advance(0);
    expect(world.reports).toMatchObject([{ zone: shop, trigger: "file", result: "applied" }]);
  });

  it("that is in progress while a zone runs whose file was changed before", async ({ expect }) => {
    await using world = await startedWorld();
    // The zones are listed before the files are loaded.
    world.loadMs = 1_000;
    world.slow.set(shop, 5_000);
    world.files.set(shop, edited);
    world.revision = "r2";
    await world.sweep("schedule", 1_500);
    await world.sweep();
    expect(world.overlaps).toBe(1);
  });
});

describe("files that change", () => {
  it("before the zones were ever listed change what is missing", async ({ expect }) => {
    await using world = new World([shop]);
    world.listFault = new ServiceFault("API_UNREACHABLE", true);
    await world.begin();
    world.files.delete(shop);
    world.files.set("other.example", edited);
    world.revision = "r2";
    world.takeResults();
    await world.reload();
    expect(world.takeResults()).toEqual(["other.example error"]);
  });

  it("and drop a zone that waits for a retry end its wait", async ({ expect }) => {
    const other = "other.example";
    await using world = new World([shop, other]);
    world.faults.set(shop, () => new ServiceFault("API_RATE_LIMITED", true, 600_000));
    await world.begin();
    expect(world.reconciler.waiting).toBe(1);
    world.files.delete(shop);
    await world.reload("r2");
    expect(world.reconciler.waiting).toBe(0);
  });
});

describe("what changes the fleet", () => {
  it.for([
    { when: "files have changed", act: (world: World) => world.reconciler.filesChanged() },
    {
      when: "a sweep is due during another",
      act: (world: World) => world.reconciler.requestSweep("schedule"),
    },
  ])("is handled one after the other where $when", async ({ act }, { expect }) => {
    await using world = await startedWorld();
    world.latencyMs = 60_000;
    await world.sweep();
    world.loadMs = 1_000;
    const { loadCount } = world;
    act(world);
    await world.clock.advance(500);
    world.reconciler.filesChanged();
    await world.clock.advance(1_100);
    // The second load began when the first had ended.
    expect(world.loadCount).toBe(loadCount + 1);
    await world.clock.advance(400);
    expect(world.loadCount).toBe(loadCount + 2);
  });

  it("is reported where it fails by an error of the program, each time", async ({ expect }) => {
    await using world = new World([shop]);
    world.files.set("no name of a zone", edited);
    await world.begin();
    // For the sweep, and for its listing.
    expect(world.bugs.take()).toHaveLength(2);
  });

  it("is repeated with the listing where the first load failed", async ({ expect }) => {
    await using world = new World([shop]);
    world.latencyMs = 1_000;
    world.files.set("no name of a zone", edited);
    world.start();
    await world.clock.advance(500);
    world.files.delete("no name of a zone");
    await world.clock.advance(60_000);
    expect(world.bugs.take()).toHaveLength(1);
    expect(world.takeResults()).toEqual([`${shop} applied`]);
  });
});
