import { describe, it } from "vitest";

import type { JudgedFleet } from "../../src/measure/judged-fleet.ts";
import type { CollectorState } from "../../src/state/collector-status.ts";
import { fleetOf, shop } from "../support/fleets.ts";
import { measuredShop } from "../support/measured-shop.ts";
import { daemon, declared, standby } from "../support/reports.ts";
import { freshMetrics, scrape } from "../support/scrapes.ts";

/** The series of the measurements, with their values. */
async function seriesOf(
  judged: JudgedFleet | undefined,
  state: CollectorState = "collecting",
  fleet = fleetOf(declared(shop), declared("blog.example.com")),
): Promise<readonly string[]> {
  const measurements = { state, reason: "" };
  const { text } = await scrape(freshMetrics(), fleet, daemon({ measurements }), judged);
  return text.split("\n").filter((line) => line.startsWith("zonewarden_measure"));
}

describe("the metrics of measurements", () => {
  it("tell of an hour, without series for what is unknown or none", async ({ expect }) => {
    expect(await seriesOf(measuredShop)).toEqual([
      'zonewarden_measurements_state{state="collecting"} 1',
      "zonewarden_measured_hour_timestamp_seconds 1795168800",
      'zonewarden_measured_zones{dataset="requests",state="sampled"} 1',
      'zonewarden_measured_zones{dataset="events",state="measured"} 1',
      'zonewarden_measured_zones{dataset="violations",state="failed"} 1',
      `zonewarden_measured_requests{zone="${shop}"} 5000`,
      `zonewarden_measured_events{zone="${shop}",kind="policy"} 0`,
      `zonewarden_measured_events{zone="${shop}",kind="custom_rule"} 4000`,
      `zonewarden_measured_resources{zone="${shop}",state="usual"} 2`,
      `zonewarden_measured_resources{zone="${shop}",state="above"} 1`,
      `zonewarden_measured_resources{zone="${shop}",state="failed"} 2`,
    ]);
  });

  it("have no requests where they were not measured", async ({ expect }) => {
    const zones = new Map(
      [...measuredShop.zones].map(([name, zone]) => [name, { ...zone, requests: undefined }]),
    );
    const series = await seriesOf({ ...measuredShop, zones });
    expect(series.filter((line) => line.includes("requests{"))).toEqual([]);
  });

  it("go with the zone", async ({ expect }) => {
    const fleet = fleetOf(declared("blog.example.com"));
    const series = await seriesOf(measuredShop, "lagging", fleet);
    expect(series.filter((line) => line.includes(shop))).toEqual([]);
  });

  it("are the state alone before the first hour, and none while they are off", async ({
    expect,
  }) => {
    expect(await seriesOf(undefined, "denied")).toEqual([
      'zonewarden_measurements_state{state="denied"} 1',
    ]);
    expect(await seriesOf(undefined, "off")).toEqual([]);
    const { text } = await scrape(freshMetrics(), fleetOf(), daemon({ cluster: standby }));
    expect(text).not.toMatch(/^zonewarden_measure/m);
  });
});
