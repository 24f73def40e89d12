import type { Host } from "../../host/host.ts";
import { holdFacts } from "../../plan/guard/hold.ts";
import type { SkipReason, ZoneReport } from "../../state/run-report.ts";
import { isConverged } from "../../state/summary.ts";
import { ServiceError, type ServiceErrorCode } from "../../zone/service-error.ts";

/** The exit codes. Pipelines depend on them; no output format changes them. */
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

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Prints why a command ends, and returns its exit code. */
export function fail(
  message: string,
  { stderr }: Pick<Host, "stderr">,
  code: ExitCode = exitCodes.failed,
): ExitCode {
  stderr.write(`${message}\n`);
  return code;
}

export const exitCodeHelp = `Exit codes:
  0  done; in sync
  1  failed: wrong usage or an unexpected error; doctor: there is an error
  2  plan: there are changes; fmt --check: a file is not in its form; scripts: there are open
     findings
  3  a file is invalid
  4  a guard holds a plan; apply: also mode: observe, suspended zones, and if you answer no
  5  some zones done, some failed; import: something was left out; history, store check: damaged or
     changed; blame: the oldest entries are missing; evidence: something is missing in the pack
  6  a plan is stale: its zone has changed, or its read has expired
  7  the service is unreachable, or the request budget is spent`;

/** Failures to reach the service, as opposed to refusals by it. */
const unreachableCodes: ReadonlySet<string> = new Set<ServiceErrorCode>([
  "API_UNREACHABLE",
  "API_TIMEOUT",
  "API_RATE_LIMITED",
  "API_SERVER",
  "API_BUDGET",
]);

/** The code of a failure that ends a command before the first zone. */
export function exitCodeOfFailure(code: string): ExitCode {
  return unreachableCodes.has(code) ? exitCodes.unreachable : exitCodes.failed;
}

/** Prints a failure of the service, and returns its exit code. Any other error is thrown again. */
export function failFor(error: unknown, host: Pick<Host, "stderr">): ExitCode {
  if (!(error instanceof ServiceError)) throw error;
  return fail(`${error.code}: ${error.message}`, host, exitCodeOfFailure(error.code));
}

/** The code where some zones could not be listed and the others gave `code`. */
export function exitCodeInPart(code: ExitCode): ExitCode {
  return code === exitCodes.failed || code === exitCodes.unreachable ? code : exitCodes.partial;
}

/**
 * The code of `plan`. A failure takes precedence over a held plan, and a held plan over changes. The table of holds says
 * which reasons count as changes.
 */
export function exitCodeOfPlan(reports: readonly ZoneReport[], heldFleet?: object): ExitCode {
  const failures = reports.filter(({ result }) => result === "error");
  if (failures.length > 0) return exitCodeOfFailures(failures, reports.length);
  if (heldFleet !== undefined || reports.some(endsAsHeld)) return exitCodes.held;
  return reports.every(({ result }) => result === "in_sync") ? exitCodes.done : exitCodes.changes;
}

function endsAsHeld(report: ZoneReport): boolean {
  return (
    report.result === "held" &&
    report.holds.some(({ reason }) => holdFacts(reason).planEndsWith === "held")
  );
}

/** The code of `apply`. A zone with a held plan is not in sync, whatever the reason. A stale plan needs a new review. */
export function exitCodeOfApply(reports: readonly ZoneReport[]): ExitCode {
  const failures = reports.filter(isFailed);
  if (failures.length > 0) {
    const code = exitCodeOfFailures(failures, reports.length);
    return code !== exitCodes.unreachable && failures.some(isStale) ? exitCodes.stale : code;
  }
  return reports.some(({ result }) => result === "held") ? exitCodes.held : exitCodes.done;
}

function isFailed(report: ZoneReport): boolean {
  return report.result === "error" || (report.result === "applied" && !isConverged(report));
}

/** Why a write was not sent although its zone was reached: the plan may no longer be what is to be applied. */
const staleReasons: ReadonlySet<SkipReason> = new Set(["conflict", "read_expired", "cancelled"]);

function isStale(report: ZoneReport): boolean {
  return (
    report.result === "applied" &&
    report.outcomes.some((each) => each.status === "skipped" && staleReasons.has(each.reason))
  );
}

function exitCodeOfFailures(failures: readonly ZoneReport[], total: number): ExitCode {
  if (failures.length < total) return exitCodes.partial;
  return failures.every(isUnreachable) ? exitCodes.unreachable : exitCodes.failed;
}

function isUnreachable(report: ZoneReport): boolean {
  if (report.result === "error") return unreachableCodes.has(report.failure.code);
  return (
    report.result === "applied" &&
    report.outcomes.some(
      (outcome) => outcome.status === "failed" && unreachableCodes.has(outcome.failure.code),
    )
  );
}
