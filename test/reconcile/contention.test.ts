import { describe, it } from "vitest";

import { declared, desiredZone, livePolicy, policy } from "../support/model.ts";
import { ServiceFault, World } from "../support/world.ts";

const shop = "shop.example";
const minute = 60_000;

/** Somebody else disables Page Shield. */
function switchOff(world: World): void {
  const live = world.live.get(shop);
  if (live?.settings === undefined) throw new Error("no settings");
  world.live.set(shop, { ...live, settings: { ...live.settings, enabled: false } });
}

describe("writes that failed", () => {
  it.for([
    { what: "refused by the service", code: "API_SERVER" as const },
    { what: "without an answer", code: "API_UNKNOWN_OUTCOME" as const },
  ])("$what are no corrections", async ({ code }, { expect }) => {
    await using world = new World([shop]);
    world.start();
    await world.clock.advance(0);
    switchOff(world);
    const isWrite = (): boolean => world.requests.at(-1)?.startsWith("write") === true;
    world.faults.set(shop, () => (isWrite() ? new ServiceFault(code, true) : undefined));
    world.reconciler.requestSweep("schedule");
    await world.clock.advance(minute);
    const tries = world.requests.filter((request) => request === `write ${shop} update-settings`);
    expect(tries.length).toBeGreaterThan(3);

    world.faults.clear();
    world.takeResults();
    await world.clock.advance(minute);
    expect(world.takeResults()).toEqual([`${shop} applied`]);
  });
});

describe("a tool that recreates its resource after each delete", () => {
  it("is another writer, though the resource has a new id each time", async ({ expect }) => {
    await using world = new World([shop]);
    const policies = declared([policy("checkout"), policy("cart"), policy("login")], "delete");
    world.files.set(shop, desiredZone({ policies }).content);
    world.start();
    await world.clock.advance(0);
    world.takeResults();
    for (const id of ["a", "b", "c", "d"]) {
      const live = world.live.get(shop);
      if (live?.policies === undefined) throw new Error("no policies");
      world.live.set(shop, { ...live, policies: [...live.policies, livePolicy(id)] });
      world.reconciler.requestSweep("schedule");
      await world.clock.advance(minute);
    }
    expect(world.reports.at(-1)).toMatchObject({ holds: [{ reason: "contended" }] });
    const applied = `${shop} applied`;
    expect(world.takeResults()).toEqual([applied, applied, applied, `${shop} held`]);
  });
});
