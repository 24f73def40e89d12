import { describe, it } from "vitest";

import { causesIn } from "../../src/plan/cause/cause.ts";
import { planHash } from "../../src/plan/guard/release.ts";
import type { RunStore } from "../../src/reconcile/run/run-store.ts";
import { bare, carriedOut, declared, desiredZone, policy } from "../support/model.ts";
import { MemoryRunStore } from "../support/run-store.ts";
import { edited, oneCredential, World } from "../support/world.ts";

const shop = "shop.example";

/** The daemon after a restart: the same files, the same service, and what it stored. */
function after(before: World, store: RunStore, options: Partial<World["options"]> = {}): World {
  const world = new World([shop], { ...before.options, ...options }, oneCredential, store);
  for (const [name, live] of before.live) world.live.set(name, live);
  for (const [name, content] of before.files) world.files.set(name, content);
  return world;
}

/** Somebody switches the zone's monitoring off. */
function switchOff(world: World): void {
  world.edit(shop, ({ zone }) => ({ settings: bare(zone).settings }));
}

/** A change that protects neither more nor less. */
function rename(world: World): void {
  world.edit(shop, ({ policies }) => ({
    policies: policies.map((each) => ({ ...each, description: `By hand: ${each.description}` })),
  }));
}

async function converged(store: RunStore): Promise<World> {
  const world = new World([shop], {}, oneCredential, store);
  await world.begin();
  world.stop.abort();
  await world.ended;
  return world;
}

describe("a daemon that starts again", () => {
  it.for([
    { when: "somebody changed the zone meanwhile", drifts: true, edits: false, cause: "drift" },
    { when: "somebody edited the file meanwhile", drifts: false, edits: true, cause: "pending" },
  ] as const)("knows why a zone differs where $when", async (story, { expect }) => {
    const store = new MemoryRunStore();
    await using before = await converged(store);
    await using world = after(before, store, { mode: "observe" });
    if (story.drifts) switchOff(world);
    if (story.edits) {
      world.files.set(shop, edited);
      world.revision = "r2";
    }
    await world.begin();
    const [report] = world.reports;
    if (report?.result !== "held") throw new Error("not held");
    expect(causesIn(report.plan.changes)).toEqual([story.cause]);
  });

  it("goes on counting the corrections of a field", async ({ expect }) => {
    const store = new MemoryRunStore();
    let world = await converged(store);
    const results: string[] = [];
    for (let restart = 0; restart < 4; restart += 1) {
      const next = after(world, store);
      await world[Symbol.asyncDispose]();
      world = next;
      rename(world);
      world.start();
      await world.clock.advance(60_000);
      results.push(...world.takeResults());
    }
    await world[Symbol.asyncDispose]();
    expect(results).toEqual([
      `${shop} applied`,
      `${shop} applied`,
      `${shop} applied`,
      `${shop} held`,
    ]);
  });

  it("does not use a release twice", async ({ expect }) => {
    const store = new MemoryRunStore();
    const reporting = desiredZone({
      policies: declared([policy("checkout", { action: "log" })]),
    }).content;
    const strict = (accept: readonly string[]): Partial<World["options"]> => ({
      limits: { ...before.options.limits, weakening: "refuse", accept },
    });
    await using before = await converged(store);
    before.files.set(shop, reporting);
    const blocking = carriedOut("p1", policy("checkout", { action: "allow" }));
    before.edit(shop, () => ({ policies: [blocking] }));

    await using held = after(before, store, strict([]));
    await held.begin();
    const [report] = held.reports;
    if (report?.result !== "held") throw new Error("not held");
    const hash = planHash(report.plan);

    await using released = after(before, store, strict([hash]));
    await released.begin();
    expect(released.takeResults()).toEqual([`${shop} applied`]);

    await using again = after(before, store, strict([hash]));
    await again.begin();
    expect(again.takeResults()).toEqual([`${shop} held`]);
  });
});
