import { describe, it } from "vitest";

import { Fleet } from "../../src/state/fleet.ts";
import { fleetJson, diagnosticsJson, zoneJson, zonesJson } from "../../src/web/json-view.ts";
import { selectionFrom } from "../../src/web/pages/selection.ts";
import type { Snapshot } from "../../src/web/snapshot.ts";
import { fleetOf, held, shop } from "../support/fleets.ts";
import { inventoryRead } from "../support/inventories.ts";
import { snapshotOf } from "../support/pages.ts";
import { at, change, declared, diagnostic, failure, load, report } from "../support/reports.ts";
import { scene, sceneImpact } from "../support/scenes.ts";

function snapshot(fleet = fleetOf()): Snapshot {
  return { ...snapshotOf(fleet), now: at(10) };
}

/** As a client reads it. */
function sent(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body));
}

describe("the fleet as JSON", () => {
  it("has the process and the counts of its zones", ({ expect }) => {
    const fleet = fleetOf(declared(shop), declared("blog.example.com"));
    fleet.recordLoad(load({ result: "partial", diagnostics: [diagnostic()] }));
    fleet.recordZone(report(shop, 1, { result: "in_sync" }));
    expect(sent(fleetJson(snapshot(fleet)))).toEqual({
      format: "zonewarden-status/2",
      version: "0.1.0",
      mode: "enforce",
      started_at: "2026-11-21T10:00:00.000Z",
      desired: {
        result: "partial",
        source: "./zones",
        revision: "8c9b6cfb5909a67682231d479f0f6b5da5aa4681",
        commit: null,
        hash: "a1b2c3d4e5f60718",
        held: null,
        rollout: null,
        diagnostics: 1,
        at: "2026-11-21T10:00:00.000Z",
      },
      zones: 2,
      by_status: {
        in_sync: 1,
        drifted: 0,
        pending: 0,
        differs: 0,
        held: 0,
        error: 0,
        unknown: 1,
        suspended: 0,
      },
      inventory: null,
      schedule: {
        cron: ["*/15 * * * *"],
        timezone: "Etc/UTC",
        next_at: "2026-11-21T10:15:00.000Z",
        longest_gap_seconds: 900,
      },
      queue: { waiting: 0, running: [] },
      cluster: null,
      audit: null,
      measurements: null,
      state: { status: "ok", lost: null },
      credentials: [
        {
          name: "shops",
          valid: true,
          expires_at: null,
          requests: { limit: 1200, remaining: 1100, reset_at: "2026-11-21T10:05:00.000Z" },
        },
      ],
      recent: [],
      removed: [],
    });
  });

  it("has null before the first load", ({ expect }) => {
    expect(fleetJson(snapshot(new Fleet()))).toMatchObject({ desired: null, inventory: null });
    expect(diagnosticsJson(snapshot())).toEqual({ diagnostics: [], held: null });
  });
});

describe("zones as JSON", () => {
  it("are selected by their labels, and have them", ({ expect }) => {
    const fleet = fleetOf(
      declared("a.example", { labels: { team: "payments", "cost.centre-1": "x" } }),
      declared("b.example", { labels: { team: "search" } }),
      declared("c.example"),
    );
    const found = (selector: string): unknown =>
      zonesJson(snapshot(fleet), selectionFrom({ selector }));
    expect(found("team=payments")).toMatchObject({
      matching: 1,
      zones: [{ name: "a.example", labels: { team: "payments", "cost.centre-1": "x" } }],
    });
    expect(found("team!=search")).toMatchObject({ matching: 2, zones: [{}, { labels: {} }] });
  });

  it("are selected as on the page", ({ expect }) => {
    const fleet = fleetOf(declared(shop), declared("blog.example.com"));
    fleet.recordZone(report(shop, 1, held("weakening", "too_many_deletes")));
    const body = sent(zonesJson(snapshot(fleet), selectionFrom({ status: "held" })));
    expect(body).toMatchObject({
      matching: 1,
      page: 1,
      pages: 1,
      zones: [
        {
          name: shop,
          mode: "enforce",
          status: "held",
          status_since: "2026-11-21T10:01:00.000Z",
          drifted_since: "2026-11-21T10:01:00.000Z",
          last_success_at: "2026-11-21T10:01:00.000Z",
          consecutive_failures: 0,
          drift: { policy: { weakens: 1, neutral: 0, strengthens: 0 } },
          pending: {
            setting: 0,
            policy: 0,
            custom_rule: 0,
            rate_limiting_rule: 0,
            managed_rule: 0,
          },
          hold_reasons: ["weakening", "too_many_deletes"],
        },
      ],
    });
  });

  it("tell of one zone what differs and what was changed", ({ expect }) => {
    const fleet = fleetOf();
    const fields = [{ field: "action", before: undefined, after: "allow" }];
    const edited = change("policy/a", "strengthens", { fields });
    fleet.recordZone(report(shop, 1, { result: "applied", cause: "drift", changes: [edited] }));
    fleet.recordZone(report(shop, 2, { result: "planned", cause: "drift", changes: [edited] }));
    const state = fleet.zone(shop);
    if (state === undefined) throw new Error("not declared");
    const differing = {
      verb: "update",
      key: "policy/a",
      fields: [{ field: "action", after: "allow" }],
      effect: { direction: "strengthens", may_break: false },
    };
    expect(sent(zoneJson(state, snapshotOf(fleetOf())))).toMatchObject({
      id: "023e105f4ecef8ad9ca31a8372d0c353",
      account: { name: "Example Shops" },
      causes: ["drift"],
      failure: null,
      suspension: null,
      differing: [differing],
      last_run: { run: "run-2", trigger: "schedule", duration_ms: 1200 },
      changes: [{ run: "run-1", changes: [differing], writes: [{ status: "done", ray: "8f2b" }] }],
    });
  });

  it("exist for a zone without a run", ({ expect }) => {
    const suspension = { reason: "CHG-4411", until: at(90) };
    const state = fleetOf(declared(shop, { suspension })).zone(shop);
    if (state === undefined) throw new Error("not declared");
    expect(sent(zoneJson(state, snapshotOf(fleetOf())))).toMatchObject({
      suspension: { reason: "CHG-4411", until: "2026-11-21T11:30:00.000Z" },
      id: null,
      account: null,
      last_run: null,
      last_success_at: null,
      differing: [],
      inventory: null,
    });
  });
});

describe("what browsers saw, as JSON", () => {
  const fleet = scene();
  const inventoryOf = (name: string): unknown => {
    const state = fleet.zone(name);
    if (state === undefined) throw new Error(`${name} is not declared`);
    return sent(zoneJson(state, snapshotOf(fleetOf()))["inventory"]);
  };

  it("is counted over the fleet, and finds its zones", ({ expect }) => {
    expect(fleetJson(snapshot(fleet))["inventory"]).toEqual({
      malicious_items: 2,
      scripts_outside_policies: 1,
      zones: { malicious: 1, outside: 1, failing: 2, unread: 1 },
    });
    const unread = fleetOf();
    unread.followInventory(true);
    expect(fleetJson(snapshot(unread))["inventory"]).toMatchObject({
      malicious_items: null,
      scripts_outside_policies: null,
    });
    const body = sent(zonesJson(snapshot(fleet), selectionFrom({ inventory: "malicious" })));
    expect(body).toMatchObject({ matching: 1, zones: [{ name: shop }] });
  });

  it("is that of the last read", ({ expect }) => {
    const found = {
      kind: "script",
      id: "https://stats.example.org/m.js",
      name: "https://stats.example.org/m.js",
      page: "https://shop.example.com/checkout/pay",
      first_seen_at: "2026-11-21T07:00:00.000Z",
      malicious_reasons: ["integrity score 4"],
    };
    const zero = { script: 0, connection: 0, cookie: 0 };
    expect(inventoryOf(shop)).toMatchObject({
      read_at: "2026-11-21T10:25:00.000Z",
      failure: null,
      failing_since: null,
      malicious_found: { ...zero, script: 1, connection: 1 },
      facts: {
        kinds: {
          script: {
            total: 4,
            statuses: { active: 3, inactive: 1 },
            malicious: 1,
            fresh: 1,
            hosts: 4,
          },
          connection: { total: 2, malicious: 1 },
          cookie: { total: 1, statuses: {} },
        },
        malicious: [{ kind: "connection" }, found],
        outside_policies: { count: 1, unclear: 0, newest: [found] },
        impact: sceneImpact,
      },
    });
    const notPermitted = new Map([["cookie" as const, failure("403", { code: "API_FORBIDDEN" })]]);
    const unentitled = scene();
    unentitled.recordInventory(inventoryRead(shop, 29, { notPermitted }));
    const [state] = unentitled.zones.filter(({ declared: { name } }) => name === shop);
    expect(state && zoneJson(state, snapshotOf(fleetOf()))).toMatchObject({
      inventory: {
        facts: { not_permitted: { cookie: { code: "API_FORBIDDEN", message: "403" } } },
      },
    });
    expect(inventoryOf("blog.example.com")).toMatchObject({ facts: { outside_policies: null } });
  });

  it("is not zero where it was never read", ({ expect }) => {
    const unread = { read_at: null, facts: null };
    expect(inventoryOf("www.example.com")).toMatchObject({ ...unread, failing_since: null });
    expect(inventoryOf("pay.example.com")).toMatchObject({
      ...unread,
      failure: { code: "API_UNAVAILABLE", transient: true },
      failing_since: "2026-11-21T10:28:00.000Z",
    });
  });
});
