import { describe, it } from "vitest";

import { paceWatcher, sweepCost, sweepMs } from "../../src/daemon/sweep-forecast.ts";
import type { DesiredZone } from "../../src/zone/desired-zone.ts";
import { declared, desiredZone, policy, zoneNamed } from "../support/model.ts";

/** Zones in which two kinds of things are declared. */
function zones(count: number, name: string): readonly DesiredZone[] {
  return Array.from({ length: count }, (_, index) => ({
    zone: zoneNamed(`z${index}.${name}.example`),
    content: desiredZone({
      settings: [{ name: "enabled", value: true }],
      policies: declared([policy("checkout")]),
    }).content,
  }));
}

describe("the forecast of a sweep", () => {
  it("counts what is declared and the pages of the listing", ({ expect }) => {
    const cost = sweepCost(zones(100, "shop"), () => "main");
    expect(cost.get("main")).toBeCloseTo(2 * 100 + 2);
  });

  it("takes the credential that is busy longest", ({ expect }) => {
    const all = [...zones(100, "a"), ...zones(50, "b")];
    const cost = sweepCost(all, ({ name }) => (name.endsWith("a.example") ? "a" : "b"));
    const fastA = [
      { name: "a", perSecond: 10 },
      { name: "b", perSecond: 1 },
    ];
    expect(sweepMs(cost, fastA)).toBeCloseTo(101_000);
    expect(sweepMs(cost, [])).toBe(0);
  });

  it("warns once when the schedule asks for more than the budget gives, and again after it did not", ({
    expect,
  }) => {
    const warned: object[] = [];
    const logger = { warn: (facts: object): number => warned.push(facts) };
    const credentials = [{ state: { name: "main", perSecond: 3.2 } }];
    const watch = paceWatcher(credentials, { longestGapMs: 60_000 }, logger);
    const small = sweepCost(zones(90, "shop"), () => "main");
    const large = sweepCost(zones(100, "shop"), () => "main");
    for (const cost of [small, large, large, small]) watch(cost);
    expect(warned).toEqual([{ sweep_seconds: 63, schedule_seconds: 60 }]);
    watch(large);
    expect(warned).toHaveLength(2);
  });
});
