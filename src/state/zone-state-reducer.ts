import { isDeepStrictEqual } from "node:util";

import { causesIn, changesWith } from "../plan/cause/cause.ts";
import type { Change } from "../plan/change.ts";
import { isSuspended } from "../plan/guard/guard.ts";
import { type Hold, holdFacts } from "../plan/guard/hold.ts";
import type { Plan } from "../plan/plan.ts";
import { dayOf } from "../syntax/written-date.ts";
import { hasNewDrift } from "./drift.ts";
import {
  type Applied,
  durationOf,
  failureIn,
  isFailure,
  type Outcome,
  type PlannedReport,
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

/** Records of changes that are kept for each zone. */
const changesLimit = 10;

/** What the status is derived from. */
type Facts = Omit<ZoneState, "status" | "statusSince">;

/** Since when a zone differed when the process before this one ended. */
export interface DifferedSince {
  readonly drift: Date | undefined;
  readonly pending: Date | undefined;
}

/** Moments of the future are none: the clock was changed, or the state. */
export function initialState(declared: DeclaredZone, at: Date, differed: DifferedSince): ZoneState {
  const past = (moment: Date | undefined) => (Number(moment) > Number(at) ? undefined : moment);
  const facts: Facts = {
    declared,
    zone: undefined,
    lastSuccess: undefined,
    lastRun: undefined,
    consecutiveFailures: 0,
    failure: undefined,
    holds: [],
    differing: [],
    driftedSince: past(differed.drift),
    pendingSince: past(differed.pending),
    driftOnsets: 0,
    unmanaged: [],
    unowned: [],
    notes: [],
    compared: 0,
    changes: [],
    owasp: undefined,
    inventory: undefined,
    scripts: undefined,
  };
  return { ...facts, status: statusOf(facts, at), statusSince: at };
}

/**
 * The state of a zone after a load of the files. It is the same object if nothing changed: each load declares thousands
 * of zones again.
 */
export function afterDeclaration(state: ZoneState, declared: DeclaredZone, at: Date): ZoneState {
  const isResumed = !isSuspendedAt(declared, at) && state.holds.some(isSuspension);
  if (!isResumed && isSame(state.declared, declared) && statusOf(state, at) === state.status) {
    return state;
  }
  const holds = isResumed ? state.holds.filter((each) => !isSuspension(each)) : state.holds;
  return withStatus(state, { ...state, declared, holds }, at);
}

function isSame(a: DeclaredZone, b: DeclaredZone): boolean {
  return (
    a.mode === b.mode &&
    a.suspension === b.suspension &&
    a.hold?.message === b.hold?.message &&
    isDeepStrictEqual(a.brokenFiles, b.brokenFiles) &&
    isDeepStrictEqual(a.labels, b.labels)
  );
}

function isSuspension({ reason }: Hold): boolean {
  return holdFacts(reason).status === "suspended";
}

export function afterReport(state: ZoneState, report: ZoneReport): ZoneState {
  const { run, trigger, revision, finishedAt: at } = report;
  const failed = isFailure(report);
  const outcomes = report.result === "applied" ? report.outcomes : [];
  const complete = !failed && !outcomes.some(({ status }) => status === "skipped");
  const failures = failed ? state.consecutiveFailures + 1 : state.consecutiveFailures;
  const seen = report.result === "error" ? state : afterPlan(state, report);
  const facts: Facts = {
    ...seen,
    lastRun: { run, trigger, revision, at, durationMs: durationOf(report) },
    lastSuccess: complete ? at : state.lastSuccess,
    consecutiveFailures: complete ? 0 : failures,
    failure: report.result === "error" ? report.failure : failureIn(outcomes),
    changes:
      report.result === "applied"
        ? [changeRecordOf(report), ...state.changes].slice(0, changesLimit)
        : state.changes,
  };
  return withStatus(state, facts, at);
}

export function changeRecordOf(report: Applied): ChangeRecord {
  const { run, zone, finishedAt: at, trigger, revision, plan, outcomes } = report;
  const writes = outcomes.map(writeRecordOf);
  return { run, zone, at, trigger, revision, changes: plan.changes, writes };
}

function afterPlan(state: ZoneState, report: PlannedReport): Facts {
  const { plan } = report;
  const differing = remainingChanges(report);
  // Drift that was there before the start of the process is not new.
  const isStored = state.lastRun === undefined && state.driftedSince !== undefined;
  const isNew = !isStored && hasNewDrift(driftOf(state), changesWith("drift", plan.changes));
  const found = causesIn(differing);
  // What is not known does not end drift: its cause may only be forgotten.
  const isUnsure = state.driftedSince !== undefined && found.includes("unknown");
  const drifted = found.includes("drift") || isUnsure;
  const waits = found.some((cause) => cause !== "drift");
  return {
    ...state,
    zone: plan.zone,
    unmanaged: plan.unmanaged,
    unowned: plan.unowned,
    compared: plan.compared,
    ...rulesetVersion(plan, state, report.finishedAt),
    holds: report.result === "held" ? report.holds : [],
    differing,
    driftOnsets: state.driftOnsets + Number(isNew),
    driftedSince: drifted ? (state.driftedSince ?? report.finishedAt) : undefined,
    pendingSince: waits ? (state.pendingSince ?? report.finishedAt) : undefined,
  };
}

/** A new version of the OWASP ruleset is noted for a week. */
const versionNoteMs = 604_800_000;

/** The OWASP ruleset after a plan, with a note while a new version is recent. */
function rulesetVersion(
  { owaspVersion: version, notes }: Plan,
  { owasp }: ZoneState,
  at: Date,
): Pick<ZoneState, "owasp" | "notes"> {
  if (version === "") return { owasp, notes };
  const isChanged = owasp !== undefined && owasp.version !== version;
  const moved = isChanged ? { from: owasp.version, at } : owasp?.moved;
  if (moved === undefined || Number(at) - Number(moved.at) > versionNoteMs) {
    return { owasp: { version, moved: undefined }, notes };
  }
  const note = `the OWASP ruleset changed from version ${moved.from} to ${version} on ${dayOf(moved.at)}: its rules may have changed`;
  return { owasp: { version, moved }, notes: [...notes, note] };
}

/** The changes that remain after a run: by the answers of its writes, and those whose write was not done. */
function remainingChanges(report: PlannedReport): readonly Change[] {
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

function withStatus(before: ZoneState, facts: Facts, at: Date): ZoneState {
  const status = statusOf(facts, at);
  const statusSince = status === before.status ? before.statusSince : at;
  return { ...facts, status, statusSince };
}

function statusOf(facts: Facts, at: Date): ZoneStatus {
  const { declared, failure, holds, differing, lastRun } = facts;
  if (failure !== undefined) return "error";
  if (isSuspendedAt(declared, at) || holds.some(isSuspension)) return "suspended";
  if (lastRun === undefined) return "unknown";
  // A held revision is one cause for all its zones, which are as the active revision says.
  if (holds.some(({ reason }) => holdFacts(reason).status === "held")) return "held";
  const [cause] = causesIn(differing);
  return cause === undefined ? "in_sync" : statusOfCause[cause];
}

/** The first cause in the order of `causes` decides. */
const statusOfCause = { drift: "drifted", pending: "pending", unknown: "differs" } as const;

function isSuspendedAt({ suspension }: DeclaredZone, at: Date): boolean {
  return suspension !== undefined && isSuspended(suspension, at);
}

function skipText({ reason, waitsFor }: Extract<Outcome, { readonly status: "skipped" }>): string {
  return waitsFor === undefined ? reason : `waits for ${waitsFor.join(", ")}`;
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
      return { ...base, reason: skipText(outcome), ray: "" };
  }
}
