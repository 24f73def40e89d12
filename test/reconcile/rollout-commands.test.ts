import { describe, it } from "vitest";

import type { RolloutAnswer, RolloutCommand } from "../../src/state/asked-of-rollout.ts";
import { named } from "../support/reports.ts";
import {
  blocking,
  fleetInWaves,
  hour,
  off,
  reporting,
  waves,
  type WavesWorld,
} from "../support/waves.ts";
import { ServiceFault } from "../support/world.ts";

const [first = [], second = [], third = []] = waves;
const [canary = "", otherCanary = ""] = first;

const mia = { by: "mia", from: "10.0.0.7" };

const done = { result: "done", zones: [], left: [] } as const;
const promoteNext: RolloutCommand = { name: "promote", zones: [] };

function sorted(...zones: readonly (readonly string[])[]): readonly string[] {
  return zones.flat().toSorted();
}

/** Asks, and lets all happen that needs no time but a minute. */
async function ask(
  world: WavesWorld,
  command: RolloutCommand | "pause" | "resume" | "abort",
  revision = "",
): Promise<RolloutAnswer> {
  const asked = typeof command === "string" ? { name: command, zones: [] } : command;
  const answer = world.reconciler.commandRollout(asked, revision, mia);
  await world.clock.advance(60_000);
  return answer;
}

function promote(...zones: readonly string[]): RolloutCommand {
  return { name: "promote", zones: zones.map(named) };
}

function blocked(world: WavesWorld): readonly string[] {
  return sorted(world.liveAs(blocking));
}

describe("a rollout that is paused", () => {
  it("begins no wave until it is resumed, over a restart, and the soak goes on", async ({
    expect,
  }) => {
    let world = await fleetInWaves();
    try {
      await world.commit("r2", blocking);
      expect(await ask(world, "pause")).toEqual(done);
      expect(world.where).toEqual({ wave: 1, unsettled: [], nextAt: undefined });
      await world.clock.advance(20 * hour);
      world = await world.restart();
      await world.clock.advance(100 * hour);
      expect(blocked(world)).toEqual(sorted(first));
      expect(await ask(world, "resume")).toEqual(done);
      expect(blocked(world)).toEqual(sorted(first, second));
      await world.clock.advance(24 * hour);
      expect(blocked(world)).toEqual(sorted(first, second, third));
    } finally {
      await world[Symbol.asyncDispose]();
    }
  });

  it.for([
    { what: "no revision, as in the first round", lose: ["revision"] },
    { what: "not which zones waited", lose: ["rollout"] },
    { what: "neither a revision nor which zones waited", lose: ["revision", "rollout"] },
  ] as const)("begins no wave after a restart that knows $what", async ({ lose }, { expect }) => {
    let world = await fleetInWaves();
    try {
      await world.commit("r2", blocking);
      await ask(world, "pause");
      world = await world.restart({ lose, afterMs: 100 * hour });
      await world.clock.advance(100 * hour);
      await world.commit("r3", off);
      await world.clock.advance(100 * hour);
      expect(blocked(world)).toEqual(sorted(first));
      expect(await ask(world, "resume")).toEqual(done);
      await world.clock.advance(100 * hour);
      expect(world.liveAs(off)).toEqual([...world.live.keys()]);
    } finally {
      await world[Symbol.asyncDispose]();
    }
  });

  it("corrects drift in zones that wait, and lets a revert pass", async ({ expect }) => {
    await using world = await fleetInWaves();
    await world.commit("r2", blocking);
    await ask(world, "pause");
    const [zone = ""] = second;
    world.edit(zone, ({ settings: now }) => ({ settings: now && { ...now, enabled: false } }));
    await world.sweep("manual", 60_000);
    expect(world.liveAs(reporting)).toContain(zone);
    await world.commit("r3", reporting);
    expect(world.liveAs(blocking)).toEqual([]);
    // The pause ended with the rollout.
    await world.commit("r4", off);
    expect(sorted(world.liveAs(off))).toEqual(sorted(first));
  });

  it("stays paused for a newer revision", async ({ expect }) => {
    await using world = await fleetInWaves();
    await world.commit("r2", blocking);
    await ask(world, "pause");
    await world.commit("r3", off);
    expect(world.liveAs(off)).toEqual([]);
    await ask(world, "resume");
    expect(sorted(world.liveAs(off))).toEqual(sorted(first));
  });

  it("lets a wave go that is promoted, and no other", async ({ expect }) => {
    await using world = await fleetInWaves();
    await world.commit("r2", blocking);
    await ask(world, "pause");
    expect(await ask(world, promoteNext)).toEqual({ ...done, zones: second });
    await world.clock.advance(100 * hour);
    expect(blocked(world)).toEqual(sorted(first, second));
  });

  it("is as before where it is asked again", async ({ expect }) => {
    await using world = await fleetInWaves();
    await world.commit("r2", blocking);
    expect(await ask(world, "resume")).toEqual({ result: "as_before" });
    const both = [1, 2].map(() =>
      world.reconciler.commandRollout({ name: "pause", zones: [] }, "", mia),
    );
    await world.clock.advance(1);
    expect(await Promise.all(both)).toEqual([done, { result: "as_before" }]);
  });

  it("is passed on once, however often it is asked", async ({ expect }) => {
    await using world = await fleetInWaves();
    await world.commit("r2", blocking);
    const loads = world.loads.length;
    const all = Array.from({ length: 10_000 }, () =>
      world.reconciler.commandRollout({ name: "pause", zones: [] }, "", mia),
    );
    await world.clock.advance(1);
    const answers = await Promise.all(all);
    expect(answers.filter(({ result }) => result === "done")).toHaveLength(1);
    expect(world.loads.length).toBe(loads + 1);
  });
});

describe("a rollout that is promoted", () => {
  it("begins the next wave now, and the one after when both have soaked", async ({ expect }) => {
    await using world = await fleetInWaves();
    await world.commit("r2", blocking);
    await world.clock.advance(3 * hour);
    expect(await ask(world, promoteNext)).toEqual({ ...done, zones: second });
    expect(blocked(world)).toEqual(sorted(first, second));
    await world.clock.advance(23 * hour);
    expect(blocked(world)).toEqual(sorted(first, second));
    await world.clock.advance(hour);
    expect(blocked(world)).toEqual(sorted(first, second, third));
  });

  it("passes a zone that keeps the wave waiting, and still waits for it later", async ({
    expect,
  }) => {
    await using world = await fleetInWaves();
    world.faults.set(canary, () => new ServiceFault("API_UNREACHABLE", true));
    await world.commit("r2", blocking);
    await ask(world, promoteNext);
    expect(blocked(world)).toEqual(sorted([otherCanary], second));
    await world.clock.advance(100 * hour);
    expect(blocked(world)).toEqual(sorted([otherCanary], second));
    expect(world.where).toMatchObject({ wave: 1, unsettled: [canary] });
  });

  it("lets the zones go that are named, and no others", async ({ expect }) => {
    await using world = await fleetInWaves();
    await world.commit("r2", blocking);
    const [one = ""] = third;
    expect(await ask(world, promote(one))).toEqual({ ...done, zones: [one] });
    expect(blocked(world)).toEqual(sorted(first, [one]));
  });

  it("passes no guard but the waves: a zone that is suspended is not written", async ({
    expect,
  }) => {
    await using world = await fleetInWaves();
    const suspension = { reason: "incident", until: undefined };
    const [one = "", ...others] = second;
    await world.commit("r2", blocking);
    world.files.set(one, { ...blocking, suspension });
    await world.reload("r3", 60_000);
    await ask(world, promoteNext);
    expect(blocked(world)).toEqual(sorted(first, others));
  });

  it("lets nothing go where one of the named zones does not wait", async ({ expect }) => {
    await using world = await fleetInWaves();
    await world.commit("r2", blocking);
    const [one = ""] = third;
    expect(await ask(world, promote(one, canary))).toEqual({
      result: "not_waiting",
      zones: [canary],
    });
    expect(blocked(world)).toEqual(sorted(first));
  });

  it("goes on where it was after a restart in the middle", async ({ expect }) => {
    let world = await fleetInWaves();
    try {
      await world.commit("r2", blocking);
      world.faults.set(second[0] ?? "", () => new ServiceFault("API_UNREACHABLE", true));
      await ask(world, promoteNext);
      world = await world.restart();
      expect(world.where).toMatchObject({ unsettled: [second[0]] });
      world.faults.clear();
      await world.sweep("manual", 60_000);
      expect(blocked(world)).toEqual(sorted(first, second));
    } finally {
      await world[Symbol.asyncDispose]();
    }
  });
});

describe("a rollout that is aborted", () => {
  it("goes back where it went, and stays there over a restart", async ({ expect }) => {
    let world = await fleetInWaves();
    try {
      await world.commit("r2", blocking);
      await world.clock.advance(25 * hour);
      expect(blocked(world)).toEqual(sorted(first, second));
      const answer = await ask(world, "abort");
      expect(answer).toMatchObject({ result: "done", left: [] });
      expect(world.liveAs(blocking)).toEqual([]);
      world = await world.restart({ afterMs: 30 * hour });
      await world.clock.advance(100 * hour);
      expect(world.liveAs(blocking)).toEqual([]);
      expect(await ask(world, promoteNext)).toEqual({ result: "aborted" });
      expect(await ask(world, "abort")).toEqual({ result: "as_before" });
    } finally {
      await world[Symbol.asyncDispose]();
    }
  });

  it.for([
    { what: "not which zones waited", lose: ["rollout"] },
    { what: "neither a revision nor which zones waited", lose: ["revision", "rollout"] },
  ] as const)(
    "lets nothing go after a restart that knows $what, until another revision",
    async ({ lose }, { expect }) => {
      let world = await fleetInWaves();
      try {
        await world.commit("r2", blocking);
        await ask(world, "abort");
        world = await world.restart({ lose, afterMs: 100 * hour });
        await world.clock.advance(100 * hour);
        await world.sweep("manual", 60_000);
        expect(world.liveAs(blocking)).toEqual([]);
        expect(await ask(world, promoteNext)).toEqual({ result: "aborted" });
        await world.commit("r3", blocking);
        expect(blocked(world)).toEqual(sorted(first));
      } finally {
        await world[Symbol.asyncDispose]();
      }
    },
  );

  it("goes back after a restart, too", async ({ expect }) => {
    let world = await fleetInWaves();
    try {
      await world.commit("r2", off);
      world = await world.restart({ afterMs: hour });
      expect(sorted(world.liveAs(off))).toEqual(sorted(first));
      await ask(world, "abort");
      expect(world.liveAs(off)).toEqual([]);
    } finally {
      await world[Symbol.asyncDispose]();
    }
  });

  it("weakens no zone on the word of the state alone: after a restart, the files are reverted", async ({
    expect,
  }) => {
    let world = await fleetInWaves();
    try {
      await world.commit("r2", blocking);
      world = await world.restart({ afterMs: hour });
      await ask(world, "abort");
      expect(blocked(world)).toEqual(sorted(first));
      const last = world.reports.findLast(({ zone }) => zone === canary);
      expect(last).toMatchObject({ result: "held", holds: [{ reason: "fleet_change" }] });
      await world.commit("r3", reporting);
      expect(world.liveAs(blocking)).toEqual([]);
    } finally {
      await world[Symbol.asyncDispose]();
    }
  });

  it("begins again with the next revision, in waves", async ({ expect }) => {
    await using world = await fleetInWaves();
    await world.commit("r2", blocking);
    await ask(world, "abort");
    await world.commit("r3", blocking);
    expect(blocked(world)).toEqual(sorted(first));
    await world.clock.advance(24 * hour);
    expect(blocked(world)).toEqual(sorted(first, second));
  });

  it("goes back to what was in force before several revisions", async ({ expect }) => {
    await using world = await fleetInWaves();
    await world.commit("r2", blocking);
    await world.commit("r3", off);
    expect(sorted(world.liveAs(off))).toEqual(sorted(first));
    await ask(world, "abort");
    expect(sorted(world.liveAs(reporting))).toEqual(sorted(first, second, third));
  });

  it("takes back what was not seen as declared yet", async ({ expect }) => {
    await using world = await fleetInWaves();
    world.faults.set(canary, () => new ServiceFault("API_UNREACHABLE", true));
    await world.commit("r2", blocking);
    await ask(world, promoteNext);
    await ask(world, "abort");
    world.faults.clear();
    await world.sweep("manual", 60_000);
    expect(sorted(world.liveAs(reporting))).toEqual(sorted(first, second, third));
  });

  it("leaves what was not known before, and says so", async ({ expect }) => {
    let world = await fleetInWaves();
    try {
      await world.commit("r2", blocking);
      world = await world.restart({ lose: ["earlier"] });
      const answer = await ask(world, "abort");
      expect(answer).toMatchObject({ result: "done", zones: [], left: first });
      expect(blocked(world)).toEqual(sorted(first));
      await world.clock.advance(100 * hour);
      expect(blocked(world)).toEqual(sorted(first));
    } finally {
      await world[Symbol.asyncDispose]();
    }
  });

  it("leaves what was not known before, and the next revision waits for it", async ({ expect }) => {
    let world = await fleetInWaves();
    try {
      world.faults.set(canary, () => new ServiceFault("API_UNREACHABLE", true));
      await world.commit("r2", blocking);
      await ask(world, promote(canary));
      world = await world.restart({ lose: ["earlier"] });
      const answer = await ask(world, "abort");
      expect(answer.result === "done" && sorted(answer.left)).toEqual(sorted(first));
      await world.commit("r3", blocking);
      await world.clock.advance(100 * hour);
      expect(blocked(world)).toEqual([otherCanary]);
      world.faults.clear();
      await world.sweep("manual", 60_000);
      expect(blocked(world)).toEqual(sorted(first));
      await world.clock.advance(24 * hour);
      expect(blocked(world)).toEqual(sorted(first, second));
    } finally {
      await world[Symbol.asyncDispose]();
    }
  });

  it("leaves a zone that is not listed, and the next revision waits for it", async ({ expect }) => {
    let world = await fleetInWaves();
    try {
      world.faults.set(canary, () => new ServiceFault("API_UNREACHABLE", true));
      await world.commit("r2", blocking);
      world = await world.restart({ lose: ["rollout"] });
      await ask(world, promote(canary));
      world.unlistable = { zones: [canary], failed: [] };
      await world.sweep("manual", 60_000);
      const answer = await ask(world, "abort");
      expect(answer.result === "done" && answer.left).toContain(canary);
      await world.commit("r3", blocking);
      await world.clock.advance(100 * hour);
      expect(world.where).toMatchObject({ wave: 1, unsettled: [canary] });
      expect(blocked(world)).toEqual([otherCanary]);
    } finally {
      await world[Symbol.asyncDispose]();
    }
  });

  it("takes a zone back that was not listed meanwhile, when it is listed again", async ({
    expect,
  }) => {
    await using world = await fleetInWaves();
    await world.commit("r2", blocking);
    world.unlistable = { zones: [canary], failed: [] };
    await world.sweep("manual", 60_000);
    await ask(world, "abort");
    expect(world.liveAs(blocking)).toEqual([canary]);
    world.unlistable = { zones: [], failed: [] };
    await world.sweep("manual", 60_000);
    expect(world.liveAs(blocking)).toEqual([]);
  });
});

describe("a command", () => {
  it("is told once, with who asked", async ({ expect }) => {
    await using world = await fleetInWaves();
    await world.commit("r2", blocking);
    world.loads.length = 0;
    await ask(world, "pause");
    await ask(world, "pause");
    await ask(world, promote(...third, second[0] ?? ""));
    await ask(world, "resume");
    await ask(world, "abort");
    await world.commit("r3", off);
    const turns = world.loads.flatMap(({ rollout }) => rollout.turns);
    expect(turns.slice(0, 7)).toEqual([
      { turn: "paused", ...mia },
      { turn: "promoted", zones: 3, ...mia },
      { turn: "wave_began", wave: 2, zones: 1 },
      { turn: "wave_began", wave: 3, zones: 2 },
      { turn: "resumed", ...mia },
      { turn: "aborted", zones: 5, ...mia },
      { turn: "began" },
    ]);
  });

  it("is refused where no rollout is under way", async ({ expect }) => {
    await using world = await fleetInWaves();
    for (const command of [promoteNext, "pause", "resume", "abort"] as const) {
      expect(await ask(world, command)).toEqual({ result: "no_rollout" });
    }
  });

  it("is refused for another revision than the active one", async ({ expect }) => {
    await using world = await fleetInWaves();
    await world.commit("r2", blocking);
    expect(await ask(world, "abort", "r1")).toEqual({ result: "other_revision", active: "r2" });
    expect(blocked(world)).toEqual(sorted(first));
    expect(await ask(world, "abort", "r2")).toMatchObject({ result: "done" });
    expect(world.liveAs(blocking)).toEqual([]);
  });

  it("is answered by a process that ends", async ({ expect }) => {
    await using world = await fleetInWaves();
    await world.commit("r2", blocking);
    world.loadMs = hour;
    world.reconciler.filesChanged();
    await world.clock.advance(1);
    const answer = world.reconciler.commandRollout({ name: "pause", zones: [] }, "", mia);
    world.stop.abort();
    expect(await answer).toEqual({ result: "not_listed" });
  });
});
