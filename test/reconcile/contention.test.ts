import { describe, it } from "vitest";

import { declared, desiredZone, livePolicy, policy } from "../support/model.ts";
import { ServiceFault, World } from "../support/world.ts";

const shop = "shop.example";
const minute = 60_000;

/** Somebody switches Page Shield off. */
function switchOff(world: World): void {
  const live = world.live.get(shop);
  if (live?.settings === undefined) throw new Error("no settings");
  world.live.set(shop, { ...live, settings: { ...live.settings, enabled: false } });
}

describe("writes that failed", () => {
  it.for([
    { what: "refused by the service", code: "API_SERVER" as const },
    { what: "without an answer", code: "API_UNKNOWN_OUTCOME" as const },
  ])("$what are no corrections that somebody undid", async ({ code }, { expect }) => {
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
    world.told();
    await world.clock.advance(minute);
    expect(world.told()).toEqual([`${shop} applied`]);
  });
});

describe("a tool that makes its object anew whenever we delete it", () => {
  it("is another writer, though the object has a new id each time", async ({ expect }) => {
    await using world = new World([shop]);
    const policies = declared([policy("checkout"), policy("cart"), policy("login")], "delete");
    world.files.set(shop, desiredZone({ policies }).content);
    world.start();
    await world.clock.advance(0);
    world.told();
    for (const id of ["a", "b", "c", "d"]) {
      const live = world.live.get(shop);
      if (live?.policies === undefined) throw new Error("no policies");
      world.live.set(shop, { ...live, policies: [...live.policies, livePolicy(id)] });
      world.reconciler.requestSweep("schedule");
      await world.clock.advance(minute);
    }
    expect(world.reports.at(-1)).toMatchObject({ holds: [{ reason: "contended" }] });
    const applied = `${shop} applied`;
    expect(world.told()).toEqual([applied, applied, applied, `${shop} held`]);
  });
});
