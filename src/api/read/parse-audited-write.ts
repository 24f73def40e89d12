import {
  policyValues,
  rulesetValues,
  ruleValues,
  settingValues,
} from "../../plan/cause/written-values.ts";
import {
  isDeeperThan,
  isJsonObject,
  isObjectList,
  type Json,
  type JsonObject,
  maxJsonLevels,
  parseJson,
} from "../../syntax/json.ts";
import type { AuditedWrite, WrittenValues } from "../../zone/audit-entry.ts";
import { settingNames } from "../../zone/resource.ts";
import { phaseOfWire } from "../../zone/rule-phase.ts";
import { flagIn, textIn } from "../wire-value.ts";
import { ruleOf } from "./parse-entrypoint.ts";
import { policyOf } from "./parse-page-shield.ts";

/** What an entry of the audit log says about its request. */
interface AuditedRequest {
  readonly method: string;
  /** Below the base path. */
  readonly path: string;
  readonly resourceId: string;
  /**
   * The body of the request, as an object or as its text; the service may leave it out
   * (SERVICE.md C.7).
   */
  readonly body: Json | undefined;
}

/** What a request wrote in a zone; `undefined` if it wrote nothing that zone files declare. */
export function auditedWriteOf(request: AuditedRequest): AuditedWrite | undefined {
  const [, level, , area, ...rest] = request.path.split("/");
  if (level !== "zones") return undefined;
  const body = bodyOf(request.body);
  if (area === "rulesets") return rulesetWrite(request, rest, body);
  if (area !== "page_shield") return undefined;
  const [place, id = ""] = rest;
  if (place === undefined) return settingsWrite(request, body);
  return place === "policies" ? policyWrite(request, id, body) : undefined;
}

function rulesetWrite(
  request: AuditedRequest,
  [place = "", second = "", third = ""]: readonly string[],
  body: JsonObject | undefined,
): AuditedWrite | undefined {
  // The entry point is written by its phase or by its id. What is written to a ruleset of another
  // phase fits no rule.
  if (place === "phases") {
    const phase = phaseOfWire(second);
    if (third !== "entrypoint" || request.method !== "PUT" || phase === undefined) return undefined;
    return { ...replacedRules(body), phase };
  }
  if (second === "rules") return ruleWrite(request, place, third, body);
  if (second !== "") return undefined;
  return wholeWrite(request, place, body);
}

/** What was written to a ruleset as a whole. */
function wholeWrite(
  { method, resourceId }: AuditedRequest,
  ruleset: string,
  body: JsonObject | undefined,
): AuditedWrite | undefined {
  switch (method) {
    case "POST":
      return ruleset === "" ? createdRuleset(body, resourceId) : undefined;
    case "PUT":
      return body === undefined || "rules" in body
        ? { ...replacedRules(body), ruleset, values: body && valuesOfRuleset(body) }
        : // Its rules stay (SERVICE.md B.3).
          { ...rulesetOf(ruleset), verb: "update", values: valuesOfRuleset(body) };
    case "DELETE":
      return { ...rulesetOf(ruleset), verb: "delete", values: undefined, rules: new Map() };
    default:
      return undefined;
  }
}

/** A new ruleset: an entry point, of which only the rules count, or a custom ruleset. */
function createdRuleset(body: JsonObject | undefined, id: string): AuditedWrite | undefined {
  if (body === undefined) return replacedRules(body);
  const phase = phaseOfWire(textIn(body, "phase"));
  if (phase === undefined) return undefined;
  const written = { ...replacedRules({ rules: [], ...body }), phase };
  if (body["kind"] === "zone") return written;
  return body["kind"] === "custom"
    ? { ...written, ...rulesetOf(id), verb: "create", values: valuesOfRuleset(body) }
    : undefined;
}

function rulesetOf(id: string): Pick<AuditedWrite, "kind" | "id" | "ruleset"> {
  return { kind: "ruleset", id, ...(id === "" ? {} : { ruleset: id }) };
}

function valuesOfRuleset(body: JsonObject): WrittenValues {
  return rulesetValues("description" in body ? textIn(body, "description") : undefined);
}

function settingsWrite(
  { method }: AuditedRequest,
  body: JsonObject | undefined,
): AuditedWrite | undefined {
  if (method !== "PUT" && method !== "PATCH") return undefined;
  const sent = settingNames.flatMap((name) => {
    const value = flagIn(body ?? {}, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const values = body === undefined ? undefined : settingValues(Object.fromEntries(sent));
  return { kind: "setting", verb: "update", id: "", values };
}

const verbs = new Map<string, Exclude<AuditedWrite["verb"], "replace">>([
  ["POST", "create"],
  ["PUT", "update"],
  ["PATCH", "update"],
  ["DELETE", "delete"],
]);

/** Stands for an id that the body need not have. */
const anyId = "0".repeat(32);

function policyWrite(
  { method, resourceId }: AuditedRequest,
  id: string,
  body: JsonObject | undefined,
): AuditedWrite | undefined {
  const verb = verbs.get(method);
  if (verb === undefined) return undefined;
  const values = body && valuesOfPolicy(body);
  return { kind: "policy", verb, id: id === "" ? resourceId : id, values };
}

function valuesOfPolicy(body: JsonObject): AuditedWrite["values"] {
  const policy = policyOf({ ...body, id: anyId });
  return policy && policyValues(policy, new Set(Object.keys(body)));
}

function ruleWrite(
  { method }: AuditedRequest,
  ruleset: string,
  id: string,
  body: JsonObject | undefined,
): AuditedWrite | undefined {
  const verb = verbs.get(method);
  if (verb === undefined) return undefined;
  const base = { kind: "rule", verb, ruleset, id } as const;
  if (body === undefined) return { ...base, values: undefined };
  // A body with nothing but a position keeps the rule (SERVICE.md B.2).
  const isMove = Object.keys(body).every((name) => name === "position");
  return { ...base, values: isMove ? new Map() : ruleValues(ruleOf(body)) };
}

function replacedRules(body: JsonObject | undefined): AuditedWrite {
  const base = { kind: "rule", verb: "replace", id: "", values: undefined } as const;
  const rules = body?.["rules"];
  if (!isObjectList(rules)) return base;
  const named = rules.map(ruleOf).flatMap((rule) => {
    const values = ruleValues(rule);
    return [rule.id, rule.ref].filter((name) => name !== "").map((name) => [name, values] as const);
  });
  return { ...base, rules: new Map(named) };
}

function bodyOf(body: Json | undefined): JsonObject | undefined {
  if (typeof body !== "string") return isJsonObject(body) ? body : undefined;
  const parsed = parseJson(body);
  return isJsonObject(parsed) && !isDeeperThan(maxJsonLevels, parsed) ? parsed : undefined;
}
