import { describe, it } from "vitest";

import { countSteps, stepStates } from "../../src/state/steps-status.ts";
import { fleetOf } from "../support/fleets.ts";
import {
  at,
  auditOf,
  daemon,
  declared,
  heldLoad,
  load,
  diagnostic,
  report,
  clusterOf,
  standby,
  start,
} from "../support/reports.ts";
import { freshMetrics, scrape } from "../support/scrapes.ts";
import { steppedZone } from "../support/stepped.ts";

describe("the process", () => {
  it("exports the active revision, and whether the last load was successful", async ({
    expect,
  }) => {
    const metrics = freshMetrics();
    const fleet = fleetOf();
    const before = await scrape(metrics, fleet);
    expect(before.series.get("zonewarden_files_last_reload_successful")).toBe(0);
    expect(before.text).not.toContain("zonewarden_files_info{");

    fleet.recordLoad(load());
    const good = await scrape(metrics, fleet);
    expect(good.series.get("zonewarden_files_last_reload_successful")).toBe(1);
    expect(good.series.get("zonewarden_files_hash")).toBe(0xa1b2c3d4e5f6);
    expect(good.text).toContain(
      'zonewarden_files_info{source="./zones",revision="8c9b6cfb5909a67682231d479f0f6b5da5aa4681",commit=""} 1',
    );

    fleet.recordLoad(
      load({ result: "partial", diagnostics: [diagnostic()], at: at(5), revision: "next" }),
    );
    const broken = await scrape(metrics, fleet);
    expect(broken.series.get("zonewarden_files_last_reload_successful")).toBe(0);
    expect(broken.series.get("zonewarden_files_last_reload_success_timestamp_seconds")).toBe(
      start.getTime() / 1000,
    );
    expect(broken.text.match(/^zonewarden_files_info\{/gm)).toHaveLength(1);
  });

  it("exports the active revision and the held one", async ({ expect }) => {
    const fleet = fleetOf();
    fleet.recordLoad(heldLoad());
    const { text, series } = await scrape(freshMetrics(), fleet);
    expect(text.match(/^zonewarden_files_\w*info\{.*$/gm)).toEqual([
      'zonewarden_files_info{source="./zones",revision="8c9b6cfb5909a67682231d479f0f6b5da5aa4681",commit=""} 1',
      'zonewarden_files_held_info{source="./zones",revision="sha256-0357424802a9",commit=""} 1',
    ]);
    expect(series.get("zonewarden_files_hash")).toBe(0xa1b2c3d4e5f6);
    fleet.recordLoad(load());
    expect((await scrape(freshMetrics(), fleet)).text).not.toContain("zonewarden_files_held_info{");
  });

  it("exports how many policies and rules are in which state of their steps", async ({
    expect,
  }) => {
    const steps = countSteps([steppedZone(at(30))]);
    const { series, text } = await scrape(freshMetrics(), fleetOf(), daemon({ steps }));
    expect(series.get('zonewarden_steps{state="set_back"}')).toBe(1);
    expect(text.match(/^zonewarden_steps\{/gm)).toHaveLength(stepStates.length);
    const none = await scrape(freshMetrics(), fleetOf(), daemon({ steps: undefined }));
    expect(none.text).not.toContain("zonewarden_steps{");
  });

  it("exports Git's name for a revision beside it", async ({ expect }) => {
    const fleet = fleetOf();
    fleet.recordLoad(load({ revision: "sha256-0357424802a9", commit: "8c9b6cfb5909-dirty" }));
    expect((await scrape(freshMetrics(), fleet)).text).toContain(
      'zonewarden_files_info{source="./zones",revision="sha256-0357424802a9",commit="8c9b6cfb5909-dirty"} 1',
    );
  });

  it("has the predicted sweep and the oldest success", async ({ expect }) => {
    const fleet = fleetOf(declared("shop.example.com"), declared("blog.example.com"));
    const oldest = async (): Promise<number | undefined> => {
      const { series } = await scrape(freshMetrics(), fleet);
      expect(series.get("zonewarden_sweep_predicted_seconds")).toBe(60);
      return series.get("zonewarden_oldest_zone_success_timestamp_seconds");
    };
    fleet.recordZone(report("shop.example.com", 3, { result: "in_sync" }));
    expect(await oldest()).toBe(0);
    fleet.recordZone(report("blog.example.com", 5, { result: "in_sync" }));
    expect(await oldest()).toBe(at(3).getTime() / 1000);
    fleet.recordZone(report("shop.example.com", 8, { result: "in_sync" }));
    expect(await oldest()).toBe(at(5).getTime() / 1000);
  });

  it("renders each credential", async ({ expect }) => {
    const metrics = freshMetrics();
    const alone = await scrape(metrics);
    expect(alone.series.get('zonewarden_api_token_valid{credential="shops"}')).toBe(1);
    expect(alone.series.get('zonewarden_api_budget_wait_seconds_total{credential="shops"}')).toBe(
      1.5,
    );
    expect(alone.series.get('zonewarden_api_ratelimit_remaining{credential="shops"}')).toBe(1100);
  });

  it("exports the entries of audit logs and their accounts if these are followed", async ({
    expect,
  }) => {
    const entries = /^zonewarden_audit_\w+\{.*$/gm;
    expect((await scrape(freshMetrics())).text).not.toMatch(entries);
    const audit = auditOf({ accounts: { off: 0, following: 2, denied: 1, lagging: 0 } });
    const { text } = await scrape(freshMetrics(), fleetOf(), daemon({ audit }));
    expect(text.match(entries)).toEqual([
      'zonewarden_audit_accounts{state="off"} 0',
      'zonewarden_audit_accounts{state="following"} 2',
      'zonewarden_audit_accounts{state="denied"} 1',
      'zonewarden_audit_accounts{state="lagging"} 0',
      'zonewarden_audit_entries_total{result="woke"} 3',
      'zonewarden_audit_entries_total{result="own"} 5',
      'zonewarden_audit_entries_total{result="unrelated"} 7',
      'zonewarden_audit_entries_total{result="malformed"} 1',
      'zonewarden_audit_entries_total{result="elsewhere"} 2',
      'zonewarden_audit_entries_total{result="elsewhere_drift"} 4',
    ]);
  });

  it("has the inventory interval only if inventories are on", async ({ expect }) => {
    const interval = "zonewarden_inventory_interval_seconds";
    const off = await scrape(freshMetrics());
    expect(off.series.has(interval)).toBe(false);
    const daily = await scrape(freshMetrics(), fleetOf(), daemon({ inventoryEveryMs: 86_400_000 }));
    expect(daily.series.get(interval)).toBe(86_400);
  });

  it("escapes what a configuration calls its things", async ({ expect }) => {
    const name = 'a"b\\c\nd';
    const [credential] = daemon().credentials;
    if (credential === undefined) throw new Error("no credential");
    const facts = daemon({ credentials: [{ ...credential, name }] });
    const { text } = await scrape(freshMetrics(), fleetOf(), facts);
    expect(text).toContain('zonewarden_api_token_valid{credential="a\\"b\\\\c\\nd"} 1');
  });
});

describe("a process in a cluster", () => {
  it("that waits for the Lease exports the Lease, and no zeros for what it does not know", async ({
    expect,
  }) => {
    const { text } = await scrape(freshMetrics(), fleetOf(), daemon({ cluster: standby }));
    expect(text).toContain('zonewarden_leader{lease="zonewarden"} 0\n');
    expect(text).toContain('zonewarden_lease_transitions{lease="zonewarden"} 3\n');
    expect(text).not.toMatch(
      /^zonewarden_(config_(hash|last|zones)|schedule_(next|interval)|oldest|api_token|state_)/m,
    );
  });

  it("that holds the Lease exports everything", async ({ expect }) => {
    const cluster = clusterOf({ isHeld: true, works: true, failure: "no answer" });
    const { series } = await scrape(freshMetrics(), fleetOf(), daemon({ cluster }));
    expect(series.get('zonewarden_leader{lease="zonewarden"}')).toBe(1);
    expect(series.get('zonewarden_lease_failing{lease="zonewarden"}')).toBe(1);
    expect(series.get("zonewarden_schedule_interval_seconds")).toBe(900);
  });
});
