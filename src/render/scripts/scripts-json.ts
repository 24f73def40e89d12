import type { Enforcement } from "../../impact/script-enforcement.ts";
import {
  type Acceptance,
  findingEvents,
  findingKinds,
  scriptEvents,
  type ScriptEvent,
  type ScriptFinding,
  type ScriptRecord,
  type ScriptWatch,
  type SeenVersion,
  type WatchedScript,
} from "../../state/scripts/script-watch.ts";
import {
  coerceDate,
  coerceObject,
  coerceObjects,
  coerceText,
  coerceTexts,
  isJsonObject,
  type JsonObject,
  parseName,
  parseJson,
  coerceCount,
} from "../../syntax/json.ts";

const decisions = ["allows", "blocks", "unclear"] as const;

function findingJson(finding: ScriptFinding): JsonObject {
  const { id, kind, subject, detail, firstSeenAt, lastSeenAt, pageUrls, acceptance } = finding;
  return {
    id,
    kind,
    subject,
    detail,
    first_seen_at: firstSeenAt.toISOString(),
    last_seen_at: lastSeenAt.toISOString(),
    page_urls: pageUrls,
    versions: finding.versions.map(versionJson),
    acknowledged: acceptance === undefined ? null : acceptanceJson(acceptance),
  };
}

/** Who accepted a finding, until when and why. */
export function acceptanceJson({ until, reason, by }: Acceptance): JsonObject {
  return { until: until.toISOString(), reason, by };
}

function findingFrom(value: unknown): ScriptFinding | undefined {
  const json = coerceObject(value);
  const [firstSeenAt, lastSeenAt] = [
    coerceDate(json["first_seen_at"]),
    coerceDate(json["last_seen_at"]),
  ];
  const kind = parseName(findingKinds, json["kind"]);
  const id = coerceText(json["id"]);
  if (kind === undefined || !firstSeenAt || !lastSeenAt || id === "") return undefined;
  const accepted = coerceObject(json["acknowledged"]);
  const until = coerceDate(accepted["until"]);
  return {
    id,
    kind,
    subject: coerceText(json["subject"]),
    detail: coerceText(json["detail"]),
    firstSeenAt,
    lastSeenAt,
    pageUrls: coerceTexts(json["page_urls"]),
    versions: coerceObjects(json["versions"]).map(versionFrom),
    acceptance: until && {
      until,
      reason: coerceText(accepted["reason"]),
      by: coerceText(accepted["by"]),
    },
  };
}

/** A content of a script, and when the service fetched it. */
export function versionJson({ hash, fetchedAt }: SeenVersion): JsonObject {
  return { hash, fetched_at: fetchedAt?.toISOString() ?? null };
}

function versionFrom(json: JsonObject): SeenVersion {
  return { hash: coerceText(json["hash"]), fetchedAt: coerceDate(json["fetched_at"]) };
}

function watchedScriptJson(script: WatchedScript): JsonObject {
  return {
    id: script.id,
    url: script.url,
    ...versionJson(script),
    page_urls: script.pageUrls,
    first_seen_at: script.firstSeenAt?.toISOString() ?? null,
    last_seen_at: script.lastSeenAt?.toISOString() ?? null,
    entry: script.entry === "" ? null : script.entry,
    authorised: script.isAuthorised,
    versions: script.versions.map(versionJson),
    enforced_by: script.enforcement.map((each) => ({ ...each })),
  };
}

function watchedScriptFrom(json: JsonObject): WatchedScript | undefined {
  const id = coerceText(json["id"]);
  if (id === "") return undefined;
  return {
    id,
    url: coerceText(json["url"]),
    ...versionFrom(json),
    pageUrls: coerceTexts(json["page_urls"]),
    firstSeenAt: coerceDate(json["first_seen_at"]),
    lastSeenAt: coerceDate(json["last_seen_at"]),
    entry: coerceText(json["entry"]),
    isAuthorised: json["authorised"] === true,
    versions: coerceObjects(json["versions"]).map(versionFrom),
    enforcement: coerceObjects(json["enforced_by"]).flatMap(enforcementFrom),
  };
}

function enforcementFrom(json: JsonObject): readonly Enforcement[] {
  const decision = parseName(decisions, json["decision"]);
  return decision === undefined ? [] : [{ policy: coerceText(json["policy"]), decision }];
}

/** The scripts and findings of a zone, as `/api/v1` and `zonewarden scripts` show them. */
export function scriptsJson(watch: ScriptWatch): JsonObject {
  const { since, readAt, pages, scripts, moreScripts, findings, moreFindings } = watch;
  return {
    since: since.toISOString(),
    read_at: readAt?.toISOString() ?? null,
    pages,
    scripts: scripts.map(watchedScriptJson),
    more_scripts: moreScripts,
    findings: findings.map(findingJson),
    more_findings: moreFindings,
  };
}

/** What the state keeps of a zone's scripts, as text. */
export function scriptWatchText(watch: ScriptWatch): string {
  return JSON.stringify({
    ...scriptsJson(watch),
    pages_at: watch.pagesAt ?? null,
    on_pages: watch.onPages,
    known: watch.known,
    seen: Object.fromEntries(watch.seen),
    recorded_at: watch.recordedAt ?? null,
  });
}

/** What was stored; `undefined` if it is not what {@link scriptWatchText} writes. */
export function scriptWatchFrom(text: string): ScriptWatch | undefined {
  const json = coerceObject(parseJson(text));
  const since = coerceDate(json["since"]);
  if (since === undefined) return undefined;
  return {
    since,
    readAt: coerceDate(json["read_at"]),
    pagesAt: coerceDate(json["pages_at"]),
    pages: coerceTexts(json["pages"]),
    onPages: coerceTexts(json["on_pages"]),
    known: coerceText(json["known"]),
    scripts: coerceObjects(json["scripts"]).flatMap((each) => watchedScriptFrom(each) ?? []),
    moreScripts: coerceCount(json["more_scripts"]),
    findings: coerceObjects(json["findings"]).flatMap((each) => findingFrom(each) ?? []),
    moreFindings: coerceCount(json["more_findings"]),
    seen: new Map(
      Object.entries(coerceObject(json["seen"])).flatMap(([url, at]): [string, Date][] => {
        const moment = coerceDate(at);
        return moment === undefined ? [] : [[url, moment]];
      }),
    ),
    recordedAt: coerceDate(json["recorded_at"]),
  };
}

/** A record of a check as JSON. `at` is first: the history file is recognised by it. */
export function scriptRecordJson(record: ScriptRecord): JsonObject {
  const { at, zone, revision, commit, read, open, acknowledged, events } = record;
  return {
    at: at.toISOString(),
    zone,
    revision,
    commit: commit ?? null,
    scripts: {
      read: read === undefined ? null : { ...read },
      open,
      acknowledged,
      events: events.map(eventJson),
    },
  };
}

function eventJson(each: ScriptEvent): JsonObject {
  return "finding" in each
    ? { event: each.event, finding: findingJson(each.finding) }
    : { event: each.event, script: watchedScriptJson(each.script) };
}

/** The record of a JSON value; `undefined` if it is none. */
export function scriptRecordFrom(value: unknown): ScriptRecord | undefined {
  const json = coerceObject(value);
  const at = coerceDate(json["at"]);
  const zone = coerceText(json["zone"]);
  const content = json["scripts"];
  if (at === undefined || zone === "" || !isJsonObject(content)) return undefined;
  const events = coerceObjects(content["events"]).map(eventFrom);
  if (events.includes(undefined)) return undefined;
  const read = content["read"];
  return {
    at,
    zone,
    revision: coerceText(json["revision"]),
    commit: coerceText(json["commit"]) || undefined,
    read: isJsonObject(read)
      ? { scripts: coerceCount(read["scripts"]), authorised: coerceCount(read["authorised"]) }
      : undefined,
    open: coerceCount(content["open"]),
    acknowledged: coerceCount(content["acknowledged"]),
    events: events.filter((each) => each !== undefined),
  };
}

function eventFrom(json: JsonObject): ScriptEvent | undefined {
  const finding = findingFrom(json["finding"]);
  const ofFinding = parseName(findingEvents, json["event"]);
  if (finding !== undefined && ofFinding !== undefined) return { event: ofFinding, finding };
  const script = watchedScriptFrom(coerceObject(json["script"]));
  const ofScript = parseName(scriptEvents, json["event"]);
  if (script === undefined || ofScript === undefined) return undefined;
  return { event: ofScript, script };
}
