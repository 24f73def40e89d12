import { causes, directions } from "../plan/change.ts";
import { refusalCodes } from "../plan/refusal.ts";
import { isJsonObject, type Json, type JsonObject } from "../syntax/json.ts";
import { changeResults } from "./change-result.ts";
import { historyVerdicts, type HistoryChange, type HistoryEntry } from "./history.ts";
import { triggers } from "./run-report.ts";
import { zoneStatuses } from "./zone-state.ts";

/** An entry as JSON: the moment stands first, so that it can be read without the rest. */
export function historyJson(entry: HistoryEntry): JsonObject {
  return {
    at: entry.at.toISOString(),
    zone: entry.zone,
    run: entry.run,
    trigger: entry.trigger,
    revision: entry.revision,
    verdict: entry.verdict,
    status: entry.status,
    cause: entry.cause ?? null,
    drifted_since: entry.driftedSince?.toISOString() ?? null,
    clear_at: entry.clearAt?.toISOString() ?? null,
    changes: entry.changes.map(changeJson),
    refusals: entry.refusals.map(({ code, message }) => ({ code, message })),
    failure: entry.failure === undefined ? null : { ...entry.failure },
  };
}

/** The entry that a JSON value tells; `undefined` where it tells none. */
export function historyEntryFrom(value: unknown): HistoryEntry | undefined {
  if (!isJsonObject(value)) return undefined;
  const at = dateIn(value["at"]);
  const trigger = oneOf(triggers, value["trigger"]);
  const verdict = oneOf(historyVerdicts, value["verdict"]);
  const status = oneOf(zoneStatuses, value["status"]);
  const zone = textIn(value["zone"]);
  if (!at || !trigger || !verdict || !status || zone === "") return undefined;
  return {
    at,
    zone,
    run: textIn(value["run"]),
    trigger,
    revision: textIn(value["revision"]),
    verdict,
    status,
    cause: oneOf(causes, value["cause"]),
    driftedSince: dateIn(value["drifted_since"]),
    clearAt: dateIn(value["clear_at"]),
    changes: objectsIn(value["changes"]).flatMap(changeFrom),
    refusals: objectsIn(value["refusals"]).flatMap(refusalFrom),
    failure: failureFrom(value["failure"]),
  };
}

function changeJson({ verb, key, title, direction, result, fields }: HistoryChange): JsonObject {
  return {
    verb,
    key,
    title,
    effect: direction,
    result,
    fields: fields.map(({ field, before, after }) => ({
      field,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    })),
  };
}

const verbs = ["create", "update", "delete"] as const;
const results = [...changeResults, "found"] as const;

function changeFrom(value: JsonObject): readonly HistoryChange[] {
  const verb = oneOf(verbs, value["verb"]);
  const direction = oneOf(directions, value["effect"]);
  const result = oneOf(results, value["result"]);
  if (verb === undefined || direction === undefined || result === undefined) return [];
  const fields = objectsIn(value["fields"]).map((part) => ({
    field: textIn(part["field"]),
    before: part["before"],
    after: part["after"],
  }));
  return [
    { verb, key: textIn(value["key"]), title: textIn(value["title"]), direction, result, fields },
  ];
}

function refusalFrom(value: JsonObject): HistoryEntry["refusals"] {
  const code = oneOf(refusalCodes, value["code"]);
  return code === undefined ? [] : [{ code, message: textIn(value["message"]) }];
}

function failureFrom(value: Json | undefined): HistoryEntry["failure"] {
  if (!isJsonObject(value)) return undefined;
  return {
    code: textIn(value["code"]),
    message: textIn(value["message"]),
    ray: textIn(value["ray"]),
  };
}

function oneOf<T extends string>(known: readonly T[], value: Json | undefined): T | undefined {
  return known.find((each) => each === value);
}

function textIn(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function dateIn(value: Json | undefined): Date | undefined {
  const at = new Date(typeof value === "string" ? value : Number.NaN);
  return Number.isNaN(at.getTime()) ? undefined : at;
}

function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((part: Json) => isJsonObject(part)) : [];
}
