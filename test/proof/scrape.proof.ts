import { describe, it } from "vitest";

import { metricTable } from "../../src/telemetry/metrics/metric-table.ts";
import { dashboards, expressionsOf } from "../deploy/dashboards.ts";
import { readRules, rulesIn, textAt } from "../deploy/rules.ts";
import { foreignNames, type Vocable, vocabularyOf } from "../deploy/vocabulary.ts";
import { control, exampleWithEmulator } from "../support/example.ts";
import { type Daemon, eventually, startDaemon } from "../support/processes.ts";
import { parsed, seriesIn } from "../support/scrapes.ts";

const config = `store: { path: state }
schedule: { cron: "* * * * * *" }
inventory: { enabled: true }
audit: { enabled: true }
notifications: [{ name: nobody, type: webhook, url: "http://127.0.0.1:9/" }]`;

/** What nobody can know before a zone's inventory was read. */
const unread: readonly Vocable[] = [metricTable.inventoryItems, metricTable.inventoryNew];

/** What the process of the example never exports. */
const unexported: readonly Vocable[] = [
  // No policy is enforced by then.
  metricTable.inventoryOutside,
  // No zone declares scripts.
  metricTable.scriptFindings,
  metricTable.scriptsCheckedAt,
  // Only of a zone of which it is so: a plan that is held, drift that is not corrected.
  metricTable.held,
  metricTable.filesHeld,
  metricTable.drift,
  metricTable.pending,
  metricTable.pendingSince,
  metricTable.unmanaged,
  metricTable.zoneFailures,
  metricTable.inventoryMalicious,
  // The configuration has no waves, and no object has steps.
  metricTable.rolloutZones,
  metricTable.steps,
  // It is in no cluster.
  metricTable.leader,
  metricTable.leaseTransitions,
  metricTable.leaseFailing,
  // It has measured no hour.
  metricTable.measuredEvents,
  metricTable.measuredResources,
];

async function scrape({ address }: Daemon): Promise<ReadonlyMap<string, number>> {
  return seriesIn(await (await fetch(`${address}/metrics`)).text());
}

function hasValue(
  daemon: Daemon,
  series: string,
  isRight: (value: number) => boolean,
): Promise<true> {
  return eventually(series, async () => {
    const value = (await scrape(daemon)).get(series);
    return value !== undefined && isRight(value) ? true : undefined;
  });
}

/** The metrics of a scrape, each with the labels that all of its series have and their values. */
function exportedIn(series: ReadonlyMap<string, number>): readonly Vocable[] {
  const found = Map.groupBy([...series.keys()].map(parsed), ({ name }) => name);
  return [...found].map(([name, all]) => {
    const labels = Object.keys(all[0]?.labels ?? {}).map((label): [string, readonly string[]] => [
      label,
      [...new Set(all.map((each) => each.labels[label] ?? ""))],
    ]);
    return { name, labels: Object.fromEntries(labels) };
  });
}

/** What rules and panels name and a scrape does not have. */
function missingFrom(
  series: ReadonlyMap<string, number>,
  excused: readonly Vocable[],
): readonly string[] {
  const vocabulary = vocabularyOf([...exportedIn(series), ...excused]);
  const expressions = [
    ...rulesIn(readRules()).map((rule) => textAt(rule, "expr")),
    ...dashboards.flatMap(({ dashboard }) => expressionsOf(dashboard)),
  ];
  const names = expressions.flatMap((expr) => foreignNames(expr, vocabulary));
  return [...new Set(names)];
}

describe("a real process", () => {
  it("exports from the first scrape everything that rules and panels name", async ({ expect }) => {
    await using example = await exampleWithEmulator({ config });
    await using daemon = await startDaemon(example.place.directory);
    await hasValue(daemon, "zonewarden_files_zones", (zones) => zones === 3);
    expect(missingFrom(await scrape(daemon), [...unread, ...unexported])).toEqual([]);
  });

  it("lets an alert see each scenario that it is there for", async ({ expect }) => {
    await using example = await exampleWithEmulator({ config });
    await using daemon = await startDaemon(example.place.directory);
    const shop = "shop.example.com";
    await hasValue(
      daemon,
      `zonewarden_zone_status{zone="${shop}",status="in_sync"}`,
      (v) => v === 1,
    );

    await control(example, "edit", {
      zone: shop,
      rule: "zonewarden:owasp",
      set: { paranoia_level: 1 },
    });
    await hasValue(daemon, `zonewarden_drift_detected_total{zone="${shop}"}`, (v) => v === 1);

    await example.place.write("zones/broken.yaml", "zones: [");
    await hasValue(daemon, "zonewarden_files_last_reload_successful", (v) => v === 0);
    await example.place.remove("zones/broken.yaml");
    await hasValue(daemon, "zonewarden_files_last_reload_successful", (v) => v === 1);

    await control(example, "faults", { fault: "status", status: 500, count: 30 });
    await hasValue(daemon, 'zonewarden_api_retries_total{reason="server_error"}', (v) => v > 0);

    await hasValue(
      daemon,
      'zonewarden_notifications_total{sink="nobody",result="error"}',
      (v) => v > 0,
    );

    await hasValue(
      daemon,
      `zonewarden_inventory_malicious_items{zone="${shop}",kind="script",status="active"}`,
      (v) => v === 1,
    );
    expect(missingFrom(await scrape(daemon), unexported)).toEqual([]);
    expect(await daemon.end("SIGTERM")).toBe(0);
  });

  it("would be caught with a name that it does not export", ({ expect }) => {
    const series = new Map([['zonewarden_zone_status{zone="a",status="in_sync"}', 1]]);
    expect(missingFrom(series, [])).toContain("zonewarden_drift_resources");
  });
});
