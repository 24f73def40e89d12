import { describe, it } from "vitest";

import { version } from "../../src/host/version.ts";
import { metricTable } from "../../src/telemetry/metrics/metric-table.ts";
import { SimulatedClock } from "../support/clock.ts";
import { zones } from "../support/daemon-story-files.ts";
import { daemonStory, type Story } from "../support/daemon-story.ts";
import { control, exampleWithEmulator } from "../support/example.ts";
import { freeLease, leasePath, startKubeApi } from "../support/kube-api.ts";
import { logged } from "../support/log-lines.ts";
import { installation, noPostgres } from "../support/postgres.ts";
import { eventually } from "../support/processes.ts";
import { stop, textFrom } from "../support/running.ts";
import { parsed, type Series, seriesIn } from "../support/scrapes.ts";
import { allRun, untilMeasured } from "../support/settled-example.ts";

const { blog, shop, brand } = zones;

/** Seconds since 1970 of a moment so many seconds after the start. */
function after(seconds: number): number {
  return Date.parse("2026-11-20T12:00:00Z") / 1_000 + seconds;
}

/** Values by the labels of their series. */
type Row = Readonly<Record<string, number>>;

/**
 * Every series that is not 0 at the end of the story. Of requests only those that failed, and of histograms only the sums,
 * which prove the unit. The type asks for a row for each metric, and the test for a series in it: a new metric needs
 * something in the story that gives it a value.
 */
const expectedRows: Readonly<Record<keyof typeof metricTable, Row | ((story: Story) => Row)>> = {
  buildInfo: {
    [`version="${version}",revision="0a1b2c3",node_version="${process.versions.node}"`]: 1,
  },
  workingSince: { "": after(0) },
  filesInfo: ({ source, revision }) => ({
    [`source="${source}",revision="${revision}",commit=""`]: 1,
  }),
  filesHeld: ({ source, held }) => ({ [`source="${source}",revision="${held}",commit=""`]: 1 }),
  // Of a process that has just begun: nothing is known of its zones.
  rolloutZones: {
    'wave="1",state="waiting"': 1,
    'wave="2",state="waiting"': 2,
    'wave="1",state="unsettled"': 1,
  },
  // Of a process whose shop has a policy with steps.
  steps: { 'state="waiting"': 1 },
  // The first twelve digits of the hash, which a revision of files without Git shows.
  filesHash: ({ revision }) => ({
    "": Number.parseInt(revision.replace("sha256-", "").slice(0, 12), 16),
  }),
  filesLoaded: { "": 1 },
  filesLoadedAt: { "": after(105) },
  filesReloads: { 'result="applied"': 2 },
  filesZones: { "": 3 },
  stateWritten: { "": 1 },
  stateLost: { "": 1 },
  // Of a process that follows the audit log.
  auditAccounts: { 'state="following"': 1 },
  auditEntries: { 'result="woke"': 1 },
  // Of a process that does not follow it, and so knows nobody.
  driftAuthors: { 'context="unknown"': 1 },
  // Of a process in a cluster, which took the Lease as its fourth holder and cannot renew it any more.
  leader: { 'lease="zonewarden"': 1 },
  leaseTransitions: { 'lease="zonewarden"': 3 },
  leaseFailing: { 'lease="zonewarden"': 1 },
  scheduleInterval: { "": 29 },
  scheduleNext: { "": after(118) },
  // Ten parts of three zones, a custom ruleset with the list that tells it, and their share of a page of the listing, within
  // 700 requests in 300 s, less the reserve.
  sweepSeconds: { "": (12 + 3 / 50) / ((700 / 300) * 0.8) },
  oldestSuccessAt: { "": after(0) },
  scheduleMissed: { 'reason="overlap"': 1, 'reason="paused"': 3 },
  reconciles: {
    'trigger="startup",result="in_sync"': 1,
    'trigger="startup",result="applied"': 1,
    'trigger="startup",result="held"': 1,
    'trigger="file",result="held"': 1,
    'trigger="signal",result="in_sync"': 3,
    'trigger="signal",result="held"': 2,
    'trigger="signal",result="error"': 3,
    'trigger="manual",result="in_sync"': 1,
    'trigger="manual",result="error"': 1,
    'trigger="schedule",result="in_sync"': 2,
    'trigger="schedule",result="held"': 2,
    'trigger="schedule",result="error"': 2,
  },
  reconcileSeconds: {
    'phase="fetch"': 1.5 + 7.25 + 7.25 + 9.5,
    'phase="plan"': 0.7,
    'phase="apply"': 2,
    'phase="total"': 28.2,
  },
  zoneSuccessAt: {
    [`zone="${blog}"`]: after(0),
    [`zone="${shop}"`]: after(105),
    [`zone="${brand}"`]: after(105),
  },
  zoneAttemptAt: {
    [`zone="${blog}"`]: after(105),
    [`zone="${shop}"`]: after(105),
    [`zone="${brand}"`]: after(105),
  },
  zoneFailures: { [`zone="${blog}"`]: 6 },
  zoneStatus: {
    [`zone="${blog}",status="error"`]: 1,
    [`zone="${shop}",status="in_sync"`]: 1,
    [`zone="${brand}",status="suspended"`]: 1,
  },
  drift: { [`zone="${blog}",kind="managed_rule",impact="weakens"`]: 1 },
  pending: { [`zone="${brand}",kind="policy"`]: 1 },
  // The state is damaged, and the brand is suspended: what was applied to it is not known.
  causeUnknown: {
    [`zone="${brand}",kind="setting"`]: 1,
    [`zone="${brand}",kind="policy"`]: 1,
    [`zone="${brand}",kind="managed_rule"`]: 2,
  },
  pendingSince: { [`zone="${brand}"`]: after(0) },
  unmanaged: { [`zone="${shop}",kind="policy"`]: 3 },
  driftOnsets: { [`zone="${blog}"`]: 1 },
  owaspVersion: {
    [`zone="${blog}"`]: 87,
    [`zone="${shop}"`]: 87,
    [`zone="${brand}"`]: 87,
  },
  changes: {
    'kind="policy",verb="update",result="done"': 1,
    'kind="managed_rule",verb="update",result="done"': 1,
    'kind="managed_rule",verb="update",result="failed"': 6,
  },
  held: { [`zone="${brand}",reason="suspend"`]: 1 },
  inventoryInterval: { "": 43_200 },
  inventoryReadAt: { [`zone="${blog}"`]: after(0), [`zone="${shop}"`]: after(0.6) },
  inventoryFailing: { [`zone="${brand}"`]: 1 },
  inventoryNotPermitted: { [`zone="${blog}",kind="cookie"`]: 1 },
  inventoryItems: {
    [`zone="${shop}",kind="script",status="active"`]: 10,
    [`zone="${shop}",kind="connection",status="active"`]: 1,
    [`zone="${shop}",kind="cookie",status="none"`]: 1,
  },
  inventoryNew: { [`zone="${shop}",kind="script"`]: 4 },
  inventoryMalicious: { [`zone="${shop}",kind="script",status="active"`]: 3 },
  inventoryFound: { [`zone="${shop}",kind="script"`]: 2 },
  inventoryOutside: { [`zone="${shop}"`]: 8 },
  // Of a process whose shop declares scripts.
  scriptsOnPages: {
    [`zone="${shop}",authorised="true"`]: 1,
    [`zone="${shop}",authorised="false"`]: 1,
  },
  scriptsCheckedAt: { [`zone="${shop}"`]: 1 },
  scriptFindings: {
    [`zone="${shop}",kind="malicious"`]: 1,
    [`zone="${shop}",kind="unjustified"`]: 1,
  },
  scriptsAcknowledged: { [`zone="${shop}"`]: 1 },
  // Of a process that measures; the service has counts of a month.
  measurements: { 'state="collecting"': 1 },
  measuredHour: { "": after(-3_600) },
  measuredZones: {
    'dataset="requests",state="measured"': 3,
    'dataset="events",state="measured"': 3,
    'dataset="violations",state="measured"': 2,
  },
  measuredRequests: { [`zone="${shop}"`]: 1, [`zone="${blog}"`]: 1, [`zone="${brand}"`]: 1 },
  measuredEvents: {
    [`zone="${shop}",kind="policy"`]: 1,
    [`zone="${shop}",kind="managed_rule"`]: 1,
    [`zone="${blog}",kind="custom_ruleset"`]: 1,
    [`zone="${blog}",kind="custom_rule"`]: 1,
    [`zone="${blog}",kind="rate_limiting_rule"`]: 1,
    [`zone="${blog}",kind="managed_rule"`]: 1,
  },
  measuredResources: {
    [`zone="${shop}",state="usual"`]: 4,
    [`zone="${blog}",state="usual"`]: 6,
    [`zone="${blog}",state="undeclared"`]: 1,
  },
  requests: {
    'endpoint="/zones",method="GET",code="503"': 2,
    'endpoint="/zones/{zone_id}/page_shield",method="GET",code="429"': 1,
    'endpoint="/zones/{zone_id}/page_shield/scripts",method="GET",code="403"': 2,
    'endpoint="/zones/{zone_id}/page_shield/connections",method="GET",code="403"': 2,
    'endpoint="/zones/{zone_id}/page_shield/cookies",method="GET",code="403"': 3,
    'endpoint="/zones/{zone_id}/rulesets/{ruleset_id}/rules/{rule_id}",method="PATCH",code="400"': 6,
  },
  requestSeconds: {
    'endpoint="/zones/{zone_id}/page_shield",method="GET"': 9.5,
    'endpoint="/zones/{zone_id}/page_shield/policies",method="GET"': 1.5,
    'endpoint="/zones/{zone_id}/page_shield/scripts",method="GET"': 0.7,
    'endpoint="/zones/{zone_id}/rulesets/{ruleset_id}/rules/{rule_id}",method="PATCH"': 2,
  },
  retries: { 'reason="rate_limited"': 1, 'reason="server_error"': 2 },
  budgetWait: { 'credential="default"': 7.25 },
  rateLimit: { 'credential="default"': 700 },
  rateRemaining: ({ requests }) => ({ 'credential="default"': 700 - requests }),
  rateReset: { 'credential="default"': after(300) },
  tokenValid: { 'credential="default"': 1 },
  tokenExpiry: { 'credential="default"': Date.parse("2026-12-24T18:00:00Z") / 1_000 },
  notifications: { 'sink="pipeline",result="done"': 1 },
};

/** Series that are not compared: their values depend on how many reads were merged into one. */
function isLeftOut({ name, labels }: Series): boolean {
  const { code = "", result } = labels;
  return /_(bucket|count)$/.test(name) || ["200", "404"].includes(code) || result === "unchanged";
}

/** The rows of a scrape, by the name of their metric. */
function rowsOf(series: ReadonlyMap<string, number>): ReadonlyMap<string, Row> {
  const rows = new Map<string, Row>();
  for (const [text, value] of series) {
    const one = parsed(text);
    if (value === 0 || isLeftOut(one)) continue;
    const metric = one.name.replace(/_sum$/, "");
    const labels = text.slice(one.name.length).replace(/^\{(.*)\}$/, "$1");
    rows.set(metric, { ...rows.get(metric), [labels]: value });
  }
  return rows;
}

/** What a process exports of the audit log that it follows, after an edit by hand. */
async function auditRows(): Promise<ReadonlyMap<string, Row>> {
  await using example = await exampleWithEmulator({
    config: "audit: { enabled: true }",
  });
  await control(example, "edit", { zone: blog, settings: { enabled: false } });
  const daemon = example.place.start("run");
  await logged(daemon, "audit log followed");
  const rows = [...rowsOf(seriesIn(await textFrom(daemon, "metrics")))];
  await stop(daemon);
  return new Map(rows.filter(([name]) => name.startsWith("zonewarden_audit_")));
}

/** What a process in a cluster exports of its Lease. */
async function leaseRows(): Promise<ReadonlyMap<string, Row>> {
  await using kube = await startKubeApi();
  kube.edit(leasePath, () => ({ ...freeLease(), spec: { leaseTransitions: 2 } }));
  const { url } = await installation();
  await using example = await exampleWithEmulator({
    config: "cluster: { kubeconfig: kubeconfig }\nstore: { postgres: { url_file: url } }",
  });
  await example.place.write("url", url);
  await example.place.write("kubeconfig", kube.kubeconfig);
  const daemon = example.place.start("run");
  await logged(daemon, "leadership acquired");
  kube.fault = (method) => (method === "PUT" ? { status: 500 } : undefined);
  await logged(daemon, "the Lease cannot be used");
  const rows = [...rowsOf(seriesIn(await textFrom(daemon, "metrics")))];
  await stop(daemon);
  return new Map(rows.filter(([name]) => /^zonewarden_lea(der|se)/.test(name)));
}

/** What a process exports of a rollout that waits for its first zone. */
async function rolloutRows(): Promise<ReadonlyMap<string, Row>> {
  await using example = await exampleWithEmulator({
    config: `store: { path: state }\nrollout: { waves: [{ zones: [${shop}] }, { share: 100% }] }`,
  });
  await control(example, "faults", { fault: "status", status: 503, path: "*/page_shield*" });
  const daemon = example.place.start("run");
  await logged(daemon, "reconcile failed");
  const rows = [...rowsOf(seriesIn(await textFrom(daemon, "metrics")))];
  await stop(daemon);
  return new Map(rows.filter(([name]) => name.startsWith("zonewarden_rollout_")));
}

/** What a process exports of declared scripts: one is authorised, the other is acknowledged and malicious. */
async function scriptRows(): Promise<ReadonlyMap<string, Row>> {
  await using example = await exampleWithEmulator({ config: "inventory: { enabled: true }" });
  const file = await example.place.read("zones/shop.yaml");
  const declared = `      scripts:
        pages: ["${shop}/checkout/*"]
        authorised:
          - url: https://pay.example.net/v3/*
            approved_by: Alex Doe
            approved_on: 2020-01-01
        acknowledged:
          - { id: unauthorised-563c1e31fd05, until: 2099-01-01, reason: test, by: Alex Doe }
`;
  await example.place.write(
    "zones/shop.yaml",
    file.replace("      policies:\n", `${declared}      policies:\n`),
  );
  const daemon = example.place.start("run");
  await logged(daemon, "script finding acknowledged");
  const rows = [...rowsOf(seriesIn(await textFrom(daemon, "metrics")))];
  await stop(daemon);
  return new Map(
    rows
      .filter(([name]) => name.startsWith("zonewarden_script"))
      .map(([name, row]) => [name, name.endsWith("_seconds") ? signs(row) : row]),
  );
}

/** What a process exports of the counts of an hour; of counts, that there are some. */
async function measuredRows(): Promise<ReadonlyMap<string, Row>> {
  // The hour before is complete; the next one is an hour away.
  const clock = new SimulatedClock(new Date("2026-11-20T12:15:00Z"));
  await using example = await exampleWithEmulator({
    config: "store: { path: state }\nmeasurements: {}",
    ports: { clock },
  });
  const daemon = example.place.start("run");
  await allRun(daemon);
  await untilMeasured(daemon, clock);
  const rows = [...rowsOf(seriesIn(await textFrom(daemon, "metrics")))];
  await stop(daemon);
  return new Map(
    rows
      .filter(([name]) => name.startsWith("zonewarden_measure"))
      .map(([name, row]) => [name, /_(requests|events)$/.test(name) ? signs(row) : row]),
  );
}

/** What a process exports of a policy that comes from log to allow. */
async function stepRows(): Promise<ReadonlyMap<string, Row>> {
  await using example = await exampleWithEmulator({ config: "store: { path: state }" });
  const file = await example.place.read("zones/shop.yaml");
  const action = "            action: allow\n";
  const promote = "            promote: { from: log, after: 7d, when: time_only }\n";
  await example.place.write("zones/shop.yaml", file.replace(action, `${action}${promote}`));
  const policy = "Scripts of the checkout";
  await control(example, "edit", { zone: shop, policy, set: { action: "log" } });
  const daemon = example.place.start("run");
  const rows = await eventually("a run of the shop", async () => {
    const found = rowsOf(seriesIn(await textFrom(daemon, "metrics"))).get("zonewarden_steps");
    return found && !('state="unknown"' in found) ? found : undefined;
  });
  await stop(daemon);
  return new Map([["zonewarden_steps", rows]]);
}

function signs(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([labels, value]) => [labels, Math.sign(value)]),
  );
}

/** Sums of seconds are not exact: microseconds are enough. */
function rounded(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([labels, value]) => [labels, Math.round(value * 1e6) / 1e6]),
  );
}

describe.skipIf(noPostgres)(`every metric ${noPostgres ?? ""}`, () => {
  it("has a value from a running daemon", async ({ expect }) => {
    const story = await daemonStory();
    const rows = new Map([
      ...rowsOf(story.series),
      ...(await leaseRows()),
      ...(await auditRows()),
      ...(await scriptRows()),
      ...(await rolloutRows()),
      ...(await measuredRows()),
      ...(await stepRows()),
    ]);
    const rowsWhileHeld = rowsOf(story.seriesWhileHeld);
    const table = new Map(Object.entries(expectedRows));
    for (const [key, { name }] of Object.entries(metricTable)) {
      const found = (key === "filesHeld" ? rowsWhileHeld : rows).get(name);
      const row = table.get(key) ?? {};
      const expected = typeof row === "function" ? row(story) : row;
      expect.soft(Object.keys(expected), `${name} has no row`).not.toEqual([]);
      expect.soft(rounded(found ?? {}), name).toEqual(rounded(expected));
    }
  });
});
