import { setImmediate } from "node:timers/promises";

import { collectDefaultMetrics, Registry } from "prom-client";

import type { DaemonStatus, MissedRunReason } from "../../state/daemon-status.ts";
import type { FleetView } from "../../state/fleet.ts";
import type { LoadReport } from "../../state/load-report.ts";
import type { ZoneReport } from "../../state/run-report.ts";
import type { ConnectionFault, RequestFact } from "../../zone/service-request.ts";
import { retryReasonOf } from "./api-labels.ts";
import { createCounters, recordRun } from "./counters.ts";
import { renderDaemon } from "./daemon-families.ts";
import { renderFamily } from "./exposition.ts";
import { metricTable, type NotificationResult, notificationResults } from "./metric-table.ts";
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
  recordZone(report: ZoneReport): void;
  recordLoad(load: LoadReport): void;
  recordRequest(request: Omit<RequestFact, "credential">): void;
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
  collectDefaultMetrics({ register: registry });
  for (const name of rejectedDefaults) registry.removeSingleMetric(name);
  const counters = createCounters(registry);
  const buildInfo = renderFamily(metricTable.buildInfo, [
    {
      labels: {
        version: build.version,
        revision: build.revision,
        node_version: build.nodeVersion,
      },
      value: 1,
    },
  ]);

  return {
    contentType: registry.contentType,
    recordZone: (report) => {
      recordRun(counters, report);
    },
    recordLoad: ({ result }) => {
      counters.configReloads.inc({ result });
    },
    recordRequest: (request) => {
      counters.requests.record(request);
    },
    recordRetry: (code) => {
      counters.retries.inc({ reason: retryReasonOf(code) });
    },
    recordMissedRun: (reason) => {
      counters.scheduleMissed.inc({ reason });
    },
    expectNotifications: (sink) => {
      for (const result of notificationResults) {
        counters.notifications.inc({ sink, result }, 0);
      }
    },
    recordNotification: (sink, result) => {
      counters.notifications.inc({ sink, result });
    },
    async *render(fleet, daemon) {
      const { zones } = fleet;
      yield buildInfo;
      yield renderDaemon(fleet, daemon);
      yield await registry.metrics();
      yield counters.runs.render() + counters.requests.render();
      for (const piece of renderZones(zones)) {
        yield piece;
        await setImmediate();
      }
    },
  };
}

/** Default metrics that promtool rejects; each is redundant. */
const rejectedDefaults = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
  "nodejs_eventloop_utilization_histogram",
  "nodejs_eventloop_utilization_summary",
];
