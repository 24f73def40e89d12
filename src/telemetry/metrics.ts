import { setImmediate } from "node:timers/promises";

import { collectDefaultMetrics, Counter, Histogram, Registry } from "prom-client";

import { changeResultOf } from "../report/change-result.ts";
import type { DaemonFacts, MissReason } from "../report/daemon.ts";
import type { FleetView } from "../report/fleet.ts";
import type { LoadReport } from "../report/load-report.ts";
import type { ZoneReport } from "../report/run-report.ts";
import { verdictOf } from "../report/verdict.ts";
import { renderDaemon } from "./daemon-families.ts";
import {
  codeOf,
  codes,
  endpointOf,
  endpoints,
  methods,
  other,
  retryReasonOf,
  type Fault,
} from "./endpoint.ts";
import { renderFamily } from "./exposition.ts";
import { metricTable, type LabelValues, type MetricDefinition } from "./metric-table.ts";
import { renderZones } from "./zone-families.ts";

/** What runs, as `zonewarden_build_info` says it. */
export interface Build {
  readonly version: string;
  readonly revision: string;
  readonly nodeVersion: string;
}

/** One request to the service, as it ended. */
export interface RequestRecord {
  readonly method: string;
  /** Path or route template, with or without base path and query. */
  readonly path: string;
  /** Status of the answer, or why there was none that could be used. */
  readonly code: number | Fault;
  readonly ms: number;
}

/** What is counted as it happens, and the exposition of that together with the state of the fleet. */
export interface Metrics {
  readonly contentType: string;
  recordZone(report: ZoneReport): void;
  recordLoad(load: LoadReport): void;
  recordRequest(request: RequestRecord): void;
  /** Counts a request that is sent again, by what ended it the time before. */
  recordRetry(code: number | Fault): void;
  recordMissedRun(reason: MissReason): void;
  recordNotification(sink: string, result: "done" | "error"): void;
  /** The whole exposition, in pieces between which other work gets its turn. */
  render(fleet: FleetView, daemon: DaemonFacts): AsyncGenerator<string>;
}

/** Seconds; a run of a zone may wait for the budget, a request may not. */
const runBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const requestBuckets = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Starts counting. Every series with a closed set of labels is there from the first scrape, at zero. */
export function createMetrics(build: Build): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of misnamed) registry.removeSingleMetric(name);
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
      recordRequest(counters, request);
    },
    recordRetry: (code) => {
      counters.retries.inc({ reason: retryReasonOf(code) });
    },
    recordMissedRun: (reason) => {
      counters.scheduleMissed.inc({ reason });
    },
    recordNotification: (sink, result) => {
      counters.notifications.inc({ sink, result });
    },
    async *render(fleet, daemon) {
      const { zones } = fleet;
      yield buildInfo;
      yield renderDaemon(fleet, daemon);
      yield await registry.metrics();
      for (const piece of renderZones(zones)) {
        yield piece;
        await setImmediate();
      }
    },
  };
}

/** Defaults of the client that promtool objects to; each is the sum or a repetition of another one. */
const misnamed = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
  "nodejs_eventloop_utilization_histogram",
  "nodejs_eventloop_utilization_summary",
];

type Labels = Readonly<Record<string, string>>;

interface Counters {
  readonly configReloads: Counter<string>;
  readonly scheduleMissed: Counter<string>;
  readonly reconciles: Counter<string>;
  readonly reconcileSeconds: Histogram<string>;
  readonly changes: Counter<string>;
  readonly requests: Counter<string>;
  readonly requestSeconds: Histogram<string>;
  readonly retries: Counter<string>;
  readonly notifications: Counter<string>;
}

function createCounters(registry: Registry): Counters {
  const registers = [registry];
  const counter = (
    { name, help, labels }: MetricDefinition,
    zeros: readonly Labels[] = combinations(labels),
  ): Counter<string> => {
    const created = new Counter({ name, help, labelNames: Object.keys(labels), registers });
    for (const combination of zeros) created.inc(combination, 0);
    return created;
  };
  const histogram = (
    { name, help, labels }: MetricDefinition,
    buckets: number[],
    zeros: readonly Labels[] = combinations(labels),
  ): Histogram<string> => {
    const labelNames = Object.keys(labels);
    const created = new Histogram({ name, help, labelNames, buckets, registers });
    for (const combination of zeros) created.zero(combination);
    return created;
  };
  return {
    configReloads: counter(metricTable.configReloads),
    scheduleMissed: counter(metricTable.scheduleMissed),
    reconciles: counter(metricTable.reconciles),
    reconcileSeconds: histogram(metricTable.reconcileSeconds, runBuckets),
    changes: counter(metricTable.changes),
    requests: counter(metricTable.requests, requestZeros),
    requestSeconds: histogram(metricTable.requestSeconds, requestBuckets, routes),
    retries: counter(metricTable.retries),
    notifications: counter(metricTable.notifications),
  };
}

/** The routes that there are; not every method on every path. */
const routes: readonly Labels[] = Object.entries(endpoints).flatMap(([endpoint, used]) =>
  used.map((method) => ({ endpoint, method })),
);

const requestZeros = routes.flatMap((route) => codes.map((code) => ({ ...route, code })));

/** Every combination of labels whose values are all known beforehand; none where one is open. */
function combinations(labels: Readonly<Record<string, LabelValues>>): readonly Labels[] {
  let found: readonly Labels[] = [{}];
  for (const [label, values] of Object.entries(labels)) {
    if (typeof values === "string") return [];
    found = found.flatMap((known) => values.map((value) => ({ ...known, [label]: value })));
  }
  return found;
}

function recordRun(counters: Counters, report: ZoneReport): void {
  counters.reconciles.inc({ trigger: report.trigger, result: verdictOf(report) });
  for (const [phase, ms] of Object.entries(report.phases)) {
    if (ms > 0) counters.reconcileSeconds.observe({ phase }, ms / 1000);
  }
  const total = report.finishedAt.getTime() - report.startedAt.getTime();
  counters.reconcileSeconds.observe({ phase: "total" }, total / 1000);
  if (report.result !== "applied") return;

  const writes = report.outcomes.map(({ status, write }) => ({ status, changes: write.changes }));
  for (const change of report.plan.changes) {
    const result = changeResultOf(change, writes);
    counters.changes.inc({ kind: change.kind, verb: change.verb, result });
  }
}

function recordRequest(counters: Counters, request: RequestRecord): void {
  const endpoint = endpointOf(request.path);
  const method = methods.find((known) => known === request.method) ?? other;
  counters.requests.inc({ endpoint, method, code: codeOf(request.code) });
  counters.requestSeconds.observe({ endpoint, method }, request.ms / 1000);
}
