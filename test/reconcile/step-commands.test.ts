import { describe, it } from "vitest";

import type { RolloutAnswer, RolloutCommand } from "../../src/state/asked-of-rollout.ts";
import { named } from "../support/reports.ts";
import {
  hour,
  shortly,
  steppedContent,
  steppingWorld,
  type StepsWorld,
} from "../support/stepping.ts";

const [shop, blog, brand] = ["z0.example", "z1.example", "z2.example"] as const;
const [checkout, search] = ["policy/checkout", "policy/search"] as const;
const mia = { by: "mia", from: "10.0.0.7" };

/** Two zones with steps, two objects in one of them, and a zone without. */
function world(): Promise<StepsWorld> {
  return steppingWorld({
    [shop]: steppedContent({ [checkout]: shortly, [search]: shortly }),
    [blog]: steppedContent({ [checkout]: shortly }),
    [brand]: steppedContent({}),
  });
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
  return asked.loads.flatMap(({ rollout }) => rollout?.turns ?? []);
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

  it("begins no step that cannot be stored", async ({ expect }) => {
    await using asked = await world();
    asked.stepStore.isWritable = false;
    expect(await ask(asked, "promote", [shop])).toEqual({ result: "not_begun", zones: [shop] });
    await asked.clock.advance(hour);
    expect(asked.liveAt(shop, checkout)).toBe("log");
  });
});
