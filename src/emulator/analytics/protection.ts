import { coerceObject, coerceObjects, type JsonObject } from "../../syntax/json.ts";
import { managedIds, managedRulesets, paranoiaTags, scoreRuleId } from "../rulesets/managed.ts";
import { executedRuleset } from "../rulesets/stored-ruleset.ts";
import type {
  CountedObject,
  EmulatedPolicy,
  EmulatedRule,
  EmulatedRuleset,
  EmulatedZone,
  HostTraffic,
  Protection,
  Traffic,
} from "../state.ts";
import { hashOf, unitOf } from "./hash.ts";

/** What datasets count of a zone in the state that it has. */
export function protectionOf(zone: EmulatedZone, from: number): Protection {
  const { traffic = {} } = zone;
  const isServed = zone.status === "active" && !zone.paused;
  const seed = traffic.seed ?? 1;
  const parts = { zone, seed, shares: traffic.shares ?? {} };
  return {
    from,
    hosts: isServed ? hostsOf(zone, traffic, seed) : [],
    sampledAbove: traffic.sampled_above ?? 1_000_000,
    policies: zone.policies.flatMap((policy) => countedPolicy(policy, parts)),
    rules: zone.rulesets
      .filter(({ current }) => current.kind === "zone")
      .flatMap(({ current }) => countedRules(current, 1, parts)),
  };
}

/** What shares depend on. */
interface Parts {
  readonly zone: EmulatedZone;
  readonly seed: number;
  readonly shares: Readonly<Record<string, number>>;
}

function hostsOf(zone: EmulatedZone, traffic: Traffic, seed: number): readonly HostTraffic[] {
  const usual = Math.round(between(200, 5_000, unitOf(hashOf(zone.name), seed)));
  const hosts = traffic.hosts ?? { [zone.name]: traffic.requests_per_hour ?? usual };
  return Object.entries(hosts).map(([host, requestsPerHour]) => ({
    host,
    requestsPerHour,
    key: hashOf(`${seed}/host/${host}`),
  }));
}

function countedPolicy(policy: EmulatedPolicy, parts: Parts): readonly CountedObject[] {
  const { id, action, description } = policy;
  if (!policy.enabled || action === "add_reporting_directives") return [];
  const text = `policy/${policy.expression}/${policy.value}`;
  const given = parts.shares[id] ?? parts.shares[description];
  const share = given ?? between(0.001, 0.02, unitFor(text, parts));
  return [{ id, action, share, key: keyFor(text, parts) }];
}

/** Sources of events, as datasets call them, by the phase of the rule. */
const sources: Readonly<Record<string, string>> = {
  http_request_firewall_custom: "firewallCustom",
  http_ratelimit: "ratelimit",
  http_request_firewall_managed: "firewallManaged",
  http_response_firewall_managed: "firewallManaged",
  ddos_l7: "l7ddos",
};

/** @param reach the part of the requests that gets to the ruleset. */
function countedRules(
  ruleset: EmulatedRuleset,
  reach: number,
  parts: Parts,
): readonly CountedObject[] {
  const source = sources[ruleset.phase];
  if (source === undefined) return [];
  return ruleset.rules.flatMap((rule) => {
    if (!rule.enabled) return [];
    const executed = executedRuleset(rule);
    // A custom ruleset deploys no other one.
    if (executed !== undefined && ruleset.kind === "custom") return [];
    if (executed !== undefined) return executedRules(rule, executed, source, reach, parts);
    if (rule.action === "skip" && rule.logging?.enabled === false) return [];
    const share = reach * (givenShare(rule, parts) ?? usualShare(rule, parts));
    return [{ ...counted(ruleset.id, rule, source, parts), share }];
  });
}

/** A rule that deploys a ruleset counts nothing itself: the rules of the ruleset do. */
function executedRules(
  rule: EmulatedRule,
  executed: string,
  source: string,
  reach: number,
  parts: Parts,
): readonly CountedObject[] {
  const custom = parts.zone.rulesets.find(({ current }) => current.id === executed)?.current;
  const given = givenShare(rule, parts);
  if (custom !== undefined) {
    return countedRules(custom, reach * (given ?? reachOf(rule, parts)), parts);
  }
  const managed = managedRulesets.get(executed);
  if (managed === undefined) return [];
  const overrides = coerceObject(rule.action_parameters?.["overrides"]);
  const rules = managed.rules.flatMap((each) => overridden(each, overrides));
  const events =
    executed === managedIds.owasp ? rules.filter(({ id }) => id === scoreRuleId) : rules;
  const factor = executed === managedIds.owasp ? strictness(rules) : 1;
  const usual = reachOf(rule, parts);
  return events.map((each) => {
    const own = counted(executed, each, source, parts);
    const share = given === undefined ? usual * factor * unitShare(own.key) : given / events.length;
    return { ...own, share: Math.min(1, reach * share) };
  });
}

/** A managed rule after overrides, the general ones first (SERVICE.md B.5); nothing if it is off. */
function overridden(rule: EmulatedRule, overrides: JsonObject): readonly EmulatedRule[] {
  const tags = rule.categories ?? [];
  const changes = [
    overrides,
    ...coerceObjects(overrides["categories"]).filter(({ category }) =>
      tags.some((tag) => tag === category),
    ),
    ...coerceObjects(overrides["rules"]).filter(({ id }) => id === rule.id),
  ];
  let { enabled, action, score_threshold } = rule;
  for (const change of changes) {
    if (typeof change["enabled"] === "boolean") enabled = change["enabled"];
    if (typeof change["action"] === "string") action = change["action"];
    if (typeof change["score_threshold"] === "number") score_threshold = change["score_threshold"];
  }
  if (!enabled) return [];
  return [{ ...rule, action, ...(score_threshold === undefined ? {} : { score_threshold }) }];
}

/** How many times the usual share the OWASP ruleset finds: more levels, or a lower threshold, find more. */
function strictness(rules: readonly EmulatedRule[]): number {
  const levels = paranoiaTags.filter((tag) =>
    rules.some(({ categories = [] }) => categories.includes(tag)),
  ).length;
  const threshold = rules.find(({ id }) => id === scoreRuleId)?.score_threshold ?? 40;
  return levels * (40 / Math.max(1, threshold));
}

function counted(
  rulesetId: string,
  rule: EmulatedRule,
  source: string,
  parts: Parts,
): Omit<CountedObject, "share"> {
  const key = keyFor(`${rulesetId}/${matchOf(rule)}`, parts);
  return { id: rule.id, rulesetId, source, action: rule.action, key };
}

/** What decides which requests a rule matches: a managed rule has no expression. */
function matchOf({ id, expression }: EmulatedRule): string {
  return expression ?? id;
}

function givenShare({ id, ref, description }: EmulatedRule, { shares }: Parts): number | undefined {
  return shares[id] ?? shares[ref] ?? shares[description];
}

function usualShare(rule: EmulatedRule, parts: Parts): number {
  if (rule.expression === "true") return 1;
  if (rule.expression === "false") return 0;
  return unitShare(keyFor(`rule/${matchOf(rule)}`, parts));
}

/** The part of the requests that a rule which deploys a ruleset is for. */
function reachOf({ expression = "true" }: EmulatedRule, parts: Parts): number {
  if (expression === "true") return 1;
  if (expression === "false") return 0;
  return between(0.2, 1, unitFor(`reach/${expression}`, parts));
}

function unitShare(key: number): number {
  return between(0.0005, 0.03, unitOf(key, 0));
}

function unitFor(text: string, parts: Parts): number {
  return unitOf(keyFor(text, parts), 0);
}

function keyFor(text: string, { zone, seed }: Parts): number {
  return hashOf(`${seed}/${zone.name}/${text}`);
}

/** From `low` to `high`, low ones more often. */
function between(low: number, high: number, unit: number): number {
  return low * (high / low) ** unit;
}
