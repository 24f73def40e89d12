import { wireCodes } from "../../api/wire.ts";
import { acceptedDirectives } from "../../syntax/csp/csp-directives.ts";
import type { JsonObject } from "../../syntax/json.ts";
import { identifierIn, permissions, zoneIn } from "../http/access.ts";
import { refused, unpublishedCodes } from "../http/api-error.ts";
import {
  type Answer,
  type Call,
  type Endpoint,
  emptied,
  policyShown,
  shown,
  stored,
} from "../http/endpoint.ts";
import { type FieldReader, fieldsOf } from "../http/fields.ts";
import { checkExpression } from "../rulesets/filter-expression.ts";
import type { Policy, ZoneState } from "../state.ts";

const actions = ["allow", "log", "add_reporting_directives"];
const collection = "/zones/:zone_id/page_shield/policies";
const single = `${collection}/:policy_id`;

/** Content security policies (SERVICE.md A.6). */
export const policyEndpoints: readonly Endpoint[] = [
  {
    method: "GET",
    path: collection,
    summary: "List policies",
    permissions: permissions.pageShieldRead,
    dryRun: false,
    // A recorded answer of the service has no `result_info` here, though its schema demands it.
    handle: (call) =>
      shown(zoneIn(call).policies.map((policy) => policyShown(policy, call.dialect))),
  },
  {
    method: "POST",
    path: collection,
    summary: "Create a policy",
    permissions: permissions.pageShieldWrite,
    dryRun: false,
    handle: (call) => {
      const zone = zoneIn(call);
      const policy = createdPolicy(zone, call.body(), call.store.newId());
      return answerWith(call, policy, { ...zone, policies: [...zone.policies, policy] });
    },
  },
  {
    method: "GET",
    path: single,
    summary: "Get a policy",
    permissions: permissions.pageShieldRead,
    dryRun: false,
    handle: (call) => shown(policyShown(policyIn(call, zoneIn(call)), call.dialect)),
  },
  {
    method: "PUT",
    path: single,
    summary: "Update a policy",
    permissions: permissions.pageShieldWrite,
    dryRun: false,
    handle: (call) => {
      const zone = zoneIn(call);
      const policy = changedPolicy(zone, policyIn(call, zone), call.body());
      return answerWith(call, policy, withPolicy(zone, policy));
    },
  },
  {
    method: "DELETE",
    path: single,
    summary: "Delete a policy",
    permissions: permissions.pageShieldWrite,
    dryRun: false,
    // One that is gone already is answered alike (SERVICE.md A.6).
    handle: (call) => emptied(withoutPolicy(zoneIn(call), identifierIn(call, "policy_id"))),
  },
];

/** A new policy from a body that must name all five fields. */
export function createdPolicy(zone: ZoneState, body: JsonObject, id: string): Policy {
  const fields = fieldsOf(body, "", unpublishedCodes.pageShield);
  const policy = checked(
    fields,
    {
      id,
      description: fields.required("description", fields.text("description")),
      action: fields.required("action", fields.oneOf("action", actions)),
      expression: fields.required("expression", fields.text("expression")),
      enabled: fields.required("enabled", enabledIn(fields)),
      value: fields.required("value", fields.text("value")),
    },
    zone.plan,
  );
  const { policies: most } = zone.entitlements;
  if (zone.policies.length < most) return policy;
  throw refused(
    400,
    wireCodes.tooManyRules,
    `exceeded the maximum number of rules in the phase http_response_page_shield: ${zone.policies.length + 1} out of ${most}`,
  );
}

/** A policy after `body`; a field that is not named stays, as the published schema allows. */
export function changedPolicy(zone: ZoneState, before: Policy, body: JsonObject): Policy {
  const fields = fieldsOf(body, "", unpublishedCodes.pageShield);
  return checked(
    fields,
    {
      id: before.id,
      description: fields.text("description") ?? before.description,
      action: fields.oneOf("action", actions) ?? before.action,
      expression: fields.text("expression") ?? before.expression,
      enabled: enabledIn(fields) ?? before.enabled,
      value: fields.text("value") ?? before.value,
    },
    zone.plan,
  );
}

/** The zone with `policy` in the place of the one with its id. */
export function withPolicy(zone: ZoneState, policy: Policy): ZoneState {
  return {
    ...zone,
    policies: zone.policies.map((other) => (other.id === policy.id ? policy : other)),
  };
}

/** The zone without a policy. */
export function withoutPolicy(zone: ZoneState, id: string): ZoneState {
  return { ...zone, policies: zone.policies.filter((policy) => policy.id !== id) };
}

function checked(fields: FieldReader, policy: Policy, plan: string): Policy {
  checkExpression(fields, policy.expression, plan);
  checkPolicyValue(fields, policy.action, policy.value);
  return policy;
}

/** The specification page sends `enabled` as a string, the published schema as a boolean: both are taken (SERVICE.md A.6). */
function enabledIn(fields: FieldReader): boolean | undefined {
  const { enabled } = fields.body;
  if (enabled === "true" || enabled === "false") return enabled === "true";
  return fields.flag("enabled");
}

function policyIn(call: Call, zone: ZoneState): Policy {
  const id = identifierIn(call, "policy_id");
  const policy = zone.policies.find((candidate) => candidate.id === id);
  if (policy !== undefined) return policy;
  throw refused(404, unpublishedCodes.itemNotFound, `policy ${id} not found`);
}

function answerWith(call: Call, policy: Policy, next: ZoneState): Answer {
  return stored(policyShown(policy, call.dialect), next);
}

const directives = new Set(acceptedDirectives);

/** Refuses the value of a policy that the service refuses: unknown directives, nonces, several lines. */
export function checkPolicyValue(fields: FieldReader, action: string, value: string): void {
  const parts = value.split(";").filter((part) => part.trim() !== "");
  if (parts.length === 0 && action !== "add_reporting_directives") {
    throw fields.mistake("value", "a policy needs at least one directive");
  }
  for (const part of parts) checkDirective(fields, part);
}

function checkDirective(fields: FieldReader, part: string): void {
  const text = part.trim();
  // The service does not fold lines: what follows a line break is read as a directive (SERVICE.md A.6).
  const [, second] = /[\r\n]\s*(\S+)/.exec(text) ?? [];
  if (second !== undefined) throw fields.mistake("value", `unknown directive: ${second}`);

  const [name = "", ...sources] = text.split(/[ \t]+/);
  const directive = name.toLowerCase();
  if (!directives.has(directive)) throw fields.mistake("value", `unknown directive: ${name}`);
  if (directive === "upgrade-insecure-requests" && sources.length > 0) {
    throw fields.mistake("value", `directive ${directive} takes no value`);
  }
  const nonce = sources.find((source) => source.toLowerCase().startsWith("'nonce-"));
  if (nonce !== undefined) throw fields.mistake("value", "nonces are not supported");
}
