import { describe, it } from "vitest";

import { drifted, fleetOf, held, shop } from "../support/fleets.ts";
import { at, declared, report } from "../support/reports.ts";
import { freshMetrics, scrape } from "../support/scrapes.ts";

describe("the series of a zone", () => {
  it("tell of a zone that was never looked at", async ({ expect }) => {
    const { series } = await scrape(freshMetrics());
    const zone = `zone="${shop}"`;
    expect(series.get(`zonewarden_zone_status{${zone},status="unknown"}`)).toBe(1);
    expect(series.get(`zonewarden_zone_last_success_timestamp_seconds{${zone}}`)).toBe(0);
    expect(series.get(`zonewarden_apply_blocked{${zone},reason="delete_limit"}`)).toBe(0);
  });

  it("tell of drift by its impact, and why its plan is held", async ({ expect }) => {
    const fleet = fleetOf();
    fleet.recordZone(report(shop, 1, held("TOO_MANY_DELETES", "WEAKENING")));
    const { series } = await scrape(freshMetrics(), fleet);
    const zone = `zone="${shop}"`;
    expect(series.get(`zonewarden_drift_resources{${zone},kind="policy",impact="weakens"}`)).toBe(
      1,
    );
    expect(
      series.get(`zonewarden_drift_resources{${zone},kind="policy",impact="strengthens"}`),
    ).toBe(0);
    expect(series.get(`zonewarden_drift_detected_total{${zone},kind="policy"}`)).toBe(1);
    expect(series.get(`zonewarden_apply_blocked{${zone},reason="delete_limit"}`)).toBe(1);
    expect(series.get(`zonewarden_apply_blocked{${zone},reason="weakening"}`)).toBe(1);
    expect(series.get(`zonewarden_apply_blocked{${zone},reason="quota"}`)).toBe(0);
    expect(series.get(`zonewarden_zone_last_success_timestamp_seconds{${zone}}`)).toBe(
      at(1).getTime() / 1000,
    );
  });

  it("go with the zone", async ({ expect }) => {
    const fleet = fleetOf(declared(shop), declared("other.example.com"));
    fleet.recordZone(report(shop, 1, drifted));
    fleet.declare([declared("other.example.com")], at(2));
    const { text } = await scrape(freshMetrics(), fleet);
    expect(text).not.toContain(shop);
    expect(text).toContain("other.example.com");
  });

  it("say for each zone exactly one status", async ({ expect }) => {
    const names = ["a.example.com", "b.example.com", "c.example.com"];
    const fleet = fleetOf(...names.map((name) => declared(name)));
    fleet.recordZone(report("a.example.com", 1, drifted));
    fleet.recordZone(report("b.example.com", 1, { result: "unreadable" }));
    const { series } = await scrape(freshMetrics(), fleet);
    for (const name of names) {
      const values = [...series].filter(([key]) =>
        key.startsWith(`zonewarden_zone_status{zone="${name}"`),
      );
      expect(values).toHaveLength(7);
      expect(values.reduce((sum, [, value]) => sum + value, 0)).toBe(1);
    }
  });
});
