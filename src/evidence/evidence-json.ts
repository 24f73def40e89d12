import { historyJson } from "../history/history-json.ts";
import type { Period } from "../history/timeline.ts";
import { authorsLine } from "../render/cause-text.ts";
import { type JsonObject, jsonOf, textOrNull } from "../syntax/json.ts";
import type { AuthorisedScript, DeclaredScripts } from "../zone/declared-scripts.ts";
import type { Policy } from "../zone/resource.ts";
import type { DeclaredItem, Evidence, KeptHistory, ZoneEvidence } from "./evidence-pack.ts";
import type { FilesRevision, FindingStory, ScriptStory } from "./evidence-stories.ts";
import { keysIn, pagesOf } from "./evidence-tables.ts";

/** The pack as JSON, in the form of `schemas/evidence.schema.json`. */
export function evidenceJson({ period, files, history, limits, zones }: Evidence): JsonObject {
  return {
    format: "zonewarden-evidence/1",
    // `until` is not part of the period.
    period: jsonOf(period),
    files: filesJson(files),
    history: keptHistoryJson(history),
    limits,
    zones: zones.map(zoneJson),
  };
}

function keptHistoryJson({ files, flaws, remarks, damaged, isProved }: KeptHistory): JsonObject {
  return jsonOf({
    result: flaws.length === 0 ? "intact" : "changed",
    compared: isProved,
    unreadableLines: damaged,
    files: files.map(({ file, lines, chains, firstAt, lastAt, head: last }) => {
      const head = last && { number: last.n, hash: last.hash };
      return { file, lines, chains, firstAt, lastAt, head };
    }),
    flaws,
    remarks,
  });
}

function zoneJson(zone: ZoneEvidence): JsonObject {
  const { atEnd, limits, controls, days, checks, longestPause, pauses } = zone;
  const { declared } = atEnd;
  const scripts = typeof declared === "string" ? undefined : declared.scripts;
  return {
    ...jsonOf({ zone: zone.zone, limits, controls, days, checks, longestPause, pauses }),
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
    findings: zone.findings.map(findingJson),
    scripts: zone.scripts.map(scriptJson),
    runs: zone.runs.map(historyJson),
    drift: zone.drift.map(({ earliest, detected, gone, changes }) => ({
      ...jsonOf({ earliest, detected, gone }),
      seconds: gone === undefined ? null : (Number(gone) - Number(detected)) / 1000,
      resources: keysIn(changes),
      authors: authorsLine(changes),
    })),
    statuses: zone.statuses.map(({ status, since, until }) => jsonOf({ since, until, status })),
  };
}

function filesJson({ revision, commit }: FilesRevision): JsonObject {
  return jsonOf({ revision, commit });
}

function checksJson(checks: Period | undefined): JsonObject {
  return jsonOf({ firstCheckAt: checks?.since, lastCheckAt: checks?.until });
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
  return { ...jsonOf({ pages, goneAfterDays }), authorised: authorised.map(entryJson) };
}

function entryJson(entry: AuthorisedScript): JsonObject {
  const { url, owner, justification, approvedBy, approvedOn, reviewBy } = entry;
  const { by } = entry.integrity;
  const integrity = by === "hashes" ? { hashes: entry.integrity.hashes } : by;
  return jsonOf({ url, owner, justification, approvedBy, approvedOn, reviewBy, integrity });
}

function findingJson(finding: FindingStory): JsonObject {
  const { id, kind, subject, detail, pageUrls, versions, openedAt, closedAt } = finding;
  const facts = { id, kind, subject, detail, pageUrls, versions, openedAt, closedAt };
  const steps = finding.steps.map(({ at, event, revision, commit, acceptance: acknowledged }) => {
    return { at, event, revision, commit, acknowledged };
  });
  return jsonOf({ ...facts, steps });
}

function scriptJson(script: ScriptStory): JsonObject {
  const { id, url, pageUrls, isAuthorised, enforcement: enforcedBy, vanishedAt, steps } = script;
  const entry = textOrNull(script.entry);
  return jsonOf({ id, url, pageUrls, entry, isAuthorised, enforcedBy, vanishedAt, steps });
}
