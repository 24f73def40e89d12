import type { Json, JsonObject } from "../../syntax/json.ts";
import { executedMark, withRulesetId } from "../../zone/executed-ruleset.ts";
import { listAt, type LiveZone, type RuleListPlace, rulesIn } from "../../zone/live-zone.ts";
import { factsOfPhase } from "../../zone/rule-phase.ts";
import { positionIn, type RulePlace } from "../../zone/rule-place.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Method } from "../../zone/service-request.ts";
import { isRulesetWrite, type CustomRulesetWrite, type Write } from "../../zone/write.ts";
import type { Call } from "../request/call.ts";
import { routes } from "../routes.ts";

/**
 * The request for a write. A rule is placed by what is live.
 *
 * @throws {ServiceError} `API_CONFLICT` if the rules around its place are gone.
 */
export function requestFor(live: LiveZone, write: Write): Call {
  const zone_id = live.zone.id;
  if (isRulesetWrite(write)) return rulesetRequest(zone_id, write);
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
      const position = positionOf(write, write.position, live);
      const body = { ...sentBody(write.body, live), position };
      return call("POST", routes.rules, { zone_id, ruleset_id: write.ruleset }, body);
    }
    case "update-rule": {
      const params = { zone_id, ruleset_id: write.ruleset, rule_id: write.id };
      const { position } = write;
      const body = sentBody(write.body, live);
      if (position === null) return call("PATCH", routes.rule, params, body);
      return call("PATCH", routes.rule, params, {
        ...body,
        position: positionOf(write, position, live),
      });
    }
    case "delete-rule": {
      const params = { zone_id, ruleset_id: write.ruleset, rule_id: write.id };
      return call("DELETE", routes.rule, params, undefined);
    }
    case "create-entrypoint": {
      const phase = factsOfPhase(write.phase).wire;
      const rules = write.rules.map((rule) => sentBody(rule, live));
      const body = { name: "default", kind: "zone", phase, rules };
      return call("POST", routes.zoneRulesets, { zone_id }, body);
    }
    case "put-entrypoint": {
      // Without name and description, which are kept. The service rejects other fields
      // (SERVICE.md B.3).
      const params = { zone_id, phase_name: factsOfPhase(write.phase).wire };
      const rules = write.rules.map((rule) => sentBody(rule, live));
      return call("PUT", routes.entrypoint, params, { rules });
    }
  }
}

function rulesetRequest(zone_id: string, write: CustomRulesetWrite): Call {
  if (write.call === "create-ruleset") {
    const ruleset = { ...write.body, kind: "custom", phase: factsOfPhase(write.phase).wire };
    return call("POST", routes.zoneRulesets, { zone_id }, ruleset);
  }
  const params = { zone_id, ruleset_id: write.ruleset };
  return write.call === "update-ruleset"
    ? call("PUT", routes.zoneRuleset, params, write.body)
    : call("DELETE", routes.zoneRuleset, params, undefined);
}

/** Whether a write depends on a custom ruleset that is still to be created. */
export function needsRuleset(live: LiveZone, write: Write): boolean {
  const bodies = "rules" in write ? write.rules : "body" in write ? [write.body] : [];
  return bodies.some((body) => withRulesetId(body, live) === undefined);
}

function sentBody(body: JsonObject, live: LiveZone): JsonObject {
  const sent = withRulesetId(body, live);
  if (sent !== undefined) return sent;
  const key = executedMark(body)?.key ?? "";
  const message = `the custom ruleset ${key} is gone: somebody else deleted it; the next run plans again`;
  throw new ServiceError("API_CONFLICT", message, { transient: true });
}

function positionOf(list: RuleListPlace, place: RulePlace, live: LiveZone): Json {
  const position = positionIn(place, rulesIn(listAt(live, list)));
  if (position !== undefined) return { ...position };
  const message =
    "the rules around the place of a rule are gone: somebody else changed the ruleset; the next run plans again";
  throw new ServiceError("API_CONFLICT", message, { transient: true });
}

function call(
  method: Method,
  route: string,
  params: Readonly<Record<string, string>>,
  body: Json | undefined,
): Call {
  return { method, route, params, query: {}, body };
}
