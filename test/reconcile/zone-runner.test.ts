import { describe, it } from "vitest";

import { ServiceFault, World } from "../support/world.ts";

const shop = "shop.example";

describe("a zone in which somebody replaced a resource after the read", () => {
  it("is retried with the usual back-off", async ({ expect }) => {
    await using world = new World([shop]);
    const isWrite = (): boolean => world.requests.at(-1)?.startsWith("write") === true;
    world.faults.set(shop, () =>
      isWrite() ? new ServiceFault("API_NOT_FOUND", false) : undefined,
    );
    world.start();
    await world.clock.advance(4_999);
    expect(world.reports).toMatchObject([{ outcomes: [{ failure: { transient: true } }, {}] }]);
    expect(world.takeResults()).toEqual([`${shop} applied`]);
    await world.clock.advance(1);
    expect(world.takeResults()).toEqual([`${shop} applied`]);
    world.faults.clear();
    await world.clock.advance(10_000);
    expect(world.takeResults()).toEqual([`${shop} applied`]);
    await world.clock.advance(3_600_000);
    expect(world.takeResults()).toEqual([]);
    expect(world.live.get(shop)?.policies).toHaveLength(1);
  });
});
