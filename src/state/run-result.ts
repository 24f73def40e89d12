import type { Refusal } from "../plan/guard/hold.ts";
import { failureIn, isAllDone } from "./outcomes.ts";
import type { Outcome, ZoneReport } from "./run-report.ts";

/** What a run of a zone is counted as. */
export const verdicts = [
  "in_sync",
  "applied",
  "drift_only",
  "blocked",
  "partial",
  "error",
] as const;

/** One of {@link verdicts}. */
export type Verdict = (typeof verdicts)[number];

/**
 * A run in a word. A plan held only because we merely observe is `drift_only`, not `blocked`: no guard objected.
 * `partial` is also a run whose writes were all done and whose zone still differs.
 */
export function verdictOf(report: ZoneReport): Verdict {
  switch (report.result) {
    case "in-sync":
      return "in_sync";
    case "unreadable":
      return "error";
    case "ready":
      return "drift_only";
    case "refused":
      return report.refusals.every(isObservation) ? "drift_only" : "blocked";
    case "applied":
      return verdictOfOutcomes(report.outcomes, report.left.length);
  }
}

/** Whether a refusal says no more than that writing is not our business here. */
export function isObservation({ code }: Refusal): boolean {
  return code === "OBSERVED";
}

/** Whether a run failed: something was tried and did not come to its end. A shutdown is no failure. */
export function isFailure(report: ZoneReport): boolean {
  if (report.result === "unreadable") return true;
  if (report.result !== "applied") return false;
  const { outcomes, left } = report;
  return failureIn(outcomes) !== undefined || (left.length > 0 && isAllDone(outcomes));
}

function verdictOfOutcomes(outcomes: readonly Outcome[], left: number): Verdict {
  if (isAllDone(outcomes)) return left === 0 ? "applied" : "partial";
  const isAnyDone = outcomes.some(({ status }) => status === "done");
  return !isAnyDone && failureIn(outcomes) !== undefined ? "error" : "partial";
}
