import { describe, it } from "vitest";

import type { Windows } from "../../src/reconcile/schedule/windows.ts";
import { script } from "../support/inventory.ts";
import { declared, desiredZone, policy } from "../support/model.ts";
import { diagnostic } from "../support/reports.ts";
import { protectedContent, World } from "../support/world.ts";

const [shop, blog] = ["shop.example", "blog.example"] as const;

const switchedOn = desiredZone({ settings: [{ name: "enabled", value: true }] }).content;
const withPolicy = desiredZone({
  policies: declared([policy("checkout", { action: "allow" })]),
}).content;

describe("stopping the program", () => {
  it("finishes the request in flight and sends no other", async ({ expect }) => {
    await using world = new World([shop]);
    world.latencyMs = 100;
    world.start();
    await world.clock.advance(250);
    expect(world.requests).toEqual([`read ${shop}`, `write ${shop} create-policy`]);
    let hasEnded = false;
    void world.ended.then(() => (hasEnded = true));
    world.stop.abort();
    await world.clock.advance(49);
    expect(hasEnded).toBe(false);
    await world.clock.advance(1);
    expect(hasEnded).toBe(true);
    expect(world.requests).toHaveLength(2);
    expect(world.reports).toMatchObject([
      {
        result: "applied",
        outcomes: [{ status: "done" }, { status: "skipped", reason: "shutdown" }],
      },
    ]);
  });

  it("cancels a write that waits, and reports it as skipped", async ({ expect }) => {
    await using world = new World([shop]);
    world.waitMs = 600_000;
    world.start();
    await world.clock.advance(1_000);
    world.stop.abort();
    await world.clock.advance(0);
    await world.ended;
    expect(world.reports).toMatchObject([
      {
        outcomes: [
          { status: "skipped", reason: "shutdown" },
          { status: "skipped", reason: "shutdown" },
        ],
      },
    ]);
  });

  it("aborts a read at once", async ({ expect }) => {
    await using world = new World([shop]);
    world.latencyMs = 100;
    world.start();
    await world.clock.advance(150);
    world.stop.abort();
    await world.clock.advance(0);
    await world.ended;
    expect(world.reports).toEqual([]);
  });
});

describe("where file changes wait for a sweep", () => {
  it("their diagnostics are reported, and nothing else takes effect before it", async ({
    expect,
  }) => {
    await using world = new World([shop], { onChange: false });
    world.files.set(shop, switchedOn);
    await world.begin();
    world.takeResults();
    world.requests.length = 0;
    world.files.set(shop, protectedContent);
    world.files.set(blog, protectedContent);
    world.revision = "r2";
    world.diagnostics = [diagnostic()];
    world.reconciler.filesChanged();
    await world.clock.advance(3_600_000);
    expect(world.requests).toEqual([]);
    expect(world.listings).toBe(1);
    expect(world.loads.at(-1)).toMatchObject({
      result: "partial",
      diagnostics: [diagnostic()],
      state: { revision: "r1" },
    });

    world.reconciler.requestZone(shop, "manual");
    await world.clock.advance(0);
    expect(world.takeResults()).toEqual([`${shop} in_sync`]);
    world.diagnostics = [];
    await world.sweep();
    expect(world.takeResults()).toContain(`${shop} applied`);
    expect(world.loads.at(-1)).toMatchObject({ state: { revision: "r2" } });
  });

  it("the first usable files are active at once, and broken ones change nothing", async ({
    expect,
  }) => {
    await using world = new World([shop], { onChange: false });
    const broken = { diagnostics: [diagnostic()], usable: false };
    const usable = { diagnostics: [], usable: true };
    const loadFiles = async (files: Partial<World>): Promise<unknown> => {
      Object.assign(world, files);
      await world.reload();
      const { result, active } = world.loads.at(-1) ?? {};
      return [result, active?.revision];
    };
    Object.assign(world, broken);
    world.start();
    expect(await loadFiles(broken)).toEqual(["rejected", ""]);
    expect(await loadFiles(usable)).toEqual(["applied", "r1"]);
    expect(world.takeResults()).toEqual([`${shop} applied`]);
    expect(await loadFiles({ revision: "r2", ...broken })).toEqual(["rejected", "r1"]);
    expect(await loadFiles({ revision: "r3", ...usable })).toEqual(["unchanged", "r1"]);
    await world.sweep();
    expect(world.loads.at(-1)).toMatchObject({ active: { revision: "r3" } });
  });
});

describe("a script that is in use", () => {
  it("holds the policy that would block it, until the file acknowledges the script", async ({
    expect,
  }) => {
    await using world = new World([shop]);
    const seen = { host: "shop.example.com", lastSeenAt: world.clock.now() };
    world.scripts = [script("https://cdn.example.net/lib.js", seen)];
    const blocking = policy("checkout", { action: "allow" });
    world.files.set(shop, desiredZone({ policies: declared([blocking]) }).content);
    await world.begin();
    expect(world.reports).toMatchObject([{ result: "held", holds: [{ reason: "blocks_in_use" }] }]);
    expect(world.requests).toEqual([`read ${shop}`]);

    const acknowledge = ["cdn.example.net"];
    world.files.set(
      shop,
      desiredZone({ policies: declared([{ ...blocking, acknowledge }]) }).content,
    );
    await world.reload("r2");
    expect(world.requests).toContain(`write ${shop} create-policy`);
  });
});

describe("in mode observe", () => {
  it("drift is reported and nothing is written", async ({ expect }) => {
    await using world = new World([shop], { mode: "observe" });
    await world.begin();
    expect(world.reports).toMatchObject([{ result: "held", holds: [{ reason: "observe" }] }]);
    expect(world.requests).toEqual([`read ${shop}`]);
  });

  it("of one zone, the others are still corrected", async ({ expect }) => {
    await using world = new World([shop, blog]);
    world.files.set(shop, { ...protectedContent, mode: "observe" });
    await world.begin();
    expect(world.takeResults().toSorted()).toEqual([`${blog} applied`, `${shop} held`]);
  });
});

/** A freeze at any moment. */
const lenientFreeze: Windows = {
  freezeAt: () => ({ reason: "sales", letStrengtheningPass: true }),
  endOfFreeze: () => undefined,
};

describe("in a freeze", () => {
  it.for([
    { effect: "only strengthens", content: switchedOn, result: "applied" },
    { effect: "may break something", content: withPolicy, result: "held" },
  ])(
    "that lets strengthening pass, a plan that $effect is $result",
    async ({ content, result }, { expect }) => {
      await using world = new World([shop], { windows: lenientFreeze });
      world.files.set(shop, content);
      await world.begin();
      expect(world.takeResults()).toEqual([`${shop} ${result}`]);
    },
  );
});
