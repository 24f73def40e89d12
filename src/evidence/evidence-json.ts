import { historyJson } from "../history/history-json.ts";
import type { Period } from "../history/timeline.ts";
import { authorsLine } from "../render/cause-text.ts";
import { acceptanceJson, versionJson } from "../render/scripts/scripts-json.ts";
import type { JsonObject } from "../syntax/json.ts";
import type { AuthorisedScript, DeclaredScripts } from "../zone/declared-scripts.ts";
import type { Policy } from "../zone/resource.ts";
import type { DeclaredItem, Evidence, KeptHistory, ZoneEvidence } from "./evidence-pack.ts";
import type { FilesRevision, FindingStory, ScriptStory } from "./evidence-stories.ts";
import { keysIn, pagesOf } from "./evidence-tables.ts";

/** The pack as JSON, in the form of `schemas/evidence.schema.json`. */
export function evidenceJson({ period, files, history, limits, zones }: Evidence): JsonObject {
  return {
    format: "zonewarden-evidence/1",
    period: periodJson(period),
    files: filesJson(files),
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
  const { atEnd, controls } = zone;
  const { declared } = atEnd;
  const scripts = typeof declared === "string" ? undefined : declared.scripts;
  return {
    zone: zone.zone,
    limits: zone.limits,
    controls: controls.map(({ requirement, text, shown, notShown }) => ({
      requirement,
      text,
      shown,
      not_shown: notShown,
    })),
    declared: scripts === undefined ? null : { ...declaredJson(scripts), files: filesJson(atEnd) },
    inventory: zone.inventory.map(({ item, ...each }) => ({
      entry: entryJson(item),
      ...declaredAtJson(each),
    })),
    policies: zone.policies.map(({ item, ...each }) => ({
      policy: policyJson(item),
      ...declaredAtJson(each),
    })),
    revisions: zone.revisions.map((each) => ({
      ...filesJson(each),
      ...checksJson(each.checks),
      pages: typeof each.declared === "string" ? null : pagesOf(each.declared),
      not_known: typeof each.declared === "string" ? each.declared : null,
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

function filesJson({ revision, commit }: FilesRevision): JsonObject {
  return { revision, commit: commit ?? null };
}

function checksJson(checks: Period | undefined): JsonObject {
  return {
    first_check_at: checks?.since.toISOString() ?? null,
    last_check_at: checks?.until.toISOString() ?? null,
  };
}

function declaredAtJson({
  files,
  checks,
}: Pick<DeclaredItem<unknown>, "files" | "checks">): JsonObject {
  return { files: filesJson(files), ...checksJson(checks) };
}

function policyJson({ key, description, enabled, action, expression, value }: Policy): JsonObject {
  return { key, description, enabled, action, expression, value };
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
    versions: versions.map(versionJson),
    opened_at: openedAt.toISOString(),
    closed_at: closedAt?.toISOString() ?? null,
    steps: steps.map(({ at, event, acceptance, ...files }) => ({
      at: at.toISOString(),
      event,
      ...filesJson(files),
      acknowledged: acceptance === undefined ? null : acceptanceJson(acceptance),
    })),
  };
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
    steps: script.steps.map(({ at, event, hash, ...files }) => ({
      at: at.toISOString(),
      event,
      hash,
      ...filesJson(files),
    })),
  };
}
