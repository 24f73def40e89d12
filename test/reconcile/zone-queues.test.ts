import { describe, it } from "vitest";

import { ZoneQueues } from "../../src/reconcile/queue/zone-queue.ts";
import { SimulatedClock } from "../support/clock.ts";
import { zone } from "../support/service.ts";
import { defaultOptions, protectedContent, World } from "../support/world.ts";

const shops = ["a.shop.example", "b.shop.example", "c.shop.example"];
const brand = "www.brand.example";
const credentials = {
  names: ["shops", "brands"],
  of: ({ name }: { readonly name: string }) => (name.includes("shop") ? "shops" : "brands"),
};

describe("zones of several credentials", () => {
  it("run while those of another credential wait for minutes", async ({ expect }) => {
    const fleetLimits = { ...defaultOptions.fleetLimits, maxWeakened: { zones: 9, share: 0 } };
    await using world = new World([...shops, brand], { fleetLimits }, credentials);
    for (const shop of shops) world.slow.set(shop, 300_000);
    await world.begin();
    expect(world.takeResults()).toEqual([`${brand} applied`]);
    expect(world.reconciler.waiting).toBe(1);
    expect([...world.reconciler.running.keys()]).toEqual(shops.slice(0, 2));

    world.files.set(brand, { ...protectedContent, settings: [] });
    await world.reload("r2");
    expect(world.takeResults()).toEqual([`${brand} in_sync`]);
  });

  it("run where no credential serves them: their report says so", async ({ expect }) => {
    await using world = new World([brand], {}, { names: ["shops"], of: () => "" });
    await world.begin();
    expect(world.takeResults()).toEqual([`${brand} applied`]);
  });

  it("stay in one queue when they move to another credential meanwhile", async ({ expect }) => {
    const clock = new SimulatedClock();
    let serving = "shops";
    const queues = new ZoneQueues({ names: ["shops", "brands"], of: () => serving }, clock);
    const [first, second] = queues.all;
    queues.add(zone(), "sweep", "schedule", 0);
    const entry = await first?.take(new AbortController().signal);
    serving = "brands";
    queues.add(zone(), "changed", "file", 0);
    expect([first?.size, second?.size, queues.running.size]).toEqual([1, 0, 1]);
    if (entry !== undefined) first?.done(entry.zone);
    queues.remove(zone().name);
    queues.add(zone(), "changed", "file", 0);
    expect([first?.size, second?.size]).toEqual([0, 1]);
  });

  it("wait in one queue, once, when they move to another credential meanwhile", ({ expect }) => {
    let serving = "shops";
    const ports = { names: ["shops", "brands"], of: () => serving };
    const queues = new ZoneQueues(ports, new SimulatedClock());
    queues.add(zone(), "sweep", "schedule", 0);
    serving = "brands";
    queues.add(zone(), "changed", "file", 0);
    expect(queues.all.map(({ size }) => size)).toEqual([1, 0]);
    expect(queues.size).toBe(1);
  });

  it("are all promoted when their holds may end earlier", async ({ expect, signal }) => {
    const ports = { names: ["shops", "brands"], of: () => "brands" };
    const queues = new ZoneQueues(ports, new SimulatedClock());
    queues.add(zone(), "due", "due", 60_000);
    expect(queues.size).toBe(0);
    queues.promoteDue();
    expect(queues.size).toBe(1);
    expect(await queues.all[1]?.take(signal)).toMatchObject({ zone: zone().name });
  });
});
