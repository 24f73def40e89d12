import { describe, it } from "vitest";

import { stepWaitText } from "../../src/render/step-text.ts";
import { type ObjectSteps, stepStateOf } from "../../src/state/steps-status.ts";
import type { Promotion } from "../../src/zone/promotion.ts";
import type { ResourceKey } from "../../src/zone/resource.ts";
import { declared } from "../support/model.ts";
import { named } from "../support/reports.ts";
import {
  fiveMinutes,
  hour,
  minute,
  ofRule,
  shortly,
  steppedContent,
  steppingWorld,
  type StepsWorld,
} from "../support/stepping.ts";
import { ServiceFault } from "../support/world.ts";

const [shop, blog, news] = ["z0.example", "z1.example", "z2.example"] as const;
const [checkout, search, bots] = ["policy/checkout", "policy/search", "custom_rule/bots"] as const;

const timeOnly = { ...shortly, when: "time_only", rollback: undefined } as const;
const one = steppedContent({ [checkout]: shortly });

function waitOf(world: StepsWorld, key: ResourceKey, zone: string = shop): string {
  const view = viewOf(world, key, zone);
  return view?.wait === undefined ? "" : stepWaitText(view.wait);
}

function viewOf(world: StepsWorld, key: ResourceKey, zone: string = shop): ObjectSteps | undefined {
  return world.steps.view(named(zone))?.objects.find((each) => each.key === key);
}

function steps(world: StepsWorld, ...keys: readonly ResourceKey[]): readonly unknown[] {
  return keys.map((key) => world.liveAt(shop, key));
}

function watched(world: StepsWorld): readonly ResourceKey[] {
  const { objects = [] } = world.steps.view(named(shop)) ?? {};
  return objects.filter(({ isWatched }) => isWatched).map(({ key }) => key);
}

/** Declares other steps or other content of the shop, in a revision of their own. */
async function redeclare(
  world: StepsWorld,
  promotions: Readonly<Record<string, Promotion>>,
  more: Readonly<Record<string, string>> = {},
  revision = "r2",
): Promise<void> {
  world.files.set(shop, steppedContent(promotions, more));
  await world.reload(revision);
}

describe("steps", () => {
  it("lead one object after the other to what is declared, as their hours were measured", async ({
    expect,
  }) => {
    const content = steppedContent({ [checkout]: shortly, [search]: shortly, [bots]: ofRule });
    await using world = await steppingWorld({ [shop]: content });
    expect(steps(world, checkout, search, bots)).toEqual(["log", "log", "log"]);
    await world.pass(3 * hour);
    expect(world.takeEvents()).toEqual([]);
    expect(waitOf(world, search)).toBe("1 h of 3 h measured");
    await world.pass(2 * hour);
    expect(world.takeEvents()).toEqual(["bots promoted managed_challenge"]);
    expect(steps(world, checkout, search, bots)).toEqual(["log", "log", "managed_challenge"]);
    expect(waitOf(world, search)).toBe("custom_rule/bots is promoted or watched");
    await world.pass(16 * hour);
    expect(world.takeEvents()).toEqual([
      "bots watched managed_challenge",
      "checkout promoted allow",
      "checkout watched allow",
      "search promoted allow",
      "search watched allow",
      "bots promoted block",
      "bots watched block",
    ]);
    expect(steps(world, checkout, search, bots)).toEqual(["allow", "allow", "block"]);
    const { objects = [] } = world.steps.view(named(shop)) ?? {};
    expect(objects.map(({ wait }) => wait?.reason)).toEqual(Array(3).fill("last_step"));
  });

  it("wait while too much is counted, and go on in each zone by itself", async ({ expect }) => {
    await using world = await steppingWorld({ [shop]: one, [blog]: one });
    world.traffic.noisy.add(`${shop} ${checkout}`);
    world.traffic.idle.add(blog);
    await world.pass(6 * hour);
    expect(waitOf(world, checkout)).toBe("360 in 36,000 requests, 100 per 10,000, more than 4");
    expect(waitOf(world, checkout, blog)).toBe("0 of 1,000 requests");
    world.traffic.noisy.clear();
    await world.pass(4 * hour);
    expect(world.takeEvents()).toEqual(["checkout promoted allow"]);
    expect([world.liveAt(shop, checkout), world.liveAt(blog, checkout)]).toEqual(["allow", "log"]);
  });

  it("go back within ten minutes of what is too much, and stay there", async ({ expect }) => {
    await using world = await steppingWorld({ [shop]: one });
    await world.pass(5 * hour);
    expect(world.takeEvents()).toEqual(["checkout promoted allow"]);
    world.traffic.noisy.add(`${shop} ${checkout}`);
    // The first five minutes, three until they are complete, and ten.
    await world.pass(20 * minute);
    expect(world.takeEvents()).toEqual(["checkout set_back log"]);
    expect(steps(world, checkout)).toEqual(["log"]);
    world.traffic.noisy.clear();
    await world.pass(12 * hour);
    expect(waitOf(world, checkout)).toMatch(
      /^set back from allow after \d+ in [\d,]+ requests, .*; it stays until/,
    );
    expect(world.takeEvents()).toEqual([]);

    // Another limit is another declaration; its hours were measured already.
    const laxer = { ...shortly, rollback: { ratePer10k: 500, requestsAtLeast: 1_000 } };
    await redeclare(world, { [checkout]: laxer });
    await world.pass(10 * minute);
    expect(world.takeEvents()).toEqual(["checkout promoted allow"]);
    world.traffic.noisy.add(`${shop} ${checkout}`);
    await world.pass(4 * hour);
    expect(world.takeEvents()).toEqual(["checkout watched allow"]);
  });

  it("go back by the hours of a time in which no process ran", async ({ expect }) => {
    await using before = await steppingWorld({ [shop]: one });
    await before.pass(5 * hour);
    expect(before.takeEvents()).toEqual(["checkout promoted allow"]);
    before.traffic.noisy.add(`${shop} ${checkout}`);
    await using world = await before.restart({ afterMs: 90 * minute });
    world.traffic.noisy.clear();
    await world.pass(hour);
    expect(world.takeEvents()).toEqual(["checkout set_back log"]);
  });

  it("pass the brake on weakening when they go back", async ({ expect }) => {
    const fleetLimits = {
      maxFleetShare: 1,
      minFleet: 10,
      accept: [],
      maxWeakened: { zones: 0, share: 0 },
    };
    await using world = await steppingWorld({ [shop]: one }, { fleetLimits });
    await world.pass(5 * hour);
    world.traffic.noisy.add(`${shop} ${checkout}`);
    await world.pass(20 * minute);
    expect(world.takeEvents()).toEqual(["checkout promoted allow", "checkout set_back log"]);
    expect(steps(world, checkout)).toEqual(["log"]);
  });

  it.for([
    ["late", "nothing is measured"],
    ["failed", "the last measurement failed"],
    ["denied", "the token may not read the measurements"],
  ] as const)(
    "are neither promoted nor set back by what is %s",
    async ([measuring, why], { expect }) => {
      await using world = await steppingWorld({ [shop]: one });
      world.traffic.measuring = measuring;
      await world.pass(12 * hour);
      expect(steps(world, checkout)).toEqual(["log"]);
      if (measuring !== "late") expect(waitOf(world, checkout)).toMatch(/^0 s of 3 h measured/);
      world.traffic.measuring = "on";
      await world.pass(5 * hour);
      expect(world.takeEvents()).toEqual(["checkout promoted allow"]);
      world.traffic.measuring = measuring;
      world.traffic.noisy.add(`${shop} ${checkout}`);
      await world.pass(6 * hour);
      expect(world.takeEvents()).toEqual([]);
      if (measuring !== "late") expect(waitOf(world, checkout)).toContain(why);
      world.traffic.measuring = "on";
      await world.pass(10 * minute);
      expect(world.takeEvents()).toEqual(["checkout set_back log"]);
    },
  );

  it("keep their time over restarts, and while the clock on the wall jumps", async ({ expect }) => {
    await using first = await steppingWorld({ [shop]: one });
    await first.pass(2 * hour + fiveMinutes);
    first.clock.step(5_000 * hour);
    await first.pass(5 * minute);
    expect(first.takeEvents()).toEqual([]);
    await using second = await first.restart({ afterMs: hour });
    second.clock.step(-5_000 * hour);
    await second.pass(hour + 10 * minute);
    expect(second.takeEvents()).toEqual(["checkout promoted allow"]);
    await using third = await second.restart();
    await third.pass(hour);
    expect(waitOf(third, checkout)).toMatch(/^it is watched: [01]/);
    await third.pass(3 * hour);
    expect(third.takeEvents()).toEqual(["checkout watched allow"]);
  });

  it("are stuck after twice their time, whatever the clock on the wall says", async ({
    expect,
  }) => {
    const files = { [shop]: one, [blog]: steppedContent({ [checkout]: timeOnly }) };
    await using world = await steppingWorld(files);
    const states = (): readonly string[] =>
      world.steps.views.flatMap(({ objects }) => objects.map(stepStateOf));
    world.traffic.idle.add(shop);
    world.steps.pause(named(blog), "ada");
    await world.pass(2 * hour);
    world.clock.step(5_000 * hour);
    await world.pass(3 * hour);
    expect(states()).toEqual(["waiting", "waiting"]);
    world.clock.step(-9_000 * hour);
    await world.pass(hour + 30 * minute);
    expect(states()).toEqual(["stuck", "stuck"]);
  });

  it.for([
    ["is lost", true],
    ["is damaged", "{"],
    ["is of something else", '{"objects":{"policy/checkout":{"of":"","step":"ban"}}}'],
  ] as const)(
    "stay where they are, and begin again, if the store %s",
    async ([, lose], { expect }) => {
      await using first = await steppingWorld({ [shop]: one });
      await first.pass(3 * hour);
      await using second = await first.restart({ lose });
      await second.pass(3 * hour);
      expect(second.takeEvents()).toEqual([]);
      await second.pass(2 * hour);
      expect(second.takeEvents()).toEqual(["checkout promoted allow"]);
      second.traffic.noisy.add(`${shop} ${checkout}`);
      await using third = await second.restart({ lose });
      await third.pass(2 * hour);
      expect(steps(third, checkout)).toEqual(["allow"]);
      const { objects = [] } = third.steps.view(named(shop)) ?? {};
      expect(objects.map(({ wait }) => wait?.reason)).toEqual(["last_step"]);
    },
  );

  it("count only the time in which a process ran, where only time counts", async ({ expect }) => {
    const content = steppedContent({ [checkout]: timeOnly });
    await using first = await steppingWorld({ [shop]: content });
    first.traffic.measuring = "denied";
    await first.pass(2 * hour);
    await using second = await first.restart({ afterMs: 9 * hour });
    second.clock.step(5_000 * hour);
    await second.pass(50 * minute);
    expect(second.takeEvents()).toEqual([]);
    expect(waitOf(second, checkout)).toMatch(/^2 h \d+ min of 3 h$/);
    await second.pass(25 * minute);
    expect(second.takeEvents()).toEqual(["checkout promoted allow"]);
    await second.pass(2 * hour + fiveMinutes);
    expect(second.takeEvents()).toEqual(["checkout watched allow"]);
  });

  it("count no time while the zone cannot be read: somebody may have changed the object", async ({
    expect,
  }) => {
    const content = steppedContent({ [checkout]: timeOnly });
    await using world = await steppingWorld({ [shop]: content });
    await world.pass(hour);
    world.faults.set(shop, () => new ServiceFault("API_UNREACHABLE", true));
    await world.sweep("manual");
    await world.pass(5 * hour);
    expect(waitOf(world, checkout)).toMatch(/^1 h( \d min)? of 3 h$/);
    world.faults.clear();
    await world.sweep("manual");
    await world.pass(2 * hour + fiveMinutes);
    expect(world.takeEvents()).toEqual(["checkout promoted allow"]);
  });

  it("keep since when they are at a step, however soon the process ends", async ({ expect }) => {
    await using first = await steppingWorld({ [shop]: one });
    await first.pass(fiveMinutes);
    await first.clock.advance(2 * minute);
    const since = first.steps.view(named(shop))?.objects[0]?.since;
    expect(since).toBeDefined();
    await first.stepStore.flush();
    await using second = await first.restart({ afterMs: 5 * hour });
    await second.pass(10 * minute);
    expect(second.takeEvents()).toEqual(["checkout promoted allow"]);
  });

  it("take minutes where a file forces it", async ({ expect }) => {
    const quickly = { ...shortly, afterMs: 10 * minute, watchMs: 15 * minute };
    await using world = await steppingWorld({ [shop]: steppedContent({ [checkout]: quickly }) });
    // The first answer of the service tells what time it is.
    await world.pass(40 * minute);
    expect(world.takeEvents()).toEqual(["checkout promoted allow"]);
    await world.pass(25 * minute);
    expect(world.takeEvents()).toEqual(["checkout watched allow"]);
  });

  it("begin within a minute of the first answer of the service", async ({ expect }) => {
    await using world = await steppingWorld({ [shop]: one });
    await world.clock.advance(2 * minute);
    expect(viewOf(world, checkout)?.since).toBeUndefined();
    world.tellTime();
    await world.clock.advance(minute);
    expect(viewOf(world, checkout)?.since).toBeDefined();
  });

  it("begin their time again with another declaration, at the same step", async ({ expect }) => {
    await using world = await steppingWorld({ [shop]: one });
    await world.pass(5 * hour);
    await world.pass(4 * hour);
    expect(world.takeEvents()).toEqual(["checkout promoted allow", "checkout watched allow"]);
    await redeclare(world, { [checkout]: shortly }, { [checkout]: "script-src 'none'" });
    await world.pass(hour);
    expect(steps(world, checkout)).toEqual(["allow"]);

    await using other = await steppingWorld({ [shop]: one });
    await other.pass(3 * hour);
    await redeclare(other, { [checkout]: shortly }, { [checkout]: "script-src 'none'" });
    await other.pass(3 * hour);
    expect(other.takeEvents()).toEqual([]);
    await other.pass(2 * hour);
    expect(other.takeEvents()).toEqual(["checkout promoted allow"]);
  });

  describe("whose content is changed after the first step", () => {
    const none = "script-src 'none'";
    const otherPaths = 'http.request.uri.path in {"/bots" "/other"}';
    const three = { [checkout]: shortly, [search]: shortly, [bots]: ofRule };

    /** A zone whose objects are at their last steps. */
    async function arrived(promotions: Readonly<Record<string, Promotion>>): Promise<StepsWorld> {
      const world = await steppingWorld({ [shop]: steppedContent(promotions) });
      for (let nth = 0; nth < 6; nth += 1) {
        for (const key of [checkout, search, bots]) {
          await world.steps.promote(named(shop), "ada", key);
          await world.pass(fiveMinutes);
        }
      }
      world.takeEvents();
      return world;
    }

    it.for(["a process runs", "none runs", "their steps are lost"])(
      "stay at it, are watched again, and go back by the limit: while %s",
      async (when, { expect }) => {
        await using first = await arrived({ [checkout]: shortly });
        first.files.set(shop, steppedContent({ [checkout]: shortly }, { [checkout]: none }));
        if (when === "a process runs") await first.reload("r2");
        await first.pass(fiveMinutes);
        const lose = when === "their steps are lost";
        await using world = await first.restart({ afterMs: hour, lose });
        await world.pass(10 * minute);
        expect([...steps(world, checkout), ...watched(world)]).toEqual(["allow", checkout]);
        world.traffic.noisy.add(`${shop} ${checkout}`);
        await world.pass(20 * minute);
        expect([...first.takeEvents(), ...world.takeEvents()]).toEqual(["checkout set_back log"]);
        expect(steps(world, checkout)).toEqual(["log"]);
      },
    );

    it.for([
      { was: "checkout", step: "allow" },
      { was: undefined, step: "log" },
    ])(
      "are never taken for finished where they are renamed too: was $was",
      async (row, context) => {
        const { expect } = context;
        const { was, step } = row;
        await using first = await arrived({ [checkout]: shortly });
        const { policies, ...others } = steppedContent({ "policy/pay": shortly });
        const items = policies?.items.map((each) => ({ ...each, was })) ?? [];
        const renamed = { ...others, policies: { ...declared(items) } };
        first.files.set(shop, renamed);
        await first.reload("r2");
        await first.pass(fiveMinutes);
        expect(steps(first, checkout, "policy/pay")).toEqual([undefined, step]);
        await using world = await first.restart();
        await world.pass(fiveMinutes);
        expect(viewOf(world, "policy/pay")).toMatchObject({ step, isWatched: step === "allow" });
      },
    );

    it("are watched until the time of a watch is measured", async ({ expect }) => {
      await using world = await arrived({ [checkout]: shortly });
      await redeclare(world, { [checkout]: shortly }, { [checkout]: none });
      await world.pass(hour);
      expect(waitOf(world, checkout)).toMatch(/^it is watched/);
      await world.pass(3 * hour);
      expect(world.takeEvents()).toEqual(["checkout watched allow"]);
      world.traffic.noisy.add(`${shop} ${checkout}`);
      await world.pass(2 * hour);
      expect([...steps(world, checkout), ...world.takeEvents()]).toEqual(["allow"]);
    });

    it("are in one watch after the other, and each goes back by its limit meanwhile", async ({
      expect,
    }) => {
      await using world = await arrived(three);
      await redeclare(world, three, { [checkout]: none, [search]: none, [bots]: otherPaths });
      await world.pass(hour);
      expect(watched(world)).toHaveLength(1);
      expect(steps(world, checkout, search, bots)).toEqual(["allow", "allow", "block"]);
      const next = [checkout, search, bots].filter((key) => !watched(world).includes(key));
      for (const key of next) {
        expect(waitOf(world, key)).toBe(`${watched(world).join()} is promoted or watched`);
      }
      world.traffic.noisy.add(`${shop} ${search}`);
      await world.pass(20 * minute);
      expect(world.takeEvents()).toEqual(["search set_back log"]);
      world.traffic.noisy.clear();
      await world.pass(4 * hour);
      expect(world.takeEvents()).toEqual(["bots watched block", "checkout watched allow"]);
      expect(steps(world, checkout, search, bots)).toEqual(["allow", "log", "block"]);
    });

    it("are not late while they wait for the watch of another", async ({ expect }) => {
      const slowly = { ...shortly, watchMs: 24 * hour };
      const promotions = { [checkout]: slowly, [search]: shortly };
      await using world = await arrived(promotions);
      await world.pass(30 * hour);
      world.files.set(shop, steppedContent(promotions, { [checkout]: none, [search]: none }));
      await world.reload("r2");
      await world.pass(8 * hour);
      expect(watched(world)).toEqual([checkout]);
      expect(waitOf(world, search)).toBe("policy/checkout is promoted or watched");
      const { objects = [] } = world.steps.view(named(shop)) ?? {};
      expect(objects.map(stepStateOf)).toEqual(["watched", "waiting"]);
    });

    it("keep others from being promoted until they are watched", async ({ expect }) => {
      const both = { [checkout]: shortly, [search]: shortly };
      await using world = await steppingWorld({ [shop]: steppedContent(both) });
      await world.steps.promote(named(shop), "ada", checkout);
      await world.pass(fiveMinutes);
      await world.steps.promote(named(shop), "ada", checkout);
      await world.pass(2 * hour);
      await redeclare(world, both, { [checkout]: none });
      world.takeEvents();
      expect(await world.steps.promote(named(shop), "ada", search)).toEqual({
        result: "busy",
        key: checkout,
      });
      await world.pass(5 * hour);
      expect(world.takeEvents()).toEqual(["checkout watched allow", "search promoted allow"]);
    });

    it("do not go back by what was counted of the former content", async ({ expect }) => {
      const both = { [checkout]: shortly, [bots]: ofRule };
      await using world = await arrived(both);
      world.reconciler.reconfigure({ ...world.options, mode: "observe" });
      for (const key of [checkout, bots]) world.traffic.noisy.add(`${shop} ${key}`);
      await redeclare(world, both, { [checkout]: none, [bots]: otherPaths });
      for (let nth = 0; nth < 3; nth += 1) {
        await world.pass(25 * minute);
        await world.sweep("manual", minute);
      }
      expect(world.takeEvents()).toEqual([]);
      expect(waitOf(world, checkout)).toBe("it is not live at its step yet");
      world.reconciler.reconfigure(world.options);
      world.traffic.noisy.delete(`${shop} ${bots}`);
      await world.sweep("manual", minute);
      await world.pass(20 * minute);
      expect(world.takeEvents()).toEqual(["checkout set_back log"]);
      expect(steps(world, checkout, bots)).toEqual(["log", "block"]);
    });

    it("are not watched at the first step, nor for no time", async ({ expect }) => {
      const unwatched = { ...shortly, watchMs: 0 };
      await using world = await arrived({ [search]: unwatched });
      const both = { [checkout]: shortly, [search]: unwatched };
      await redeclare(world, both);
      await redeclare(world, both, { [checkout]: none, [search]: none }, "r3");
      await world.pass(fiveMinutes);
      expect([...watched(world), ...steps(world, checkout, search)]).toEqual(["log", "allow"]);
      expect(waitOf(world, search)).toBe("it is as declared");
    });
  });

  it("are restored where somebody changed the object, and begin their time again", async ({
    expect,
  }) => {
    await using world = await steppingWorld({ [shop]: one });
    for (const action of ["allow", "add_reporting_directives"]) {
      await world.pass(3 * hour);
      world.edit(shop, ({ policies }) => ({
        policies: policies.map((each) => ({ ...each, action })),
      }));
      await world.sweep("manual", minute);
      expect(steps(world, checkout)).toEqual(["log"]);
    }
    await world.pass(3 * hour);
    expect(world.takeEvents()).toEqual([]);
    await world.pass(2 * hour);
    expect(world.takeEvents()).toEqual(["checkout promoted allow"]);
  });

  it("do not begin while the store cannot be written, nor before it is", async ({ expect }) => {
    await using world = await steppingWorld({ [shop]: one });
    world.stepStore.isWritable = false;
    await world.pass(6 * hour);
    expect(waitOf(world, checkout)).toBe("the store cannot be written");
    expect(steps(world, checkout)).toEqual(["log"]);
    world.stepStore.isWritable = true;
    const flush = Promise.withResolvers<boolean>();
    world.stepStore.flush = () => flush.promise;
    const passing = world.clock.advance(fiveMinutes);
    await passing;
    expect(steps(world, checkout)).toEqual(["log"]);
    flush.resolve(true);
    await world.clock.advance(minute);
    expect(steps(world, checkout)).toEqual(["allow"]);
  });

  it("do not begin while the zone waits or differs", async ({ expect }) => {
    await using world = await steppingWorld({ [shop]: one });
    world.reconciler.reconfigure({ ...world.options, mode: "observe" });
    await world.pass(5 * hour);
    expect(waitOf(world, checkout)).toBe("the mode is observe");
    world.reconciler.reconfigure(world.options);
    world.files.set(shop, { ...one, suspension: { reason: "incident", until: undefined } });
    await world.reload("r2", 10 * minute);
    expect(waitOf(world, checkout)).toBe("the zone is suspended");
    world.files.set(shop, { ...one, settings: [{ name: "enabled", value: true }] });
    world.faults.set(shop, () => new ServiceFault("API_UNREACHABLE", true));
    await world.reload("r3", 10 * minute);
    expect(waitOf(world, checkout)).toBe("the zone is not in sync");
    expect(world.takeEvents()).toEqual([]);
    world.faults.clear();
    await world.pass(hour);
    expect(world.takeEvents()).toEqual(["checkout promoted allow"]);
  });

  it.for([
    { where: "waves go out", appliesTo: "all", mode: "enforce", waits: true },
    { where: "the canary is only observed", appliesTo: "all", mode: "observe", waits: false },
    { where: "waves are for what weakens", appliesTo: "weakens", mode: "enforce", waits: false },
  ] as const)(
    "begin in a wave when each zone of the earlier ones keeps them: $where",
    async ({ appliesTo, mode, waits }, { expect }) => {
      const waves = [
        { by: "zones", zones: [named(blog)] },
        { by: "share", share: 1 },
      ] as const;
      const rollout = { waves, soakMs: hour, appliesTo };
      const files = { [shop]: one, [blog]: { ...one, mode }, [news]: one };
      await using world = await steppingWorld(files, { rollout });
      await world.pass(5 * hour);
      const lives = [blog, shop, news].map((zone) => world.liveAt(zone, checkout));
      expect(lives.slice(1)).toEqual(waits ? ["log", "log"] : ["allow", "allow"]);
      if (!waits) return;
      expect(lives[0]).toBe("allow");
      expect(waitOf(world, checkout)).toBe(
        "it waits for wave 1, in which z1.example does not keep the next step yet",
      );
      expect(world.takeEvents()).toEqual(["checkout promoted allow"]);
    },
  );

  it("never begin in a wave while an earlier one is set back, over restarts and listings", async ({
    expect,
  }) => {
    const waves = [
      { by: "zones", zones: [named(blog)] },
      { by: "share", share: 1 },
    ] as const;
    const rollout = { waves, soakMs: hour, appliesTo: "all" } as const;
    await using first = await steppingWorld({ [shop]: one, [blog]: one, [news]: one }, { rollout });
    await first.pass(5 * hour);
    first.traffic.noisy.add(`${blog} ${checkout}`);
    await first.pass(20 * minute);
    expect(first.takeEvents()).toEqual(["checkout promoted allow", "checkout set_back log"]);
    first.traffic.noisy.clear();
    await first.pass(6 * hour);
    await using world = await first.restart({ afterMs: hour });
    world.unlistable = { zones: [blog], failed: [] };
    await world.sweep("manual", minute);
    await world.pass(6 * hour);
    world.unlistable = { zones: [], failed: [] };
    await world.sweep("manual", minute);
    await world.pass(hour);
    expect([...first.takeEvents(), ...world.takeEvents()]).toEqual([]);

    // The canary goes on with another limit, and the others when its watch is over.
    const laxer = { ...shortly, rollback: { ratePer10k: 500, requestsAtLeast: 1_000 } };
    world.files.set(blog, steppedContent({ [checkout]: laxer }));
    await world.reload("r2");
    await world.pass(hour);
    expect(world.takeEvents()).toEqual(["checkout promoted allow"]);
    await world.pass(3 * hour);
    expect(world.takeEvents()).toEqual([
      "checkout watched allow",
      "checkout promoted allow",
      "checkout promoted allow",
    ]);
  });

  it("ask for scripts in use when all else is fulfilled", async ({ expect }) => {
    const when = { ratePer10k: 4, unknownScripts: 1, requestsAtLeast: 1_000 };
    await using world = await steppingWorld({
      [shop]: steppedContent({ [checkout]: { ...shortly, when } }),
    });
    world.blocked = 2;
    await world.pass(5 * hour);
    expect(waitOf(world, checkout)).toBe("the next step would block 2 scripts in use, more than 1");
    world.blocked = "unread";
    await world.pass(2 * hour);
    expect(waitOf(world, checkout)).toBe("the scripts in use cannot be read");
    world.blocked = 1;
    await world.pass(2 * hour);
    expect(world.takeEvents()).toEqual(["checkout promoted allow"]);
  });

  it("are forgotten with their object, and not while it only waits", async ({ expect }) => {
    await using world = await steppingWorld({ [shop]: one });
    await world.pass(hour);
    expect(world.stepStore.steps(named(shop)).objects.size).toBe(1);
    world.unlistable = { zones: [shop], failed: [] };
    await world.sweep("manual", minute);
    expect(world.stepStore.steps(named(shop)).objects.size).toBe(1);
    world.unlistable = { zones: [], failed: [] };
    await world.sweep("manual", minute);
    world.files.set(shop, steppedContent({}));
    await world.reload("r2", minute);
    expect(world.stepStore.steps(named(shop)).objects.size).toBe(0);
    expect(world.steps.view(named(shop))).toBeUndefined();
  });

  it("are forgotten where a file names them no more while no process runs", async ({ expect }) => {
    await using first = await steppingWorld({ [shop]: one });
    await first.pass(hour);
    first.files.set(shop, steppedContent({}));
    await using second = await first.restart();
    expect(second.stepStore.steps(named(shop)).objects.size).toBe(0);
  });
});

describe("a person", () => {
  it("pauses and resumes a zone", async ({ expect }) => {
    await using world = await steppingWorld({ [shop]: one });
    expect(world.steps.pause(named(shop), "ada")).toEqual({ result: "done", events: [] });
    await world.pass(5 * hour);
    expect(waitOf(world, checkout)).toBe("the zone is paused");
    await using next = await world.restart();
    await next.pass(hour);
    expect(next.takeEvents()).toEqual([]);
    expect(next.steps.view(named(shop))?.pausedBy).toBe("ada");
    next.steps.pause(named(shop), undefined);
    await next.pass(minute);
    expect(next.takeEvents()).toEqual(["checkout promoted allow"]);
  });

  it("promotes an object that still waits, and ends its watch", async ({ expect }) => {
    const content = steppedContent({ [checkout]: shortly, [search]: shortly, [bots]: ofRule });
    await using world = await steppingWorld({ [shop]: content });
    const name = named(shop);
    expect(await world.steps.promote(name, "ada", search)).toMatchObject({
      result: "done",
      events: [{ event: "promoted", key: search, from: "log", to: "allow", cause: { by: "ada" } }],
    });
    // It is not live yet.
    expect(await world.steps.promote(name, "ada")).toEqual({ result: "busy", key: search });
    await world.pass(fiveMinutes);
    expect(steps(world, checkout, search, bots)).toEqual(["log", "allow", "log"]);
    expect(await world.steps.promote(name, "ada", checkout)).toEqual({
      result: "busy",
      key: search,
    });
    expect(await world.steps.promote(name, "ada")).toMatchObject({
      events: [{ event: "watched", key: search }],
    });
    expect(await world.steps.promote(name, "ada", search)).toEqual({ result: "nothing" });
    expect(await world.steps.promote(name, "ada")).toMatchObject({ events: [{ key: checkout }] });
    world.stepStore.isWritable = false;
    await world.pass(fiveMinutes);
    await world.steps.promote(name, "ada");
    expect(await world.steps.promote(name, "ada")).toEqual({ result: "not_stored" });
    expect(await world.steps.promote(named(blog), "ada")).toEqual({ result: "nothing" });
  });

  it("sees no former wait of what is promoted while scripts of another zone are asked for", async ({
    expect,
  }) => {
    const when = { ratePer10k: 4, unknownScripts: 1, requestsAtLeast: 1_000 };
    const asking = steppedContent({ [checkout]: { ...shortly, when } });
    await using world = await steppingWorld({ [shop]: one, [blog]: asking });
    world.traffic.noisy.add(`${shop} ${checkout}`);
    const answer = Promise.withResolvers<number>();
    using _ = { [Symbol.dispose]: () => answer.resolve(0) };
    world.blocked = answer.promise;
    await world.pass(6 * hour);
    expect(waitOf(world, checkout)).toContain("more than 4");
    await world.steps.promote(named(shop), "ada");
    await world.clock.advance(1_000);
    expect(steps(world, checkout)).toEqual(["allow"]);
    expect(waitOf(world, checkout)).toBe("");
    answer.resolve(0);
    await world.clock.advance(1_000);
    expect(waitOf(world, checkout)).toBe("it is watched: 0 s of 2 h measured");
  });

  it("aborts what is on its way", async ({ expect }) => {
    const content = steppedContent({ [checkout]: shortly, [search]: shortly, [bots]: ofRule });
    await using world = await steppingWorld({ [shop]: content });
    const name = named(shop);
    await world.steps.promote(name, "ada", bots);
    await world.pass(fiveMinutes);
    await world.steps.promote(name, "ada", bots);
    await world.steps.promote(name, "ada", bots);
    await world.pass(fiveMinutes);
    expect(steps(world, checkout, search, bots)).toEqual(["log", "log", "block"]);
    world.takeEvents();
    world.steps.abort(name, "ada");
    expect(world.takeEvents()).toEqual([
      "checkout stopped log",
      "search stopped log",
      "bots set_back managed_challenge",
    ]);
    await world.pass(9 * hour);
    expect(steps(world, checkout, search, bots)).toEqual(["log", "log", "managed_challenge"]);
    expect(waitOf(world, search)).toMatch(/^stopped by ada; it stays until/);
    expect(world.steps.abort(name, "ada")).toEqual({ result: "nothing" });
    await world.steps.promote(name, "ada", search);
    await world.pass(fiveMinutes);
    expect(steps(world, search)).toEqual(["allow"]);
  });
});
