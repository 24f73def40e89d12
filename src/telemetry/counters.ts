import { Counter, Histogram, type Registry } from "prom-client";

import { changeResultOf } from "../report/change-result.ts";
import type { ZoneReport } from "../report/run-report.ts";
import { verdictOf } from "../report/verdict.ts";
import { codeOf, codes, endpointOf, endpoints, methods, other, type Fault } from "./endpoint.ts";
import type { LabelValues, MetricDefinition } from "./metric-definition.ts";
import { metricTable } from "./metric-table.ts";

/** One request to the service, as it ended. */
export interface RequestRecord {
  readonly method: string;
  /** Route template: `/zones/{zone_id}/page_shield`. */
  readonly endpoint: string;
  /** Status of the answer, or why there was none that could be used. */
  readonly code: number | Fault;
  readonly ms: number;
}

type Labels = Readonly<Record<string, string>>;

/** Seconds; a run of a zone may wait for the budget, a request may not. */
const runBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const requestBuckets = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** What is kept by the metrics client: everything that only ever grows and has a bounded number of series. */
export interface Counters {
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

/** Starts at zero every series whose labels are all known beforehand. */
export function createCounters(registry: Registry): Counters {
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

/** Counts a run of a zone, its phases and its changes. */
export function recordRun(counters: Counters, report: ZoneReport): void {
  counters.reconciles.inc({ trigger: report.trigger, result: verdictOf(report) });
  for (const [phase, ms] of Object.entries(report.phases)) {
    // 0 says that the run did not get so far.
    if (ms > 0) counters.reconcileSeconds.observe({ phase }, ms / 1000);
  }
  // A wall clock that is set back must not make a sum fall.
  const total = Math.max(0, report.finishedAt.getTime() - report.startedAt.getTime());
  counters.reconcileSeconds.observe({ phase: "total" }, total / 1000);
  if (report.result !== "applied") return;

  const writes = report.outcomes.map(({ status, write }) => ({ status, changes: write.changes }));
  for (const change of report.plan.changes) {
    const result = changeResultOf(change, writes);
    counters.changes.inc({ kind: change.kind, verb: change.verb, result });
  }
}

/** Counts a request to the service. */
export function recordRequest(counters: Counters, request: RequestRecord): void {
  const endpoint = endpointOf(request.endpoint);
  const method = methods.find((known) => known === request.method) ?? other;
  counters.requests.inc({ endpoint, method, code: codeOf(request.code) });
  counters.requestSeconds.observe({ endpoint, method }, request.ms / 1000);
}
