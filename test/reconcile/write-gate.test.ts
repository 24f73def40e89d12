import { describe, it } from "vitest";

import { Budget } from "../../src/api/budget/budget.ts";
import { WriteGate } from "../../src/reconcile/run/write-gate.ts";
import { type Windows, windowsOf } from "../../src/reconcile/schedule/windows.ts";
import { defaultBudget } from "../support/budget.ts";
import { SimulatedClock } from "../support/clock.ts";
import { livePolicy } from "../support/model.ts";
import { many, protectedContent, World } from "../support/world.ts";

const [shop, blog] = ["shop.example", "blog.example"] as const;
const [second, minute] = [1_000, 60_000] as const;

/** A world with a zone whose write waits since 10 s. */
async function waitingWorld(windows: Windows = windowsOf([])): Promise<World> {
  const world = new World([shop, blog], { windows });
  world.files.set(blog, { ...protectedContent, settings: [], policies: undefined });
  world.waitMs = 40 * second;
  world.start();
  await world.clock.advance(10 * second);
  world.requests.length = 0;
  world.reports.length = 0;
  return world;
}

function edit(world: World, change: (files: World["files"]) => void): void {
  change(world.files);
  world.revision = "r2";
  world.reconciler.filesChanged();
}

const suspension = { reason: "incident", until: undefined };

describe("a write that was not sent yet is cancelled", () => {
  it.for([
    {
      when: "somebody suspends its zone",
      act: (world: World) =>
        edit(world, (files) => files.set(shop, { ...protectedContent, suspension })),
      next: { result: "held", holds: [{ reason: "suspend" }] },
    },
    {
      when: "its zone changes to mode observe",
      act: (world: World) =>
        edit(world, (files) => files.set(shop, { ...protectedContent, mode: "observe" })),
      next: { result: "held", holds: [{ reason: "observe" }] },
    },
    {
      when: "the program changes to mode observe",
      act: ({ reconciler, options }: World) =>
        reconciler.reconfigure({ ...options, mode: "observe" }),
      next: { result: "held", holds: [{ reason: "observe" }] },
    },
    {
      when: "its zone is dropped from the files",
      act: (world: World) => edit(world, (files) => files.delete(shop)),
      next: undefined,
    },
  ])("when $when", async ({ act, next }, { expect }) => {
    await using world = await waitingWorld();
    act(world);
    await world.clock.advance(10 * second);
    const skipped = { status: "skipped", reason: "cancelled" };
    const after = next === undefined ? [] : [next];
    expect(world.reports).toMatchObject([
      { result: "applied", outcomes: [skipped, skipped] },
      ...after,
    ]);
    await world.clock.advance(30 * minute);
    expect(world.requests.filter((request) => request.startsWith("write"))).toEqual([]);
  });

  it("at once when the options change", async ({ expect }) => {
    await using world = await waitingWorld();
    world.reconciler.reconfigure({ ...world.options, mode: "observe" });
    await world.clock.advance(0);
    expect(world.reports[0]).toMatchObject({ outcomes: [{ reason: "cancelled" }, {}] });
  });

  it("when a freeze begins, at that moment", async ({ expect }) => {
    const opens = new Date("2026-11-20T12:00:30Z");
    const freeze = { reason: "sales", letStrengtheningPass: false };
    await using world = await waitingWorld({
      freezeAt: (now) => (now < opens ? undefined : freeze),
      endOfFreeze: () => undefined,
    });
    await world.clock.advance(20 * second - 1);
    expect(world.reports).toEqual([]);
    await world.clock.advance(1);
    expect(world.reports).toMatchObject([{ finishedAt: opens, outcomes: [{}, {}] }]);
    await world.clock.advance(30 * minute);
    expect(world.reports.at(-1)).toMatchObject({ holds: [{ reason: "freeze" }] });
    expect(world.requests.filter((request) => request.startsWith("write"))).toEqual([]);
  });

  it("and one in flight is finished", async ({ expect }) => {
    await using world = new World([shop]);
    world.latencyMs = 100;
    world.start();
    await world.clock.advance(250);
    edit(world, (files) => files.set(shop, { ...protectedContent, suspension }));
    await world.clock.advance(10 * second);
    expect(world.reports).toMatchObject([
      { outcomes: [{ status: "done" }, { status: "skipped", reason: "cancelled" }] },
      { result: "held" },
    ]);
  });

  it("but goes on where the options change, which hold nothing, while its zone is read", async ({
    expect,
  }) => {
    await using world = new World([shop]);
    world.latencyMs = 100;
    world.start();
    await world.clock.advance(150);
    expect(world.requests).toEqual([`read ${shop}`]);
    world.reconciler.reconfigure(world.options);
    await world.clock.advance(second);
    expect(world.takeResults()).toEqual([`${shop} applied`]);
  });

  it("but goes on where another zone is edited", async ({ expect }) => {
    await using world = await waitingWorld();
    edit(world, (files) => files.set(blog, { ...protectedContent, mode: "observe" }));
    await world.clock.advance(90 * second);
    const [first] = world.reports.filter(({ zone }) => zone === shop);
    expect(first).toMatchObject({ result: "applied", outcomes: [{ status: "done" }, {}] });
    expect(world.takeResults()).toContain(`${shop} applied`);
    expect(world.live.get(shop)?.policies).toHaveLength(1);
  });
});

describe("a plan that waits for the judgement of its fleet", () => {
  it("is held by a freeze that begins meanwhile, as the chain asks windows first", async ({
    expect,
  }) => {
    const opens = new Date("2026-11-20T12:00:20Z");
    const freeze = { reason: "sales", letStrengtheningPass: false };
    const freezeAt = (now: Date): typeof freeze | undefined => (now < opens ? undefined : freeze);
    const windows: Windows = { freezeAt, endOfFreeze: () => undefined };
    await using world = new World(many(40), { windows });
    await world.begin();
    const [first = ""] = many(40);
    await world.clock.advance(19 * second);
    world.reports.length = 0;
    world.reconciler.requestZone(first, "manual");
    await world.clock.advance(0);
    const [waiting] = world.reports;
    expect(waiting?.result === "planned" ? waiting.waits : "").toContain("to accept it");
    await world.clock.advance(second);
    world.reports.length = 0;
    world.reconciler.requestZone(first, "manual");
    await world.clock.advance(0);
    expect(world.reports).toMatchObject([
      { zone: first, result: "held", holds: [{ reason: "freeze" }] },
    ]);
  });

  it("is not written on, if the fleet is judged again meanwhile", async ({ expect }) => {
    const clock = new SimulatedClock();
    let waits: string | undefined;
    using gate = new WriteGate(clock, minute, { fleet: () => waits });
    gate.watch({ holdsAt: () => [] });
    await clock.advance(second);
    waits = "revision r2 is judged";
    await clock.advance(minute / 2);
    expect(gate.signal.reason).toMatchObject({ reason: "cancelled" });
  });
});

describe("a read that has expired", () => {
  it("is repeated before anything is written", async ({ expect }) => {
    await using world = new World([shop]);
    world.waitMs = 10 * minute;
    world.start();
    await world.clock.advance(minute);
    const byHand = livePolicy("by-hand");
    world.edit(shop, () => ({ policies: [byHand] }));
    world.waitMs = 0;
    await world.clock.advance(minute);
    const read = `read ${shop}`;
    expect(world.requests.slice(0, 3)).toEqual([read, read, `write ${shop} create-policy`]);
    expect(world.reports).toMatchObject([
      { outcomes: [{ reason: "read_expired" }, { reason: "read_expired" }] },
      { outcomes: [{ status: "done" }, { status: "done" }] },
    ]);
    expect(world.live.get(shop)?.policies).toContainEqual(byHand);
  });

  it.for([-60 * minute, 60 * minute])(
    "is known by the monotonic clock, though the wall clock is set by %s ms",
    async (ms, { expect }) => {
      await using world = new World([shop]);
      world.waitMs = 10 * minute;
      world.start();
      await world.clock.advance(30 * second);
      world.clock.step(ms);
      await world.clock.advance(30 * second - 1);
      expect(world.reports).toEqual([]);
      await world.clock.advance(1);
      expect(world.takeResults()).toEqual([`${shop} applied`]);
    },
  );

  it("does not make a zone read for ever where the request budget is tight", async ({ expect }) => {
    await using world = new World([shop]);
    const oneIn5Minutes = { ...defaultBudget, limit: 1, windowMs: 5 * minute, reserve: 0 };
    world.budget = new Budget(oneIn5Minutes, world.clock);
    world.start();
    await world.clock.advance(60 * minute);
    expect(world.live.get(shop)).toMatchObject({ settings: { enabled: true }, policies: [{}] });
    expect(world.requests.length).toBeLessThan(13);
  });
});
