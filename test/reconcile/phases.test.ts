import { describe, it } from "vitest";

import { ServiceFault, World } from "../support/world.ts";

const shop = "shop.example";

describe("the duration of a run", () => {
  it.for([
    { how: "back", ms: -3_600_000 },
    { how: "forward", ms: 3_600_000 },
  ])("is the same when the wall clock is set $how", async ({ ms }, { expect }) => {
    await using world = new World([shop]);
    world.latencyMs = 100;
    world.start();
    // The listing, half of the reading; the rest of it, half of the first of two writes.
    for (const part of [150, 100]) {
      await world.clock.advance(part);
      world.clock.step(ms);
    }
    await world.clock.advance(1_000);
    expect(world.reports).toMatchObject([{ phases: { fetch: 100, plan: 0, apply: 200 } }]);
  });

  it("of a zone that cannot be read is the same, too", async ({ expect }) => {
    await using world = new World([shop]);
    world.faults.set(shop, () => new ServiceFault("API_SERVER", true));
    world.latencyMs = 100;
    world.start();
    await world.clock.advance(150);
    world.clock.step(-3_600_000);
    await world.clock.advance(50);
    expect(world.reports).toMatchObject([{ phases: { fetch: 100, plan: 0, apply: 0 } }]);
  });
});
