import { describe, it } from "vitest";

import { edited, protectedContent, ServiceFault, World } from "../support/world.ts";

const [shop, blog] = ["shop.example", "blog.example"] as const;

describe("the reconciler", () => {
  it("applies the changes at start, and is in sync after that", async ({ expect }) => {
    await using world = new World([shop, blog]);
    await world.begin();
    expect(world.takeResults().toSorted()).toEqual([`${blog} applied`, `${shop} applied`]);

    await world.sweep();
    expect(world.takeResults().toSorted()).toEqual([`${blog} in_sync`, `${shop} in_sync`]);
  });

  it("reports the trigger `startup`, though the listing arrives before the files are loaded", async ({
    expect,
  }) => {
    await using world = new World([shop, blog]);
    world.loadMs = 1_000;
    world.start();
    await world.clock.advance(5_000);
    expect(world.reports.map(({ trigger }) => trigger)).toEqual(["startup", "startup"]);
    expect([world.loadCount, world.listings]).toEqual([1, 1]);
  });

  it("runs the one zone that is requested, and all when it is not listed", async ({ expect }) => {
    await using world = new World([shop, blog]);
    await world.begin();
    world.takeResults();
    world.reconciler.requestZone(blog, "manual");
    await world.clock.advance(0);
    expect(world.reports.at(-1)?.trigger).toBe("manual");
    expect(world.takeResults()).toEqual([`${blog} in_sync`]);
    world.reconciler.requestZone("unlisted.example", "manual");
    await world.clock.advance(0);
    expect(world.takeResults().toSorted()).toEqual([`${blog} in_sync`, `${shop} in_sync`]);
  });

  it("runs the zones that a file change touches, and no other", async ({ expect }) => {
    await using world = new World([shop, blog]);
    await world.begin();
    world.takeResults();
    world.files.set(shop, edited);
    await world.reload("r2");
    expect(world.takeResults()).toEqual([`${shop} applied`]);
    expect(world.loads.at(-1)?.result).toBe("applied");
    // Requests for what people wait for come before those of a sweep.
    expect(world.priorities).toEqual([`${shop} sweep`, `${blog} sweep`, `${shop} changed`]);
  });

  it("does nothing where the files are unchanged", async ({ expect }) => {
    await using world = new World([shop]);
    await world.begin();
    world.takeResults();
    await world.reload();
    expect(world.takeResults()).toEqual([]);
    expect(world.loads.at(-1)?.result).toBe("unchanged");
  });

  it("loads the files once more, not three times, for three events meanwhile", async ({
    expect,
  }) => {
    await using world = new World([shop]);
    world.latencyMs = 100;
    world.start();
    await world.clock.advance(50);
    for (let wake = 0; wake < 3; wake += 1) world.reconciler.filesChanged();
    await world.clock.advance(10_000);
    expect(world.loadCount).toBe(2);
  });

  it("never runs a zone twice at once", async ({ expect }) => {
    await using world = new World([shop]);
    world.latencyMs = 100;
    world.start();
    await world.clock.advance(150);
    expect([...world.reconciler.running.keys()]).toEqual([shop]);
    await world.sweep("schedule", 100);
    const reads = world.requests.filter((request) => request === `read ${shop}`);
    expect(reads).toHaveLength(1);
    await world.clock.advance(1_000);
    expect(world.takeResults()).toEqual([`${shop} applied`, `${shop} in_sync`]);
  });
});

describe("a zone that fails", () => {
  it("is not run at each sweep of a schedule that is shorter than its back-off, and delays no sweep", async ({
    expect,
  }) => {
    await using world = new World([shop, blog]);
    world.faults.set(shop, () => new ServiceFault("API_RATE_LIMITED", true, 20_000));
    world.start();
    for (let second = 0; second < 19; second += 1) {
      await world.clock.advance(1_000);
      world.reconciler.requestSweep("schedule");
    }
    const reads = (zone: string): number =>
      world.requests.filter((request) => request === `read ${zone}`).length;
    expect([reads(shop), reads(blog)]).toEqual([1, 19]);
    expect(world.overlaps).toBe(0);
    await world.clock.advance(1_000);
    expect([reads(shop), reads(blog)]).toEqual([2, 20]);
  });

  it.for([
    {
      when: "somebody requests it",
      act: (world: World) => world.reconciler.requestZone(shop, "manual"),
    },
    {
      when: "somebody requests a sweep",
      act: (world: World) => world.reconciler.requestSweep("manual"),
    },
    {
      when: "a signal requests a sweep",
      act: (world: World) => world.reconciler.requestSweep("signal"),
    },
    { when: "a token was replaced", act: (world: World) => world.reconciler.requestSweep("retry") },
    {
      when: "its file was edited",
      act: (world: World) => {
        world.files.set(shop, edited);
        world.revision = "r2";
        world.reconciler.filesChanged();
      },
    },
  ])("runs at once when $when", async ({ act }, { expect }) => {
    await using world = new World([shop]);
    world.faults.set(shop, () => new ServiceFault("API_RATE_LIMITED", true, 600_000));
    world.start();
    await world.clock.advance(1_000);
    world.takeResults();
    act(world);
    await world.clock.advance(0);
    expect(world.takeResults()).toEqual([`${shop} error`]);
  });

  it("delays no other, and is retried with growing waits", async ({ expect }) => {
    await using world = new World([shop, blog]);
    world.faults.set(shop, () => new ServiceFault("API_SERVER", true));
    await world.begin();
    expect(world.takeResults().toSorted()).toEqual([`${blog} applied`, `${shop} error`]);
    const reads: string[] = [];
    for (const ms of [4_999, 1, 9_999, 1]) {
      await world.clock.advance(ms);
      reads.push(world.takeResults().join(" "));
    }
    expect(reads).toEqual(["", `${shop} error`, "", `${shop} error`]);

    world.faults.delete(shop);
    await world.clock.advance(20_000);
    expect(world.takeResults()).toEqual([`${shop} applied`]);
  });

  it("waits as long as the service asks, where that is longer", async ({ expect }) => {
    await using world = new World([shop]);
    world.faults.set(shop, () => new ServiceFault("API_RATE_LIMITED", true, 60_000));
    world.start();
    await world.clock.advance(59_999);
    expect(world.takeResults()).toEqual([`${shop} error`]);
    await world.clock.advance(1);
    expect(world.takeResults()).toEqual([`${shop} error`]);
  });

  it("is left to the next sweep where a retry cannot help", async ({ expect }) => {
    await using world = new World([shop]);
    world.faults.set(shop, () => new ServiceFault("API_FORBIDDEN", false));
    world.start();
    await world.clock.advance(3_600_000);
    expect(world.takeResults()).toEqual([`${shop} error`]);
    await world.sweep();
    expect(world.takeResults()).toEqual([`${shop} error`]);
  });

  it("between two writes keeps what is done and continues from there", async ({ expect }) => {
    await using world = new World([shop]);
    let requests = 0;
    world.faults.set(shop, () => {
      requests += 1;
      return requests === 3 ? new ServiceFault("API_SERVER", true) : undefined;
    });
    await world.begin();
    const [first] = world.reports;
    expect(first).toMatchObject({
      result: "applied",
      outcomes: [{ status: "done" }, { status: "failed" }],
    });
    world.takeResults();
    await world.clock.advance(5_000);
    expect(world.takeResults()).toEqual([`${shop} applied`]);
    expect(world.requests.filter((request) => request.startsWith("write"))).toHaveLength(3);
  });

  it("because of an internal error is reported and does not end the loop", async ({ expect }) => {
    await using world = new World([shop, blog]);
    world.faults.set(shop, () => new TypeError("a bug"));
    await world.begin();
    expect(world.takeResults().toSorted()).toEqual([`${blog} applied`, `${shop} error`]);
    expect(world.bugs.take()).toHaveLength(1);
    expect(world.bugs.zones).toEqual([shop]);
  });
});

describe("zones that cannot be listed", () => {
  it("are reported as errors, not as empty, and the listing is retried", async ({ expect }) => {
    await using world = new World([shop]);
    world.listFault = new ServiceFault("API_UNREACHABLE", true);
    await world.begin();
    expect(world.takeResults()).toEqual([`${shop} error`]);
    expect(world.unlisted).toMatchObject([{ code: "API_UNREACHABLE" }]);
    world.listFault = undefined;
    await world.clock.advance(5_000);
    expect(world.takeResults()).toEqual([`${shop} applied`]);
  });

  it("are still reconciled where they were listed before", async ({ expect }) => {
    await using world = new World([shop]);
    await world.begin();
    world.takeResults();
    world.listFault = new ServiceFault("API_UNREACHABLE", true);
    await world.sweep();
    expect(world.takeResults()).toEqual([`${shop} in_sync`]);
  });

  it("by one credential of several do not affect the others, and each such credential is named", async ({
    expect,
  }) => {
    await using world = new World([shop, blog]);
    const revoked = new ServiceFault("API_UNAUTHORIZED", false);
    world.unlistable = {
      zones: [blog],
      failed: ["blogs", "others"].map((credential) => ({ credential, error: revoked })),
    };
    await world.begin();
    const hidden = world.reports.find(({ zone }) => zone === blog);
    expect(world.takeResults().toSorted()).toEqual([`${blog} error`, `${shop} applied`]);
    const reasons = world.unlisted.map(({ message }) => message);
    expect(reasons).toEqual([
      `credential blogs: ${revoked.message}`,
      `credential others: ${revoked.message}`,
    ]);
    expect(hidden).toMatchObject({ failure: { code: "API_UNAUTHORIZED", message: reasons[0] } });
    world.unlistable = { zones: [], failed: [] };
    await world.clock.advance(5_000);
    expect(world.takeResults()).toEqual([`${blog} applied`]);
  });

  it("because they do not exist are reported with what to check", async ({ expect }) => {
    await using world = new World([shop]);
    world.files.set("lost.example", protectedContent);
    await world.begin();
    const lost = world.reports.find(({ zone }) => zone === "lost.example");
    expect(lost).toMatchObject({ result: "error", failure: { code: "ZONE_NOT_LISTED" } });
    const { zones, missing } = world.loads.at(-1)?.fleet ?? {};
    expect([zones?.size, missing?.size]).toEqual([1, 1]);
  });

  it("because they do not exist are reported when a file names them, with its revision", async ({
    expect,
  }) => {
    await using world = new World([shop]);
    await world.begin();
    world.reports.length = 0;
    world.files.set("lost.example", protectedContent);
    await world.reload("r2");
    expect(world.reports).toMatchObject([
      { zone: "lost.example", result: "error", trigger: "file", revision: "r2" },
    ]);
  });
});
