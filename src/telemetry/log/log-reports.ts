import { isDeepStrictEqual } from "node:util";

import type { Logger } from "pino";

import { clipped } from "../../history/history.ts";
import { causesIn, changesWith } from "../../plan/cause/cause.ts";
import { isLeftLive } from "../../plan/cause/left-live.ts";
import { type Cause, type Change, summaryOf } from "../../plan/change.ts";
import { isEndedSuspension } from "../../plan/guard/guard.ts";
import { isTwinNote } from "../../plan/policies/unowned-twins.ts";
import { authorsLine } from "../../render/cause-text.ts";
import { driftLine } from "../../render/change-text.ts";
import { warningCounts } from "../../render/diagnostic-formats.ts";
import { authorsJson } from "../../render/plan-json.ts";
import { impactOf, impacts, weakeningOf } from "../../state/drift.ts";
import {
  type InventoryReport,
  type InventoryState,
  neverRead,
  newlyMalicious,
} from "../../state/inventory.ts";
import { brokenFiles, type LoadReport } from "../../state/load-report.ts";
import { nameOfRevision, type RolloutTurn } from "../../state/rollout-turn.ts";
import {
  type Applied,
  durationOf,
  type Failure,
  isFailure,
  isObservation,
  type Outcome,
  runResultOf,
  type ZoneReport,
} from "../../state/run-report.ts";
import type { ZoneState } from "../../state/zone-state.ts";
import { type Diagnostic, isError } from "../../zone/diagnostic.ts";
import type { Zone } from "../../zone/zone.ts";

type Facts = Readonly<Record<string, unknown>>;

/** What a zone was before a run. */
type Before = Pick<ZoneState, "differing" | "holds">;

const unknown: Before = { differing: [], holds: [] };

/**
 * Logs a run of a zone: an audit line for each write, then a line for the run; at `debug` if it is in sync, or differs as
 * before.
 *
 * @param credentialOf names the credential with which a zone is written.
 */
export function logZone(
  logger: Logger,
  report: ZoneReport,
  credentialOf: (zone: Zone) => string,
  before: Before = unknown,
): void {
  const { zone, run, trigger, revision, commit } = report;
  const facts = { zone, run, trigger, revision, commit, duration_ms: durationOf(report) };
  switch (report.result) {
    case "in_sync":
      logger.debug(facts, "zone in sync");
      return;
    case "error":
      logger[report.failure.transient ? "warn" : "error"](
        { ...facts, ...failureFacts(report.failure) },
        "reconcile failed",
      );
      return;
    case "planned":
      logFound(logger, report, { ...facts, waits: report.waits }, before);
      return;
    case "held":
      logHeldPlan(logger, report, facts, before);
      return;
    case "applied":
      for (const outcome of report.outcomes) {
        logWrite(logger, report, outcome, credentialOf(report.plan.zone));
      }
      logApplied(logger, report, facts);
  }
}

/** Logs that the version of the zone's OWASP ruleset changed since the previous run. */
export function logRulesetVersion(
  logger: Logger,
  before: ZoneState,
  { declared, owasp }: ZoneState,
): void {
  if (owasp?.moved === undefined || before.owasp?.version === owasp.version) return;
  const facts = { zone: declared.name, before: owasp.moved.from, after: owasp.version };
  logger.info(facts, "OWASP ruleset version changed");
}

export function logLoad(logger: Logger, load: LoadReport): void {
  const { result, revision, commit, zones, held, diagnostics } = load;
  const errors = diagnostics.filter(isError).length;
  const facts = { result, revision, commit, zones, errors, warnings: diagnostics.length - errors };
  const broken = errors === 0 ? {} : { files: brokenFiles(diagnostics) };
  const hold = held && {
    held: held.revision,
    held_commit: held.commit,
    reason: held.hold.reason,
    hold: held.hold.message,
  };
  const { level, message } = loadLines[result];
  logger[level]({ ...facts, ...broken, ...hold }, message);
}

const loadLines = {
  unchanged: { level: "debug", message: "revision unchanged" },
  applied: { level: "info", message: "revision applied" },
  partial: { level: "warn", message: "revision partially applied" },
  held: { level: "error", message: "revision held" },
  rejected: { level: "error", message: "revision rejected" },
} as const satisfies Readonly<Record<LoadReport["result"], object>>;

/** Logs that every zone is planned before the first write, and that the first round ended. */
export function logFirstRound(
  logger: Logger,
  isPlanning: boolean,
  { revision, zones, held }: LoadReport,
): void {
  const message = isPlanning
    ? "first round: what was applied before is not known; every zone is planned before the first write"
    : held === undefined
      ? "first round: the zones are planned; writing begins"
      : "first round: the zones are planned; nothing is written";
  logger.info({ revision, zones }, message);
}

/** Logs that metrics do not tell all values of a label. */
export function logCrowdedLabel(logger: Logger, label: string): void {
  logger.warn({ label }, "label with more values than metrics tell: the others are `other`");
}

/** Logs that a zone is no longer declared. */
export function logRemoval(logger: Logger, zone: string, { revision }: LoadReport): void {
  logger.warn({ zone, revision, live: "left as it was" }, "zone no longer managed");
}

export function logRollout(
  logger: Logger,
  { turn, former, stepsOf, ...facts }: RolloutTurn,
  { revision, commit }: LoadReport,
): void {
  const level = turn === "gate_over" ? "error" : "info";
  const replaced = former === undefined ? {} : { former: nameOfRevision(former) };
  const ofSteps = stepsOf === undefined ? {} : { steps_of: stepsOf };
  const message = stepsOf === undefined ? turnMessages[turn] : `steps ${turn}`;
  logger[level]({ ...facts, ...replaced, ...ofSteps, revision, commit }, message);
}

const turnMessages = {
  began: "rollout began",
  replaced: "rollout replaced",
  wave_began: "wave began",
  gate_over: "gate of a wave is shut",
  ended: "rollout ended",
  paused: "rollout paused",
  resumed: "rollout resumed",
  promoted: "rollout promoted",
  aborted: "rollout aborted",
} as const satisfies Readonly<Record<RolloutTurn["turn"], string>>;

/** Logs the notes that ask for a change of the files, when they are told for the first time. */
export function logNotes(logger: Logger, before: ZoneState, after: ZoneState): void {
  for (const note of after.notes) {
    if (before.notes.includes(note)) continue;
    const facts = { zone: after.declared.name, note };
    if (isLeftLive(note)) logger.warn(facts, "part of a zone no longer managed");
    if (isEndedSuspension(note)) logger.warn(facts, "suspension ended");
    if (isTwinNote(note)) logger.warn(facts, "policy doubled");
  }
}

/** Logs a line for each error, and for each code of the warnings; a single one in full. */
export function logDiagnostics(logger: Logger, diagnostics: readonly Diagnostic[]): void {
  const counts = warningCounts(diagnostics);
  const single = new Set(counts.filter(({ count }) => count === 1).map(({ code }) => code));
  for (const each of diagnostics) {
    const { code, place, path, message, remedy } = each;
    const isSevere = isError(each);
    if (!isSevere && !single.has(code)) continue;
    const at = `${place.file}:${place.line}:${place.column}`;
    const facts = { at, code, path, diagnostic: message, remedy };
    logger[isSevere ? "error" : "warn"](facts, "file diagnostic");
  }
  for (const { code, count, files } of counts) {
    if (count === 1) continue;
    const shown = files.slice(0, listedFiles);
    const more = files.length - shown.length;
    logger.warn(
      { code, count, files: shown, ...(more > 0 && { more_files: more }) },
      "file warnings",
    );
  }
}

/** Files with a warning that a log line names. */
const listedFiles = 5;

export function logInternalError(logger: Logger, error: unknown, zone: string | undefined): void {
  logger.error({ err: error, zone }, "internal error");
}

/** Logs internal errors, each with the zone that it happened in. */
export function internalErrorLog(logger: Logger): (error: unknown, zone: string) => void {
  return (error, zone) => logInternalError(logger, error, zone);
}

type Held = Extract<ZoneReport, { readonly result: "held" }>;
type Planned = Extract<ZoneReport, { readonly result: "planned" }>;

function logHeldPlan(logger: Logger, report: Held, facts: Facts, before: Before): void {
  if (report.holds.every(isObservation)) {
    logFound(logger, report, facts, before);
    return;
  }
  const found = { ...facts, ...plannedFacts(report.plan.changes) };
  const holds = report.holds.map(({ reason, message }) => ({ reason, message }));
  const level = hasWeakened(report.plan.changes) ? "error" : "warn";
  logger[isAsBefore(report, before) ? "debug" : level]({ ...found, holds }, "plan held");
}

/** Logs what differs; drift that weakens the protection is an error until it is corrected. */
function logFound(logger: Logger, report: Held | Planned, facts: Facts, before: Before): void {
  const { changes } = report.plan;
  const [cause = "unknown"] = causesIn(changes);
  const level = hasWeakened(changes) ? "error" : "info";
  const line = { ...facts, ...plannedFacts(changes) };
  logger[isAsBefore(report, before) ? "debug" : level](line, foundLines[cause]);
}

/** A zone that is held differs at each sweep: that is told once. */
function isAsBefore(report: Held | Planned, { differing, holds }: Before): boolean {
  const found = report.result === "held" ? report.holds : [];
  return (
    isDeepStrictEqual(differing, report.plan.changes) &&
    isDeepStrictEqual(
      holds.map(({ reason }) => reason),
      found.map(({ reason }) => reason),
    )
  );
}

/** By the first cause; the field `cause` has all. */
const foundLines = {
  drift: "drift detected",
  pending: "changes pending",
  unknown: "zone differs",
} as const satisfies Readonly<Record<Cause, string>>;

function hasWeakened(changes: readonly Change[]): boolean {
  return weakeningOf(changesWith("drift", changes)).length > 0;
}

function logApplied(logger: Logger, report: Applied, facts: Facts): void {
  const { changes } = report.plan;
  const result = runResultOf(report);
  const plan = { ...facts, cause: causeFact(changes), result, changes: changes.length };
  const found = { ...plan, ...driftFacts(changes) };
  const level = hasWeakened(changes) ? "warn" : "info";
  // What a shutdown or a lost Lease stopped is no failure, and not applied either.
  const message = result === "applied" ? "plan applied" : "plan not fully applied";
  logger[isFailure(report) ? "error" : level](found, message);
}

/** Logs the audit line of a write: credential, cause, changes and outcome. */
function logWrite(logger: Logger, report: Applied, outcome: Outcome, credential: string): void {
  const keys = new Set(outcome.write.changes);
  const changes = report.plan.changes.filter(({ key }) => keys.has(key));
  const facts = {
    audit: true,
    credential,
    zone: report.zone,
    run: report.run,
    trigger: report.trigger,
    revision: report.revision,
    commit: report.commit,
    cause: causeFact(changes),
    call: outcome.write.call,
    result: outcome.status,
    changes: changes.map(auditOf),
  };
  const { level, message } = writeLines[outcome.status];
  logger[level]({ ...facts, ...outcomeFacts(outcome) }, message);
}

const writeLines = {
  done: { level: "info", message: "write done" },
  failed: { level: "error", message: "write failed" },
  unknown: { level: "warn", message: "write outcome unknown" },
  skipped: { level: "warn", message: "write skipped" },
} as const satisfies Readonly<Record<Outcome["status"], object>>;

function outcomeFacts(outcome: Outcome): Facts {
  if (outcome.status === "done") return { ray: outcome.ray };
  if (outcome.status !== "skipped") return failureFacts(outcome.failure);
  const { reason, waitsFor } = outcome;
  return { reason, ...(waitsFor !== undefined && { waits_for: waitsFor }) };
}

function plannedFacts(changes: readonly Change[]): Facts {
  const planned = changes.map((each) => `${summaryOf(each)}: ${each.effect.direction}`);
  return { cause: causeFact(changes), planned, ...driftFacts(changes) };
}

/** The causes of changes: `drift`, `pending`, `unknown`, or several: `drift,pending`. */
function causeFact(changes: readonly Change[]): string {
  return causesIn(changes).join(",");
}

/** What somebody changed, as it was found, and the worst that it did to the protection. */
function driftFacts(changes: readonly Change[]): Facts {
  const drift = changesWith("drift", changes);
  if (drift.length === 0) return {};
  const found = new Set(drift.map(impactOf));
  const impact = impacts.find((each) => found.has(each));
  return { drift: driftLine(drift), drift_impact: impact, ...authorFacts(drift) };
}

/** Who made drift; nothing if the audit log was not asked. */
function authorFacts(drift: readonly Change[]): Facts {
  if (drift.every(({ authors }) => authors === undefined)) return {};
  const changed_by = authorsLine(drift);
  return { changed_by: changed_by === "" ? "unknown" : changed_by };
}

function failureFacts({ code, message, transient, ray, retryAfterMs }: Failure): Facts {
  return { code, error: message, transient, ray, retry_after_ms: retryAfterMs };
}

function auditOf(change: Change): Facts {
  const { key, verb, effect, fields } = change;
  const base = { key, verb, effect: effect.direction, fields: fields.map(clipped) };
  return { ...base, ...authorsJson(change) };
}

/**
 * Logs a read of a zone's inventory: a warning for each new malicious item, each kind that is newly not permitted and
 * the first failure in a row; anything else at `debug`.
 */
export function logInventory(
  logger: Logger,
  before: InventoryState | undefined,
  report: InventoryReport,
): void {
  const { zone } = report;
  if (report.result === "error") {
    const { code, message, ray } = report.failure;
    const level = before?.failingSince === undefined ? "warn" : "debug";
    logger[level]({ zone, code, error: message, ray }, "inventory read failed");
    return;
  }
  for (const { kind, name, page, malicious } of newlyMalicious(before ?? neverRead, report)) {
    logger.warn({ zone, kind, url: name, page, reason: malicious }, "malicious item found");
  }
  for (const [kind, { code, message, ray }] of report.facts.notPermitted) {
    if (before?.facts?.notPermitted.has(kind) === true) continue;
    logger.warn({ zone, kind, code, error: message, ray }, "inventory kind not permitted");
  }
  const counts = [...report.facts.kinds].map(([kind, { total }]) => [kind, total] as const);
  const outside = report.facts.outside?.count;
  logger.debug({ zone, ...Object.fromEntries(counts), outside }, "inventory read");
}
