import type { Change } from "../plan/change.ts";
import { isSuspended } from "../plan/guard/guard.ts";
import type { Hold } from "../plan/guard/hold.ts";
import type { Plan } from "../plan/plan.ts";
import { none, onsets } from "./drift.ts";
import {
  type Applied,
  durationOf,
  failureIn,
  isFailure,
  isObservation,
  type Outcome,
  type ZoneReport,
} from "./run-report.ts";
import {
  type ChangeRecord,
  type DeclaredZone,
  driftOf,
  type WriteRecord,
  type ZoneState,
  type ZoneStatus,
} from "./zone-state.ts";

/** Runs with changes that are remembered of each zone. */
const changesLimit = 10;

/** The facts that a status follows from. */
type Situation = Omit<ZoneState, "status" | "statusSince">;

/** A zone of which no run has told yet. */
export function initialState(declared: DeclaredZone, at: Date): ZoneState {
  const situation: Situation = {
    declared,
    zone: undefined,
    lastSuccess: undefined,
    lastRun: undefined,
    consecutiveFailures: 0,
    failure: undefined,
    holds: [],
    cause: undefined,
    differing: [],
    driftedSince: undefined,
    driftOnsets: none,
    unmanaged: [],
    notes: [],
    compared: 0,
    changes: [],
    owasp: undefined,
    inventory: undefined,
  };
  return { ...situation, status: statusOf(situation, at), statusSince: at };
}

/**
 * The state of a zone whose declaration may have changed: a suspension counts from when it is declared. It is the same
 * object where nothing is otherwise: thousands of zones are declared again with each reading of the files.
 */
export function redeclared(state: ZoneState, declared: DeclaredZone, at: Date): ZoneState {
  const isLifted = !isPaused(declared, at) && state.holds.some(isSuspension);
  if (!isLifted && isSame(state.declared, declared) && statusOf(state, at) === state.status) {
    return state;
  }
  const holds = isLifted ? state.holds.filter((each) => !isSuspension(each)) : state.holds;
  return withStatus(state, { ...state, declared, holds }, at);
}

function isSame(a: DeclaredZone, b: DeclaredZone): boolean {
  return a.mode === b.mode && a.suspension === b.suspension && a.hold?.message === b.hold?.message;
}

function isSuspension({ reason }: Hold): boolean {
  return reason === "suspend";
}

/** The state of a zone after one more run of it. */
export function afterReport(state: ZoneState, report: ZoneReport): ZoneState {
  const at = report.finishedAt;
  const failed = isFailure(report);
  const outcomes = report.result === "applied" ? report.outcomes : [];
  const complete = !failed && !outcomes.some(isSkipped);
  const failures = failed ? state.consecutiveFailures + 1 : state.consecutiveFailures;
  const seen = report.result === "error" ? state : afterPlan(state, report);
  const situation: Situation = {
    ...seen,
    lastRun: {
      run: report.run,
      trigger: report.trigger,
      revision: report.revision,
      at,
      durationMs: durationOf(report),
    },
    lastSuccess: complete ? at : state.lastSuccess,
    consecutiveFailures: complete ? 0 : failures,
    failure: report.result === "error" ? report.failure : failureIn(outcomes),
    changes:
      report.result === "applied"
        ? [changeRecordOf(report), ...state.changes].slice(0, changesLimit)
        : state.changes,
  };
  return withStatus(state, situation, at);
}

/** What is remembered of a run that was carried out. */
export function changeRecordOf(report: Applied): ChangeRecord {
  return {
    run: report.run,
    zone: report.zone,
    at: report.finishedAt,
    trigger: report.trigger,
    revision: report.revision,
    cause: report.cause,
    changes: report.plan.changes,
    writes: report.outcomes.map(writeRecordOf),
  };
}

function afterPlan(
  state: ZoneState,
  report: Exclude<ZoneReport, { readonly result: "error" }>,
): Situation {
  const { plan } = report;
  const cause = report.result === "in_sync" ? undefined : report.cause;
  const differing = stillDiffering(report);
  const fresh = cause === "drift" ? onsets(driftOf(state), plan.changes) : [];
  const driftOnsets = { ...state.driftOnsets };
  for (const kind of fresh) driftOnsets[kind] += 1;
  const drifted = cause === "drift" && differing.length > 0;
  return {
    ...state,
    ...knownFrom(plan),
    ...seenVersion(plan, state, report.finishedAt),
    holds: report.result === "held" ? report.holds : [],
    cause: differing.length > 0 ? cause : undefined,
    differing,
    driftOnsets,
    driftedSince: drifted ? (state.driftedSince ?? report.finishedAt) : undefined,
  };
}

function knownFrom(plan: Plan): Pick<ZoneState, "zone" | "unmanaged" | "notes" | "compared"> {
  return {
    zone: plan.zone,
    unmanaged: plan.unmanaged,
    notes: plan.notes,
    compared: plan.compared,
  };
}

/** How long people are told of a move. */
const moveToldMs = 604_800_000;

/** The OWASP ruleset after a plan, and a note on it while its move is news: rules of it may have come or changed. */
function seenVersion(
  { owaspVersion: version, notes }: Plan,
  { owasp }: ZoneState,
  at: Date,
): Pick<ZoneState, "owasp" | "notes"> {
  if (version === "") return { owasp, notes };
  const isMove = owasp !== undefined && owasp.version !== version;
  const moved = isMove ? { from: owasp.version, at } : owasp?.moved;
  if (moved === undefined || Number(at) - Number(moved.at) > moveToldMs) {
    return { owasp: { version, moved: undefined }, notes };
  }
  const day = moved.at.toISOString().slice(0, 10);
  const note = `the OWASP ruleset changed from version ${moved.from} to ${version} on ${day}: its rules may have changed`;
  return { owasp: { version, moved }, notes: [...notes, note] };
}

/** What a run left as it was, or what came back: what the answers say, and every change whose write was not done. */
function stillDiffering(
  report: Exclude<ZoneReport, { readonly result: "error" }>,
): readonly Change[] {
  if (report.result === "in_sync") return [];
  if (report.result !== "applied") return report.plan.changes;
  const left = new Set(report.left.map(({ key }) => key));
  const undone = new Set(
    report.outcomes
      .filter(({ status }) => status !== "done")
      .flatMap(({ write }) => write.changes)
      .filter((key) => !left.has(key)),
  );
  return [...report.left, ...report.plan.changes.filter(({ key }) => undone.has(key))];
}

function isSkipped({ status }: Outcome): boolean {
  return status === "skipped";
}

function withStatus(before: ZoneState, situation: Situation, at: Date): ZoneState {
  const status = statusOf(situation, at);
  const statusSince = status === before.status ? before.statusSince : at;
  return { ...situation, status, statusSince };
}

function statusOf(situation: Situation, at: Date): ZoneStatus {
  const { declared, failure, holds, cause, lastRun } = situation;
  if (failure !== undefined) return "error";
  if (isPaused(declared, at) || holds.some(isSuspension)) return "suspended";
  if (lastRun === undefined) return "unknown";
  if (declared.hold !== undefined || holds.some((hold) => !isObservation(hold))) {
    return "held";
  }
  if (cause === undefined) return "in_sync";
  return cause === "drift" ? "drifted" : "pending";
}

function isPaused({ suspension }: DeclaredZone, at: Date): boolean {
  return suspension !== undefined && isSuspended(suspension, at);
}

function writeRecordOf(outcome: Outcome): WriteRecord {
  const { status, write } = outcome;
  const base = { call: write.call, changes: write.changes, status };
  switch (outcome.status) {
    case "done":
      return { ...base, reason: "", ray: outcome.ray };
    case "failed":
    case "unknown":
      return { ...base, reason: outcome.failure.message, ray: outcome.failure.ray };
    case "skipped":
      return { ...base, reason: outcome.reason, ray: "" };
  }
}
