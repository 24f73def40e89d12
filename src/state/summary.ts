import type { Verb } from "../plan/change.ts";
import { addCounts } from "./add-counts.ts";
import { runResultOf, type Outcome, type ZoneReport } from "./run-report.ts";

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
  const plans = reports.flatMap((report) => ("plan" in report ? [report.plan] : []));
  const outcomes = reports.flatMap((report) =>
    report.result === "applied" ? report.outcomes : [],
  );
  return {
    zones: addCounts(
      { in_sync: 0, error: 0, held: 0, planned: 0, applied: 0 },
      reports.map(({ result }) => result),
    ),
    converged: reports.filter(isConverged).length,
    changes: addCounts(
      { create: 0, update: 0, delete: 0 },
      plans.flatMap(({ changes }) => changes).map(({ verb }) => verb),
    ),
    writes: plans.flatMap(({ writes }) => writes).length,
    outcomes: addCounts(
      { done: 0, failed: 0, unknown: 0, skipped: 0 },
      outcomes.map(({ status }) => status),
    ),
    unmanaged: plans.flatMap(({ unmanaged }) => unmanaged).length,
  };
}

/** Whether a zone is in sync after its run. */
export function isConverged(report: ZoneReport): boolean {
  const result = runResultOf(report);
  return result === "in_sync" || result === "applied";
}
