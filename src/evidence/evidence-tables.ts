import { historyJson } from "../history/history-json.ts";
import { historyAuthors } from "../history/history-text.ts";
import type { HistoryChange } from "../history/history.ts";
import type { Period } from "../history/timeline.ts";
import { authorsLine, causeWords } from "../render/cause-text.ts";
import { csvText } from "../render/csv-cell.ts";
import { durationText, valueText } from "../render/format.ts";
import { type JsonObject, jsonOf, textOrNull } from "../syntax/json.ts";
import type { AuthorisedScript } from "../zone/declared-scripts.ts";
import type { Policy } from "../zone/resource.ts";
import type { SubjectDeclaration } from "./evidence-input.ts";
import {
  type FilesRevision,
  filesText,
  type FindingStep,
  type FindingStory,
  type ScriptStory,
} from "./evidence-stories.ts";
import type { Evidence } from "./evidence.ts";
import type { DeclaredItem, DeclaringRevision, DriftStory, RecordedZone } from "./recorded-zone.ts";

/** A table of the pack: the same rows in the page and in a CSV file. */
export interface EvidenceTable {
  /** Name of the CSV file, without its ending. */
  readonly name: string;
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** What the page says if there are no rows. */
  readonly empty: string;
  /** What `evidence.json` has in its place: the page and the CSV files do without it. */
  readonly json: () => JsonObject;
}

/** What the cells below each head of a table show of an item. */
type Cells<T> = Readonly<Record<string, (item: T) => string>>;

/** A table with a row for each item. */
export function tableOf<T>(
  { name = "", title = "", empty = "", json = () => ({}) }: Partial<EvidenceTable>,
  items: readonly T[],
  cells: Cells<T>,
): EvidenceTable {
  const rows = items.map((item) => Object.values(cells).map((textOf) => textOf(item)));
  return { name, title, columns: Object.keys(cells), rows, empty, json };
}

/** The tables of a zone, in the order of the page. */
export function zoneTables(zone: RecordedZone): readonly EvidenceTable[] {
  const isKnown = typeof zone.atEnd.declared !== "string";
  return [
    tableOf(
      {
        name: "authorised-scripts",
        title: "Inventory of authorised scripts",
        empty: isKnown ? "The files authorise no script." : "Not known.",
        json: () => ({
          inventory: zone.inventory.map((each) => declaredItemJson("entry", entryJson, each)),
        }),
      },
      zone.inventory,
      {
        script: ({ item }) => item.url,
        owner: ({ item }) => item.owner,
        justification: ({ item }) => item.justification,
        "approved by": ({ item }) => item.approvedBy,
        "approved on": ({ item }) => item.approvedOn,
        "review by": ({ item }) => item.reviewBy,
        integrity: ({ item: { integrity } }) =>
          integrity.by === "hashes" ? `hashes ${integrity.hashes.join(" ")}` : integrity.by,
        ...declaredCells,
      },
    ),
    tableOf(
      {
        name: "seen-scripts",
        title: "Scripts that were on the pages",
        empty: "No script is recorded.",
        json: () => ({ scripts: zone.scripts.map(scriptJson) }),
      },
      zone.scripts,
      {
        script: ({ url }) => url,
        "authorised when recorded": ({ isAuthorised }) => (isAuthorised ? "yes" : "no"),
        entry: ({ entry }) => entry,
        recorded: ({ steps }) =>
          steps
            .map(({ at, event, hash }) => `${at.toISOString()} ${event} ${hash}`.trimEnd())
            .join("; "),
        policies: ({ enforcement }) =>
          enforcement.map(({ policy, decision }) => `${policy} ${decision}`).join("; "),
        pages: ({ pageUrls }) => pageUrls.join(" "),
      },
    ),
    tableOf(
      {
        name: "findings",
        title: "Findings, and what was done",
        empty: "No finding is recorded.",
        json: () => ({ findings: zone.findings.map(findingJson) }),
      },
      zone.findings,
      {
        opened: ({ openedAt }) => openedAt.toISOString(),
        closed: ({ closedAt }) => momentText(closedAt),
        kind: ({ kind }) => statusWords(kind),
        subject: ({ subject }) => subject,
        detail: ({ detail }) => detail,
        "what was done": ({ steps }) => steps.map(stepText).join("; "),
        pages: ({ pageUrls }) => pageUrls.join(" "),
        id: ({ id }) => id,
      },
    ),
    tableOf(
      {
        name: "revisions",
        title: "Revisions of the files with which scripts were checked",
        empty: "No check is recorded.",
        json: () => ({ revisions: zone.revisions.map(revisionJson) }),
      },
      zone.revisions,
      {
        "first recorded check": ({ checks }) => momentText(checks?.since),
        "last recorded check": ({ checks }) => momentText(checks?.until),
        commit: ({ commit }) => commit ?? "",
        revision: ({ revision }) => revision,
        "pages in scope": ({ declared }) => pagesOf(declared).join(" "),
        "not known because": ({ declared }) => (typeof declared === "string" ? declared : ""),
      },
    ),
    tableOf(
      {
        name: "policies",
        title: "Content security policies that the files declare",
        empty: isKnown ? "The files declare no policy." : "Not known.",
        json: () => ({
          policies: zone.policies.map((each) => declaredItemJson("policy", policyJson, each)),
        }),
      },
      zone.policies,
      {
        policy: ({ item }) => item.key,
        enabled: ({ item }) => (item.enabled ? "yes" : "no"),
        action: ({ item }) => item.action,
        expression: ({ item }) => item.expression,
        value: ({ item }) => item.value,
        ...declaredCells,
      },
    ),
    tableOf(
      {
        name: "changes",
        title: "Changes of policies, settings and rules",
        empty: "No change is recorded.",
        json: () => ({ runs: zone.runs.map(historyJson) }),
      },
      zone.runs.flatMap((run) => run.changes.map((change) => ({ run, change }))),
      {
        at: ({ run }) => run.at.toISOString(),
        resource: ({ change }) => change.key,
        change: ({ change }) => change.verb,
        cause: ({ change }) => causeWords(change.causes),
        who: ({ change }) => historyAuthors(change),
        effect: ({ change }) => change.direction,
        result: ({ change: { result } }) => (result === "found" ? "found, not written" : result),
        files: ({ run: { revision, commit } }) => filesText({ revision, commit }),
        fields: ({ change: { fields } }) =>
          fields
            .map(
              ({ field, before, after }) => `${field}: ${valueText(before)} → ${valueText(after)}`,
            )
            .join("; "),
      },
    ),
    tableOf(
      {
        name: "drift",
        title: "Drift, and the time to correct it",
        empty: "No drift is recorded.",
        json: () => ({ drift: zone.drift.map(driftJson) }),
      },
      zone.drift,
      {
        "last run without it": ({ earliest }) => earliest.toISOString(),
        detected: ({ detected }) => detected.toISOString(),
        "corrected or gone": ({ gone }) => momentText(gone),
        "time to correct": ({ gone, detected }) =>
          gone === undefined ? "not by the end of the period" : durationText(+gone - +detected),
        resources: ({ changes }) => keysIn(changes).join(", "),
        who: ({ changes }) => authorsLine(changes),
      },
    ),
    tableOf(
      {
        name: "statuses",
        title: "Recorded status of policies, settings and rules",
        json: () => ({
          statuses: zone.statuses.map(({ status, since, until }) =>
            jsonOf({ since, until, status }),
          ),
        }),
      },
      zone.statuses,
      {
        begin: ({ since }) => since.toISOString(),
        end: ({ until }) => until.toISOString(),
        status: ({ status }) => (status === undefined ? "no record" : statusWords(status)),
      },
    ),
  ];
}

/** A line for each day of the period. */
function daysTable({ days }: RecordedZone): EvidenceTable {
  return tableOf({ name: "days", title: "Days" }, days, {
    day: ({ day }) => day,
    status: ({ status }) => statusWords(status),
  });
}

const now = "none: the files as they are now";

const declaredCells: Cells<DeclaredItem<unknown>> = {
  "declared by": ({ files }) => filesText(files),
  "first recorded check": ({ checks }) => checks?.since.toISOString() ?? now,
  "last recorded check": ({ checks }) => checks?.until.toISOString() ?? now,
};

function momentText(at: Date | undefined): string {
  return at?.toISOString() ?? "";
}

function stepText({ at, event, acceptance, ...files }: FindingStep): string {
  const isNew = event === "acknowledged" || event === "renewed";
  const by =
    acceptance === undefined || !isNew
      ? ""
      : ` by ${acceptance.by} until ${acceptance.until.toISOString()}: ${acceptance.reason}`;
  return `${at.toISOString()} ${event}${by} (${filesText(files)})`;
}

function revisionJson({ declared, checks, ...files }: DeclaringRevision): JsonObject {
  return {
    ...filesJson(files),
    ...checksJson(checks),
    pages: typeof declared === "string" ? null : pagesOf(declared),
    not_known: typeof declared === "string" ? declared : null,
  };
}

function driftJson({ earliest, detected, gone, changes }: DriftStory): JsonObject {
  return {
    ...jsonOf({ earliest, detected, gone }),
    seconds: gone === undefined ? null : (Number(gone) - Number(detected)) / 1000,
    resources: keysIn(changes),
    authors: authorsLine(changes),
  };
}

function declaredItemJson<T>(
  name: string,
  jsonOfItem: (item: T) => JsonObject,
  { item, files, checks }: DeclaredItem<T>,
): JsonObject {
  return { [name]: jsonOfItem(item), files: filesJson(files), ...checksJson(checks) };
}

export function filesJson({ revision, commit }: FilesRevision): JsonObject {
  return jsonOf({ revision, commit });
}

function checksJson(checks: Period | undefined): JsonObject {
  return jsonOf({ firstCheckAt: checks?.since, lastCheckAt: checks?.until });
}

function policyJson({ key, description, enabled, action, expression, value }: Policy): JsonObject {
  return { key, description, enabled, action, expression, value };
}

export function entryJson(entry: AuthorisedScript): JsonObject {
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

/** The pages in scope; none if it is not known what the files declared. */
export function pagesOf(declared: SubjectDeclaration | string): readonly string[] {
  return typeof declared === "string" ? [] : (declared.scripts?.pages ?? []);
}

/** The resources of changes, each once. */
function keysIn(changes: readonly HistoryChange[]): readonly string[] {
  return [...new Set(changes.map(({ key }) => key))];
}

/** `no_record` as `no record`. */
export function statusWords(name: string): string {
  return name.replaceAll("_", " ");
}

/** The tables of all zones as CSV files (RFC 4180) with their names, with the zone in the first column. */
export function evidenceCsv({
  zones,
}: Evidence): readonly { readonly file: string; readonly text: string }[] {
  const rows = zones.flatMap((zone) =>
    [...zoneTables(zone), daysTable(zone)].map((table) => ({ zone: zone.zone, table })),
  );
  return [...Map.groupBy(rows, ({ table }) => table.name)].map(([name, tables]) => {
    const heads = ["zone", ...(tables[0]?.table.columns ?? [])];
    const cells = tables.flatMap(({ zone, table }) => table.rows.map((row) => [zone, ...row]));
    return { file: `${name}.csv`, text: csvText([heads, ...cells]) };
  });
}
