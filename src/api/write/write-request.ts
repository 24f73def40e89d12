import type { Json } from "../../syntax/json.ts";
import { factsOf } from "../../zone/rule-phase.ts";
import type { Method } from "../../zone/service-request.ts";
import type { Write } from "../../zone/write.ts";
import type { Zone } from "../../zone/zone.ts";
import type { Call } from "../request/call.ts";
import { routes } from "../routes.ts";

/** The request for a write. */
export function requestFor(zone: Zone, write: Write): Call {
  const zone_id = zone.id;
  switch (write.call) {
    case "update-settings":
      return call("PUT", routes.settings, { zone_id }, write.body);
    case "create-policy":
      return call("POST", routes.policies, { zone_id }, write.body);
    case "update-policy":
      return call("PUT", routes.policy, { zone_id, policy_id: write.id }, write.body);
    case "delete-policy":
      return call("DELETE", routes.policy, { zone_id, policy_id: write.id }, undefined);
    case "create-rule": {
      const body = { ...write.body, position: { ...write.position } };
      return call("POST", routes.rules, { zone_id, ruleset_id: write.ruleset }, body);
    }
    case "update-rule": {
      const params = { zone_id, ruleset_id: write.ruleset, rule_id: write.id };
      const position = write.position === null ? {} : { position: { ...write.position } };
      return call("PATCH", routes.rule, params, { ...write.body, ...position });
    }
    case "delete-rule": {
      const params = { zone_id, ruleset_id: write.ruleset, rule_id: write.id };
      return call("DELETE", routes.rule, params, undefined);
    }
    case "put-entrypoint": {
      // Without name and description, which are kept. The service rejects other fields
      // (SERVICE.md B.3).
      const params = { zone_id, phase_name: factsOf(write.phase).wire };
      return call("PUT", routes.entrypoint, params, { rules: write.rules });
    }
  }
}

function call(
  method: Method,
  route: string,
  params: Readonly<Record<string, string>>,
  body: Json | undefined,
): Call {
  return { method, route, params, query: {}, body };
}
