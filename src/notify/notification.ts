import type { Change } from "../plan/change.ts";
import { changesLine } from "../render/change-text.ts";
import { impactOf } from "../state/drift.ts";
import type { ZoneStep } from "../state/fleet.ts";
import { errorSummary, isLoaded, type LoadReport } from "../state/load-report.ts";
import { isObservation } from "../state/run-report.ts";
import { driftOf, type ZoneState } from "../state/zone-state.ts";

/** Why somebody is told; the words that helm-controller has for its drift, and ours beside them. */
export type NotificationReason =
  | "DriftDetected"
  | "DriftCorrected"
  | "NoDriftDetected"
  | "DriftCorrectionFailed"
  | "PlanBlocked"
  | "ReconcileFailed"
  | "Recovered"
  | "NoLongerDeclared"
  | "RevisionApplied"
  | "RevisionPartial"
  | "RevisionHeld"
  | "RevisionRejected";

/** How much it matters: `error` wants somebody to act. */
export type NotificationSeverity = "info" | "error";

/** Something that people want to be told, once. */
export interface Notification {
  readonly reason: NotificationReason;
  readonly severity: NotificationSeverity;
  readonly at: Date;
  /** "" where it is about the files. */
  readonly zone: string;
  readonly message: string;
  readonly revision: string;
  /** "" where it is about the files. */
  readonly run: string;
  /** Whether nothing is left that wants somebody to act: the end of all that errors told of the zone, or of the files. */
  readonly isOver: boolean;
}

/** So many failures in a row are worth a word where another try may help; others are told at once. */
const failuresTold = 3;

/**
 * What a run has to tell: only what became different by it, and at most one thing, the gravest. A run that finds what
 * the one before it found tells nothing.
 */
export function noticeOf(step: ZoneStep): Notification | undefined {
  const { zone, run, revision, finishedAt } = step.report;
  const told = judge(step);
  const isOver = !wantsSomebody(step.after);
  return told && { ...told, at: finishedAt, zone, run, revision, isOver };
}

/** What the leaving of a zone has to tell, where it was not in order. */
export function noticeOfDeparture(
  before: ZoneState,
  { at, revision }: LoadReport,
): Notification | undefined {
  if (!wantsSomebody(before) && before.driftedSince === undefined) return undefined;
  return {
    reason: "NoLongerDeclared",
    severity: "info",
    at,
    zone: before.declared.name,
    message: "the zone is no longer declared: it stays as it is, and nobody looks at it",
    revision,
    run: "",
    isOver: true,
  };
}

/** The notification about a load of the files, if it found something new; `before` is the load before it. */
export function noticeOfLoad(
  load: LoadReport,
  before: LoadReport | undefined,
): Notification | undefined {
  const isOver = isLoaded(load);
  const revision = load.held?.revision ?? load.revision;
  const base = { at: load.at, zone: "", run: "", revision, isOver };
  if (isOver) {
    if (before === undefined || isLoaded(before)) return undefined;
    const message = `the zone files are in force without errors: ${load.zones} zones`;
    return { ...base, reason: "RevisionApplied", severity: "info", message };
  }
  if (before !== undefined && findingIn(before) === findingIn(load)) return undefined;
  return { ...base, severity: "error", ...failedLoad(load) };
}

function failedLoad(load: LoadReport): Pick<Notification, "reason" | "message"> {
  const { revision } = load;
  if (load.held !== undefined) {
    const message = `a new revision of the zone files is held: ${load.held.hold.message}`;
    return { reason: "RevisionHeld", message };
  }
  const errors = errorSummary(load.diagnostics);
  if (load.result === "partial") {
    const message = `the zone files are partially applied; what has errors keeps its last good version or is left out: ${errors}`;
    return { reason: "RevisionPartial", message };
  }
  const kept = revision === "" ? "no revision is in force" : `revision ${revision} stays in force`;
  return { reason: "RevisionRejected", message: `the zone files are rejected; ${kept}: ${errors}` };
}

function findingIn(load: LoadReport): string {
  const places = load.diagnostics.map(({ place, code }) => [place, code]);
  return JSON.stringify([load.result, load.held?.hash, places]);
}

type Judged = Pick<Notification, "reason" | "severity" | "message">;

function judge(step: ZoneStep): Judged | undefined {
  return failed(step) ?? held(step) ?? drifted(step) ?? recovered(step);
}

function failed({ before, report, after }: ZoneStep): Judged | undefined {
  if (!isFailing(after) || isFailing(before)) return undefined;
  const isCorrection = report.result === "applied" && report.cause === "drift";
  return {
    reason: isCorrection ? "DriftCorrectionFailed" : "ReconcileFailed",
    severity: "error",
    message: after.failure?.message ?? "the zone could not be reconciled",
  };
}

/** Whether a zone fails in a way that people are told of. */
function isFailing({ failure, consecutiveFailures }: ZoneState): boolean {
  return failure !== undefined && (!failure.transient || consecutiveFailures >= failuresTold);
}

/** Whether a zone is in a state that errors tell of. */
function wantsSomebody(state: ZoneState): boolean {
  return isFailing(state) || isHeld(state) || isWeaker(driftOf(state));
}

/** Whether the zone's own plan is held. That a revision of all files is held is told once, not for each zone. */
function isHeld({ status, holds }: ZoneState): boolean {
  return status === "held" && holds.some((hold) => !isObservation(hold));
}

/** Whether what drifted leaves the zone less protected than declared. */
function isWeaker(found: readonly Change[]): boolean {
  return found.some(({ effect }) => impactOf(effect.direction) === "weakens");
}

function held({ before, after }: ZoneStep): Judged | undefined {
  if (!isHeld(after) || isHeld(before)) return undefined;
  const reasons = after.holds.map(({ message }) => message).join("; ");
  return {
    reason: "PlanBlocked",
    severity: "error",
    message: `${changesLine(after.differing)}; held: ${reasons}`,
  };
}

function drifted({ before, report, after }: ZoneStep): Judged | undefined {
  const found = driftOf(after);
  if (report.result === "applied" && report.cause === "drift" && found.length === 0) {
    return {
      reason: "DriftCorrected",
      severity: "info",
      message: `drift corrected: ${changesLine(report.plan.changes)}`,
    };
  }
  if (after.driftedSince !== undefined && hasNew(driftOf(before), found)) {
    const isGrave = isWeaker(found);
    return {
      reason: "DriftDetected",
      severity: isGrave ? "error" : "info",
      message: `${isGrave ? "less protected than declared" : "not as declared"}: ${changesLine(found)}`,
    };
  }
  if (before.driftedSince === undefined || after.driftedSince !== undefined) return undefined;
  return {
    reason: "NoDriftDetected",
    severity: "info",
    message: "the zone is as declared again, by another hand",
  };
}

function hasNew(before: readonly Change[], now: readonly Change[]): boolean {
  const known = new Set(before.map(({ key }) => key));
  return now.some(({ key }) => !known.has(key));
}

function recovered({ before, after }: ZoneStep): Judged | undefined {
  const wasBad = isFailing(before) || isHeld(before);
  if (!wasBad || after.failure !== undefined || isHeld(after)) return undefined;
  return { reason: "Recovered", severity: "info", message: "the zone is looked after again" };
}
