import { historyAuthors } from "../history/history-text.ts";
import type { HistoryChange, HistoryEntry } from "../history/history.ts";
import { authorsLine, causeWords } from "../render/cause-text.ts";
import { durationText, valueText } from "../render/format.ts";
import type { ScriptIntegrity } from "../zone/declared-scripts.ts";
import type { DeclaredItem } from "./evidence-inventory.ts";
import type { ZoneEvidence } from "./evidence-pack.ts";
import type { FilesRevision } from "./evidence-stories.ts";

/** A table of the pack: the same rows in the page and in a CSV file. */
export interface EvidenceTable {
  /** Name of the CSV file, without its ending. */
  readonly name: string;
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** What the page says if there are no rows. */
  readonly empty: string;
}

/** The tables of a zone, in the order of the page. */
export function zoneTables(zone: ZoneEvidence): readonly EvidenceTable[] {
  return [
    authorisedTable(zone),
    seenTable(zone),
    findingsTable(zone),
    revisionsTable(zone),
    policiesTable(zone),
    changesTable(zone),
    driftTable(zone),
    statusesTable(zone),
  ];
}

/** A line for each day of the period. */
export function daysTable({ days }: ZoneEvidence): EvidenceTable {
  return {
    name: "days",
    title: "Days",
    columns: ["day", "status"],
    rows: days.map(({ day, status }) => [day, statusWords(status)]),
    empty: "",
  };
}

function authorisedTable({ inventory, atEnd }: ZoneEvidence): EvidenceTable {
  return {
    name: "authorised-scripts",
    title: "Inventory of authorised scripts",
    columns: [
      "script",
      "owner",
      "justification",
      "approved by",
      "approved on",
      "review by",
      "integrity",
      ...declaredColumns,
    ],
    rows: inventory.map(({ item, ...declared }) => [
      item.url,
      item.owner,
      item.justification,
      item.approvedBy,
      item.approvedOn,
      item.reviewBy,
      integrityText(item.integrity),
      ...declaredCells(declared),
    ]),
    empty: typeof atEnd.declared === "string" ? "Not known." : "The files authorise no script.",
  };
}

const declaredColumns = ["declared by", "first recorded check", "last recorded check"];

function declaredCells({
  files,
  checks,
}: Pick<DeclaredItem<unknown>, "files" | "checks">): readonly string[] {
  const none = "none: the files as they are now";
  return [
    filesText(files),
    checks?.since.toISOString() ?? none,
    checks?.until.toISOString() ?? none,
  ];
}

function integrityText(integrity: ScriptIntegrity): string {
  return integrity.by === "hashes" ? `hashes ${integrity.hashes.join(" ")}` : integrity.by;
}

function seenTable({ scripts }: ZoneEvidence): EvidenceTable {
  return {
    name: "seen-scripts",
    title: "Scripts that were on the pages",
    columns: ["script", "authorised when recorded", "entry", "recorded", "policies", "pages"],
    rows: scripts.map(({ url, isAuthorised, entry, steps, enforcement, pageUrls }) => [
      url,
      isAuthorised ? "yes" : "no",
      entry,
      steps
        .map(({ at, event, hash }) => `${at.toISOString()} ${event} ${hash}`.trimEnd())
        .join("; "),
      enforcement.map(({ policy, decision }) => `${policy} ${decision}`).join("; "),
      pageUrls.join(" "),
    ]),
    empty: "No script is recorded.",
  };
}

function findingsTable({ findings }: ZoneEvidence): EvidenceTable {
  return {
    name: "findings",
    title: "Findings, and what was done",
    columns: ["opened", "closed", "kind", "subject", "detail", "what was done", "pages", "id"],
    rows: findings.map((finding) => [
      finding.openedAt.toISOString(),
      finding.closedAt?.toISOString() ?? "",
      statusWords(finding.kind),
      finding.subject,
      finding.detail,
      finding.steps
        .map(({ at, event, acceptance, ...files }) => {
          const isNew = event === "acknowledged" || event === "renewed";
          const by =
            acceptance === undefined || !isNew
              ? ""
              : ` by ${acceptance.by} until ${acceptance.until.toISOString()}: ${acceptance.reason}`;
          return `${at.toISOString()} ${event}${by} (${filesText(files)})`;
        })
        .join("; "),
      finding.pageUrls.join(" "),
      finding.id,
    ]),
    empty: "No finding is recorded.",
  };
}

function revisionsTable({ revisions }: ZoneEvidence): EvidenceTable {
  return {
    name: "revisions",
    title: "Revisions of the files with which scripts were checked",
    columns: [
      "first recorded check",
      "last recorded check",
      "commit",
      "revision",
      "pages in scope",
      "not known because",
    ],
    rows: revisions.map(({ checks, commit, revision, declared }) => [
      checks?.since.toISOString() ?? "",
      checks?.until.toISOString() ?? "",
      commit ?? "",
      revision,
      typeof declared === "string" ? "" : (declared.scripts?.pages ?? []).join(" "),
      typeof declared === "string" ? declared : "",
    ]),
    empty: "No check is recorded.",
  };
}

function policiesTable({ policies, atEnd }: ZoneEvidence): EvidenceTable {
  return {
    name: "policies",
    title: "Content security policies that the files declare",
    columns: ["policy", "enabled", "action", "expression", "value", ...declaredColumns],
    rows: policies.map(({ item, ...declared }) => [
      item.key,
      item.enabled ? "yes" : "no",
      item.action,
      item.expression,
      item.value,
      ...declaredCells(declared),
    ]),
    empty: typeof atEnd.declared === "string" ? "Not known." : "The files declare no policy.",
  };
}

function changesTable({ runs }: ZoneEvidence): EvidenceTable {
  return {
    name: "changes",
    title: "Changes of policies, settings and rules",
    columns: ["at", "resource", "change", "cause", "who", "effect", "result", "files", "fields"],
    rows: runs.flatMap((run) => run.changes.map((change) => changeRow(run, change))),
    empty: "No change is recorded.",
  };
}

function changeRow(run: HistoryEntry, change: HistoryChange): readonly string[] {
  const { key, verb, causes, direction, result, fields } = change;
  return [
    run.at.toISOString(),
    key,
    verb,
    causeWords(causes),
    historyAuthors(change),
    direction,
    result === "found" ? "found, not written" : result,
    filesText({ revision: run.revision, commit: run.commit }),
    fields
      .map(({ field, before, after }) => `${field}: ${valueText(before)} → ${valueText(after)}`)
      .join("; "),
  ];
}

function driftTable({ drift }: ZoneEvidence): EvidenceTable {
  return {
    name: "drift",
    title: "Drift, and the time to correct it",
    columns: [
      "last run without it",
      "detected",
      "corrected or gone",
      "time to correct",
      "resources",
      "who",
    ],
    rows: drift.map(({ earliest, detected, gone, changes }) => [
      earliest.toISOString(),
      detected.toISOString(),
      gone?.toISOString() ?? "",
      gone === undefined ? "not by the end of the period" : durationText(+gone - +detected),
      keysIn(changes).join(", "),
      authorsLine(changes),
    ]),
    empty: "No drift is recorded.",
  };
}

/** The resources of changes, each once. */
export function keysIn(changes: readonly HistoryChange[]): readonly string[] {
  return [...new Set(changes.map(({ key }) => key))];
}

function statusesTable({ statuses }: ZoneEvidence): EvidenceTable {
  return {
    name: "statuses",
    title: "Recorded status of policies, settings and rules",
    columns: ["begin", "end", "status"],
    rows: statuses.map(({ since, until, status }) => [
      since.toISOString(),
      until.toISOString(),
      status === undefined ? "no record" : statusWords(status),
    ]),
    empty: "",
  };
}

/** `no_record` as `no record`. */
export function statusWords(name: string): string {
  return name.replaceAll("_", " ");
}

/** A revision of the files in full: Git's name for it, if there is one. */
export function filesText({ revision, commit }: FilesRevision): string {
  return commit === undefined ? `revision ${revision}` : `commit ${commit}`;
}
