import type { JsonObject } from "../../syntax/json.ts";
import { apiError, unpublishedCodes } from "../http/api-error.ts";
import type { FieldReader } from "../http/fields.ts";
import {
  createdPolicy,
  policyMembers,
  updatedPolicy,
  withPolicy,
  withoutPolicy,
} from "../page-shield/policy-endpoints.ts";
import { settingMembers, updatedSettings } from "../page-shield/settings-endpoints.ts";
import { parseTuning, tuningMembers, withTuning } from "../rulesets/managed-overrides.ts";
import { managedIds } from "../rulesets/managed.ts";
import { managedPhase } from "../rulesets/phases.ts";
import { withNewRule, withoutRule, withUpdatedRule } from "../rulesets/rule-endpoints.ts";
import type { WriteContext } from "../rulesets/rule.ts";
import {
  entryPointOf,
  executedRuleset,
  rulesetFields,
  type RulesetWrite,
  withRuleset,
} from "../rulesets/stored-ruleset.ts";
import type { EmulatedPolicy, EmulatedRule, StoredRuleset, EmulatedZone } from "../state.ts";

/** A zone after an edit, and the response to the edit. */
interface Edited {
  readonly next: EmulatedZone;
  readonly result: unknown;
  /** The request that the dashboard sends for it, and the id of what it creates. */
  readonly write: EditWrite;
}

interface EditWrite {
  readonly method: string;
  /** Below the zone's path. */
  readonly path: string;
  readonly created?: string;
  readonly body?: JsonObject;
}

/**
 * Changes a zone as somebody in the dashboard would; what the service rejects is rejected here too.
 */
export function editZone(zone: EmulatedZone, fields: FieldReader, context: WriteContext): Edited {
  fields.only(["zone", "actor", "settings", "policy", "rule", "set", "delete"]);
  const settings = fields.object("settings");
  if (settings !== undefined) {
    // The service ignores unknown members; here they are probably typing errors.
    settings.only(settingMembers);
    const result = updatedSettings(zone, settings.body, context.now);
    const write = { method: "PUT", path: "/page_shield", body: settings.body };
    return { next: { ...zone, settings: result }, result, write };
  }
  if (fields.body["policy"] !== undefined) return editPolicy(zone, fields, context);
  if (fields.body["rule"] !== undefined) return editRule(zone, fields, context);
  throw fields.error("", "name what to edit: settings, policy or rule");
}

const policiesPath = "/page_shield/policies";

function editPolicy(zone: EmulatedZone, fields: FieldReader, context: WriteContext): Edited {
  if (typeof fields.body["policy"] !== "string") {
    const added = fields.required("policy", fields.object("policy"));
    added.only(policyMembers);
    const result = createdPolicy(zone, added.body, context.newId(), context.isLenient);
    const write = { method: "POST", path: policiesPath, created: result.id, body: added.body };
    return { next: { ...zone, policies: [...zone.policies, result] }, result, write };
  }
  const policy = findNamed(zone.policies, fields.body["policy"], "policy");
  const path = `${policiesPath}/${policy.id}`;
  if (fields.boolean("delete") === true) {
    const write = { method: "DELETE", path };
    return { next: withoutPolicy(zone, policy.id), result: { deleted: policy }, write };
  }
  const set = fields.required("set", fields.object("set"));
  set.only(policyMembers);
  const result = updatedPolicy(zone, policy, set.body, context.isLenient);
  const write = { method: "PUT", path, body: set.body };
  return { next: withPolicy(zone, result), result, write };
}

function editRule(zone: EmulatedZone, fields: FieldReader, context: WriteContext): Edited {
  const before = entryPointOf(zone, managedPhase);
  if (before === undefined) {
    throw apiError(404, unpublishedCodes.rulesetNotFound, `${zone.name} has no managed rules`);
  }
  const edited = editedEntryPoint(fields, { ...context, owner: zone, before });
  const { ruleset, ...request } = edited;
  const path = `/rulesets/${before.current.id}/rules${request.path}`;
  const write = { ...request, path };
  return { next: withRuleset(zone, ruleset), result: ruleset.current, write };
}

interface EditedEntryPoint {
  readonly ruleset: StoredRuleset;
  readonly method: string;
  /** Below the path of the ruleset's rules. */
  readonly path: string;
  readonly body?: JsonObject;
}

function editedEntryPoint(fields: FieldReader, write: RulesetWrite): EditedEntryPoint {
  const name = fields.body["rule"];
  if (typeof name !== "string") {
    const { body } = fields.required("rule", fields.object("rule"));
    return { ruleset: withNewRule(rulesetFields(body), write), method: "POST", path: "", body };
  }
  const rule = findNamed(write.before.current.rules, name, "rule");
  const path = `/${rule.id}`;
  if (fields.boolean("delete") === true) {
    return { ruleset: withoutRule(rule, write), method: "DELETE", path };
  }
  const body = editedRule(rule, fields.required("set", fields.object("set")));
  const ruleset = withUpdatedRule(rulesetFields(body), rule, write);
  return { ruleset, method: "PATCH", path, body };
}

/** The complete body that a PATCH needs; the OWASP rule also takes the members of its tuning. */
function editedRule(
  { categories: _categories, logging, ...rest }: EmulatedRule,
  set: FieldReader,
): JsonObject {
  const before = { ...rest, ...(logging === undefined ? {} : { logging: { ...logging } }) };
  if (executedRuleset(rest) !== managedIds.owasp) return { ...before, ...set.body };
  const others = Object.entries(set.body).filter(([name]) => !tuningMembers.includes(name));
  const { overrides, ...parameters } = rest.action_parameters ?? {};
  return {
    ...before,
    action_parameters: { ...parameters, ...withTuning(overrides, parseTuning(set)) },
    ...Object.fromEntries(others),
  };
}

/** Finds by id, ref or description, else by a part of ref or description that only one has. */
function findNamed<T extends EmulatedPolicy | EmulatedRule>(
  all: readonly T[],
  name: string,
  noun: string,
): T {
  const exact = all.filter((item) => item.id === name || namesOf(item).includes(name));
  const similar = all.filter((item) =>
    namesOf(item).some((each) => each.toLowerCase().includes(name.toLowerCase())),
  );
  const [match, ...more] = exact.length > 0 ? exact : similar;
  if (match !== undefined && more.length === 0) return match;
  const found = match === undefined ? `no ${noun}` : `more than one ${noun}`;
  const names = all.map((item) => `"${namesOf(item)[0] ?? item.id}"`).join(", ");
  throw apiError(
    404,
    unpublishedCodes.itemNotFound,
    `"${name}" matches ${found}; there is ${names === "" ? "none" : names}`,
  );
}

function namesOf(item: EmulatedPolicy | EmulatedRule): readonly string[] {
  const names = "ref" in item ? [item.description, item.ref] : [item.description];
  return names.filter((name) => name !== "");
}
