import { spawnSync } from "node:child_process";

import { afterEach, describe, it, vi } from "vitest";

import { endpoints } from "../../src/telemetry/metrics/api-labels.ts";
import { type MetricDefinition, metricTable } from "../../src/telemetry/metrics/metric-table.ts";
import { a, b, fleetOf, held, shop } from "../support/fleets.ts";
import { inventoryRead } from "../support/inventories.ts";
import { connection, cookie, script } from "../support/inventory.ts";
import { measuredShop } from "../support/measured-shop.ts";
import { renderMetrics } from "../support/metric-list.ts";
import { auditOf, clusterOf, daemon, load, report } from "../support/reports.ts";
import { freshMetrics, parsed, scrape } from "../support/scrapes.ts";

const definitions: readonly MetricDefinition[] = Object.values(metricTable);
const ours = (name: string): boolean => name.startsWith("zonewarden_");
const inventoryOfShop = inventoryRead(shop, 1, {
  items: [
    script("https://a.example/", { status: "ended" }),
    connection("https://b.example/"),
    cookie("c"),
  ],
  outside: { scripts: [], unclear: 0 },
});
const base = (name: string): string => name.replace(/_(bucket|sum|count)$/, "");

describe("the exposition", () => {
  it("holds exactly the metrics of the table, each with its type and meaning, once", async ({
    expect,
  }) => {
    const cluster = clusterOf({ isHeld: true, works: true });
    const measurements = { state: "collecting", reason: "" } as const;
    const { text } = await scrape(
      freshMetrics(),
      fleetOf(),
      daemon({ cluster, audit: auditOf(), measurements }),
      measuredShop,
    );
    const heads = text.split("\n").filter((line) => line.startsWith("# "));
    const expected = definitions.flatMap(({ name, type, help }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
    ]);
    const found = heads.filter((line) => ours(line.split(" ")[2] ?? ""));
    expect(found.toSorted()).toEqual(expected.toSorted());
  });

  it("uses no label and no value that the table does not allow", async ({ expect }) => {
    const metrics = freshMetrics();
    const fleet = fleetOf();
    fleet.recordLoad(load());
    const runs = [
      report(shop, 1, { result: "error" }),
      report(shop, 2, held("quota")),
      report(shop, 3, { result: "applied", cause: "drift", changes: [a, b] }),
    ];
    for (const run of runs) {
      metrics.recordZone(run);
      fleet.recordZone(run);
    }
    fleet.followInventory(true);
    fleet.recordInventory(inventoryOfShop);
    const sent = { method: "GET", ms: 3, credential: "main", date: "" } as const;
    metrics.request({ ...sent, endpoint: "/coffee", code: 418 });
    metrics.request({ ...sent, endpoint: "/zones", code: "tls" });
    metrics.retry({ ...sent, endpoint: "/coffee", code: 418, waitMs: 0 });

    const measurements = { state: "lagging", reason: "no answer" } as const;
    const { series } = await scrape(metrics, fleet, daemon({ measurements }), measuredShop);
    const strays = [...series.keys()].map(parsed).filter(({ name, labels }) => {
      if (!ours(name)) return false;
      const definition = definitions.find((known) => known.name === base(name));
      if (definition === undefined) return true;
      return Object.entries(labels).some(([label, value]) => {
        if (label === "le") return definition.type !== "histogram";
        const allowed = definition.labels[label];
        return allowed === undefined || (typeof allowed !== "string" && !allowed.includes(value));
      });
    });
    expect(strays).toEqual([]);
  });

  it("begins every series with closed labels at zero", async ({ expect }) => {
    const { series } = await scrape(freshMetrics());
    expect(
      series.get('zonewarden_changes_total{kind="managed_rule",verb="delete",result="unknown"}'),
    ).toBe(0);
    expect(series.get('zonewarden_reconcile_total{trigger="retry",result="held"}')).toBe(0);
    expect(series.get('zonewarden_files_reloads_total{result="held"}')).toBe(0);
    expect(
      series.get(
        'zonewarden_api_requests_total{endpoint="/zones/{zone_id}/page_shield",method="PUT",code="429"}',
      ),
    ).toBe(0);
    const reconciles = [...series.keys()].filter((key) =>
      key.startsWith("zonewarden_reconcile_total{"),
    );
    expect(reconciles).toHaveLength(8 * 6);
  });

  it("names no method on a route that has none", async ({ expect }) => {
    const { series } = await scrape(freshMetrics());
    const routes = new Set(
      [...series.keys()]
        .map(parsed)
        .filter(({ name }) => name === "zonewarden_api_requests_total")
        .map(({ labels }) => `${labels["method"]} ${labels["endpoint"]}`),
    );
    expect(routes).toEqual(
      new Set(
        Object.entries(endpoints).flatMap(([path, used]) => used.map((each) => `${each} ${path}`)),
      ),
    );
  });
});

describe("the table for people", () => {
  it("has a row for every metric", ({ expect }) => {
    const rows = renderMetrics().split("\n");
    for (const { name } of definitions) {
      expect(rows.filter((row) => new RegExp(`^- \`${name}\`[ :]`).test(row))).toHaveLength(1);
    }
    expect(renderMetrics()).toContain(
      "- `zonewarden_drift_resources` (zone; kind; impact: weakens, neutral, strengthens): ",
    );
  });

  it("keeps to the rules of names", ({ expect }) => {
    for (const { name, type } of definitions) {
      expect(name.endsWith("_total")).toBe(type === "counter");
      expect(name.endsWith("_duration_seconds")).toBe(type === "histogram");
      expect(name).not.toMatch(/_(ms|milliseconds|age)(_|$)/);
    }
  });
});

describe("promtool", () => {
  const found = spawnSync("promtool", ["--version"]).status === 0;

  it.skipIf(!found)(
    "finds nothing to say (it comes with Debian's package prometheus)",
    async ({ expect }) => {
      const fleet = fleetOf();
      fleet.recordLoad(load());
      fleet.followInventory(true);
      fleet.recordInventory(inventoryOfShop);
      const { text } = await scrape(
        freshMetrics(),
        fleet,
        daemon({ inventoryEveryMs: 86_400_000 }),
      );
      const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], {
        input: text,
      });
      expect(`${stdout.toString()}${stderr.toString()}`).toBe("");
      expect(status).toBe(0);
    },
  );
});

describe("between two scrapes", () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it("nothing is measured, so a process that was paused has nothing to make up for", ({
    expect,
  }) => {
    vi.useFakeTimers({ toFake: ["setInterval"] });
    const measured = vi.spyOn(performance, "eventLoopUtilization");
    freshMetrics();
    const atFirst = measured.mock.calls.length;
    vi.advanceTimersByTime(24 * 3_600_000);
    expect(measured).toHaveBeenCalledTimes(atFirst);
  });
});
