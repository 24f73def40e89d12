import type { Change, Verb } from "../plan/change.ts";
import { isAllDone, type Outcome, type ZoneReport } from "./run-report.ts";

/** Zone reports, counted. */
export interface Summary {
  readonly zones: Readonly<Record<ZoneReport["result"], number>>;
  /** Zones that are as declared now, those included that were just written. */
  readonly converged: number;
  /** Changes that are planned, or were. */
  readonly changes: Readonly<Record<Verb, number>>;
  /** Requests that write, planned or sent. */
  readonly writes: number;
  readonly outcomes: Readonly<Record<Outcome["status"], number>>;
  /** Live objects that are neither declared nor ours. */
  readonly unmanaged: number;
}

/** Counts what came of each zone. Nobody else counts anything. */
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

/** The changes that a report speaks of. */
export function changesOf(report: ZoneReport): readonly Change[] {
  return "plan" in report ? report.plan.changes : [];
}

/** Whether every write of an applied zone is done and left nothing to do. */
export function isConverged(report: ZoneReport): boolean {
  switch (report.result) {
    case "in_sync":
      return true;
    case "applied":
      return report.left.length === 0 && isAllDone(report.outcomes);
    case "error":
    case "held":
    case "planned":
      return false;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
