import type { HoldReason } from "../../plan/guard/hold.ts";
import type { SkipReason, ZoneReport } from "../../state/run-report.ts";
import { isConverged } from "../../state/summary.ts";
import type { ServiceErrorCode } from "../../zone/service-error.ts";

/** What the program's exit codes mean: pipelines build on them. `--format json` never changes them. */
export const exitCodes = {
  done: 0,
  failed: 1,
  changes: 2,
  invalid: 3,
  held: 4,
  partial: 5,
  stale: 6,
  unreachable: 7,
} as const;

/** One of {@link exitCodes}. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What `--help` says of the exit codes. */
export const exitCodeHelp = `Exit codes:
  0  done; in sync
  1  failed: wrong usage or an unexpected error
  2  plan: there are changes
  3  a file is invalid
  4  a guard holds a plan; apply: also mode: observe and suspended zones
  5  some zones done, some failed; import: something was left out
  6  a plan is stale: its zone has changed, or its read has expired
  7  the service is unreachable, or the request budget is spent`;

/** Failures of the way to the service, not of what was asked of it. */
const wayFailures: ReadonlySet<string> = new Set<ServiceErrorCode>([
  "API_UNREACHABLE",
  "API_TIMEOUT",
  "API_RATE_LIMITED",
  "API_SERVER",
  "API_BUDGET",
]);

/** The code of a failure that ended a command before it came to any zone. */
export function exitCodeOfFailure(code: string): ExitCode {
  return wayFailures.has(code) ? exitCodes.unreachable : exitCodes.failed;
}

/** The code of a command that came to `code` with the zones that it knows, while others are unknown. */
export function exitCodeInPart(code: ExitCode): ExitCode {
  return code === exitCodes.failed || code === exitCodes.unreachable ? code : exitCodes.partial;
}

/** What speaks against writing only: a plan of such a zone is as good as any other. */
const wishes: ReadonlySet<HoldReason> = new Set(["observe", "suspend"]);

function isHeldByGuard(report: ZoneReport): boolean {
  return report.result === "held" && report.holds.some(({ reason }) => !wishes.has(reason));
}

/**
 * The code of `plan`: a failure tells more than a held plan, a held plan more than changes. A zone that nobody wants
 * written is planned, not held.
 */
export function exitCodeOfPlan(reports: readonly ZoneReport[]): ExitCode {
  const failures = reports.filter(({ result }) => result === "error");
  if (failures.length > 0) return exitCodeOfFailures(failures, reports.length);
  if (reports.some(isHeldByGuard)) return exitCodes.held;
  return reports.every(({ result }) => result === "in_sync") ? exitCodes.done : exitCodes.changes;
}

/** The code of `apply`: whatever held a plan, its zone is not in sync; a plan that has become another wants to be seen first. */
export function exitCodeOfApply(reports: readonly ZoneReport[]): ExitCode {
  const failures = reports.filter((report) => isFailed(report));
  if (failures.length > 0) {
    const code = exitCodeOfFailures(failures, reports.length);
    return code !== exitCodes.unreachable && failures.some(isStale) ? exitCodes.stale : code;
  }
  return reports.some(({ result }) => result === "held") ? exitCodes.held : exitCodes.done;
}

function isFailed(report: ZoneReport): boolean {
  return report.result === "error" || (report.result === "applied" && !isConverged(report));
}

/** Of writes that were not sent: their plan is no longer what is to be carried out, or cannot be known to be. */
const staleReasons: ReadonlySet<SkipReason> = new Set(["conflict", "read_expired", "cancelled"]);

function isStale(report: ZoneReport): boolean {
  return (
    report.result === "applied" &&
    report.outcomes.some((each) => each.status === "skipped" && staleReasons.has(each.reason))
  );
}

function exitCodeOfFailures(failures: readonly ZoneReport[], total: number): ExitCode {
  if (failures.length < total) return exitCodes.partial;
  return failures.every(isWayFailure) ? exitCodes.unreachable : exitCodes.failed;
}

function isWayFailure(report: ZoneReport): boolean {
  switch (report.result) {
    case "error":
      return wayFailures.has(report.failure.code);
    case "applied":
      return report.outcomes.some(
        (outcome) => outcome.status === "failed" && wayFailures.has(outcome.failure.code),
      );
    case "in_sync":
    case "held":
    case "planned":
      return false;
  }
}
