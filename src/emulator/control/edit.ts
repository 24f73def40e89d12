import type { JsonObject } from "../../syntax/json.ts";
import { refused, unpublishedCodes } from "../http/api-error.ts";
import type { FieldReader } from "../http/fields.ts";
import {
  changedPolicy,
  createdPolicy,
  withPolicy,
  withoutPolicy,
} from "../page-shield/policy-endpoints.ts";
import { changedSettings } from "../page-shield/settings-endpoints.ts";
import { tuned, tuningIn, tuningMembers } from "../rulesets/managed-overrides.ts";
import { managedIds } from "../rulesets/managed.ts";
import { managedPhase } from "../rulesets/phases.ts";
import { withChangedRule, withNewRule, withoutRule } from "../rulesets/rule-endpoints.ts";
import {
  type Maker,
  entrypointOf,
  executedBy,
  rulesetFields,
  withRuleset,
} from "../rulesets/ruleset.ts";
import type { Policy, Rule, StoredRuleset, ZoneState } from "../state.ts";

/** The service overlooks members that it does not know; a person who mistypes one wants to hear of it. */
const policyMembers = ["description", "action", "expression", "enabled", "value"];
const settingMembers = [
  "enabled",
  "use_cloudflare_reporting_endpoint",
  "use_service_reporting_endpoint",
  "use_connection_url_path",
];

/** A zone after an edit, and what the editor is shown. */
interface Edited {
  readonly next: ZoneState;
  readonly shown: unknown;
}

/** Changes a zone as a person in the dashboard would; the service's own refusals hold here too. */
export function editedZone(zone: ZoneState, fields: FieldReader, maker: Maker): Edited {
  fields.only(["zone", "settings", "policy", "rule", "set", "delete"]);
  const settings = fields.object("settings");
  if (settings !== undefined) {
    settings.only(settingMembers);
    const next = changedSettings(zone, settings.body, maker.now);
    return { next: { ...zone, settings: next }, shown: next };
  }
  if (fields.body["policy"] !== undefined) return editedPolicy(zone, fields, maker);
  if (fields.body["rule"] !== undefined) return editedRule(zone, fields, maker);
  throw fields.mistake("", "say what to edit: settings, policy or rule");
}

function editedPolicy(zone: ZoneState, fields: FieldReader, maker: Maker): Edited {
  if (typeof fields.body["policy"] !== "string") {
    const added = fields.required("policy", fields.object("policy"));
    added.only(policyMembers);
    const policy = createdPolicy(zone, added.body, maker.newId());
    return { next: { ...zone, policies: [...zone.policies, policy] }, shown: policy };
  }
  const policy = theOne(zone.policies, fields.body["policy"], "policy");
  if (fields.flag("delete") === true) {
    return { next: withoutPolicy(zone, policy.id), shown: { deleted: policy } };
  }
  const set = fields.required("set", fields.object("set"));
  set.only(policyMembers);
  const next = changedPolicy(zone, policy, set.body);
  return { next: withPolicy(zone, next), shown: next };
}

function editedRule(zone: ZoneState, fields: FieldReader, maker: Maker): Edited {
  const entrypoint = entrypointOf(zone, managedPhase);
  if (entrypoint === undefined) {
    throw refused(404, unpublishedCodes.rulesetNotFound, `${zone.name} has no managed rules`);
  }
  const ruleset = entrypointAfter(entrypoint, zone, fields, maker);
  return { next: withRuleset(zone, ruleset), shown: ruleset.current };
}

function entrypointAfter(
  before: StoredRuleset,
  zone: ZoneState,
  fields: FieldReader,
  maker: Maker,
): StoredRuleset {
  const named = fields.body["rule"];
  if (typeof named !== "string") {
    const body = fields.required("rule", fields.object("rule")).body;
    return withNewRule(rulesetFields(body), before, zone, maker);
  }
  const rule = theOne(before.current.rules, named, "rule");
  if (fields.flag("delete") === true) return withoutRule(rule, before, maker.now);
  const body = ruleAfter(rule, fields.required("set", fields.object("set")));
  return withChangedRule(rulesetFields(body), rule, before, zone, maker);
}

/** The complete body that a PATCH needs, with what is set in the words of the API or in people's words for OWASP. */
function ruleAfter(rule: Rule, set: FieldReader): JsonObject {
  const { categories: _categories, ...before } = rule;
  if (executedBy(rule) !== managedIds.owasp) return { ...plain(before), ...set.body };
  const others = Object.entries(set.body).filter(([name]) => !tuningMembers.includes(name));
  const parameters = rule.action_parameters ?? {};
  const overrides = tuned(parameters["overrides"], tuningIn(set));
  const { overrides: _overrides, ...bare } = parameters;
  return {
    ...plain(before),
    action_parameters: Object.keys(overrides).length === 0 ? bare : { ...bare, overrides },
    ...Object.fromEntries(others),
  };
}

function plain({ logging, ...rule }: Omit<Rule, "categories">): JsonObject {
  return { ...rule, ...(logging === undefined ? {} : { logging: { ...logging } }) };
}

/** Finds by id, ref or description, else by a part of ref or description that only one has. */
function theOne<T extends Policy | Rule>(all: readonly T[], named: string, noun: string): T {
  const exact = all.filter((item) => item.id === named || namesOf(item).includes(named));
  const similar = all.filter((item) =>
    namesOf(item).some((name) => name.toLowerCase().includes(named.toLowerCase())),
  );
  const [found, ...more] = exact.length > 0 ? exact : similar;
  if (found !== undefined && more.length === 0) return found;
  const count = found === undefined ? "no" : "more than one";
  const names = all.map((item) => `"${namesOf(item)[0] ?? item.id}"`).join(", ");
  throw refused(
    404,
    unpublishedCodes.itemNotFound,
    `"${named}" is ${count} ${noun}; there is ${names === "" ? "none" : names}`,
  );
}

function namesOf(item: Policy | Rule): readonly string[] {
  const names = "ref" in item ? [item.description, item.ref] : [item.description];
  return names.filter((name) => name !== "");
}
