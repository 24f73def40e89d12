import type { Logger } from "pino";

import { type Cause, type Change, summaryOf } from "../../plan/change.ts";
import { clipped } from "../../state/history.ts";
import {
  type InventoryReport,
  type InventoryState,
  neverRead,
  newlyMalicious,
} from "../../state/inventory.ts";
import { brokenFiles, isError, type LoadReport } from "../../state/load-report.ts";
import {
  durationOf,
  type Failure,
  isFailure,
  isObservation,
  type Outcome,
  runResultOf,
  type ZoneReport,
} from "../../state/run-report.ts";
import type { ZoneState } from "../../state/zone-state.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";

type Applied = Extract<ZoneReport, { readonly result: "applied" }>;
type Facts = Readonly<Record<string, unknown>>;

/**
 * A run of a zone as log lines: one for the run, and before it one audit line for each write. A run that found
 * nothing is told at `debug` only.
 */
export function logZone(logger: Logger, report: ZoneReport, credential: string): void {
  const facts = {
    zone: report.zone,
    run: report.run,
    trigger: report.trigger,
    revision: report.revision,
    ms: durationOf(report),
  };
  switch (report.result) {
    case "in_sync":
      logger.debug(facts, "zone in sync");
      return;
    case "error":
      logger[report.failure.transient ? "warn" : "error"](
        { ...facts, ...failureFacts(report.failure) },
        "zone unreadable",
      );
      return;
    case "planned":
      logger.info({ ...facts, ...differenceFacts(report.plan.changes) }, foundMessage(report));
      return;
    case "held":
      logRefused(logger, report, facts);
      return;
    case "applied":
      for (const outcome of report.outcomes) logWrite(logger, report, outcome, credential);
      logApplied(logger, report, facts);
  }
}

/** Tells that the OWASP ruleset of a zone has moved since the look before. */
export function logMove(logger: Logger, before: ZoneState, { declared, owasp }: ZoneState): void {
  if (owasp?.moved === undefined || before.owasp?.version === owasp.version) return;
  const facts = { zone: declared.name, before: owasp.moved.from, after: owasp.version };
  logger.info(facts, "OWASP ruleset moved");
}

/** The result of a load as a log line. */
export function logLoad(logger: Logger, load: LoadReport): void {
  const { result, revision, zones, held, diagnostics } = load;
  const errors = diagnostics.filter(isError).length;
  const facts = { result, revision, zones, errors, warnings: diagnostics.length - errors };
  const broken = errors === 0 ? {} : { files: brokenFiles(diagnostics) };
  switch (result) {
    case "unchanged":
      logger.debug(facts, "revision unchanged");
      return;
    case "applied":
      logger.info(facts, "revision applied");
      return;
    case "partial":
      logger.warn({ ...facts, ...broken }, "revision partially applied");
      return;
    case "held": {
      const hold = { held: held?.revision, reason: held?.hold.reason, hold: held?.hold.message };
      logger.error({ ...facts, ...broken, ...hold }, "revision held");
      return;
    }
    case "rejected":
      logger.error({ ...facts, ...broken }, "revision rejected");
  }
}

/** One line for each problem, at the level of its severity. */
export function logProblems(logger: Logger, diagnostics: readonly Diagnostic[]): void {
  for (const { code, severity, place, path, message, remedy } of diagnostics) {
    const at = `${place.file}:${place.line}:${place.column}`;
    logger[severity === "error" ? "error" : "warn"](
      { at, code, path, diagnostic: message, remedy },
      "problem in a file",
    );
  }
}

/** Logs what only a fault of our own can be, with its stack; the loop goes on. */
export function logFault(logger: Logger, error: unknown, zone: string | undefined): void {
  logger.error({ err: error, zone }, "fault of the program itself");
}

function logRefused(
  logger: Logger,
  report: Extract<ZoneReport, { readonly result: "held" }>,
  facts: Facts,
): void {
  const found = { ...facts, ...differenceFacts(report.plan.changes) };
  if (report.holds.every(isObservation)) {
    logger.info(found, foundMessage(report));
    return;
  }
  const holds = report.holds.map(({ reason, message }) => ({ reason, message }));
  logger.warn({ ...found, holds }, "plan held");
}

function foundMessage({ cause }: { readonly cause: Cause }): string {
  return cause === "drift" ? "zone drifted" : "zone has pending changes";
}

function logApplied(logger: Logger, report: Applied, facts: Facts): void {
  const result = {
    ...facts,
    cause: report.cause,
    result: runResultOf(report),
    changes: report.plan.changes.length,
  };
  if (isFailure(report)) logger.error(result, "plan not fully carried out");
  else logger.info(result, "plan carried out");
}

/** Who wrote what, why, and what came of it. */
function logWrite(logger: Logger, report: Applied, outcome: Outcome, credential: string): void {
  const keys = new Set(outcome.write.changes);
  const facts = {
    audit: true,
    credential,
    zone: report.zone,
    run: report.run,
    trigger: report.trigger,
    revision: report.revision,
    cause: report.cause,
    call: outcome.write.call,
    result: outcome.status,
    changes: report.plan.changes.filter(({ key }) => keys.has(key)).map(auditOf),
  };
  switch (outcome.status) {
    case "done":
      logger.info({ ...facts, ray: outcome.ray }, "write done");
      return;
    case "failed":
      logger.error({ ...facts, ...failureFacts(outcome.failure) }, "write failed");
      return;
    case "unknown":
      logger.warn({ ...facts, ...failureFacts(outcome.failure) }, "write without an answer");
      return;
    case "skipped":
      logger.warn({ ...facts, reason: outcome.reason }, "write skipped");
  }
}

function differenceFacts(changes: readonly Change[]): Facts {
  return {
    differs: changes.map((change) => `${summaryOf(change)}: ${change.effect.direction}`),
  };
}

function failureFacts({ code, message, transient, ray, retryAfterMs }: Failure): Facts {
  return { code, failure: message, transient, ray, retry_after_ms: retryAfterMs };
}

function auditOf(change: Change): Facts {
  return {
    key: change.key,
    verb: change.verb,
    effect: change.effect.direction,
    fields: change.fields.map(clipped),
  };
}

/**
 * A look at a zone's inventory as log lines: one for each malicious item that was not known and each kind that was not
 * known to be refused, else only at `debug`.
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
    logger[level]({ zone, code, error: message, ray }, "inventory unreadable");
    return;
  }
  for (const { kind, name, page, malicious } of newlyMalicious(before ?? neverRead, report)) {
    logger.warn({ zone, kind, url: name, page, reason: malicious }, "malicious item found");
  }
  for (const [kind, { code, message, ray }] of report.facts.notPermitted) {
    if (before?.facts?.notPermitted.has(kind) === true) continue;
    logger.warn({ zone, kind, code, error: message, ray }, "items cannot be read");
  }
  const counts = [...report.facts.kinds].map(([kind, { total }]) => [kind, total] as const);
  const outside = report.facts.outside?.count;
  logger.debug({ zone, ...Object.fromEntries(counts), outside }, "inventory read");
}
