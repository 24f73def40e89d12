import type { Hold } from "../plan/guard/hold.ts";
import { failureIn, isAllDone } from "./outcomes.ts";
import type { Outcome, ZoneReport } from "./run-report.ts";

/** What a run of a zone is counted as. */
export const runResults = ["in_sync", "applied", "planned", "held", "partial", "error"] as const;

/** One of {@link runResults}. */
export type RunResult = (typeof runResults)[number];

/**
 * A run in a word. A plan held only because we merely observe is `drift_only`, not `blocked`: no guard objected.
 * `partial` is also a run whose writes were all done and whose zone still differs.
 */
export function runResultOf(report: ZoneReport): RunResult {
  switch (report.result) {
    case "in_sync":
      return "in_sync";
    case "error":
      return "error";
    case "planned":
      return "planned";
    case "held":
      return report.holds.every(isObservation) ? "planned" : "held";
    case "applied":
      return verdictOfOutcomes(report.outcomes, report.left.length);
  }
}

/** Whether a refusal says no more than that writing is not our business here. */
export function isObservation({ reason }: Hold): boolean {
  return reason === "observe";
}

/** Whether a run failed: something was tried and did not come to its end. A shutdown is no failure. */
export function isFailure(report: ZoneReport): boolean {
  if (report.result === "error") return true;
  if (report.result !== "applied") return false;
  const { outcomes, left } = report;
  return failureIn(outcomes) !== undefined || (left.length > 0 && isAllDone(outcomes));
}

function verdictOfOutcomes(outcomes: readonly Outcome[], left: number): RunResult {
  if (isAllDone(outcomes)) return left === 0 ? "applied" : "partial";
  const isAnyDone = outcomes.some(({ status }) => status === "done");
  return !isAnyDone && failureIn(outcomes) !== undefined ? "error" : "partial";
}
