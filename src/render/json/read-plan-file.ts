import type { Change, FieldChange } from "../../plan/change.ts";
import { deleteReasons, directions, verbs } from "../../plan/change.ts";
import { holdReasons } from "../../plan/guard/hold.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Json, JsonObject } from "../../syntax/json.ts";
import { looseList, looseName, looseObject, looseText } from "../../syntax/loose-json.ts";
import { kinds, type ResourceKey } from "../../zone/resource.ts";
import type { Position, Write } from "../../zone/write.ts";
import { writeCalls } from "../../zone/write.ts";
import { zoneId, zoneName, type Zone } from "../../zone/zone.ts";

/**
 * Reads what `planJson` gave. What has the wrong type is read as something else of the right one: whether `json`
 * really is a plan shows in that `planJson` gives it again. `undefined` where not even the zone can be read.
 */
export function planOf(json: Json | undefined): Plan | undefined {
  const plan = looseObject(json);
  const zone = zoneOf(looseObject(plan["zone"]));
  if (zone === undefined) return undefined;
  return {
    zone,
    changes: looseList(plan["changes"]).map((each) => changeOf(looseObject(each))),
    writes: looseList(plan["writes"]).map((each) => writeOf(looseObject(each))),
    unmanaged: looseList(plan["unmanaged"]).map((each) => {
      const { kind, id, title } = looseObject(each);
      return { kind: looseName(kinds, kind), id: looseText(id), title: looseText(title) };
    }),
    notes: looseList(plan["notes"]).map(looseText),
    holds: looseList(plan["holds"]).map((each) => {
      const { reason, message } = looseObject(each);
      return { reason: looseName(holdReasons, reason), message: looseText(message) };
    }),
    compared: typeof plan["compared"] === "number" ? plan["compared"] : 0,
    owaspVersion: looseText(plan["owasp_version"]),
    marked: plan["marked"] === true,
  };
}

function zoneOf(json: JsonObject): Zone | undefined {
  const id = zoneId(looseText(json["id"]));
  const name = zoneName(looseText(json["name"]));
  if (id === undefined || name === undefined) return undefined;
  return {
    id,
    name,
    accountId: looseText(json["account_id"]),
    accountName: looseText(json["account_name"]),
    status: looseText(json["status"]),
    plan: looseText(json["plan"]),
  };
}

function changeOf(json: JsonObject): Change {
  const { direction, may_break: mayBreak, reasons } = looseObject(json["effect"]);
  const shared = {
    kind: looseName(kinds, json["kind"]),
    key: keyOf(json["key"]),
    title: looseText(json["title"]),
    fields: looseList(json["fields"]).map((each) => fieldOf(looseObject(each))),
    effect: {
      direction: looseName(directions, direction),
      mayBreak: mayBreak === true,
      reasons: looseList(reasons).map(looseText),
    },
  };
  const verb = looseName(verbs, json["verb"]);
  const id = looseText(json["id"]);
  switch (verb) {
    case "create":
      return { verb, ...shared };
    case "update":
      return { verb, ...shared, id, adopted: json["adopted"] === true };
    case "delete":
      return { verb, ...shared, id, reason: looseName(deleteReasons, json["reason"]) };
  }
}

function fieldOf({ field, before, after }: JsonObject): FieldChange {
  return { field: looseText(field), before, after };
}

function writeOf(json: JsonObject): Write {
  const call = looseName(writeCalls, json["call"]);
  const changes = looseList(json["changes"]).map(keyOf);
  const id = looseText(json["id"]);
  const ruleset = looseText(json["ruleset"]);
  const body = looseObject(json["body"]);
  switch (call) {
    case "update-settings":
    case "create-policy":
      return { call, body, changes };
    case "update-policy":
      return { call, id, body, changes };
    case "delete-policy":
      return { call, id, changes };
    case "create-rule":
      return { call, ruleset, body, position: positionOf(looseObject(json["position"])), changes };
    case "update-rule": {
      const position = json["position"] === null ? null : positionOf(looseObject(json["position"]));
      return { call, ruleset, id, body, position, changes };
    }
    case "delete-rule":
      return { call, ruleset, id, changes };
    case "put-entrypoint":
      return { call, rules: looseList(json["rules"]).map(looseObject), changes };
  }
}

function positionOf({ before, after, index }: JsonObject): Position {
  if (typeof index === "number") return { index };
  return after === undefined ? { before: looseText(before) } : { after: looseText(after) };
}

function keyOf(json: Json | undefined): ResourceKey {
  const key = looseText(json);
  const kind = kinds.find((each) => key.startsWith(`${each}/`)) ?? kinds[0];
  return `${kind}/${key.slice(kind.length + 1)}`;
}
