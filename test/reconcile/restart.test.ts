import { describe, it } from "vitest";

import { causesIn } from "../../src/plan/cause/cause.ts";
import type { RunStore } from "../../src/reconcile/run/run-store.ts";
import { bare } from "../support/model.ts";
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
});
