import type { PolicyImpact, AffectedResource } from "../impact/csp-impact.ts";
import { levelOf, type EffectiveRule } from "../impact/ruleset-impact.ts";
import type { DeploymentImpact, ZoneImpact } from "../impact/zone-impact.ts";
import { type JsonObject, jsonOf } from "../syntax/json.ts";
import type { RulesetRule } from "../zone/ruleset.ts";

/** The impact of a plan on detected resources and managed rules, complete. */
export function impactJson(impact: ZoneImpact): JsonObject {
  const { zone, policies, deployments, exceptions, unread, notes } = impact;
  return {
    zone,
    policies: policies.map(policyJson),
    deployments: deployments.map(deploymentJson),
    exceptions: exceptions.map((each) => jsonOf(each)),
    exceptions_unread: unread,
    notes,
  };
}

function policyJson(impact: PolicyImpact): JsonObject {
  const { policy, force, seen, blocked, unclear, unseen, elsewhere } = impact;
  return {
    ...jsonOf({ key: policy.key, title: policy.title, force, seen, elsewhere }),
    blocked: blocked.map((each) => ({ ...affectedJson(each), already: each.already })),
    newly_allowed: impact.newlyAllowed.map(affectedJson),
    allowed_malicious: impact.allowedMalicious.map(affectedJson),
    unclear: unclear.map((each) => ({ ...affectedJson(each), reason: each.reason })),
    unseen: unseen.map(({ directive, source }) => ({ directive, source: source.text })),
  };
}

function affectedJson({ resource, pages, malicious }: AffectedResource): JsonObject {
  const { kind, id, url, lastSeenAt } = resource;
  return jsonOf({ kind, id, url, lastSeenAt, pages, malicious });
}

function deploymentJson(impact: DeploymentImpact): JsonObject {
  const { key, ruleset, on, total, advice } = impact;
  const { id, version } = ruleset;
  return {
    ...jsonOf({ key, ruleset: id, version, on, total, advice }),
    switched_on: impact.switchedOn.map(ruleJson),
    switched_off: impact.switchedOff.map(ruleJson),
    retuned: impact.retuned.map(({ before, after }) => ({
      ...ruleJson(after.rule),
      before: tuningJson(before),
      after: tuningJson(after),
    })),
  };
}

function ruleJson(rule: RulesetRule): JsonObject {
  return jsonOf({ id: rule.id, description: rule.description, level: levelOf(rule) });
}

function tuningJson({ action, scoreThreshold }: EffectiveRule): JsonObject {
  return jsonOf({ action, scoreThreshold });
}
