import type { Change } from "../plan/change.ts";
import { type Hold, holdFacts } from "../plan/guard/hold.ts";
import type { Plan } from "../plan/plan.ts";
import type { ResourceKey } from "../zone/resource.ts";
import { ServiceError, type ServiceErrorCode } from "../zone/service-error.ts";
import type { Write } from "../zone/write.ts";
import type { ZoneName } from "../zone/zone.ts";

/** Why a run started; `due`: a hold of the plan has ended; `audit`: the audit log names the zone. */
export const triggers = [
  "startup",
  "schedule",
  "file",
  "signal",
  "retry",
  "due",
  "manual",
  "audit",
] as const;

export type Trigger = (typeof triggers)[number];

/** An error as data that can be shown and logged: it never holds a token or a whole body. */
export interface Failure {
  /** Stable: `API_…`, or `INTERNAL` for an internal error. */
  readonly code: string;
  readonly message: string;
  /** Whether a retry may succeed without a change by a person. */
  readonly transient: boolean;
  /** The service's id of the request, "" without an answer. */
  readonly ray: string;
  /** Milliseconds that the service asked to wait; 0 if it did not. */
  readonly retryAfterMs: number;
}

/**
 * Why a write was not sent:
 *
 * - `conflict`: the zone or its files changed after the plan was made, or the plan in a file is not the plan of today.
 * - `read_expired`: the read that the plan is based on expired while the write waited.
 * - `cancelled`: a guard holds it now, because the files or the configuration changed or a freeze began.
 * - `lease_lost`: another process may write now.
 */
export type SkipReason =
  | "earlier_failure"
  | "shutdown"
  | "conflict"
  | "read_expired"
  | "cancelled"
  | "lease_lost";

/** What became of one write, and of the changes it carries. */
export type Outcome =
  | {
      readonly status: "done";
      readonly write: Write;
      readonly ray: string;
      /** Whether somebody else changed the zone between the read and the write. */
      readonly interleaved: boolean;
    }
  | { readonly status: "failed"; readonly write: Write; readonly failure: Failure }
  /** The answer was lost: the next read decides. */
  | { readonly status: "unknown"; readonly write: Write; readonly failure: Failure }
  | {
      readonly status: "skipped";
      readonly write: Write;
      readonly reason: SkipReason;
      /** The resources that have to be written first, where a write that the service refused is the only reason. */
      readonly waitsFor?: readonly ResourceKey[];
    };

interface ZoneReportBase {
  readonly zone: ZoneName;
  /** Id of the run; on each of its log lines. */
  readonly run: string;
  readonly trigger: Trigger;
  /** Revision that the zone was reconciled against. */
  readonly revision: string;
  /** Git's name for the revision: a label, `undefined` if there is none. */
  readonly commit?: string | undefined;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  /** Milliseconds of each phase by a monotonic clock; 0 if it was not reached. */
  readonly phases: { readonly fetch: number; readonly plan: number; readonly apply: number };
}

/**
 * The result of one run of one zone: `in_sync`, `error`, `held` or `planned`. A planned one that was applied is
 * `applied`, whatever the outcomes of its writes, or `held` if the quota of the service has no room for any.
 */
export type ZoneReport = ZoneReportBase &
  (
    | { readonly result: "in_sync"; readonly plan: Plan }
    | { readonly result: "error"; readonly failure: Failure }
    | {
        readonly result: "held";
        readonly plan: Plan;
        readonly holds: readonly Hold[];
      }
    | {
        readonly result: "planned";
        readonly plan: Plan;
        /** Why it is not written yet, although nothing holds it; left out: it was only planned. */
        readonly waits?: string;
      }
    | {
        readonly result: "applied";
        readonly plan: Plan;
        readonly outcomes: readonly Outcome[];
        /** Changes that remain after the writes: none, unless a write failed or somebody else changed the zone. */
        readonly left: readonly Change[];
      }
  );

export type Applied = Extract<ZoneReport, { readonly result: "applied" }>;

/** A run that got as far as a plan. */
export type PlannedReport = Exclude<ZoneReport, { readonly result: "error" }>;

export interface RunReport {
  readonly trigger: Trigger;
  readonly revision: string;
  /** Git's name for the revision. */
  readonly commit?: string | undefined;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly zones: readonly ZoneReport[];
}

export const runResults = ["in_sync", "applied", "planned", "held", "partial", "error"] as const;

export type RunResult = (typeof runResults)[number];

/**
 * How a run ended. A plan with holds on which nobody has to act counts as `planned`. A run whose writes were all done and
 * whose zone still differs is `partial`.
 */
export function runResultOf(report: ZoneReport): RunResult {
  if (report.result === "held") return report.holds.every(isObservation) ? "planned" : "held";
  return report.result === "applied" ? applyResultOf(report) : report.result;
}

function applyResultOf({ outcomes, left }: Applied): RunResult {
  if (isAllDone(outcomes)) return left.length === 0 ? "applied" : "partial";
  const isAnyDone = outcomes.some(({ status }) => status === "done");
  return !isAnyDone && failureIn(outcomes) !== undefined ? "error" : "partial";
}

/** Whether nobody has to act on a hold, as with the mode `observe`. */
export function isObservation({ reason }: Hold): boolean {
  return holdFacts(reason).severity === "info";
}

/** Whether a run failed: a read or a write failed, or the zone still differs. A shutdown is no failure. */
export function isFailure(report: ZoneReport): boolean {
  if (report.result === "error") return true;
  if (report.result !== "applied") return false;
  const { outcomes, left } = report;
  return failureIn(outcomes) !== undefined || (left.length > 0 && isAllDone(outcomes));
}

export function isAllDone(outcomes: readonly Outcome[]): boolean {
  return outcomes.every(({ status }) => status === "done");
}

/** The resources whose writes were all done. */
export function keysDone(outcomes: readonly Outcome[]): ReadonlySet<ResourceKey> {
  const undone = new Set(
    outcomes.filter(({ status }) => status !== "done").flatMap(({ write }) => write.changes),
  );
  const written = outcomes.flatMap(({ write }) => write.changes);
  return new Set(written.filter((key) => !undone.has(key)));
}

/** Whether the service refused a write for good: it was not carried out, and no retry helps. The token is good otherwise. */
export function isRefused({ code, transient }: Failure): boolean {
  return !transient && refusedCodes.has(code);
}

const refusedCodes: ReadonlySet<string> = new Set<ServiceErrorCode>([
  "API_REFUSED",
  "API_QUOTA",
  "API_FORBIDDEN",
]);

/** The first failure of a write, a lost answer included; `undefined` if none failed. */
export function failureIn(outcomes: readonly Outcome[]): Failure | undefined {
  for (const outcome of outcomes) {
    if (outcome.status === "failed" || outcome.status === "unknown") return outcome.failure;
  }
  return undefined;
}

/** Duration of a run in whole milliseconds, without the time that it waited between its phases. */
export function durationOf({ phases }: Pick<ZoneReport, "phases">): number {
  return Math.round(phases.fetch + phases.plan + phases.apply);
}

/** What became of a change, the worst first. */
export const changeResults = ["failed", "unknown", "skipped", "done"] as const;

export type ChangeResult = (typeof changeResults)[number];

/** The worst outcome of the writes that carry a change; `skipped` if none does. */
export function changeResultOf({ key }: Change, outcomes: readonly Outcome[]): ChangeResult {
  const found = new Set(
    outcomes.filter(({ write }) => write.changes.includes(key)).map(({ status }) => status),
  );
  return changeResults.find((result) => found.has(result)) ?? "skipped";
}

/** An error as data. The message of an internal error is only in the log. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ServiceError) {
    const { code, message, transient, ray, retryAfterMs } = error;
    return { code, message, transient, ray, retryAfterMs };
  }
  return {
    code: "INTERNAL",
    message: "internal error: see the log",
    transient: true,
    ray: "",
    retryAfterMs: 0,
  };
}
