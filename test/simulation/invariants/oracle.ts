import { isDeepStrictEqual } from "node:util";

import type {
  EmulatedPolicy,
  EmulatedRule,
  EmulatedRuleset,
  EmulatedZone,
} from "../../../src/emulator/state.ts";
import { coerceText, isJsonObject, type JsonObject } from "../../../src/syntax/json.ts";
import { managedRulesets } from "../../../src/zone/managed-ruleset.ts";
import { type RulePhase, rulePhases } from "../../../src/zone/rule-phase.ts";
import type { DeclaredContent, DeclaredPolicy, DeclaredRule } from "../stories.ts";

/*
 * What a zone is and should be, written from the documentation of the service and of the zone files, without a look at how
 * the program plans.
 */

/** The names of the phases at the service. */
export const wirePhases: Readonly<Record<RulePhase, string>> = {
  custom_rules: "http_request_firewall_custom",
  rate_limiting_rules: "http_ratelimit",
  managed_rules: "http_request_firewall_managed",
};

/** The entry point of a phase; `undefined` where it is absent. */
export function entryPointOf(
  { rulesets }: EmulatedZone,
  phase: RulePhase,
): EmulatedRuleset | undefined {
  return rulesets.find(
    ({ current }) => current.kind === "zone" && current.phase === wirePhases[phase],
  )?.current;
}

export function rulesOf(zone: EmulatedZone, phase: RulePhase): readonly EmulatedRule[] {
  return entryPointOf(zone, phase)?.rules ?? [];
}

/** The rules of all phases. */
export function allRulesOf(zone: EmulatedZone): readonly EmulatedRule[] {
  return rulePhases.flatMap((phase) => rulesOf(zone, phase));
}

/** What is ours in a zone, each named by its kind or phase and its key. */
export function namesOfOurs(zone: EmulatedZone): readonly string[] {
  return [
    ...named("policies", zone.policies.map(keyOfPolicy)),
    ...rulePhases.flatMap((phase) => named(phase, rulesOf(zone, phase).map(keyOfRule))),
  ];
}

function named(kind: string, keys: readonly (string | undefined)[]): readonly string[] {
  return keys.flatMap((key) => (key === undefined ? [] : `${kind}/${key}`));
}

/** The rules of a phase that do not bear our mark. */
export function foreignRulesOf(zone: EmulatedZone, phase: RulePhase): readonly EmulatedRule[] {
  return rulesOf(zone, phase).filter((rule) => keyOfRule(rule) === undefined);
}

/** The same names of what is declared. */
export function namesDeclared({ policies = [], rules }: DeclaredContent): readonly string[] {
  return [
    ...policies.map(({ key }) => `policies/${key}`),
    ...rulePhases.flatMap((phase) => (rules[phase] ?? []).map(({ key }) => `${phase}/${key}`)),
  ];
}

/** The key in our mark; `undefined` where there is none. */
export function keyOfPolicy({
  description,
}: Pick<EmulatedPolicy, "description">): string | undefined {
  return / ?\[zonewarden:([^\]]+)\]$/.exec(description)?.[1];
}

/** The key in our ref. A rule that deploys a managed ruleset of ours is adopted, whatever its ref. */
export function keyOfRule({ ref, action, action_parameters }: EmulatedRule): string | undefined {
  if (ref.startsWith("zonewarden:")) return ref.slice("zonewarden:".length);
  if (action !== "execute") return undefined;
  const id = action_parameters?.["id"];
  return (["owasp", "cloudflare"] as const).find((name) => managedRulesets[name] === id);
}

/** Ids of what bears our mark. */
export function ownedIn(zone: EmulatedZone): ReadonlySet<string> {
  return new Set([
    ...zone.policies.filter((policy) => keyOfPolicy(policy) !== undefined).map(({ id }) => id),
    ...allRulesOf(zone)
      .filter((rule) => keyOfRule(rule) !== undefined)
      .map(({ id }) => id),
  ]);
}

/** Content of everything in a zone that can be owned, by id; what the service maintains is left out. */
export function objectsIn(zone: EmulatedZone): ReadonlyMap<string, string> {
  return new Map([
    ...zone.policies.map((policy) => [policy.id, JSON.stringify(policy)] as const),
    ...allRulesOf(zone).map(
      (rule) => [rule.id, JSON.stringify({ ...rule, version: "", last_updated: "" })] as const,
    ),
  ]);
}

/** In what a zone differs from its declaration; empty where it is as declared. */
export function differencesOf(zone: EmulatedZone, declared: DeclaredContent): readonly string[] {
  const { enabled, policies } = declared;
  return [
    ...(enabled === undefined || enabled === zone.settings.enabled
      ? []
      : [`page shield is ${zone.settings.enabled ? "on" : "off"}`]),
    ...(policies === undefined ? [] : policyDifferences(zone, policies)),
    ...rulePhases.flatMap((phase) => ruleDifferences(zone, phase, declared)),
  ];
}

function policyDifferences(
  zone: EmulatedZone,
  declared: readonly DeclaredPolicy[],
): readonly string[] {
  const keys = new Set(declared.map(({ key }) => key));
  const ours = zone.policies.filter((policy) => keyOfPolicy(policy) !== undefined);
  return [
    ...ours
      .filter((policy) => !keys.has(keyOfPolicy(policy) ?? ""))
      .map(({ description }) => `policy "${description}" is not declared`),
    ...declared.flatMap((policy) => {
      const found = ours.filter((each) => keyOfPolicy(each) === policy.key);
      if (found.length !== 1) return [`policy ${policy.key} is there ${found.length} times`];
      const { action, expression, value, description } = policy;
      const wanted = { action, expression, value, enabled: true };
      const isSame = found.every(
        (each) =>
          each.description === `${description} [zonewarden:${policy.key}]` &&
          JSON.stringify(pick(each)) === JSON.stringify(wanted),
      );
      return isSame ? [] : [`policy ${policy.key} differs`];
    }),
  ];
}

function pick({ action, expression, value, enabled }: EmulatedPolicy): object {
  return { action, expression, value, enabled };
}

function ruleDifferences(
  zone: EmulatedZone,
  phase: RulePhase,
  { rules, pruned }: DeclaredContent,
): readonly string[] {
  const declared = rules[phase];
  if (declared === undefined) return [];
  const all = rulesOf(zone, phase);
  const ours = all.filter((rule) => keyOfRule(rule) !== undefined);
  const keys = ours.map(keyOfRule).join(", ");
  const wanted = declared.map(({ key }) => key).join(", ");
  if (keys !== wanted) return [`${phase} are ${keys || "none"} instead of ${wanted || "none"}`];
  const left = pruned.includes(phase) ? all.length - ours.length : 0;
  if (left > 0) return [`${phase} has ${left} rules of others`];
  return declared.flatMap((rule) => {
    const live = ours.find((each) => keyOfRule(each) === rule.key);
    const isSame = live !== undefined && isAsDeclared(live, rule) && isPlaced(live, rule, all);
    return isSame ? [] : [`${phase}/${rule.key} differs`];
  });
}

/** The declared rules that are not live as declared, wherever they stand. */
export function rulesMissing(zone: EmulatedZone, { rules }: DeclaredContent): readonly string[] {
  return rulePhases.flatMap((phase) =>
    (rules[phase] ?? []).flatMap((rule) => {
      const isLive = rulesOf(zone, phase).some(
        (live) => keyOfRule(live) === rule.key && isAsDeclared(live, rule),
      );
      return isLive ? [] : [`${phase}/${rule.key}`];
    }),
  );
}

/** Whether all rules of others are where a rule with a position wants them; one that is gone is nowhere. */
function isPlaced(live: EmulatedRule, rule: DeclaredRule, all: readonly EmulatedRule[]): boolean {
  const position = "position" in rule ? rule.position : undefined;
  if (position === undefined) return true;
  const index = all.indexOf(live);
  if (position === "first") return areOurs(all.slice(0, index));
  if (position === "last") return areOurs(all.slice(index + 1));
  const other = all.findIndex(({ ref }) => ref === refIn(position));
  return other < 0 || ("before" in position ? index < other : other < index);
}

function areOurs(rules: readonly EmulatedRule[]): boolean {
  return rules.every((each) => keyOfRule(each) !== undefined);
}

function refIn(position: { readonly before: string } | { readonly after: string }): string {
  return "before" in position ? position.before : position.after;
}

/** The refs of rules of others that positions name, and that are not there. */
export function refsMissing(
  zone: EmulatedZone,
  phase: RulePhase,
  { rules }: DeclaredContent,
): readonly string[] {
  return (rules[phase] ?? []).flatMap((rule) => {
    const position = "position" in rule ? rule.position : undefined;
    if (typeof position !== "object") return [];
    const ref = refIn(position);
    return rulesOf(zone, phase).some((each) => each.ref === ref) ? [] : [ref];
  });
}

function isAsDeclared(live: EmulatedRule, rule: DeclaredRule): boolean {
  const parameters = live.action_parameters ?? {};
  if (!live.enabled || live.description !== rule.description) return false;
  if ("skip" in rule) {
    return (
      live.action === "skip" &&
      isDeepStrictEqual(parameters, rule.skip) &&
      live.expression === rule.expression
    );
  }
  if ("expression" in rule) {
    const { action, expression, ratelimit } = rule;
    const isSame = live.action === action && live.expression === expression;
    if (ratelimit === undefined) return isSame && live.ratelimit === undefined;
    return isSame && isRateLimited(live, ratelimit);
  }
  return isDeployedAs(live, rule);
}

function isDeployedAs(
  live: EmulatedRule,
  rule: Extract<DeclaredRule, { readonly deploy: string }>,
): boolean {
  const parameters = live.action_parameters ?? {};
  const isDeployed = live.action === "execute" && parameters["id"] === managedRulesets[rule.deploy];
  const overrides = parameters["overrides"];
  const categories = isJsonObject(overrides) ? overrides["categories"] : undefined;
  const isTuned = Array.isArray(categories) && categories.length > 0;
  return isDeployed && isTuned === (rule.paranoia_level !== undefined);
}

function isRateLimited(live: EmulatedRule, wanted: JsonObject): boolean {
  return Object.entries(wanted).every(([name, value]) =>
    isDeepStrictEqual(plain(live.ratelimit?.[name]), plain(value)),
  );
}

/** The service gives the characteristics in another order. */
function plain(value: unknown): unknown {
  return Array.isArray(value) ? new Set(value) : value;
}

/** How well a zone is protected, each a number that is better when it is higher. */
export type Levels = ReadonlyMap<string, number>;

interface Protection {
  readonly enabled: boolean;
  readonly policies: readonly Pick<EmulatedPolicy, "action" | "enabled" | "expression" | "value">[];
  readonly rules: Readonly<Record<RulePhase, readonly ProtectingRule[]>>;
}

/** What a rule does, as far as the rules of the simulation need it. */
interface ProtectingRule {
  readonly expression: string;
  readonly action: string;
  readonly parameters: JsonObject;
}

/** All paths that rules of ours are about; and one that none is about. */
const paths = ["/status", "/admin", "/export", "/exports", "/login", "/health", "/other"];

const force: Readonly<Record<string, number>> = { block: 3, managed_challenge: 2, log: 1 };

export function levelsOf(zone: EmulatedZone): Levels {
  return levelsIn({
    enabled: zone.settings.enabled,
    policies: zone.policies,
    rules: byPhase((phase) =>
      rulesOf(zone, phase)
        .filter(({ enabled }) => enabled)
        .map(({ expression = "", action, action_parameters: parameters = {} }) => ({
          expression,
          action,
          parameters,
        })),
    ),
  });
}

/** The protection that a declaration alone gives. */
export function levelsDeclared({ enabled, policies, rules }: DeclaredContent): Levels {
  return levelsIn({
    enabled: enabled ?? false,
    policies: (policies ?? []).map((policy) => ({ ...policy, enabled: true })),
    rules: byPhase((phase) => (rules[phase] ?? []).map(protectingRule)),
  });
}

function byPhase<T>(of: (phase: RulePhase) => T): Readonly<Record<RulePhase, T>> {
  return {
    custom_rules: of("custom_rules"),
    rate_limiting_rules: of("rate_limiting_rules"),
    managed_rules: of("managed_rules"),
  };
}

function protectingRule(rule: DeclaredRule): ProtectingRule {
  if ("deploy" in rule) {
    const parameters = { id: managedRulesets[rule.deploy] };
    return { expression: "true", action: "execute", parameters };
  }
  const { expression } = rule;
  if ("skip" in rule) return { expression, action: "skip", parameters: { ...rule.skip } };
  return { expression, action: rule.action, parameters: {} };
}

/** What the rules do with requests to a path, phase by phase. */
function levelsAt(
  path: string,
  rules: Protection["rules"],
): readonly (readonly [string, number])[] {
  const skipped = new Set<unknown>();
  return rulePhases.flatMap((phase) => {
    const levels: (readonly [string, number])[] = [];
    if (skipped.has(wirePhases[phase])) return levels;
    for (const { expression, action, parameters } of rules[phase]) {
      if (expression !== "true" && expression !== `http.request.uri.path eq "${path}"`) continue;
      const { phases, ruleset, id } = parameters;
      if (action === "skip" && ruleset === "current") break;
      if (Array.isArray(phases)) for (const each of phases) skipped.add(each);
      if (action === "execute") levels.push([`managed ruleset ${coerceText(id)} at ${path}`, 1]);
      if (action in force) levels.push([`${phase} at ${path}`, force[action] ?? 0]);
    }
    return levels;
  });
}

const sources = ["'self'", "cdn.example.net", "cdn.example.org", "evil.example"];

function levelsIn({ enabled, policies, rules }: Protection): Levels {
  const levels = new Map<string, number>([["scripts are watched", enabled ? 1 : 0]]);
  for (const [name, level] of paths.flatMap((path) => levelsAt(path, rules))) {
    levels.set(name, Math.max(levels.get(name) ?? 0, level));
  }
  for (const policy of policies) {
    const strength = policy.enabled ? ({ allow: 2, log: 1 }[policy.action] ?? 0) : 0;
    const [directive = "", ...allowed] = policy.value.split(" ");
    for (const source of sources) {
      if (allowed.includes(source)) continue;
      const name = `${directive} ${source}`;
      levels.set(name, Math.max(levels.get(name) ?? 0, strength));
    }
  }
  return levels;
}

/** The dimensions in which `after` is weaker than both others. */
export function weakened(before: Levels, after: Levels, target: Levels): readonly string[] {
  return [...before]
    .filter(([name, was]) => (after.get(name) ?? 0) < Math.min(was, target.get(name) ?? 0))
    .map(([name]) => name);
}
