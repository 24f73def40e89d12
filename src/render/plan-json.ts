import type { Author } from "../plan/cause/author.ts";
import { causesIn } from "../plan/cause/cause.ts";
import type { Change, FieldChange } from "../plan/change.ts";
import { planHash } from "../plan/guard/release.ts";
import type { Plan } from "../plan/plan.ts";
import type { Failure, Outcome, RunReport, ZoneReport } from "../state/run-report.ts";
import { summarize } from "../state/summary.ts";
import { definedMembers, type JsonObject, jsonOf, textOrNull } from "../syntax/json.ts";

/** Format of {@link reportJson}; see `schemas/plan.schema.json`. */
export const reportFormat = "zonewarden-report/2";

/** A run as JSON: zones with their plans and results. */
export function reportJson(report: RunReport): JsonObject {
  const { converged: _, ...summary } = summarize(report.zones);
  const { revision, commit, startedAt, finishedAt, zones } = report;
  return {
    ...jsonOf({ format: reportFormat, revision, commit, startedAt, finishedAt, summary }),
    zones: zones.map(zoneJson),
  };
}

function zoneJson(report: ZoneReport): JsonObject {
  const { zone, result } = report;
  if (report.result === "error") return { zone, result, failure: failureJson(report.failure) };
  const plan = planJson(report.plan);
  if (report.result === "in_sync") return { zone, result, plan };
  const base = { zone, result, causes: causesIn(report.plan.changes), plan };
  switch (report.result) {
    case "planned":
      return base;
    case "held":
      return { ...base, holds: report.holds.map(({ reason, message }) => ({ reason, message })) };
    case "applied":
      return {
        ...base,
        outcomes: report.outcomes.map(outcomeJson),
        left: report.left.map(changeJson),
      };
  }
}

/** A plan as JSON, complete: reading it back gives an equal plan. */
export function planJson(plan: Plan): JsonObject {
  const { id, name, accountId, accountName, status, tier } = plan.zone;
  return {
    zone: { id, name, account_id: accountId, account_name: accountName, status, plan: tier },
    hash: planHash(plan),
    changes: plan.changes.map(changeJson),
    writes: plan.writes.map((write) => ({ ...write })),
    unmanaged: plan.unmanaged.map((each) => ({ ...each })),
    unowned: plan.unowned.map((each) => ({ ...each })),
    adopted_rules: plan.adoptedRules.map((each) => ({ ...each })),
    ...stepsJson(plan),
    notes: plan.notes,
    holds: plan.holds.map(({ reason, message }) => ({ reason, message })),
    compared: plan.compared,
    deletable: plan.deletable,
    owasp_version: plan.owaspVersion,
  };
}

/** The steps of promoted objects; left out if there are none. */
function stepsJson({ steps }: Plan): JsonObject {
  if (steps.size === 0) return {};
  const list = [...steps].map(([key, { field, steps: values, live = null, planned }]) => {
    return { key, field, steps: values, live, planned };
  });
  return { steps: list };
}

/** A change as JSON, without missing sides. */
export function changeJson(change: Change): JsonObject {
  const { verb, kind, key, title, effect } = change;
  return {
    verb,
    kind,
    key,
    title,
    ...(verb === "update" ? { id: change.id, adopted: change.adopted } : {}),
    ...(verb === "delete" ? { id: change.id, reason: change.reason } : {}),
    fields: change.fields.map(fieldJson),
    effect: { direction: effect.direction, may_break: effect.mayBreak, reasons: effect.reasons },
    causes: change.causes.map(({ cause, fields }) => ({ cause, fields })),
    ...authorsJson(change),
    ...measuredJson(change),
  };
}

/** What was counted of the effect; left out if nobody looked, or nothing can be counted. */
function measuredJson({ measured }: Change): JsonObject {
  if (measured === undefined) return {};
  if ("why" in measured) return { measured_effect: { state: "unknown", reason: measured.why } };
  const { before, after, extent, count, requests = null, isEstimate, hours, ofHours } = measured;
  const counts = { count, requests, is_estimate: isEstimate, hours, of_hours: ofHours };
  return { measured_effect: { state: "measured", before, after, extent, ...counts } };
}

/** The authors of drift; left out if the audit log was not asked. */
export function authorsJson({ authors }: Pick<Change, "authors">): JsonObject {
  return authors === undefined ? {} : { authors: authors.map(authorJson) };
}

/** What the audit log does not say, or may not be shown, is `null`. */
function authorJson({ kind, name, context, at, method, path, ray, ...rest }: Author): JsonObject {
  return {
    ...jsonOf({ kind, context, at, isCertain: rest.isCertain, fields: rest.fields }),
    name: textOrNull(name),
    method: textOrNull(method),
    path: textOrNull(path),
    ray: textOrNull(ray),
  };
}

/** Both sides of a field, without a missing one. */
export function fieldJson({ field, before, after }: FieldChange): JsonObject {
  return definedMembers({ field, before, after });
}

export function failureJson({ code, message, transient, ray }: Failure): JsonObject {
  return { code, message, transient, ray };
}

function outcomeJson(outcome: Outcome): JsonObject {
  const { status, write } = outcome;
  const base = { status, call: write.call, changes: write.changes };
  switch (outcome.status) {
    case "done":
      return { ...base, ray: outcome.ray, interleaved: outcome.interleaved };
    case "failed":
    case "unknown":
      return { ...base, failure: failureJson(outcome.failure) };
    case "skipped":
      return definedMembers({ ...base, reason: outcome.reason, waits_for: outcome.waitsFor });
  }
}
