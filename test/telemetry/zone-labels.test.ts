import * as fc from "fast-check";
import { describe, it } from "vitest";

import { fleetOf } from "../support/fleets.ts";
import { daemon, declared, report } from "../support/reports.ts";
import { freshMetrics, parsed, type Scrape, scrape } from "../support/scrapes.ts";

const exported = { team: "label_team", "cost-centre": "label_cost_centre" } as const;

/** The labels that begin with `label_` of the series of each zone, each set of them once. */
function labelsByZone({ series }: Scrape): Readonly<Record<string, readonly string[]>> {
  const found: Record<string, Set<string>> = {};
  for (const { labels } of [...series.keys()].map(parsed)) {
    const { zone } = labels;
    if (zone === undefined) continue;
    const own = Object.entries(labels).filter(([name]) => name.startsWith("label_"));
    (found[zone] ??= new Set()).add(own.map((pair) => pair.join("=")).join(" "));
  }
  return Object.fromEntries(Object.entries(found).map(([zone, sets]) => [zone, [...sets]]));
}

describe("labels of zones in metrics", () => {
  it("are those of the configuration, in all series of a zone", async ({ expect }) => {
    const fleet = fleetOf(
      declared("a.example", { labels: { team: "payments", tier: "gold", "cost-centre": "c.1" } }),
      declared("b.example", { labels: { team: "search" } }),
      declared("c.example"),
    );
    fleet.recordZone(report("a.example", 1, { result: "error" }));
    expect(labelsByZone(await scrape(freshMetrics(exported), fleet))).toEqual({
      "a.example": ["label_team=payments label_cost_centre=c.1"],
      "b.example": ["label_team=search"],
      "c.example": [""],
    });
    expect(labelsByZone(await scrape(freshMetrics(), fleet))["a.example"]).toEqual([""]);
  });

  it("follow the files", async ({ expect }) => {
    const fleet = fleetOf(declared("a.example", { labels: { team: "payments" } }));
    const metrics = freshMetrics(exported);
    fleet.declare([declared("a.example", { labels: { team: "search" } })], new Date(0));
    expect(labelsByZone(await scrape(metrics, fleet))).toEqual({
      "a.example": ["label_team=search"],
    });
  });

  it("have at most 50 values each, the same ones in every order of zones", async ({ expect }) => {
    const names = Array.from({ length: 60 }, (_, n) => 100 + n);
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(names, { minLength: 48 }), async (order) => {
        const zones = order.map((n) =>
          declared(`z${n}.example`, { labels: { team: `t${n}`, "cost-centre": `c${n % 2}` } }),
        );
        const metrics = freshMetrics(exported);
        const fleet = fleetOf(...zones);
        const found = labelsByZone(await scrape(metrics, fleet, daemon()));
        const told = new Set(order.toSorted((a, b) => a - b).slice(0, 50));
        for (const n of order) {
          const team = told.has(n) ? `t${n}` : "other";
          expect(found[`z${n}.example`]).toEqual([
            `label_team=${team} label_cost_centre=c${n % 2}`,
          ]);
        }
        expect(metrics.crowdedLabels(fleet.zones)).toEqual(order.length > 50 ? ["team"] : []);
      }),
      { numRuns: 30 },
    );
  });
});
