import { describe, it } from "vitest";

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
    { what: "refused by the service", code: "API_SERVER" },
    { what: "without an answer", code: "API_UNKNOWN_OUTCOME" },
  ])("$what are no corrections that somebody undid", async ({ code }, { expect }) => {
    const world = new World([shop]);
    void world.start();
    await world.clock.advance(0);
    switchOff(world);
    const isWrite = (): boolean => world.requests.at(-1)?.startsWith("write") === true;
    world.faults.set(shop, () => (isWrite() ? new ServiceFault(code, true) : undefined));
    world.reconciler.wake("schedule");
    await world.clock.advance(minute);
    const tries = world.requests.filter((request) => request === `write ${shop} update-settings`);
    expect(tries.length).toBeGreaterThan(3);

    world.faults.clear();
    world.told();
    await world.clock.advance(minute);
    expect(world.told()).toEqual([`${shop} applied`]);
    world.stop.abort();
  });
});
