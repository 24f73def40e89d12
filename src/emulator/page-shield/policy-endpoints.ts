import { wireCodes } from "../../api/wire.ts";
import { acceptedDirectives } from "../../syntax/csp/csp-directives.ts";
import type { JsonObject } from "../../syntax/json.ts";
import { identifierIn, permissions, zoneIn } from "../http/access.ts";
import { type Endpoint, endpoint, type EndpointCall } from "../http/api-endpoint.ts";
import { apiError, unpublishedCodes } from "../http/api-error.ts";
import { FieldReader } from "../http/fields.ts";
import { checkFilterExpression } from "../rulesets/filter-expression.ts";
import type { EmulatedPolicy, EmulatedZone } from "../state.ts";

export const policyMembers = ["description", "action", "expression", "enabled", "value"];

const actions = ["allow", "log", "add_reporting_directives"];
const collection = "/zones/:zone_id/page_shield/policies";
const single = `${collection}/:policy_id`;
const { pageShieldRead, pageShieldWrite } = permissions;

/** Content security policies (SERVICE.md A.6). */
export const policyEndpoints: readonly Endpoint[] = [
  // A recorded response of the service has no `result_info` here, though its schema demands it.
  endpoint("GET", collection, "List policies", pageShieldRead, (call) => ({
    result: zoneIn(call).policies.map((policy) => policyResult(policy, call)),
  })),
  endpoint("POST", collection, "Create a policy", pageShieldWrite, (call) => {
    const zone = zoneIn(call);
    const policy = createdPolicy(zone, call.body(), call.store.newId(), call.store.isLenient);
    const policies = [...zone.policies, policy];
    return { result: policyResult(policy, call), next: { ...zone, policies } };
  }),
  endpoint("GET", single, "Get a policy", pageShieldRead, (call) => ({
    result: policyResult(policyFor(call, zoneIn(call)), call),
  })),
  endpoint("PUT", single, "Update a policy", pageShieldWrite, (call) => {
    const zone = zoneIn(call);
    const before = policyFor(call, zone);
    // Members that the body does not have stay, as the published schema allows.
    const policy = policyIn(call.body(), before, zone.plan, call.store.isLenient);
    const policies = zone.policies.map((each) => (each === before ? policy : each));
    return { result: policyResult(policy, call), next: { ...zone, policies } };
  }),
  // Deleting a policy that does not exist succeeds too (SERVICE.md A.6).
  endpoint("DELETE", single, "Delete a policy", pageShieldWrite, (call) => {
    const zone = zoneIn(call);
    const id = identifierIn(call, "policy_id");
    return { next: { ...zone, policies: zone.policies.filter((policy) => policy.id !== id) } };
  }),
];

/**
 * A policy in the form of responses: the specification page has `enabled` as a string
 * (SERVICE.md A.6).
 */
function policyResult(policy: EmulatedPolicy, { dialect }: EndpointCall): object {
  return dialect === "published" ? policy : { ...policy, enabled: String(policy.enabled) };
}

/** A new policy; `body` needs all five members. */
export function createdPolicy(
  zone: EmulatedZone,
  body: JsonObject,
  id: string,
  isLenient: boolean,
): EmulatedPolicy {
  const policy = policyIn(body, { id }, zone.plan, isLenient);
  const { policies: limit } = zone.entitlements;
  if (zone.policies.length < limit) return policy;
  throw apiError(
    400,
    wireCodes.tooManyRules,
    `exceeded the maximum number of rules in the phase http_response_page_shield: ${zone.policies.length + 1} out of ${limit}`,
  );
}

/** Reads a policy; members that are neither in `body` nor in `before` are an error. */
function policyIn(
  body: JsonObject,
  before: Pick<EmulatedPolicy, "id"> & Partial<EmulatedPolicy>,
  plan: string,
  isLenient: boolean,
): EmulatedPolicy {
  const fields = new FieldReader(body, "", unpublishedCodes.pageShield);
  const text = (name: "description" | "expression" | "value"): string =>
    fields.required(name, fields.text(name) ?? before[name]);
  const policy = {
    id: before.id,
    description: text("description"),
    action: fields.required("action", fields.oneOf("action", actions) ?? before.action),
    expression: text("expression"),
    enabled: fields.required("enabled", enabledIn(fields) ?? before.enabled),
    value: text("value"),
  };
  checkFilterExpression(fields, policy.expression, { plan, isLenient });
  checkDirectives(fields, policy);
  return policy;
}

/**
 * The specification page sends `enabled` as a string, the published schema as a boolean: both are
 * valid (SERVICE.md A.6).
 */
function enabledIn(fields: FieldReader): boolean | undefined {
  const { enabled } = fields.body;
  if (enabled === "true" || enabled === "false") return enabled === "true";
  return fields.boolean("enabled");
}

function policyFor(call: EndpointCall, zone: EmulatedZone): EmulatedPolicy {
  const id = identifierIn(call, "policy_id");
  const policy = zone.policies.find((candidate) => candidate.id === id);
  if (policy !== undefined) return policy;
  throw apiError(404, unpublishedCodes.itemNotFound, `policy ${id} not found`);
}

const directives = new Set(acceptedDirectives);

/** Throws if the service rejects a policy: unknown directives, nonces or several lines. */
function checkDirectives(fields: FieldReader, { action, value }: EmulatedPolicy): void {
  const parts = value.split(";").filter((part) => part.trim() !== "");
  if (parts.length === 0 && action !== "add_reporting_directives") {
    throw fields.error("value", "a policy needs at least one directive");
  }
  for (const part of parts) checkDirective(fields, part.trim());
}

function checkDirective(fields: FieldReader, text: string): void {
  // The service does not fold lines: what follows a line break is read as a directive
  // (SERVICE.md A.6).
  const [, second] = /[\r\n]\s*(\S+)/.exec(text) ?? [];
  if (second !== undefined) throw fields.error("value", `unknown directive: ${second}`);

  const [name = "", ...sources] = text.split(/[ \t]+/);
  const directive = name.toLowerCase();
  if (!directives.has(directive)) throw fields.error("value", `unknown directive: ${name}`);
  if (directive === "upgrade-insecure-requests" && sources.length > 0) {
    throw fields.error("value", `directive ${directive} takes no value`);
  }
  const nonce = sources.find((source) => source.toLowerCase().startsWith("'nonce-"));
  if (nonce !== undefined) throw fields.error("value", "nonces are not supported");
}
