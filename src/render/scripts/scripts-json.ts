import type { Enforcement } from "../../impact/script-enforcement.ts";
import {
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
  jsonOf,
  parseName,
  parseJson,
  coerceCount,
  textOrNull,
} from "../../syntax/json.ts";

const decisions = ["allows", "blocks", "unclear"] as const;

function findingJson(finding: ScriptFinding): JsonObject {
  const { id, kind, subject, detail, firstSeenAt, lastSeenAt, pageUrls, versions } = finding;
  const facts = { id, kind, subject, detail, firstSeenAt, lastSeenAt, pageUrls, versions };
  return jsonOf({ ...facts, acknowledged: finding.acceptance });
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

function versionFrom(json: JsonObject): SeenVersion {
  return { hash: coerceText(json["hash"]), fetchedAt: coerceDate(json["fetched_at"]) };
}

function watchedScriptJson(script: WatchedScript): JsonObject {
  const { id, url, hash, fetchedAt, pageUrls, firstSeenAt, lastSeenAt, isAuthorised } = script;
  const { versions, enforcement: enforcedBy } = script;
  const entry = textOrNull(script.entry);
  const seen = { id, url, hash, fetchedAt, pageUrls, firstSeenAt, lastSeenAt };
  return jsonOf({ ...seen, entry, isAuthorised, versions, enforcedBy });
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
    ...jsonOf({ since, readAt, pages, moreScripts, moreFindings }),
    scripts: scripts.map(watchedScriptJson),
    findings: findings.map(findingJson),
  };
}

/** What the state keeps of a zone's scripts, as text. */
export function scriptWatchText(watch: ScriptWatch): string {
  const { pagesAt, onPages, known, seen, recordedAt } = watch;
  return JSON.stringify({
    ...scriptsJson(watch),
    ...jsonOf({ pagesAt, onPages, known, seen, recordedAt }),
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
    ...jsonOf({ at, zone, revision, commit }),
    scripts: { ...jsonOf({ read, open, acknowledged }), events: events.map(eventJson) },
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
