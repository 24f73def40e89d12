import { causes, type Change, deleteReasons, directions, verbs } from "../plan/change.ts";
import { holdReasons } from "../plan/guard/hold.ts";
import type { Unowned } from "../plan/ownership.ts";
import type { Plan } from "../plan/plan.ts";
import type { PromotedStep } from "../plan/promoted-step.ts";
import {
  type Json,
  type JsonObject,
  coerceList,
  coerceName,
  coerceObject,
  coerceObjects,
  coerceText,
  coerceTexts,
} from "../syntax/json.ts";
import { promotedFields } from "../zone/promotion.ts";
import { kinds, listedKinds, type ResourceKey, ruleKinds } from "../zone/resource.ts";
import { rulePhases } from "../zone/rule-phase.ts";
import type { RulePlace } from "../zone/rule-place.ts";
import { isRuleRef, isServiceId } from "../zone/service-id.ts";
import { isRulesetCall, type CustomRulesetWrite, type Write, writeCalls } from "../zone/write.ts";
import { type Zone, zoneId, zoneName } from "../zone/zone.ts";

/**
 * Reads what `planJson` gave. What has the wrong type is read as something else of the right one: whether `json`
 * really is a plan shows in that `planJson` gives it again. `undefined` if not even the zone can be read.
 */
export function planOf(json: Json | undefined): Plan | undefined {
  const plan = coerceObject(json);
  const zone = zoneOf(coerceObject(plan["zone"]));
  if (zone === undefined) return undefined;
  return {
    zone,
    changes: coerceObjects(plan["changes"]).map(changeOf),
    writes: coerceObjects(plan["writes"]).map(writeOf),
    // Not in the file: `apply` takes them from the plan of today.
    waitsFor: new Map(),
    grown: [],
    liveKeys: new Map(),
    policyForms: new Map(),
    steps: new Map(coerceObjects(plan["steps"]).map(stepOf)),
    placedBy: new Map(),
    unmanaged: coerceObjects(plan["unmanaged"]).map(({ kind, id, title }) => {
      return { kind: coerceName(kinds, kind), id: coerceText(id), title: coerceText(title) };
    }),
    unowned: coerceObjects(plan["unowned"]).map(unownedOf),
    adoptedRules: coerceObjects(plan["adopted_rules"]).map(({ kind, id, ref, key }) => ({
      kind: coerceName(ruleKinds, kind),
      id: coerceText(id),
      ref: coerceText(ref),
      key: coerceText(key),
    })),
    notes: coerceList(plan["notes"]).map(coerceText),
    holds: coerceObjects(plan["holds"]).map(({ reason, message }) => {
      return { reason: coerceName(holdReasons, reason), message: coerceText(message) };
    }),
    compared: typeof plan["compared"] === "number" ? plan["compared"] : 0,
    deletable: typeof plan["deletable"] === "number" ? plan["deletable"] : 0,
    owaspVersion: coerceText(plan["owasp_version"]),
  };
}

function stepOf({
  key,
  field,
  steps,
  live,
  planned,
}: JsonObject): readonly [ResourceKey, PromotedStep] {
  const [first = "", second = "", ...others] = coerceList(steps).map((value) =>
    typeof value === "number" ? value : coerceText(value),
  );
  const step = {
    field: coerceName(promotedFields, field),
    steps: [first, second, ...others],
    live: typeof live === "number" ? live : undefined,
    planned: typeof planned === "number" ? planned : 0,
  } as const;
  return [keyOf(key), step];
}

function zoneOf(json: JsonObject): Zone | undefined {
  const id = zoneId(coerceText(json["id"]));
  const name = zoneName(coerceText(json["name"]));
  if (id === undefined || name === undefined) return undefined;
  return {
    id,
    name,
    accountId: coerceText(json["account_id"]),
    accountName: coerceText(json["account_name"]),
    status: coerceText(json["status"]),
    tier: coerceText(json["plan"]),
  };
}

function unownedOf({ kind, key, id, ref, title }: JsonObject): Unowned {
  return {
    kind: coerceName(listedKinds, kind),
    key: keyOf(key),
    id: coerceText(id),
    ref: coerceText(ref),
    title: coerceText(title),
  };
}

function changeOf(json: JsonObject): Change {
  const { direction, may_break: mayBreak, reasons } = coerceObject(json["effect"]);
  const shared = {
    kind: coerceName(kinds, json["kind"]),
    key: keyOf(json["key"]),
    title: coerceText(json["title"]),
    fields: coerceObjects(json["fields"]).map(({ field, before, after }) => {
      return { field: coerceText(field), before, after };
    }),
    effect: {
      direction: coerceName(directions, direction),
      mayBreak: mayBreak === true,
      reasons: coerceList(reasons).map(coerceText),
    },
    causes: coerceObjects(json["causes"]).map(({ cause, fields }) => {
      return { cause: coerceName(causes, cause), fields: coerceTexts(fields) };
    }),
  };
  const verb = coerceName(verbs, json["verb"]);
  const id = coerceText(json["id"]);
  switch (verb) {
    case "create":
      return { verb, ...shared };
    case "update":
      return { verb, ...shared, id, adopted: json["adopted"] === true };
    case "delete":
      return { verb, ...shared, id, reason: coerceName(deleteReasons, json["reason"]) };
  }
}

function writeOf(json: JsonObject): Write {
  const call = coerceName(writeCalls, json["call"]);
  const changes = coerceList(json["changes"]).map(keyOf);
  const id = idOf(json["id"]);
  const ruleset = idOf(json["ruleset"]);
  const body = coerceObject(json["body"]);
  const phase = coerceName(rulePhases, json["phase"]);
  const list = { phase, ...customRulesetIn(json) };
  const position = positionOf(coerceObject(json["position"]));
  if (isRulesetCall(call)) {
    return rulesetWriteOf(call, { custom_ruleset: "", ...list, changes }, json);
  }
  switch (call) {
    case "update-settings":
    case "create-policy":
      return { call, body, changes };
    case "update-policy":
      return { call, id, body, changes };
    case "delete-policy":
      return { call, id, changes };
    case "create-rule":
      return { call, ...list, ruleset, body, position, changes };
    case "update-rule": {
      const moved = json["position"] === null ? null : position;
      return { call, ...list, ruleset, id, body, position: moved, changes };
    }
    case "delete-rule":
      return { call, ...list, ruleset, id, changes };
    case "create-entrypoint":
    case "put-entrypoint":
      return { call, phase, rules: coerceObjects(json["rules"]), changes };
  }
}

function customRulesetIn({ custom_ruleset: key }: JsonObject): { custom_ruleset?: string } {
  return key === undefined ? {} : { custom_ruleset: coerceText(key) };
}

function rulesetWriteOf(
  call: CustomRulesetWrite["call"],
  shared: Pick<CustomRulesetWrite, "phase" | "custom_ruleset" | "changes">,
  json: JsonObject,
): CustomRulesetWrite {
  const body = coerceObject(json["body"]);
  const ruleset = idOf(json["ruleset"]);
  if (call === "create-ruleset") return { call, ...shared, body };
  return call === "update-ruleset"
    ? { call, ...shared, ruleset, body }
    : { call, ...shared, ruleset };
}

function positionOf({ after, behind, before }: JsonObject): RulePlace {
  const place = { after: refOf(after), behind: coerceList(behind).map(refOf) };
  return { ...place, before: refOf(before) };
}

/** "" for anything but a ref: it is not written again as it was read. */
function refOf(json: Json | undefined): string {
  const ref = coerceText(json);
  return isRuleRef(ref) ? ref : "";
}

/** "" for anything but an id: it is not written again as it was read. */
function idOf(json: Json | undefined): string {
  const id = coerceText(json);
  return isServiceId(id) ? id : "";
}

function keyOf(json: Json | undefined): ResourceKey {
  const key = coerceText(json);
  const kind = kinds.find((each) => key.startsWith(`${each}/`)) ?? kinds[0];
  return `${kind}/${key.slice(kind.length + 1)}`;
}
