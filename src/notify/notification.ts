import { type Author, authorsIn } from "../plan/cause/author.ts";
import { changesWith } from "../plan/cause/cause.ts";
import type { Change } from "../plan/change.ts";
import { changedByLine, driftWords } from "../render/cause-text.ts";
import { changesLine, driftLine } from "../render/change-text.ts";
import { stepEventText } from "../render/step-event-text.ts";
import { type JudgedTokenUse, tokenUseText } from "../state/audit-status.ts";
import { hasNewDrift, weakeningOf } from "../state/drift.ts";
import type { ZoneStep } from "../state/fleet.ts";
import { errorSummary, isFirstRound, isLoaded, type LoadReport } from "../state/load-report.ts";
import { type RolloutTurn, turnText } from "../state/rollout-turn.ts";
import { isObservation, type ZoneReport } from "../state/run-report.ts";
import type { StepEvent } from "../state/step-wait.ts";
import { driftOf, type ZoneState } from "../state/zone-state.ts";
import { firstOf } from "../syntax/first-of.ts";
import type { ZoneLabels } from "../zone/desired-zone.ts";

/** Why a notification is sent; the names for drift are those of Flux's helm-controller. */
export type NotificationReason =
  | "DriftDetected"
  | "DriftCorrected"
  | "NoDriftDetected"
  | "DriftCorrectionFailed"
  | "PlanHeld"
  | "ReconcileFailed"
  | "Recovered"
  | "NoLongerDeclared"
  | "ZoneRemoved"
  | "RevisionApplied"
  | "RevisionPartial"
  | "RevisionHeld"
  | "RevisionRejected"
  | "RolloutBegan"
  | "RolloutGateOver"
  | "RolloutEnded"
  | "HistoryHead"
  | "TokenUsedElsewhere"
  | "StepPromoted"
  | "StepSetBack"
  | "ScriptFindings"
  | "NoScriptFindings";

/** `error`: a person has to act. */
export type NotificationSeverity = "info" | "error";

/** A message about a zone or a revision. */
export interface Notification {
  readonly reason: NotificationReason;
  readonly severity: NotificationSeverity;
  readonly at: Date;
  /** "" for a notification about a revision or the history. */
  readonly zone: string;
  /** Of the zone, for the sinks that want notifications of some labels alone. */
  readonly labels?: ZoneLabels | undefined;
  readonly message: string;
  /** The message without what differs between zones, such as the hash of a plan; left out: the message itself. */
  readonly statement?: string;
  /** The authors of drift whom the message names: a sink may show less of them. */
  readonly authors?: readonly Author[];
  readonly revision?: string | undefined;
  /** Git's name for the revision. */
  readonly commit?: string | undefined;
  readonly run?: string | undefined;
  /** Whether the zone or the revision has no error any more, so that earlier notifications are resolved. */
  readonly isResolved?: boolean;
}

/** Zones that a notification about several names; of more, their number is given. */
const zonesShown = 3;

/** One notification in the place of several that say the same of different zones, in their order. */
export function together(first: Notification, others: readonly Notification[]): Notification {
  if (others.length === 0) return first;
  const all = [first, ...others];
  const names = firstOf(
    all.map(({ zone }) => zone),
    zonesShown,
  );
  const { run: _, ...shared } = all.at(-1) ?? first;
  return {
    ...shared,
    zone: "",
    message: `${all.length} more zones: ${first.statement ?? first.message} (${names})`,
    authors: all.flatMap(({ authors = [] }) => authors),
    isResolved: all.every(({ isResolved = false }) => isResolved),
  };
}

/** Transient failures are notified after so many in a row, permanent failures at once. */
const failureThreshold = 3;

type Content = Pick<Notification, "reason" | "severity" | "message" | "statement" | "authors">;

/** The notification about a run: at most one, about what changed since the previous run, the gravest first. */
export function notificationOf(step: ZoneStep): Notification | undefined {
  const { zone, run, revision, commit, finishedAt: at } = step.report;
  const content = failed(step) ?? held(step) ?? drifted(step) ?? recovered(step);
  const isResolved = !hasError(step.after);
  return content && { ...content, at, zone, run, revision, commit, isResolved };
}

/** The notification that a zone with an error or drift is no longer declared. */
export function notificationOfRemoval(
  before: ZoneState,
  { at, revision, commit }: LoadReport,
): Notification | undefined {
  if (!hasError(before) && before.driftedSince === undefined) return undefined;
  return {
    reason: "NoLongerDeclared",
    severity: "info",
    at,
    zone: before.declared.name,
    message: "the zone is no longer declared: it stays as it is and is not reconciled any more",
    revision,
    commit,
    isResolved: true,
  };
}

/** Removed zones that are named; of more, their number is given. */
const removedShown = 10;

/** The one notification about all zones that a load removed. */
export function notificationOfRemovals(
  removed: readonly ZoneState[],
  { at, revision, commit }: LoadReport,
): Notification {
  const names = removed.map(({ declared }) => declared.name);
  const [only = ""] = names;
  const message =
    names.length === 1
      ? `${only} is no longer managed and left as it was`
      : `${names.length} zones are no longer managed and left as they were: ${firstOf(names, removedShown)}`;
  return {
    reason: "ZoneRemoved",
    severity: "info",
    at,
    zone: names.length === 1 ? only : "",
    message,
    revision,
    commit,
  };
}

/**
 * The one notification about uses of our tokens elsewhere; `undefined`: there are none.
 *
 * @param report the run that tells about them; `undefined`: they concern no declared zone.
 */
export function notificationOfTokenUses(
  uses: readonly JudgedTokenUse[],
  report: Pick<ZoneReport, "run" | "revision" | "commit"> | undefined,
): Notification | undefined {
  const first = uses.find(({ isDrift }) => isDrift) ?? uses[0];
  if (first === undefined) return undefined;
  const more = uses.length === 1 ? "" : ` (and ${uses.length - 1} more)`;
  const result = first.isDrift ? "; the zone differed from its declaration" : "";
  return {
    reason: "TokenUsedElsewhere",
    severity: first.isDrift ? "error" : "info",
    at: first.at,
    zone: first.zone,
    message: `${tokenUseText(first)}${result}${more}`,
    revision: report?.revision,
    commit: report?.commit,
    run: report?.run,
  };
}

/** The notification about a step of a policy or rule; `undefined`: nothing else is in force. */
export function notificationOfStep(
  event: StepEvent,
  { at, revision, commit }: Pick<Notification, "at" | "revision" | "commit">,
): Notification | undefined {
  if (event.event !== "promoted" && event.event !== "set_back") return undefined;
  const isOrdered = event.cause !== undefined && "by" in event.cause;
  const isSetBack = event.event === "set_back";
  return {
    reason: isSetBack ? "StepSetBack" : "StepPromoted",
    severity: isSetBack && !isOrdered ? "error" : "info",
    at,
    zone: event.zone,
    message: stepEventText(event),
    revision,
    commit,
  };
}

/** The notification of the head of the history, so that its receivers keep it. */
export function notificationOfHead(
  { chain, n, hash }: { readonly chain: string; readonly n: number; readonly hash: string },
  at: Date,
): Notification {
  return {
    reason: "HistoryHead",
    severity: "info",
    at,
    zone: "",
    message: `head of the history: ${hash} (line ${n} of chain ${chain}); keep it for zonewarden history verify --head`,
  };
}

/** The notification about a load of the files, if it found something new; `before` is the load before it. */
export function notificationOfLoad(
  load: LoadReport,
  before: LoadReport | undefined,
): Notification | undefined {
  const isResolved = isLoaded(load);
  const { revision, commit } = load.held ?? load;
  const base = { at: load.at, zone: "", revision, commit, isResolved };
  if (isResolved) {
    if (before === undefined || isLoaded(before)) return undefined;
    const message = `the zone files are active without errors: ${load.zones} zones`;
    return { ...base, reason: "RevisionApplied", severity: "info", message };
  }
  if (before !== undefined && loadKey(before) === loadKey(load)) return undefined;
  return { ...base, severity: "error", ...failedLoad(load) };
}

/** The notification about a rollout; `undefined`: only the log and the history tell that. */
export function notificationOfTurn(
  turn: RolloutTurn,
  { at, revision, commit }: LoadReport,
): Notification | undefined {
  // Steps have notifications of their own.
  const content = turn.stepsOf === undefined ? turnContents[turn.turn] : undefined;
  return content && { ...content, at, zone: "", message: turnText(turn), revision, commit };
}

const turnContents: Readonly<
  Partial<Record<RolloutTurn["turn"], Pick<Notification, "reason" | "severity">>>
> = {
  began: { reason: "RolloutBegan", severity: "info" },
  replaced: { reason: "RolloutBegan", severity: "info" },
  gate_over: { reason: "RolloutGateOver", severity: "error" },
  ended: { reason: "RolloutEnded", severity: "info" },
  aborted: { reason: "RolloutEnded", severity: "info" },
};

function failedLoad(load: LoadReport): Pick<Notification, "reason" | "message"> {
  const { revision } = load;
  if (load.held !== undefined) {
    const what = isFirstRound(load)
      ? "nothing is written"
      : "a new revision of the zone files is held";
    const message = `${what}: ${load.held.hold.message}`;
    return { reason: "RevisionHeld", message };
  }
  const errors = errorSummary(load.diagnostics);
  if (load.result === "partial") {
    const message = `the zone files are partially applied; what has errors keeps its last good version or is left out: ${errors}`;
    return { reason: "RevisionPartial", message };
  }
  const kept = revision === "" ? "no revision is active" : `revision ${revision} stays active`;
  return { reason: "RevisionRejected", message: `the zone files are rejected; ${kept}: ${errors}` };
}

/** Equal for loads with the same result and the same errors. */
function loadKey(load: LoadReport): string {
  const places = load.diagnostics.map(({ place, code }) => [place, code]);
  return JSON.stringify([load.result, load.held?.hash, places]);
}

function failed({ before, report, after }: ZoneStep): Content | undefined {
  if (!isFailing(after) || isFailing(before)) return undefined;
  const isCorrection =
    report.result === "applied" && changesWith("drift", report.plan.changes).length > 0;
  return {
    reason: isCorrection ? "DriftCorrectionFailed" : "ReconcileFailed",
    severity: "error",
    message: after.failure?.message ?? "the zone could not be reconciled",
  };
}

function held({ before, after }: ZoneStep): Content | undefined {
  if (!isHeld(after) || isHeld(before)) return undefined;
  const reasons = after.holds.map(({ message }) => message).join("; ");
  const what = changesLine(after.differing);
  const by = firstOf([...new Set(after.holds.map(({ reason }) => reason))], after.holds.length);
  return {
    reason: "PlanHeld",
    severity: "error",
    message: `${what}; held: ${reasons}`,
    statement: `${what}; held by ${by}: zonewarden plan prints how to release each`,
    authors: authorsIn(after.differing),
  };
}

function drifted({ before, report, after }: ZoneStep): Content | undefined {
  const drift = driftOf(after);
  const corrected = report.result === "applied" ? changesWith("drift", report.plan.changes) : [];
  if (corrected.length > 0 && drift.length === 0) {
    const { message, ...content } = driftContent(corrected);
    return { ...content, reason: "DriftCorrected", message: `${message}; corrected` };
  }
  // The process before this one sent a notification about drift that goes on over a restart.
  const isNotified = before.lastRun === undefined && before.driftedSince !== undefined;
  if (!isNotified && hasNewDrift(driftOf(before), drift)) {
    return { reason: "DriftDetected", ...driftContent(drift) };
  }
  if (before.driftedSince === undefined || after.driftedSince !== undefined) return undefined;
  const message =
    report.result === "applied"
      ? `the drift is gone: ${changesLine(report.plan.changes)}`
      : "the drift is gone; zonewarden did not correct it";
  return { reason: "NoDriftDetected", severity: "info", message };
}

/** What somebody changed, at the severity of what it did to the protection, be it corrected or not. */
function driftContent(drift: readonly Change[]): Omit<Content, "reason"> {
  const isWeakened = weakeningOf(drift).length > 0;
  const who = changedByLine(drift);
  const by = who === "" ? "" : `; ${who}`;
  const message = `${isWeakened ? driftWords.weakens : "drift"}: ${driftLine(drift)}${by}`;
  return { severity: isWeakened ? "error" : "info", message, authors: authorsIn(drift) };
}

function recovered({ before, after }: ZoneStep): Content | undefined {
  const wasFailing = isFailing(before) || isHeld(before);
  if (!wasFailing || after.failure !== undefined || isHeld(after)) return undefined;
  return { reason: "Recovered", severity: "info", message: "reconciliation recovered" };
}

/** Whether the zone is in a state that an `error` notification reports. */
function hasError(state: ZoneState): boolean {
  return isFailing(state) || isHeld(state) || weakeningOf(driftOf(state)).length > 0;
}

function isFailing({ failure, consecutiveFailures }: ZoneState): boolean {
  return failure !== undefined && (!failure.transient || consecutiveFailures >= failureThreshold);
}

/** Whether the zone's own plan is held. A held revision has one notification, not one for each zone. */
function isHeld({ status, holds }: ZoneState): boolean {
  return status === "held" && holds.some((hold) => !isObservation(hold));
}
