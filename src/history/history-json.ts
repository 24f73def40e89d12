import { type Author, authorContexts, authorKinds } from "../plan/cause/author.ts";
import { type Cause, causes, directions, verbs } from "../plan/change.ts";
import { holdReasons } from "../plan/guard/hold.ts";
import { authorsJson, fieldJson } from "../render/plan-json.ts";
import type { TokenUse } from "../state/audit-status.ts";
import { impacts } from "../state/drift.ts";
import { triggers } from "../state/run-report.ts";
import { stepEventNames } from "../state/step-wait.ts";
import { zoneStatuses } from "../state/zone-state.ts";
import {
  isJsonObject,
  type Json,
  type JsonObject,
  jsonOf,
  parseName,
  coerceDate,
  coerceList,
  coerceObject,
  coerceObjects,
  coerceText,
  coerceTexts,
} from "../syntax/json.ts";
import type { StepValue } from "../zone/promotion.ts";
import {
  type HistoryChange,
  historyChangeResults,
  type HistoryEntry,
  historyEntryResults,
  type HistoryProgress,
  type HistoryStep,
} from "./history.ts";

/** An entry as JSON. `at` is first: the history file is recognised by it. */
export function historyJson(entry: HistoryEntry): JsonObject {
  const { at, zone, run, trigger, revision, commit, result, status } = entry;
  const { driftedSince, clearAt, holds, failure, tokenUses, stepEvents } = entry;
  const facts = { at, zone, run, trigger, revision, commit, result, status };
  return {
    ...jsonOf({ ...facts, causes: entry.causes, driftedSince, clearAt, failure }),
    changes: entry.changes.map(changeJson),
    holds: holds.map(({ reason, message }) => ({ reason, message })),
    ...(tokenUses === undefined ? {} : { token_uses: tokenUses.map(tokenUseJson) }),
    ...(stepEvents === undefined ? {} : { steps: stepEvents.map(stepEventJson) }),
  };
}

/** The entry of a JSON value; `undefined` if it is none. */
export function historyEntryFrom(value: unknown): HistoryEntry | undefined {
  if (!isJsonObject(value)) return undefined;
  const at = coerceDate(value["at"]);
  const trigger = parseName(triggers, value["trigger"]);
  const result = parseName(historyEntryResults, value["result"]);
  const status = parseName(zoneStatuses, value["status"]);
  const zone = coerceText(value["zone"]);
  if (!at || !trigger || !result || !status || zone === "") return undefined;
  return {
    at,
    zone,
    run: coerceText(value["run"]),
    trigger,
    revision: coerceText(value["revision"]),
    commit: coerceText(value["commit"]) || undefined,
    result,
    status,
    causes: causesFrom(value),
    driftedSince: coerceDate(value["drifted_since"]),
    clearAt: coerceDate(value["clear_at"]),
    changes: coerceObjects(value["changes"]).flatMap(changeFrom),
    holds: coerceObjects(value["holds"]).flatMap(holdFrom),
    failure: failureFrom(value["failure"]),
    ...(value["token_uses"] === undefined
      ? {}
      : { tokenUses: coerceObjects(value["token_uses"]).flatMap(tokenUseFrom) }),
    ...(value["steps"] === undefined
      ? {}
      : { stepEvents: coerceObjects(value["steps"]).flatMap(stepEventFrom) }),
  };
}

/** A use of a token as JSON. */
export function tokenUseJson({ at, credential, zone, method, path, ray }: TokenUse): JsonObject {
  return jsonOf({ at, credential, zone, method, path, ray });
}

function tokenUseFrom(value: JsonObject): readonly TokenUse[] {
  const at = coerceDate(value["at"]);
  const text = (key: string): string => coerceText(value[key]);
  const [credential, zone, method] = [text("credential"), text("zone"), text("method")];
  if (at === undefined || credential === "") return [];
  return [{ at, credential, zone, method, path: text("path"), ray: text("ray") }];
}

function stepEventJson({ key, event, from, to, cause }: HistoryStep): JsonObject {
  return { ...jsonOf({ key, event, from, to }), cause: cause === undefined ? null : jsonOf(cause) };
}

function stepEventFrom(value: JsonObject): readonly HistoryStep[] {
  const event = parseName(stepEventNames, value["event"]);
  const key = coerceText(value["key"]);
  const { from: before, to: after } = value;
  const [from, to] = [stepValueIn(before), stepValueIn(after)];
  if (event === undefined || from === undefined || to === undefined || key === "") return [];
  return [{ key, event, from, to, cause: stepCauseIn(value["cause"]) }];
}

function stepCauseIn(value: Json | undefined): HistoryStep["cause"] {
  const { by, count, requests } = coerceObject(value);
  if (typeof by === "string") return { by };
  return typeof count === "number" && typeof requests === "number"
    ? { count, requests }
    : undefined;
}

function stepValueIn(value: Json | undefined): StepValue | undefined {
  return typeof value === "string" || typeof value === "number" ? value : undefined;
}

/** The progress of a run as JSON. `at` is first here too. */
export function progressJson({ at, zone, run, results }: HistoryProgress): JsonObject {
  return jsonOf({ at, zone, run, result: "running", results });
}

/** The progress of a JSON value; `undefined` if it is none. */
export function progressFrom(value: unknown): HistoryProgress | undefined {
  if (!isJsonObject(value)) return undefined;
  const at = coerceDate(value["at"]);
  const [zone, run] = [coerceText(value["zone"]), coerceText(value["run"])];
  if (!at || zone === "" || run === "" || !Array.isArray(value["results"])) return undefined;
  const results = value["results"].flatMap((each) => parseName(historyChangeResults, each) ?? []);
  return results.length === value["results"].length ? { at, zone, run, results } : undefined;
}

/** Entries of former versions have one cause for the whole run. */
function causesFrom(value: JsonObject): readonly Cause[] {
  const found = [value["cause"], ...coerceList(value["causes"])];
  return causes.filter((cause) => found.includes(cause));
}

function changeJson(change: HistoryChange): JsonObject {
  const { verb, key, title, direction: effect, drift: driftImpact, result } = change;
  return {
    ...jsonOf({ verb, key, title, effect, causes: change.causes, driftImpact, result }),
    fields: change.fields.map(fieldJson),
    ...authorsJson(change),
  };
}

function changeFrom(value: JsonObject): readonly HistoryChange[] {
  const verb = parseName(verbs, value["verb"]);
  const direction = parseName(directions, value["effect"]);
  const result = parseName(historyChangeResults, value["result"]);
  if (verb === undefined || direction === undefined || result === undefined) return [];
  const fields = coerceObjects(value["fields"]).map(({ field, before, after }) => {
    return { field: coerceText(field), before, after };
  });
  return [
    {
      verb,
      key: coerceText(value["key"]),
      title: coerceText(value["title"]),
      direction,
      causes: causesFrom(value),
      drift: parseName(impacts, value["drift_impact"]),
      result,
      fields,
      ...(value["authors"] === undefined
        ? {}
        : { authors: coerceObjects(value["authors"]).flatMap(authorFrom) }),
    },
  ];
}

/** The author of a JSON value; none if it is none. */
export function authorFrom(value: JsonObject): readonly Author[] {
  const at = coerceDate(value["at"]);
  const kind = parseName(authorKinds, value["kind"]);
  if (at === undefined || kind === undefined) return [];
  return [
    {
      kind,
      name: coerceText(value["name"]),
      context: parseName(authorContexts, value["context"]) ?? "other",
      at,
      method: coerceText(value["method"]),
      path: coerceText(value["path"]),
      ray: coerceText(value["ray"]),
      isCertain: value["certain"] === true,
      fields: coerceTexts(value["fields"]),
    },
  ];
}

function holdFrom(value: JsonObject): HistoryEntry["holds"] {
  const reason = parseName(holdReasons, value["reason"]);
  return reason === undefined ? [] : [{ reason, message: coerceText(value["message"]) }];
}

function failureFrom(value: Json | undefined): HistoryEntry["failure"] {
  if (!isJsonObject(value)) return undefined;
  return {
    code: coerceText(value["code"]),
    message: coerceText(value["message"]),
    ray: coerceText(value["ray"]),
  };
}
