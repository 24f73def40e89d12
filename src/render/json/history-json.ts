import { causes, directions, verbs } from "../../plan/change.ts";
import { holdReasons } from "../../plan/guard/hold.ts";
import {
  historyChangeResults,
  historyEntryResults,
  type HistoryChange,
  type HistoryEntry,
} from "../../state/history.ts";
import { triggers } from "../../state/run-report.ts";
import { zoneStatuses } from "../../state/zone-state.ts";
import { isJsonObject, type Json, type JsonObject } from "../../syntax/json.ts";
import { knownName, looseDate, looseObjects, looseText } from "../../syntax/loose-json.ts";

/** An entry as JSON: the moment stands first, so that it can be read without the rest. */
export function historyJson(entry: HistoryEntry): JsonObject {
  return {
    at: entry.at.toISOString(),
    zone: entry.zone,
    run: entry.run,
    trigger: entry.trigger,
    revision: entry.revision,
    result: entry.result,
    status: entry.status,
    cause: entry.cause ?? null,
    drifted_since: entry.driftedSince?.toISOString() ?? null,
    clear_at: entry.clearAt?.toISOString() ?? null,
    changes: entry.changes.map(changeJson),
    holds: entry.holds.map(({ reason, message }) => ({ reason, message })),
    failure: entry.failure === undefined ? null : { ...entry.failure },
  };
}

/** The entry that a JSON value tells; `undefined` where it tells none. */
export function historyEntryFrom(value: unknown): HistoryEntry | undefined {
  if (!isJsonObject(value)) return undefined;
  const at = looseDate(value["at"]);
  const trigger = knownName(triggers, value["trigger"]);
  const result = knownName(historyEntryResults, value["result"]);
  const status = knownName(zoneStatuses, value["status"]);
  const zone = looseText(value["zone"]);
  if (!at || !trigger || !result || !status || zone === "") return undefined;
  return {
    at,
    zone,
    run: looseText(value["run"]),
    trigger,
    revision: looseText(value["revision"]),
    result,
    status,
    cause: knownName(causes, value["cause"]),
    driftedSince: looseDate(value["drifted_since"]),
    clearAt: looseDate(value["clear_at"]),
    changes: looseObjects(value["changes"]).flatMap(changeFrom),
    holds: looseObjects(value["holds"]).flatMap(holdFrom),
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

function changeFrom(value: JsonObject): readonly HistoryChange[] {
  const verb = knownName(verbs, value["verb"]);
  const direction = knownName(directions, value["effect"]);
  const result = knownName(historyChangeResults, value["result"]);
  if (verb === undefined || direction === undefined || result === undefined) return [];
  const fields = looseObjects(value["fields"]).map((part) => ({
    field: looseText(part["field"]),
    before: part["before"],
    after: part["after"],
  }));
  return [
    {
      verb,
      key: looseText(value["key"]),
      title: looseText(value["title"]),
      direction,
      result,
      fields,
    },
  ];
}

function holdFrom(value: JsonObject): HistoryEntry["holds"] {
  const reason = knownName(holdReasons, value["reason"]);
  return reason === undefined ? [] : [{ reason, message: looseText(value["message"]) }];
}

function failureFrom(value: Json | undefined): HistoryEntry["failure"] {
  if (!isJsonObject(value)) return undefined;
  return {
    code: looseText(value["code"]),
    message: looseText(value["message"]),
    ray: looseText(value["ray"]),
  };
}
