import { describe, it } from "vitest";

import type { RolloutAnswer, RolloutCommand } from "../../src/state/asked-of-rollout.ts";
import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import type { RolloutSettings } from "../../src/zone/wave.ts";
import { named } from "../support/reports.ts";
import { hour, shortly, steppedContent, steppingWorld, StepsWorld } from "../support/stepping.ts";
import { defaultOptions } from "../support/world.ts";

const [shop, blog, brand] = ["z0.example", "z1.example", "z2.example"] as const;
const [checkout, search] = ["policy/checkout", "policy/search"] as const;
const mia = { by: "mia", from: "10.0.0.7" };

/** Two zones with steps, two objects in one of them, and a zone without. */
function world(isOn?: boolean): Promise<StepsWorld> {
  const zones = [shop, blog, brand].map((zone) => [zone, contentOf(zone, isOn)] as const);
  const maxWeakened = { zones: 3, share: 1 };
  const fleetLimits = { ...defaultOptions.fleetLimits, maxFleetShare: 1, maxWeakened };
  return steppingWorld(Object.fromEntries(zones), { fleetLimits });
}

function contentOf(zone: string, isOn?: boolean): ZoneContent {
  const objects = { [shop]: [checkout, search], [blog]: [checkout] }[zone] ?? [];
  const content = steppedContent(Object.fromEntries(objects.map((key) => [key, shortly])));
  return isOn === undefined
    ? content
    : { ...content, settings: [{ name: "enabled", value: isOn }] };
}

async function ask(
  { reconciler, clock }: StepsWorld,
  name: RolloutCommand["name"],
  zones: readonly string[],
  key?: string,
): Promise<RolloutAnswer> {
  const command = { name, zones: zones.map(named), ...(key !== undefined && { key }) };
  const answer = reconciler.commandRollout(command, "", mia);
  await clock.advance(1_000);
  return answer;
}

/** What the history is told. */
function turns(asked: StepsWorld): readonly unknown[] {
  return asked.loads.flatMap(({ rollout }) => rollout.turns);
}

describe("a command for the steps of zones", () => {
  it("pauses those that it names, over a restart, and resumes one", async ({ expect }) => {
    await using first = await world();
    expect(await ask(first, "pause", [shop, blog])).toMatchObject({
      result: "done",
      zones: [shop, blog],
    });
    expect(await ask(first, "pause", [blog])).toEqual({ result: "as_before" });
    expect(turns(first)).toEqual([{ turn: "paused", stepsOf: [shop, blog], ...mia }]);
    // Before it answers, the daemon does so.
    await first.stepStore.flush();
    await using next = await first.restart();
    expect(next.steps.view(named(blog))?.pausedBy).toBe("mia (10.0.0.7)");
    expect(await ask(next, "resume", [blog])).toMatchObject({ result: "done", zones: [blog] });
    expect(await ask(next, "resume", [blog])).toEqual({ result: "as_before" });
    await next.pass(5 * hour);
    expect(next.liveAt(shop, checkout)).toBe("log");
    expect(next.liveAt(blog, checkout)).toBe("allow");
  });

  it("promotes the next object of a zone, or the one that it names", async ({ expect }) => {
    await using asked = await world();
    expect(await ask(asked, "promote", [shop, blog])).toMatchObject({
      result: "done",
      zones: [shop, blog],
      steps: [
        { zone: shop, key: checkout, event: "promoted", cause: { by: "mia (10.0.0.7)" } },
        { zone: blog, key: checkout, event: "promoted" },
      ],
    });
    expect(turns(asked)).toEqual([{ turn: "promoted", stepsOf: [shop, blog], ...mia }]);
    await asked.pass(hour / 2);
    expect(asked.liveAt(shop, checkout)).toBe("allow");
    // It is watched.
    expect(await ask(asked, "promote", [shop], search)).toEqual({
      result: "busy",
      zones: [shop],
      key: checkout,
    });
    expect(await ask(asked, "promote", [shop])).toMatchObject({ steps: [{ event: "watched" }] });
    expect(await ask(asked, "promote", [shop], search)).toMatchObject({
      steps: [{ event: "promoted", key: search }],
    });
  });

  it("sets back what is watched, stops the rest, and leaves other zones", async ({ expect }) => {
    await using asked = await world();
    await ask(asked, "promote", [shop, blog]);
    await asked.pass(hour / 2);
    expect(await ask(asked, "abort", [shop])).toMatchObject({
      result: "done",
      zones: [shop],
      steps: [
        { key: checkout, event: "set_back", to: "log" },
        { key: search, event: "stopped" },
      ],
    });
    expect(await ask(asked, "abort", [shop])).toEqual({ result: "as_before" });
    await asked.pass(9 * hour);
    expect([asked.liveAt(shop, checkout), asked.liveAt(blog, checkout)]).toEqual(["log", "allow"]);
  });

  it("is refused in all zones where one has no such step", async ({ expect }) => {
    await using asked = await world();
    for (const name of ["pause", "resume", "abort"] as const) {
      expect(await ask(asked, name, [shop, brand])).toEqual({ result: "no_steps", zones: [brand] });
    }
    expect(asked.steps.view(named(shop))?.pausedBy).toBeUndefined();
    expect(await ask(asked, "promote", [shop, blog], search)).toEqual({
      result: "not_waiting",
      zones: [blog],
    });
    expect(await ask(asked, "promote", [brand])).toEqual({ result: "no_rollout" });
    await ask(asked, "promote", [blog]);
    await asked.pass(hour / 2);
    await ask(asked, "promote", [blog]);
    expect(await ask(asked, "promote", [shop, blog])).toEqual({
      result: "not_waiting",
      zones: [blog],
    });
    expect(asked.liveAt(shop, checkout)).toBe("log");
  });

  it("is refused without zones, as there are no waves", async ({ expect }) => {
    await using asked = await world();
    for (const name of ["pause", "resume", "promote", "abort"] as const) {
      expect(await ask(asked, name, [])).toEqual({ result: "no_rollout" });
    }
    expect(asked.takeEvents()).toEqual([]);
  });

  it("lets a zone go that waits for its wave, and the next step of another begin", async ({
    expect,
  }) => {
    await using before = await world(true);
    await before[Symbol.asyncDispose]();
    const { traffic, stepStore, runStore, options } = before;
    const rollout: RolloutSettings = {
      waves: [
        { by: "zones", zones: [named(shop)] },
        { by: "share", share: 1 },
      ],
      soakMs: 24 * hour,
      appliesTo: "all",
    };
    const inWaves = { ...options, rollout };
    await using asked = new StepsWorld([shop, blog, brand], traffic, stepStore, runStore, inWaves);
    for (const [name, live] of before.live) asked.live.set(name, live);
    for (const [name, content] of before.files) asked.files.set(name, content);
    asked.storedRollout = { revision: "r1", waiting: new Map(), gone: new Map() };
    asked.remember();
    await asked.begin();
    for (const zone of [shop, blog]) asked.files.set(zone, contentOf(zone, false));
    await asked.reload("r2", 60_000);
    expect(asked.reconciler.waves?.map(({ waiting }) => waiting)).toEqual([[], [blog]]);
    const isOn = (): readonly unknown[] =>
      [shop, blog].map((zone) => asked.live.get(zone)?.settings?.enabled);
    expect(isOn()).toEqual([false, true]);

    expect(await ask(asked, "promote", [blog, brand])).toEqual({
      result: "not_waiting",
      zones: [brand],
    });
    expect(await ask(asked, "promote", [blog, shop])).toMatchObject({
      result: "done",
      zones: [blog, shop],
      steps: [{ zone: shop, key: checkout, event: "promoted" }],
    });
    await asked.pass(hour / 2);
    expect(isOn()).toEqual([false, false]);
    expect([asked.liveAt(shop, checkout), asked.liveAt(blog, checkout)]).toEqual(["allow", "log"]);
    expect(turns(asked)).toEqual(
      expect.arrayContaining([
        { turn: "promoted", zones: 1, ...mia },
        { turn: "promoted", stepsOf: [shop], ...mia },
      ]),
    );
  });

  it("begins no step that cannot be stored", async ({ expect }) => {
    await using asked = await world();
    asked.stepStore.isWritable = false;
    expect(await ask(asked, "promote", [shop])).toEqual({ result: "not_begun", zones: [shop] });
    await asked.clock.advance(hour);
    expect(asked.liveAt(shop, checkout)).toBe("log");
  });
});
