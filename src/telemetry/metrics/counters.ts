import { Counter, type Registry } from "prom-client";

import {
  changeResultOf,
  durationOf,
  runResultOf,
  runResults,
  triggers,
  type ZoneReport,
} from "../../state/run-report.ts";
import { type ConnectionFault, methods, type RequestFact } from "../../zone/service-request.ts";
import { codeOf, codes, endpointOf, endpoints, other } from "./api-labels.ts";
import type { LabelValues, MetricDefinition } from "./exposition.ts";
import { metricTable } from "./metric-table.ts";
import { type CountSeries, CountTally, type TimeSeries, TimeTally } from "./tally.ts";

type Labels = Readonly<Record<string, string>>;

/** Seconds. A run may wait for the request budget, a request does not. */
const runBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const requestBuckets = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Counters and histograms. */
export interface Counters {
  readonly configReloads: Counter<string>;
  readonly scheduleMissed: Counter<string>;
  readonly changes: Counter<string>;
  readonly retries: Counter<string>;
  readonly notifications: Counter<string>;
  readonly runs: RunTally;
  readonly requests: RequestTally;
}

/** Starts every series with a closed set of labels at zero. */
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
  return {
    configReloads: counter(metricTable.configReloads),
    scheduleMissed: counter(metricTable.scheduleMissed),
    changes: counter(metricTable.changes),
    retries: counter(metricTable.retries),
    notifications: counter(metricTable.notifications),
    runs: new RunTally(),
    requests: new RequestTally(),
  };
}

/** Counts and durations of runs. */
class RunTally {
  readonly #counts = new CountTally(metricTable.reconciles);
  readonly #seconds = new TimeTally(metricTable.reconcileSeconds, runBuckets);
  readonly #counted = new Map<string, CountSeries>();
  readonly #total: TimeSeries;
  readonly #phases: Readonly<Record<keyof ZoneReport["phases"], TimeSeries>>;

  constructor() {
    for (const trigger of triggers) {
      for (const result of runResults) {
        this.#counted.set(`${trigger} ${result}`, this.#counts.at({ trigger, result }));
      }
    }
    this.#phases = {
      fetch: this.#seconds.at({ phase: "fetch" }),
      plan: this.#seconds.at({ phase: "plan" }),
      apply: this.#seconds.at({ phase: "apply" }),
    };
    this.#total = this.#seconds.at({ phase: "total" });
  }

  record(report: ZoneReport): void {
    const counted = this.#counted.get(`${report.trigger} ${runResultOf(report)}`);
    if (counted !== undefined) counted.count += 1;
    const { fetch, plan, apply } = report.phases;
    // 0: the run did not reach the phase.
    if (fetch > 0) this.#phases.fetch.observe(fetch / 1000);
    if (plan > 0) this.#phases.plan.observe(plan / 1000);
    if (apply > 0) this.#phases.apply.observe(apply / 1000);
    this.#total.observe(durationOf(report) / 1000);
  }

  render(): string {
    return this.#counts.render() + this.#seconds.render();
  }
}

/** Counts and durations of requests. */
class RequestTally {
  readonly #counts = new CountTally(metricTable.requests);
  readonly #seconds = new TimeTally(metricTable.requestSeconds, requestBuckets);
  /** By route, then by code and method. */
  readonly #series = new Map<string, Map<string, RequestSeries>>();

  constructor() {
    for (const route of routes) {
      for (const code of codes) this.#counts.at({ ...route, code });
      this.#seconds.at(route);
    }
  }

  record({ method, endpoint, code, ms }: Omit<RequestFact, "credential">): void {
    const ofRoute = this.#series.get(endpoint) ?? new Map<string, RequestSeries>();
    const key = `${code} ${method}`;
    const series = ofRoute.get(key) ?? this.#seriesFor(endpoint, method, code);
    ofRoute.set(key, series);
    this.#series.set(endpoint, ofRoute);
    series.counted.count += 1;
    series.seconds.observe(ms / 1000);
  }

  #seriesFor(route: string, method: string, code: number | ConnectionFault): RequestSeries {
    const labels = {
      endpoint: endpointOf(route),
      method: methods.find((known) => known === method) ?? other,
    };
    return {
      counted: this.#counts.at({ ...labels, code: codeOf(code) }),
      seconds: this.#seconds.at(labels),
    };
  }

  render(): string {
    return this.#counts.render() + this.#seconds.render();
  }
}

interface RequestSeries {
  readonly counted: CountSeries;
  readonly seconds: TimeSeries;
}

/** All combinations of route and method. */
const routes: readonly Labels[] = Object.entries(endpoints).flatMap(([endpoint, used]) =>
  used.map((method) => ({ endpoint, method })),
);

/** All combinations of label values; none if a label is open. */
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
  counters.runs.record(report);
  if (report.result !== "applied") return;

  for (const change of report.plan.changes) {
    const result = changeResultOf(change, report.outcomes);
    counters.changes.inc({ kind: change.kind, verb: change.verb, result });
  }
}
