import { describe, it } from "vitest";

import type { GateJudgement } from "../../src/state/rollout-gate.ts";
import { byText } from "../../src/syntax/by-text.ts";
import { declared, desiredZone, policy } from "../support/model.ts";
import { named } from "../support/reports.ts";
import {
  blocking,
  fleetInWaves,
  hour,
  off,
  reporting,
  settings,
  waves,
  type WavesWorld,
} from "../support/waves.ts";

const [first = [], second = [], third = []] = waves;
const [canary = "", otherCanary = ""] = first;

const gated = {
  ...settings,
  gate: { violationsPer10k: 1, blockedPer10k: undefined, requestsAtLeast: 1000 },
};

const kept: GateJudgement = { state: "kept" };
const unknown: GateJudgement = { state: "unknown", why: "20 of 23 hours are measured" };
const over: GateJudgement = { state: "over", why: "12 violations, the limit is 5" };

/** Tells what was measured of zones. */
async function measure(
  world: WavesWorld,
  judgement: GateJudgement,
  zones: readonly string[],
): Promise<void> {
  world.reconciler.judgeGate(new Map(zones.map((zone) => [named(zone), judgement])));
  await world.clock.advance(60_000);
}

function gatedNames({ reconciler }: WavesWorld): readonly string[] {
  return reconciler.gated.map(({ name }) => name).toSorted();
}

function turnsOf({ loads }: WavesWorld): readonly string[] {
  return loads.flatMap(({ rollout }) => rollout.turns).map(({ turn }) => turn);
}

function gateOf({ loads }: WavesWorld): unknown {
  return loads.at(-1)?.rollout.status?.gate;
}

describe("a wave with a gate", () => {
  it("lets the next one begin when it has soaked and each of its zones keeps the gate", async ({
    expect,
  }) => {
    await using world = await fleetInWaves(gated);
    await world.commit("r2", blocking);
    const changed = ["policy/checkout"];
    expect(world.reconciler.gated.toSorted(byText(({ name }) => name))).toEqual(
      first.map((name) => ({ name, changed, appliedForMs: 60_000 })),
    );
    await measure(world, kept, first);
    await world.clock.advance(23 * hour);
    expect(world.liveAs(blocking)).toEqual(first);
    await world.clock.advance(hour);
    expect(world.liveAs(blocking)).toHaveLength(5);
    expect(gatedNames(world)).toEqual(second.toSorted());
    await measure(world, kept, second);
    await world.clock.advance(24 * hour);
    expect(world.liveAs(blocking)).toHaveLength(7);
    expect(world.where).toBeUndefined();
    expect(world.reconciler.gated).toEqual([]);
  });

  it("keeps the next one waiting as long as a zone is unknown, and says which and why", async ({
    expect,
  }) => {
    await using world = await fleetInWaves(gated);
    await world.commit("r2", blocking);
    await measure(world, kept, [canary]);
    await world.clock.advance(100 * hour);
    expect(world.liveAs(blocking)).toEqual(first);
    const why = "its measurements were not read yet";
    const zones = [{ zone: otherCanary, state: "unknown", why }];
    expect(gateOf(world)).toEqual({ over: 0, unknown: 1, zones });
    await measure(world, unknown, [otherCanary]);
    expect(world.where).toEqual({ wave: 1, unsettled: [], nextAt: undefined });
    const zone = world.loads.at(-1)?.fleet.zones.get(named(third[0] ?? ""));
    expect(zone?.wave?.hold.message).toBe(
      `the zone waits for wave 3 of 3: wave 1 has soaked, and its gate is not kept: ${otherCanary}: 20 of 23 hours are measured`,
    );
    expect(turnsOf(world)).not.toContain("gate_over");
    await measure(world, kept, [otherCanary]);
    expect(world.liveAs(blocking)).toHaveLength(5);
  });

  it("tells once that a zone is over a limit, and rolls nothing back", async ({ expect }) => {
    await using world = await fleetInWaves(gated);
    await world.commit("r2", blocking);
    await measure(world, over, [canary]);
    await measure(world, unknown, [otherCanary]);
    // While it soaks, what is not known yet is no news.
    const zones = [{ zone: canary, ...over }];
    expect(gateOf(world)).toEqual({ over: 1, unknown: 0, zones });
    expect(world.loads.at(-1)?.rollout.status?.nextAt).toBeDefined();
    await world.clock.advance(100 * hour);
    expect(world.liveAs(blocking)).toEqual(first);
    const shut = [...zones, { zone: otherCanary, ...unknown }];
    expect(gateOf(world)).toEqual({ over: 1, unknown: 1, zones: shut });
    expect(turnsOf(world).filter((turn) => turn === "gate_over")).toHaveLength(1);
    await measure(world, kept, first);
    expect(world.liveAs(blocking)).toHaveLength(5);
    await measure(world, over, second);
    expect(turnsOf(world).filter((turn) => turn === "gate_over")).toHaveLength(2);
  });

  it("is passed by a person", async ({ expect }) => {
    await using world = await fleetInWaves(gated);
    await world.commit("r2", blocking);
    await measure(world, over, first);
    void world.reconciler.commandRollout({ name: "promote", zones: [] }, "", { by: "", from: "" });
    await world.clock.advance(60_000);
    expect(world.liveAs(blocking)).toHaveLength(5);
    expect(gatedNames(world)).toEqual(second.toSorted());
    await world.clock.advance(48 * hour);
    expect(world.liveAs(blocking)).toHaveLength(5);
  });

  it("keeps no revert waiting", async ({ expect }) => {
    await using world = await fleetInWaves(gated);
    await world.commit("r2", blocking);
    await measure(world, over, first);
    await world.commit("r3", reporting);
    expect(world.liveAs(reporting)).toHaveLength(7);
    expect(world.where).toBeUndefined();
  });

  it("has nothing to measure where only settings were changed", async ({ expect }) => {
    await using world = await fleetInWaves(gated);
    await world.commit("r2", off);
    expect(world.reconciler.gated).toEqual([]);
    await world.clock.advance(24 * hour);
    expect(world.liveAs(off)).toHaveLength(5);
  });

  it("is not kept by what was measured before the zone was changed again", async ({ expect }) => {
    await using world = await fleetInWaves(gated);
    await world.commit("r2", blocking);
    await measure(world, kept, first);
    const value = "script-src https:";
    const policies = declared([policy("checkout", { action: "allow", value })]);
    const { content } = desiredZone({ settings: [{ name: "enabled", value: true }], policies });
    await world.commit("r3", content);
    await world.clock.advance(100 * hour);
    const changed = [...world.live].filter(([, live]) => live.policies?.[0]?.value === value);
    expect(changed.map(([name]) => name)).toEqual(first);
    expect(gatedNames(world)).toEqual(first.toSorted());
    expect(gateOf(world)).toMatchObject({ over: 0, unknown: 2 });
  });

  it("knows after a restart what was changed, and is judged anew", async ({ expect }) => {
    await using before = await fleetInWaves(gated);
    await before.commit("r2", blocking);
    await measure(before, kept, first);
    await using world = await before.restart({ afterMs: 30 * hour });
    await world.clock.advance(hour);
    expect(world.liveAs(blocking)).toEqual(first);
    expect(world.reconciler.gated.map(({ changed }) => changed)).toEqual([
      ["policy/checkout"],
      ["policy/checkout"],
    ]);
    await measure(world, kept, first);
    expect(world.liveAs(blocking)).toHaveLength(5);
  });

  it("does not hold back the rest of a wave that has begun, after a restart", async ({
    expect,
  }) => {
    await using before = await fleetInWaves(gated);
    await before.commit("r2", blocking);
    await measure(before, kept, first);
    await before.clock.advance(24 * hour);
    expect(before.liveAs(blocking)).toHaveLength(5);
    await using world = await before.restart({ afterMs: hour });
    expect(gatedNames(world)).toEqual(second.toSorted());
    await measure(world, kept, second);
    await world.clock.advance(24 * hour);
    expect(world.liveAs(blocking)).toHaveLength(7);
  });
});
