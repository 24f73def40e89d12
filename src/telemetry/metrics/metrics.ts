import { setImmediate } from "node:timers/promises";

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

import type { JudgedFleet } from "../../measure/judged-fleet.ts";
import { changesWith } from "../../plan/cause/cause.ts";
import type { Change } from "../../plan/change.ts";
import type { DaemonStatus, MissedRunReason } from "../../state/daemon-status.ts";
import type { Fleet } from "../../state/fleet.ts";
import type { LoadReport } from "../../state/load-report.ts";
import {
  changeResultOf,
  durationOf,
  runResultOf,
  type ZoneReport,
} from "../../state/run-report.ts";
import { driftOf, type ZoneState } from "../../state/zone-state.ts";
import { methods, type RequestObserver } from "../../zone/service-request.ts";
import { codeOf, codes, endpointOf, endpoints, other, retryReasonOf } from "./api-labels.ts";
import { renderDaemon } from "./daemon-families.ts";
import {
  type HistogramDefinition,
  type Labels,
  type MetricDefinition,
  metricTable,
  type NotificationResult,
  notificationResults,
  seriesOf,
} from "./metric-table.ts";
import { renderZones } from "./zone-families.ts";
import { type ExportedLabels, zoneLabelTexts } from "./zone-labels.ts";

/** Labels of `zonewarden_build_info`. */
export interface Build {
  readonly version: string;
  readonly revision: string;
  readonly nodeVersion: string;
}

/** Counters and histograms, and their exposition together with the state of the fleet. */
export interface Metrics extends RequestObserver {
  readonly contentType: string;
  /** @param before the state of the zone before the run. */
  recordZone(report: ZoneReport, before?: ZoneState): void;
  recordLoad(load: LoadReport): void;
  recordMissedRun(reason: MissedRunReason): void;
  /** Starts the series of a sink at zero. */
  expectNotifications(sink: string): void;
  recordNotification(sink: string, result: NotificationResult): void;
  /** The labels of zones of which metrics tell some values alone. */
  crowdedLabels(zones: readonly ZoneState[]): readonly string[];
  /** The whole exposition, in pieces that yield to other work. */
  render(fleet: Fleet, daemon: DaemonStatus, judged?: JudgedFleet): AsyncGenerator<string>;
}

/** Creates the metrics. Series with a closed set of labels start at zero. */
export function createMetrics(build: Build, zoneLabels: ExportedLabels = {}): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopUtilizationTimeout: longestIntervalMs });
  for (const name of rejectedDefaults) registry.removeSingleMetric(name);
  const registers = [registry];
  const counter = (
    { name, help, labels }: MetricDefinition,
    series = seriesOf(labels),
  ): Counter<string> => {
    const created = new Counter({ name, help, labelNames: Object.keys(labels), registers });
    for (const each of series) created.inc(each, 0);
    return created;
  };
  const histogram = (
    { name, help, labels, buckets }: HistogramDefinition,
    series = seriesOf(labels),
  ): Histogram<string> => {
    const labelNames = Object.keys(labels);
    const created = new Histogram({ name, help, labelNames, buckets: [...buckets], registers });
    for (const each of series) created.zero(each);
    return created;
  };
  const filesReloads = counter(metricTable.filesReloads);
  const scheduleMissed = counter(metricTable.scheduleMissed);
  const reconciles = counter(metricTable.reconciles);
  const changes = counter(metricTable.changes);
  const driftAuthors = counter(metricTable.driftAuthors);
  const retries = counter(metricTable.retries);
  const notifications = counter(metricTable.notifications);
  const reconcileTimes = histogram(metricTable.reconcileSeconds);
  const answers = routes.flatMap((route) => codes.map((code) => ({ ...route, code })));
  const requests = counter(metricTable.requests, answers);
  const requestTimes = histogram(metricTable.requestSeconds, routes);
  const { name, help, labels } = metricTable.buildInfo;
  new Gauge({ name, help, labelNames: Object.keys(labels), registers }).set(
    { version: build.version, revision: build.revision, node_version: build.nodeVersion },
    1,
  );

  return {
    contentType: registry.contentType,
    recordZone: (report, before) => {
      reconciles.inc({ trigger: report.trigger, result: runResultOf(report) });
      for (const phase of ["fetch", "plan", "apply"] as const) {
        const ms = report.phases[phase];
        // 0: the run did not reach the phase.
        if (ms > 0) reconcileTimes.observe({ phase }, ms / 1000);
      }
      reconcileTimes.observe({ phase: "total" }, durationOf(report) / 1000);
      for (const change of newDrift(report, before)) {
        driftAuthors.inc({ context: change.authors?.[0]?.context ?? "unknown" });
      }
      if (report.result !== "applied") return;
      for (const change of report.plan.changes) {
        const result = changeResultOf(change, report.outcomes);
        changes.inc({ kind: change.kind, verb: change.verb, result });
      }
    },
    recordLoad: ({ result }) => filesReloads.inc({ result }),
    request: (request) => {
      const endpoint = endpointOf(request.endpoint);
      const method = methods.find((known) => known === request.method) ?? other;
      requests.inc({ endpoint, method, code: codeOf(request.code) });
      requestTimes.observe({ endpoint, method }, request.ms / 1000);
    },
    // By the result of the previous attempt.
    retry: ({ code }) => retries.inc({ reason: retryReasonOf(code) }),
    recordMissedRun: (reason) => scheduleMissed.inc({ reason }),
    expectNotifications: (sink) => {
      for (const result of notificationResults) notifications.inc({ sink, result }, 0);
    },
    recordNotification: (sink, result) => notifications.inc({ sink, result }),
    crowdedLabels: (zones) => zoneLabelTexts(zones, zoneLabels).crowded,
    async *render(fleet, daemon, judged) {
      yield await renderDaemon(fleet, daemon, judged);
      yield await registry.metrics();
      for (const piece of renderZones(fleet.zones, zoneLabels, judged)) {
        if (piece !== "") yield piece;
        await setImmediate();
      }
    },
  };
}

/** All combinations of route and method. */
const routes: readonly Labels[] = Object.entries(endpoints).flatMap(([endpoint, used]) =>
  used.map((method) => ({ endpoint, method })),
);

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
