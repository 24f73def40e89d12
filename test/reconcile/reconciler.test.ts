import { describe, it } from "vitest";

import { declared, desiredZone, policy } from "../support/model.ts";
import { problem } from "../support/reports.ts";
import { protectedContent, ServiceFault, World } from "../support/world.ts";

const [shop, blog] = ["shop.example", "blog.example"] as const;

/** What a file says after somebody has edited it. */
const edited = desiredZone({
  settings: [{ name: "enabled", value: true }],
  policies: declared([policy("checkout", { action: "allow" })]),
}).content;

function many(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `z${index}.example`);
}

describe("the reconciler", () => {
  it("carries out what differs when it starts, and finds nothing to do after that", async ({
    expect,
  }) => {
    const world = new World([shop, blog]);
    const running = world.start();
    await world.clock.advance(0);
    expect(world.told().toSorted()).toEqual([`${blog} applied`, `${shop} applied`]);

    world.reconciler.wake("schedule");
    await world.clock.advance(0);
    expect(world.told().toSorted()).toEqual([`${blog} in-sync`, `${shop} in-sync`]);
    world.stop.abort();
    await running;
    expect(world.bugs).toEqual([]);
  });

  it("tells a start by its name, though the service answers before the files are read", async ({
    expect,
  }) => {
    const world = new World([shop, blog]);
    world.loadMs = 1_000;
    void world.start();
    await world.clock.advance(5_000);
    expect(world.reports.map(({ trigger }) => trigger)).toEqual(["startup", "startup"]);
    expect([world.readings, world.listings]).toEqual([1, 1]);
    world.stop.abort();
  });

  it("looks at the one zone that somebody asks for, and at all when it is not listed", async ({
    expect,
  }) => {
    const world = new World([shop, blog]);
    const running = world.start();
    await world.clock.advance(0);
    world.told();
    world.reconciler.wakeZone(blog, "manual");
    await world.clock.advance(0);
    expect(world.reports.at(-1)?.trigger).toBe("manual");
    expect(world.told()).toEqual([`${blog} in-sync`]);
    world.reconciler.wakeZone("unlisted.example", "manual");
    await world.clock.advance(0);
    expect(world.told().toSorted()).toEqual([`${blog} in-sync`, `${shop} in-sync`]);
    world.stop.abort();
    await running;
  });

  it("looks at the zones that a file change touches, and at no other", async ({ expect }) => {
    const world = new World([shop, blog]);
    void world.start();
    await world.clock.advance(0);
    world.told();
    world.files.set(shop, edited);
    world.revision = "r2";
    world.reconciler.wake("file");
    await world.clock.advance(0);
    expect(world.told()).toEqual([`${shop} applied`]);
    expect(world.loads.at(-1)?.result).toBe("applied");
    world.stop.abort();
  });

  it("does nothing when woken for files that are as they were", async ({ expect }) => {
    const world = new World([shop]);
    void world.start();
    await world.clock.advance(0);
    world.told();
    world.reconciler.wake("file");
    await world.clock.advance(0);
    expect(world.told()).toEqual([]);
    expect(world.loads.at(-1)?.result).toBe("unchanged");
    world.stop.abort();
  });

  it("tells what is wrong with the files as soon as it is, and no longer than it is", async ({
    expect,
  }) => {
    const world = new World([shop]);
    const unreadable = [problem({ code: "DIRECTORY_UNREADABLE" })];
    world.problems = unreadable;
    void world.start();
    await world.clock.advance(0);
    const told = [world.loads.at(-1)];
    for (const problems of [[], unreadable, []]) {
      world.problems = problems;
      world.reconciler.wake("file");
      await world.clock.advance(0);
      told.push(world.loads.at(-1));
    }
    expect(told.map((load) => load?.result)).toEqual([
      "invalid",
      "unchanged",
      "invalid",
      "unchanged",
    ]);
    expect(told.map((load) => load?.problems)).toEqual([unreadable, [], unreadable, []]);
    world.stop.abort();
  });

  it("reads the files once more, not three times more, when woken three times meanwhile", async ({
    expect,
  }) => {
    const world = new World([shop]);
    world.latencyMs = 100;
    void world.start();
    await world.clock.advance(50);
    for (let wake = 0; wake < 3; wake += 1) world.reconciler.wake("file");
    await world.clock.advance(10_000);
    expect(world.readings).toBe(2);
    world.stop.abort();
  });

  it("never looks at a zone twice at once", async ({ expect }) => {
    const world = new World([shop]);
    world.latencyMs = 100;
    void world.start();
    await world.clock.advance(150);
    expect([...world.reconciler.running.keys()]).toEqual([shop]);
    world.reconciler.wake("schedule");
    await world.clock.advance(100);
    const reads = world.requests.filter((request) => request === `read ${shop}`);
    expect(reads).toHaveLength(1);
    await world.clock.advance(1_000);
    expect(world.told()).toEqual([`${shop} applied`, `${shop} in-sync`]);
    world.stop.abort();
  });
});

describe("a zone that fails", () => {
  it("delays no other, and comes back after waits that grow", async ({ expect }) => {
    const world = new World([shop, blog]);
    world.faults.set(shop, () => new ServiceFault("API_SERVER", true));
    void world.start();
    await world.clock.advance(0);
    expect(world.told().toSorted()).toEqual([`${blog} applied`, `${shop} unreadable`]);
    const reads: string[] = [];
    for (const ms of [4_999, 1, 9_999, 1]) {
      await world.clock.advance(ms);
      reads.push(world.told().join(" "));
    }
    expect(reads).toEqual(["", `${shop} unreadable`, "", `${shop} unreadable`]);

    world.faults.delete(shop);
    await world.clock.advance(20_000);
    expect(world.told()).toEqual([`${shop} applied`]);
    world.stop.abort();
  });

  it("waits as long as the service asks, where that is longer", async ({ expect }) => {
    const world = new World([shop]);
    world.faults.set(shop, () => new ServiceFault("API_THROTTLED", true, 60_000));
    void world.start();
    await world.clock.advance(59_999);
    expect(world.told()).toEqual([`${shop} unreadable`]);
    await world.clock.advance(1);
    expect(world.told()).toEqual([`${shop} unreadable`]);
    world.stop.abort();
  });

  it("is left to the next sweep where trying again cannot help", async ({ expect }) => {
    const world = new World([shop]);
    world.faults.set(shop, () => new ServiceFault("API_FORBIDDEN", false));
    void world.start();
    await world.clock.advance(3_600_000);
    expect(world.told()).toEqual([`${shop} unreadable`]);
    world.reconciler.wake("schedule");
    await world.clock.advance(0);
    expect(world.told()).toEqual([`${shop} unreadable`]);
    world.stop.abort();
  });

  it("in the middle of its writes keeps what is done and goes on from there", async ({
    expect,
  }) => {
    const world = new World([shop]);
    let requests = 0;
    world.faults.set(shop, () => {
      requests += 1;
      return requests === 3 ? new ServiceFault("API_SERVER", true) : undefined;
    });
    void world.start();
    await world.clock.advance(0);
    const [first] = world.reports;
    expect(first).toMatchObject({
      result: "applied",
      outcomes: [{ status: "done" }, { status: "failed" }],
    });
    world.told();
    await world.clock.advance(5_000);
    expect(world.told()).toEqual([`${shop} applied`]);
    expect(world.requests.filter((request) => request.startsWith("write"))).toHaveLength(3);
    world.stop.abort();
  });

  it("by a fault of our own is told and does not end the loop", async ({ expect }) => {
    const world = new World([shop, blog]);
    world.faults.set(shop, () => new TypeError("a bug"));
    void world.start();
    await world.clock.advance(0);
    expect(world.told().toSorted()).toEqual([`${blog} applied`, `${shop} unreadable`]);
    expect(world.bugs).toHaveLength(1);
    world.stop.abort();
  });
});

describe("zones that cannot be listed", () => {
  it("are told as unreadable, not as empty, and looked for again", async ({ expect }) => {
    const world = new World([shop]);
    world.listFault = new ServiceFault("API_UNREACHABLE", true);
    void world.start();
    await world.clock.advance(0);
    expect(world.told()).toEqual([`${shop} unreadable`]);
    expect(world.unlisted).toMatchObject([{ code: "API_UNREACHABLE" }]);
    world.listFault = undefined;
    await world.clock.advance(5_000);
    expect(world.told()).toEqual([`${shop} applied`]);
    world.stop.abort();
  });

  it("keep being reconciled where they had been listed before", async ({ expect }) => {
    const world = new World([shop]);
    void world.start();
    await world.clock.advance(0);
    world.told();
    world.listFault = new ServiceFault("API_UNREACHABLE", true);
    world.reconciler.wake("schedule");
    await world.clock.advance(0);
    expect(world.told()).toEqual([`${shop} in-sync`]);
    world.stop.abort();
  });

  it("because nobody has them are told with what to check", async ({ expect }) => {
    const world = new World([shop]);
    world.files.set("lost.example", protectedContent);
    void world.start();
    await world.clock.advance(0);
    const lost = world.reports.find(({ zone }) => zone === "lost.example");
    expect(lost).toMatchObject({ result: "unreadable", failure: { code: "ZONE_NOT_LISTED" } });
    world.stop.abort();
  });
});

describe("a new revision of the files", () => {
  it("that touches too much of the fleet is held, and the one before stays in force", async ({
    expect,
  }) => {
    const zones = many(10);
    const world = new World(zones);
    void world.start();
    await world.clock.advance(0);
    world.told();
    world.requests.length = 0;
    for (const zone of zones.slice(0, 4)) world.files.set(zone, edited);
    world.revision = "r2";
    world.reconciler.wake("file");
    await world.clock.advance(0);
    expect(world.loads.at(-1)).toMatchObject({
      result: "refused",
      state: { revision: "r2" },
      inForce: { revision: "r1", hash: "r1" },
      refusal: { code: "FLEET_CHANGE", touched: new Set(zones.slice(0, 4)) },
    });
    expect(world.requests).toEqual([]);

    world.reconciler.wake("schedule");
    await world.clock.advance(0);
    expect(new Set(world.reports.map(({ result }) => result))).toEqual(new Set(["in-sync"]));
    world.stop.abort();
  });

  it("that declares nothing any more is refused and deletes nothing", async ({ expect }) => {
    const world = new World([shop]);
    void world.start();
    await world.clock.advance(0);
    world.told();
    world.files.clear();
    world.revision = "r2";
    world.reconciler.wake("file");
    await world.clock.advance(0);
    expect(world.loads.at(-1)?.result).toBe("refused");
    expect(world.live.get(shop)?.policies).toHaveLength(1);
    world.stop.abort();
  });

  it("that drops a zone forgets it and leaves it as it is", async ({ expect }) => {
    const world = new World([shop, blog]);
    void world.start();
    await world.clock.advance(0);
    world.told();
    world.files.delete(blog);
    world.revision = "r2";
    world.reconciler.wake("file");
    world.reconciler.wake("schedule");
    await world.clock.advance(0);
    expect(world.told()).toEqual([`${shop} in-sync`]);
    expect(world.live.get(blog)?.policies).toHaveLength(1);
    world.stop.abort();
  });
});
