import type { Change, Verb } from "../plan/change.ts";
import { runResultOf, type Outcome, type ZoneReport } from "./run-report.ts";

/** Counts over zone reports. */
export interface Summary {
  readonly zones: Readonly<Record<ZoneReport["result"], number>>;
  /** Zones that are in sync after the run. */
  readonly converged: number;
  /** Planned changes, applied or not. */
  readonly changes: Readonly<Record<Verb, number>>;
  /** Write requests, planned or sent. */
  readonly writes: number;
  readonly outcomes: Readonly<Record<Outcome["status"], number>>;
  /** Live resources that are neither declared nor created by zonewarden. */
  readonly unmanaged: number;
}

export function summarize(reports: readonly ZoneReport[]): Summary {
  const changes = reports.flatMap(changesOf);
  const outcomes = reports.flatMap((report) =>
    report.result === "applied" ? report.outcomes : [],
  );
  const countZones = (result: ZoneReport["result"]) =>
    reports.filter((report) => report.result === result).length;
  const countVerb = (verb: Verb) => changes.filter((change) => change.verb === verb).length;
  const countOutcome = (status: Outcome["status"]) =>
    outcomes.filter((outcome) => outcome.status === status).length;
  return {
    zones: {
      in_sync: countZones("in_sync"),
      error: countZones("error"),
      held: countZones("held"),
      planned: countZones("planned"),
      applied: countZones("applied"),
    },
    converged: reports.filter(isConverged).length,
    changes: {
      create: countVerb("create"),
      update: countVerb("update"),
      delete: countVerb("delete"),
    },
    writes: sum(reports.map((report) => ("plan" in report ? report.plan.writes.length : 0))),
    outcomes: {
      done: countOutcome("done"),
      failed: countOutcome("failed"),
      unknown: countOutcome("unknown"),
      skipped: countOutcome("skipped"),
    },
    unmanaged: sum(reports.map((report) => ("plan" in report ? report.plan.unmanaged.length : 0))),
  };
}

/** The planned changes of a report. */
export function changesOf(report: ZoneReport): readonly Change[] {
  return "plan" in report ? report.plan.changes : [];
}

/** Whether a zone is in sync after its run. */
export function isConverged(report: ZoneReport): boolean {
  const result = runResultOf(report);
  return result === "in_sync" || result === "applied";
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
