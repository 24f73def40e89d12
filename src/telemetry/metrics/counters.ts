import {
  durationOf,
  runResultOf,
  runResults,
  triggers,
  type ZoneReport,
} from "../../state/run-report.ts";
import { type ConnectionFault, methods, type RequestFact } from "../../zone/service-request.ts";
import { codeOf, codes, endpointOf, endpoints, other } from "./api-labels.ts";
import { metricTable } from "./metric-table.ts";
import { type CountSeries, CountTally, type TimeSeries, TimeTally } from "./tally.ts";

/** Seconds. A run may wait for the request budget, a request does not. */
const runBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const requestBuckets = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export class RunTally {
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

export class RequestTally {
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

  record({ method, endpoint, code, ms }: Omit<RequestFact, "credential" | "date">): void {
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
const routes: readonly Readonly<Record<string, string>>[] = Object.entries(endpoints).flatMap(
  ([endpoint, used]) => used.map((method) => ({ endpoint, method })),
);
