import type { Cause, Change } from "../plan/change.ts";
import type { Hold } from "../plan/guard/hold.ts";
import type { Plan } from "../plan/plan.ts";
import type { Write } from "../zone/write.ts";
import type { ZoneName } from "../zone/zone.ts";

/**
 * What made us look; `due`: what held a plan for a while is over. It says nothing of what is to be found: that is read
 * anew.
 */
export const triggers = [
  "startup",
  "schedule",
  "file",
  "signal",
  "retry",
  "due",
  "manual",
] as const;

/** One of {@link triggers}. */
export type Trigger = (typeof triggers)[number];

/** A failure of the service, as data that can be shown and logged: never a token, never a whole body. */
export interface Failure {
  /** Stable, `API_…`; `INTERNAL` for a bug of ours. */
  readonly code: string;
  readonly message: string;
  /** Whether another try may help without anybody changing anything. */
  readonly transient: boolean;
  /** The service's id of the request, "" where there was no answer. */
  readonly ray: string;
  /** Milliseconds that the service asked us to wait; 0 where it did not. */
  readonly retryAfterMs: number;
}

/**
 * Why a write was not sent; `stale`: what it rests on has moved since it was planned. While it waited for its turn,
 * `outdated`: the reading that it rests on became old; `countermanded`: it is not wanted any more, since the files or
 * the configuration changed, or a freeze began.
 */
export type SkipReason = "earlier_failure" | "shutdown" | "conflict" | "read_expired" | "cancelled";

/** What became of one write, and with it of the changes it carries. */
export type Outcome =
  | {
      readonly status: "done";
      readonly write: Write;
      readonly ray: string;
      /** Whether somebody else wrote between our reading and our writing. */
      readonly interleaved: boolean;
    }
  | { readonly status: "failed"; readonly write: Write; readonly failure: Failure }
  /** The answer was lost: the next look decides. */
  | { readonly status: "unknown"; readonly write: Write; readonly failure: Failure }
  | { readonly status: "skipped"; readonly write: Write; readonly reason: SkipReason };

/** What all reports of a zone have. */
interface ZoneReportBase {
  readonly zone: ZoneName;
  /** One for each run of each zone; on every log line of it. */
  readonly run: string;
  readonly trigger: Trigger;
  /** Revision of the files whose state was compared. */
  readonly revision: string;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  /** Milliseconds spent on each phase, by a clock that nobody sets; 0 where it was not reached. */
  readonly phases: { readonly fetch: number; readonly plan: number; readonly apply: number };
}

/**
 * What one look at one zone came to. A proposal is `in-sync`, `unreadable`, `refused` or `ready`; a `ready` one
 * that was carried out is `applied`, whatever came of its writes, or `refused` where the service had no room for any.
 */
export type ZoneReport = ZoneReportBase &
  (
    | { readonly result: "in_sync"; readonly plan: Plan }
    | { readonly result: "error"; readonly failure: Failure }
    | {
        readonly result: "held";
        readonly plan: Plan;
        readonly cause: Cause;
        readonly holds: readonly Hold[];
      }
    | { readonly result: "planned"; readonly plan: Plan; readonly cause: Cause }
    | {
        readonly result: "applied";
        readonly plan: Plan;
        readonly cause: Cause;
        readonly outcomes: readonly Outcome[];
        /** What the answers of the writes left to do: none, unless something went wrong or another hand was in it. */
        readonly left: readonly Change[];
      }
  );

/** What a run over several zones came to. */
export interface RunReport {
  readonly trigger: Trigger;
  readonly revision: string;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly zones: readonly ZoneReport[];
}

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

/** How long a run worked on its zone, in whole milliseconds, whatever the dates of its beginning and its end say. */
export function durationOf({ phases }: Pick<ZoneReport, "phases">): number {
  return Math.round(phases.fetch + phases.plan + phases.apply);
}

/** What became of a change, from the worst to the best. */
export const changeResults = ["failed", "unknown", "skipped", "done"] as const;

/** One of {@link changeResults}. */
export type ChangeResult = (typeof changeResults)[number];

/** What became of a change: the worst that became of a write which carries it; `skipped` where none does. */
export function changeResultOf(
  { key }: Change,
  writes: readonly {
    readonly status: Outcome["status"];
    readonly changes: readonly Change["key"][];
  }[],
): ChangeResult {
  const found = new Set(
    writes.filter(({ changes }) => changes.includes(key)).map(({ status }) => status),
  );
  return changeResults.find((result) => found.has(result)) ?? "skipped";
}
