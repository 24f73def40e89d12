import { setImmediate } from "node:timers/promises";

import { collectDefaultMetrics, Counter, Registry } from "prom-client";

import { changesWith } from "../../plan/cause/cause.ts";
import type { Change } from "../../plan/change.ts";
import type { DaemonStatus, MissedRunReason } from "../../state/daemon-status.ts";
import type { FleetView } from "../../state/fleet.ts";
import type { LoadReport } from "../../state/load-report.ts";
import { changeResultOf, type ZoneReport } from "../../state/run-report.ts";
import { driftOf, type ZoneState } from "../../state/zone-state.ts";
import type { ConnectionFault, RequestFact } from "../../zone/service-request.ts";
import { retryReasonOf } from "./api-labels.ts";
import { RequestTally, RunTally } from "./counters.ts";
import { renderDaemon } from "./daemon-families.ts";
import { type MetricDefinition, renderFamily } from "./exposition.ts";
import { metricTable } from "./metric-table.ts";
import { type NotificationResult, notificationResults } from "./metric-types.ts";
import { renderZones } from "./zone-families.ts";

/** Labels of `zonewarden_build_info`. */
export interface Build {
  readonly version: string;
  readonly revision: string;
  readonly nodeVersion: string;
}

/** Counters and histograms, and their exposition together with the state of the fleet. */
export interface Metrics {
  readonly contentType: string;
  /** @param before the state of the zone before the run. */
  recordZone(report: ZoneReport, before?: ZoneState): void;
  recordLoad(load: LoadReport): void;
  recordRequest(request: Omit<RequestFact, "credential" | "date">): void;
  /** Counts a retry by the result of the previous attempt. */
  recordRetry(code: number | ConnectionFault): void;
  recordMissedRun(reason: MissedRunReason): void;
  /** Starts the series of a sink at zero. */
  expectNotifications(sink: string): void;
  recordNotification(sink: string, result: NotificationResult): void;
  /** The whole exposition, in pieces that yield to other work. */
  render(fleet: FleetView, daemon: DaemonStatus): AsyncGenerator<string>;
}

/** Creates the metrics. Series with a closed set of labels start at zero. */
export function createMetrics(build: Build): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopUtilizationTimeout: longestIntervalMs });
  for (const name of rejectedDefaults) registry.removeSingleMetric(name);
  const counter = ({ name, help, labels }: MetricDefinition): Counter<string> => {
    const labelNames = Object.keys(labels);
    const created = new Counter({ name, help, labelNames, registers: [registry] });
    for (const combination of combinations(labels)) created.inc(combination, 0);
    return created;
  };
  const configReloads = counter(metricTable.configReloads);
  const scheduleMissed = counter(metricTable.scheduleMissed);
  const changes = counter(metricTable.changes);
  const driftAuthors = counter(metricTable.driftAuthors);
  const retries = counter(metricTable.retries);
  const notifications = counter(metricTable.notifications);
  const runs = new RunTally();
  const requests = new RequestTally();
  const { version, revision, nodeVersion } = build;
  const buildInfo = renderFamily(metricTable.buildInfo, [
    { labels: { version, revision, node_version: nodeVersion }, value: 1 },
  ]);

  return {
    contentType: registry.contentType,
    recordZone: (report, before) => {
      runs.record(report);
      for (const change of newDrift(report, before)) {
        driftAuthors.inc({ context: change.authors?.[0]?.context ?? "unknown" });
      }
      if (report.result !== "applied") return;
      for (const change of report.plan.changes) {
        const result = changeResultOf(change, report.outcomes);
        changes.inc({ kind: change.kind, verb: change.verb, result });
      }
    },
    recordLoad: ({ result }) => configReloads.inc({ result }),
    recordRequest: (request) => requests.record(request),
    recordRetry: (code) => retries.inc({ reason: retryReasonOf(code) }),
    recordMissedRun: (reason) => scheduleMissed.inc({ reason }),
    expectNotifications: (sink) => {
      for (const result of notificationResults) notifications.inc({ sink, result }, 0);
    },
    recordNotification: (sink, result) => notifications.inc({ sink, result }),
    async *render(fleet, daemon) {
      yield buildInfo;
      yield renderDaemon(fleet, daemon);
      yield await registry.metrics();
      yield runs.render() + requests.render();
      for (const piece of renderZones(fleet.zones)) {
        yield piece;
        await setImmediate();
      }
    },
  };
}

/** The drift of a run that was not there before it. */
function newDrift(report: ZoneReport, before: ZoneState | undefined): readonly Change[] {
  if (report.result === "error") return [];
  const known = new Set(before === undefined ? [] : driftOf(before).map(({ key }) => key));
  return changesWith("drift", report.plan.changes).filter(({ key }) => !known.has(key));
}

/** Default metrics that promtool rejects; each is redundant. */
const rejectedDefaults = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
  "nodejs_eventloop_utilization_histogram",
  "nodejs_eventloop_utilization_summary",
];

/**
 * The library measures the utilization of the event loop at an interval, and after a pause of the process once for each
 * interval of the pause. Its result is among the rejected metrics, so the interval is the longest of a timer: 24 days.
 */
const longestIntervalMs = 2 ** 31 - 1;

/** All combinations of label values; none if a label is open. */
function combinations(
  labels: MetricDefinition["labels"],
): readonly Readonly<Record<string, string>>[] {
  let found: readonly Readonly<Record<string, string>>[] = [{}];
  for (const [label, values] of Object.entries(labels)) {
    if (typeof values === "string") return [];
    found = found.flatMap((known) => values.map((value) => ({ ...known, [label]: value })));
  }
  return found;
}
