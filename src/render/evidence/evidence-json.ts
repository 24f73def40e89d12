import type { Evidence, KeptHistory, ZoneEvidence } from "../../state/evidence/evidence-pack.ts";
import type { FindingStory, ScriptStory } from "../../state/evidence/evidence-stories.ts";
import type { Acceptance } from "../../state/scripts/script-watch.ts";
import type { Period } from "../../state/timeline.ts";
import type { JsonObject } from "../../syntax/json.ts";
import type { AuthorisedScript, DeclaredScripts } from "../../zone/declared-scripts.ts";
import { authorsLine } from "../cause-text.ts";
import { historyJson } from "../history-json.ts";
import { keysIn } from "./evidence-tables.ts";

/** The pack as JSON, in the form of `schemas/evidence.schema.json`. */
export function evidenceJson({ period, files, history, limits, zones }: Evidence): JsonObject {
  return {
    format: "zonewarden-evidence/1",
    period: periodJson(period),
    files: { revision: files.revision, commit: files.commit ?? null },
    history: keptHistoryJson(history),
    limits,
    zones: zones.map(zoneJson),
  };
}

/** `until` is not part of the period. */
function periodJson({ since, until }: Period): JsonObject {
  return { since: since.toISOString(), until: until.toISOString() };
}

function keptHistoryJson({ files, flaws, remarks, damaged, isProved }: KeptHistory): JsonObject {
  return {
    result: flaws.length === 0 ? "intact" : "changed",
    compared: isProved,
    unreadable_lines: damaged,
    files: files.map(({ file, lines, chains, firstAt, lastAt, head }) => ({
      file,
      lines,
      chains,
      first_at: firstAt?.toISOString() ?? null,
      last_at: lastAt?.toISOString() ?? null,
      head: head === undefined ? null : { number: head.n, hash: head.hash },
    })),
    flaws: flaws.map((each) => ({ ...each })),
    remarks: remarks.map((each) => ({ ...each })),
  };
}

function zoneJson(zone: ZoneEvidence): JsonObject {
  const { declared, controls } = zone;
  const known = typeof declared === "string" ? undefined : declared;
  return {
    zone: zone.zone,
    limits: zone.limits,
    controls: controls.map(({ requirement, text, shown, notShown }) => ({
      requirement,
      text,
      shown,
      not_shown: notShown,
    })),
    declared: known?.scripts === undefined ? null : declaredJson(known.scripts),
    policies:
      known === undefined
        ? null
        : known.policies.map(({ key, description, enabled, action, expression, value }) => ({
            key,
            description,
            enabled,
            action,
            expression,
            value,
          })),
    revisions: zone.revisions.map(({ revision, commit, since, until }) => ({
      revision,
      commit: commit ?? null,
      first_check_at: since.toISOString(),
      last_check_at: until.toISOString(),
    })),
    days: zone.days.map((day) => ({ ...day })),
    checks: zone.checks,
    longest_pause: periodJson(zone.longestPause),
    pauses: zone.pauses.map(periodJson),
    findings: zone.findings.map(findingJson),
    scripts: zone.scripts.map(scriptJson),
    runs: zone.runs.map(historyJson),
    drift: zone.drift.map(({ earliest, detected, gone, changes }) => ({
      earliest: earliest.toISOString(),
      detected: detected.toISOString(),
      gone: gone?.toISOString() ?? null,
      seconds: gone === undefined ? null : (Number(gone) - Number(detected)) / 1000,
      resources: keysIn(changes),
      authors: authorsLine(changes),
    })),
    statuses: zone.statuses.map(({ status, ...span }) => ({
      ...periodJson(span),
      status: status ?? null,
    })),
  };
}

function declaredJson({ pages, authorised, goneAfterDays }: DeclaredScripts): JsonObject {
  return { pages, gone_after_days: goneAfterDays, authorised: authorised.map(entryJson) };
}

function entryJson(entry: AuthorisedScript): JsonObject {
  const { integrity } = entry;
  return {
    url: entry.url,
    owner: entry.owner,
    justification: entry.justification,
    approved_by: entry.approvedBy,
    approved_on: entry.approvedOn,
    review_by: entry.reviewBy,
    integrity: integrity.by === "hashes" ? { hashes: integrity.hashes } : integrity.by,
  };
}

function findingJson({ openedAt, closedAt, steps, ...finding }: FindingStory): JsonObject {
  const { id, kind, subject, detail, pageUrls, versions } = finding;
  return {
    id,
    kind,
    subject,
    detail,
    page_urls: pageUrls,
    versions: versions.map(({ hash, fetchedAt }) => ({
      hash,
      fetched_at: fetchedAt?.toISOString() ?? null,
    })),
    opened_at: openedAt.toISOString(),
    closed_at: closedAt?.toISOString() ?? null,
    steps: steps.map(({ at, event, revision, commit, acceptance }) => ({
      at: at.toISOString(),
      event,
      revision,
      commit: commit ?? null,
      acknowledged: acceptance === undefined ? null : acceptanceJson(acceptance),
    })),
  };
}

function acceptanceJson({ until, reason, by }: Acceptance): JsonObject {
  return { until: until.toISOString(), reason, by };
}

function scriptJson(script: ScriptStory): JsonObject {
  return {
    id: script.id,
    url: script.url,
    page_urls: script.pageUrls,
    entry: script.entry === "" ? null : script.entry,
    authorised: script.isAuthorised,
    enforced_by: script.enforcement.map((each) => ({ ...each })),
    vanished_at: script.vanishedAt?.toISOString() ?? null,
    steps: script.steps.map(({ at, event, hash, revision, commit }) => ({
      at: at.toISOString(),
      event,
      hash,
      revision,
      commit: commit ?? null,
    })),
  };
}
