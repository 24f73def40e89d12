import { describe, it } from "vitest";

import { a, b, held, shop } from "../support/fleets.ts";
import { change, done, failed, lost, report, skipped } from "../support/reports.ts";
import { freshMetrics, parsed, scrape } from "../support/scrapes.ts";

describe("what is counted", () => {
  it("each run by trigger and result, with the time of its phases", async ({ expect }) => {
    const metrics = freshMetrics();
    metrics.recordZone(report(shop, 1, { result: "in_sync" }));
    metrics.recordZone(report(shop, 2, held("observe")));
    const { series } = await scrape(metrics);
    expect(series.get('zonewarden_reconcile_total{trigger="schedule",result="in_sync"}')).toBe(1);
    expect(series.get('zonewarden_reconcile_total{trigger="schedule",result="planned"}')).toBe(1);
    expect(series.get('zonewarden_reconcile_duration_seconds_count{phase="total"}')).toBe(2);
    expect(series.get('zonewarden_reconcile_duration_seconds_count{phase="apply"}')).toBe(0);
    expect(series.get('zonewarden_reconcile_duration_seconds_sum{phase="fetch"}')).toBeCloseTo(1.4);
  });

  it("each run with the time that it took, though the clock was set back meanwhile", async ({
    expect,
  }) => {
    const metrics = freshMetrics();
    const came = report(shop, 1, { result: "in_sync" });
    metrics.recordZone({ ...came, finishedAt: new Date(Number(came.startedAt) - 3_600_000) });
    const { series } = await scrape(metrics);
    expect(series.get('zonewarden_reconcile_duration_seconds_sum{phase="total"}')).toBeCloseTo(1.2);
  });

  it("each change by what became of it", async ({ expect }) => {
    const metrics = freshMetrics();
    const changes = [a, b, change("managed_rule/c"), change("setting/enabled")];
    const outcomes = [
      done("policy/a"),
      lost("policy/b"),
      failed("managed_rule/c"),
      skipped("earlier_failure", "setting/enabled"),
    ];
    metrics.recordZone(report(shop, 1, { result: "applied", cause: "drift", changes, outcomes }));
    const { series } = await scrape(metrics);
    const counted = [...series].filter(
      ([key, value]) => key.startsWith("zonewarden_changes_total{") && value > 0,
    );
    expect(counted.map(([key]) => key).toSorted()).toEqual([
      'zonewarden_changes_total{kind="managed_rule",verb="update",result="failed"}',
      'zonewarden_changes_total{kind="policy",verb="update",result="done"}',
      'zonewarden_changes_total{kind="policy",verb="update",result="unknown"}',
      'zonewarden_changes_total{kind="setting",verb="update",result="skipped"}',
    ]);
  });

  it("each request under its route", async ({ expect }) => {
    const metrics = freshMetrics();
    const sent = { credential: "main", date: "" };
    metrics.request({
      ...sent,
      method: "GET",
      endpoint: "/zones/{zone_id}/page_shield",
      code: 200,
      ms: 40,
    });
    metrics.request({
      ...sent,
      method: "PATCH",
      endpoint: "/zones/{zone_id}/rulesets/{ruleset_id}/rules/{rule_id}",
      code: 429,
      ms: 20,
    });
    metrics.retry({ ...sent, method: "GET", endpoint: "/zones", code: 429, waitMs: 0 });
    const { series } = await scrape(metrics);
    const requests = [...series].filter(
      ([key, value]) => key.startsWith("zonewarden_api_requests_total{") && value > 0,
    );
    expect(requests.map(([key]) => parsed(key).labels)).toEqual([
      { endpoint: "/zones/{zone_id}/page_shield", method: "GET", code: "200" },
      {
        endpoint: "/zones/{zone_id}/rulesets/{ruleset_id}/rules/{rule_id}",
        method: "PATCH",
        code: "429",
      },
    ]);
    expect(series.get('zonewarden_api_retries_total{reason="rate_limited"}')).toBe(1);
  });

  it("missed sweeps and notifications", async ({ expect }) => {
    const metrics = freshMetrics();
    const missed = async (): Promise<readonly unknown[]> => {
      const { series } = await scrape(metrics);
      const name = "zonewarden_schedule_missed_runs_total";
      return ["overlap", "paused"].map((reason) => series.get(`${name}{reason="${reason}"}`));
    };
    expect(await missed()).toEqual([0, 0]);
    metrics.recordMissedRun("overlap");
    expect(await missed()).toEqual([1, 0]);
    metrics.recordNotification("chat", "error");
    const { series } = await scrape(metrics);
    expect(series.get('zonewarden_notifications_total{sink="chat",result="error"}')).toBe(1);
  });
});
