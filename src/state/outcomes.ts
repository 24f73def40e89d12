import type { Failure, Outcome } from "./run-report.ts";

/** Whether every write was carried out. */
export function isAllDone(outcomes: readonly Outcome[]): boolean {
  return outcomes.every(({ status }) => status === "done");
}

/** What the write failed with that ended the run, a lost answer included; `undefined` where none failed. */
export function failureIn(outcomes: readonly Outcome[]): Failure | undefined {
  for (const outcome of outcomes) {
    if (outcome.status === "failed" || outcome.status === "unknown") return outcome.failure;
  }
  return undefined;
}
