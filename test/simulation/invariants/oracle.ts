import { isDeepStrictEqual } from "node:util";

import type {
  EmulatedPolicy,
  EmulatedRule,
  EmulatedRuleset,
  EmulatedZone,
} from "../../../src/emulator/state.ts";
import { compareText } from "../../../src/syntax/by-text.ts";
import { coerceText, isJsonObject, type JsonObject } from "../../../src/syntax/json.ts";
import { managedRulesets } from "../../../src/zone/managed-ruleset.ts";
import { type RulePhase, rulePhases } from "../../../src/zone/rule-phase.ts";
import type {
  DeclaredContent,
  DeclaredPolicy,
  DeclaredRule,
  DeclaredRuleset,
} from "../declared.ts";

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

/** The custom rulesets of the phase of custom rules. */
export function customRulesetsOf({ rulesets }: EmulatedZone): readonly EmulatedRuleset[] {
  return rulesets
    .map(({ current }) => current)
    .filter(({ kind, phase }) => kind === "custom" && phase === wirePhases.custom_rules);
}

/** The rules of all phases and custom rulesets. */
export function allRulesOf(zone: EmulatedZone): readonly EmulatedRule[] {
  return [
    ...rulePhases.flatMap((phase) => rulesOf(zone, phase)),
    ...customRulesetsOf(zone).flatMap(({ rules }) => rules),
  ];
}

/** What is ours in a zone, each named by its kind or phase and its key. */
export function namesOfOurs(zone: EmulatedZone): readonly string[] {
  const keyOf = keysIn(zone);
  return [
    ...named("policies", zone.policies.map(keyOfMarked)),
    ...rulePhases.flatMap((phase) => named(phase, rulesOf(zone, phase).map(keyOf))),
    ...customRulesetsOf(zone).flatMap((ruleset) => {
      const key = keyOfMarked(ruleset);
      if (key === undefined) return [];
      return [
        ...named("custom_rulesets", [key]),
        ...named(`custom_rulesets/${key}`, ruleset.rules.map(keyOfRule)),
      ];
    }),
  ];
}

function named(kind: string, keys: readonly (string | undefined)[]): readonly string[] {
  return keys.flatMap((key) => (key === undefined ? [] : `${kind}/${key}`));
}

/** The rules of a phase that do not bear our mark. */
export function foreignRulesOf(zone: EmulatedZone, phase: RulePhase): readonly EmulatedRule[] {
  const keyOf = keysIn(zone);
  return rulesOf(zone, phase).filter((rule) => keyOf(rule) === undefined);
}

/** The rules of a custom ruleset that do not bear our mark. */
export function foreignRulesIn({ rules }: EmulatedRuleset): readonly EmulatedRule[] {
  return rules.filter((rule) => keyOfRule(rule) === undefined);
}

/** The same names of what is declared. */
export function namesDeclared({
  policies = [],
  rules,
  rulesets = [],
}: DeclaredContent): readonly string[] {
  return [
    ...policies.map(({ key }) => `policies/${key}`),
    ...rulePhases.flatMap((phase) => (rules[phase] ?? []).map(({ key }) => `${phase}/${key}`)),
    ...rulesets.flatMap(({ key, rules: inside }) => [
      `custom_rulesets/${key}`,
      `custom_rules/${deploymentKey(key)}`,
      ...inside.map((rule) => `custom_rulesets/${key}/${rule.key}`),
    ]),
  ];
}

/** The key of the rule that executes a custom ruleset. */
function deploymentKey(ruleset: string): string {
  return `custom_ruleset/${ruleset}`;
}

/** The key in our mark of a policy or custom ruleset; `undefined` where there is none. */
export function keyOfMarked({
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

/** The keys of the rules of entry points. A rule that executes a custom ruleset of ours is ours as well, whatever its ref. */
export function keysIn(zone: EmulatedZone): (rule: EmulatedRule) => string | undefined {
  const executed = new Map(
    customRulesetsOf(zone).map((ruleset) => [ruleset.id, keyOfMarked(ruleset)] as const),
  );
  return (rule) => {
    const key = keyOfRule(rule);
    if (key !== undefined || rule.action !== "execute") return key;
    const ruleset = executed.get(coerceText(rule.action_parameters?.["id"]));
    return ruleset === undefined ? undefined : deploymentKey(ruleset);
  };
}

/** The rules by which a zone executes custom rulesets of ours. */
export function executedIn(zone: EmulatedZone): string {
  const keyOf = keysIn(zone);
  const entry = rulesOf(zone, "custom_rules");
  return JSON.stringify(entry.filter((rule) => keyOf(rule)?.startsWith(deploymentKey(""))));
}

/** Ids of what bears our mark; the rules of a custom ruleset are ours only if that one is. */
export function ownedIn(zone: EmulatedZone): ReadonlySet<string> {
  const keyOf = keysIn(zone);
  const rulesets = customRulesetsOf(zone).filter((each) => keyOfMarked(each) !== undefined);
  const rules = rulePhases.flatMap((phase) => rulesOf(zone, phase));
  return new Set([
    ...zone.policies.filter((policy) => keyOfMarked(policy) !== undefined).map(({ id }) => id),
    ...rules.filter((rule) => keyOf(rule) !== undefined).map(({ id }) => id),
    ...rulesets.flatMap((ruleset) => [
      ruleset.id,
      ...ruleset.rules.filter((rule) => keyOfRule(rule) !== undefined).map(({ id }) => id),
    ]),
  ]);
}

/** Content of everything in a zone that can be owned, by id; what the service maintains is left out. */
export function objectsIn(zone: EmulatedZone): ReadonlyMap<string, string> {
  return new Map([
    ...zone.policies.map((policy) => [policy.id, JSON.stringify(policy)] as const),
    ...allRulesOf(zone).map(
      (rule) => [rule.id, JSON.stringify({ ...rule, version: "", last_updated: "" })] as const,
    ),
    ...customRulesetsOf(zone).map(
      ({ id, name, description }) => [id, JSON.stringify({ name, description })] as const,
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
    ...rulesetDifferences(zone, declared),
  ];
}

function policyDifferences(
  zone: EmulatedZone,
  declared: readonly DeclaredPolicy[],
): readonly string[] {
  const keys = new Set(declared.map(({ key }) => key));
  const ours = zone.policies.filter((policy) => keyOfMarked(policy) !== undefined);
  return [
    ...ours
      .filter((policy) => !keys.has(keyOfMarked(policy) ?? ""))
      .map(({ description }) => `policy "${description}" is not declared`),
    ...declared.flatMap((policy) => {
      const found = ours.filter((each) => keyOfMarked(each) === policy.key);
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
  const keyOf = keysIn(zone);
  const ours = all.filter((rule) => keyOf(rule) !== undefined);
  const left = pruned.includes(phase) ? all.length - ours.length : 0;
  if (left > 0) return [`${phase} has ${left} rules of others`];
  const listed = all.filter((rule) => keyOf(rule)?.startsWith(deploymentKey("")) !== true);
  return listDifferences(phase, listed, declared, keyOf);
}

/** In what the rules of ours in a list differ from the declared ones. */
function listDifferences(
  list: string,
  all: readonly EmulatedRule[],
  declared: readonly DeclaredRule[],
  keyOf: (rule: EmulatedRule) => string | undefined,
): readonly string[] {
  const ours = all.filter((rule) => keyOf(rule) !== undefined);
  const keys = ours.map(keyOf).join(", ");
  const wanted = declared.map(({ key }) => key).join(", ");
  if (keys !== wanted) return [`${list} are ${keys || "none"} instead of ${wanted || "none"}`];
  return declared.flatMap((rule) => {
    const live = ours.find((each) => keyOf(each) === rule.key);
    const isSame =
      live !== undefined && isAsDeclared(live, rule) && isPlaced(live, rule, all, keyOf);
    return isSame ? [] : [`${list}/${rule.key} differs`];
  });
}

function rulesetDifferences(
  zone: EmulatedZone,
  { rulesets: declared }: DeclaredContent,
): readonly string[] {
  if (declared === undefined) return [];
  const ours = customRulesetsOf(zone).filter((each) => keyOfMarked(each) !== undefined);
  const keys = ours
    .map((each) => keyOfMarked(each) ?? "")
    .toSorted(compareText)
    .join(", ");
  const wanted = declared.map(({ key }) => key);
  if (keys !== wanted.toSorted(compareText).join(", ")) {
    return [`custom rulesets are ${keys || "none"} instead of ${wanted.join(", ") || "none"}`];
  }
  const keyOf = keysIn(zone);
  const entry = rulesOf(zone, "custom_rules");
  const deployed = entry.map(keyOf).filter((key) => key?.startsWith(deploymentKey("")));
  const order = wanted.map(deploymentKey).join(", ");
  if (deployed.join(", ") !== order) {
    return [`${deployed.join(", ") || "nothing"} is executed instead of ${order || "nothing"}`];
  }
  return declared.flatMap((each) => {
    const live = ours.find((ruleset) => keyOfMarked(ruleset) === each.key);
    const name = `custom_rulesets/${each.key}`;
    if (live === undefined) return [`${name} is gone`];
    return [
      ...(isExecutedAs(each, live, entry, keyOf) ? [] : [`${name} is executed in another way`]),
      ...(live.description === `${each.description} [zonewarden:${each.key}]`
        ? []
        : [`${name} has another description`]),
      ...listDifferences(name, live.rules, each.rules, keyOfRule),
    ];
  });
}

function isExecutedAs(
  declared: DeclaredRuleset,
  { id }: EmulatedRuleset,
  entry: readonly EmulatedRule[],
  keyOf: (rule: EmulatedRule) => string | undefined,
): boolean {
  const rule = entry.find((each) => keyOf(each) === deploymentKey(declared.key));
  if (rule === undefined || !rule.enabled || rule.expression !== declared.expression) return false;
  return rule.action_parameters?.["id"] === id && isPlaced(rule, declared, entry, keyOf);
}

function missingIn(
  list: string,
  live: readonly EmulatedRule[],
  declared: readonly DeclaredRule[],
): readonly string[] {
  const isLive = (rule: DeclaredRule): boolean =>
    live.some((each) => keyOfRule(each) === rule.key && isAsDeclared(each, rule));
  return declared.filter((rule) => !isLive(rule)).map(({ key }) => `${list}/${key}`);
}

/** The declared rules that are not live as declared, wherever they stand. */
export function rulesMissing(
  zone: EmulatedZone,
  { rules, rulesets = [] }: DeclaredContent,
): readonly string[] {
  return [
    ...rulePhases.flatMap((phase) => missingIn(phase, rulesOf(zone, phase), rules[phase] ?? [])),
    ...rulesets.flatMap(({ key, rules: inside }) => {
      const live = customRulesetsOf(zone).find((each) => keyOfMarked(each) === key);
      return missingIn(`custom_rulesets/${key}`, live?.rules ?? [], inside);
    }),
  ];
}

/** Whether all rules of others are where a rule with a position wants them; one that is gone is nowhere. */
function isPlaced(
  live: EmulatedRule,
  rule: DeclaredRule | DeclaredRuleset,
  all: readonly EmulatedRule[],
  keyOf: (rule: EmulatedRule) => string | undefined,
): boolean {
  const position = "position" in rule ? rule.position : undefined;
  if (position === undefined) return true;
  const areOurs = (rules: readonly EmulatedRule[]): boolean =>
    rules.every((each) => keyOf(each) !== undefined);
  const index = all.indexOf(live);
  if (position === "first") return areOurs(all.slice(0, index));
  if (position === "last") return areOurs(all.slice(index + 1));
  const other = all.findIndex(({ ref }) => ref === refIn(position));
  return other < 0 || ("before" in position ? index < other : other < index);
}

function refIn(position: { readonly before: string } | { readonly after: string }): string {
  return "before" in position ? position.before : position.after;
}

/** The refs of rules of others that positions name, and that are not there. */
export function refsMissing(
  live: readonly EmulatedRule[],
  declared: readonly (DeclaredRule | DeclaredRuleset)[],
): readonly string[] {
  return declared.flatMap((rule) => {
    const position = "position" in rule ? rule.position : undefined;
    if (typeof position !== "object") return [];
    const ref = refIn(position);
    return live.some((each) => each.ref === ref) ? [] : [ref];
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
  /** The rules of the custom ruleset that it executes. */
  readonly inside?: readonly ProtectingRule[] | undefined;
}

/** All paths that rules of ours are about; and one that none is about. */
const paths = ["/status", "/admin", "/export", "/exports", "/login", "/health", "/other"];

const force: Readonly<Record<string, number>> = { block: 3, managed_challenge: 2, log: 1 };

export function levelsOf(zone: EmulatedZone): Levels {
  return levelsIn({
    enabled: zone.settings.enabled,
    policies: zone.policies,
    rules: byPhase((phase) => protectingRules(rulesOf(zone, phase), customRulesetsOf(zone))),
  });
}

function protectingRules(
  rules: readonly EmulatedRule[],
  rulesets: readonly EmulatedRuleset[],
): readonly ProtectingRule[] {
  return rules
    .filter(({ enabled }) => enabled)
    .map(({ expression = "", action, action_parameters: parameters = {} }) => {
      const executed = rulesets.find(({ id }) => action === "execute" && id === parameters["id"]);
      const inside = executed && protectingRules(executed.rules, []);
      return { expression, action, parameters, inside };
    });
}

/** The protection that a declaration alone gives. */
export function levelsDeclared({
  enabled,
  policies,
  rules,
  rulesets = [],
}: DeclaredContent): Levels {
  const deployed = rulesets.map(({ expression, rules: inside }): ProtectingRule => ({
    expression,
    action: "execute",
    parameters: {},
    inside: inside.map(protectingRule),
  }));
  return levelsIn({
    enabled: enabled ?? false,
    policies: (policies ?? []).map((policy) => ({ ...policy, enabled: true })),
    rules: byPhase((phase) => [
      ...(rules[phase] ?? []).map(protectingRule),
      ...(phase === "custom_rules" ? deployed : []),
    ]),
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
  const levelsOfList = (
    phase: RulePhase,
    list: readonly ProtectingRule[],
  ): readonly (readonly [string, number])[] => {
    const levels: (readonly [string, number])[] = [];
    for (const { expression, action, parameters, inside } of list) {
      if (expression !== "true" && expression !== `http.request.uri.path eq "${path}"`) continue;
      const { phases, ruleset, id } = parameters;
      if (action === "skip" && ruleset === "current") break;
      if (Array.isArray(phases)) for (const each of phases) skipped.add(each);
      if (inside !== undefined) levels.push(...levelsOfList(phase, inside));
      else if (action === "execute") {
        levels.push([`managed ruleset ${coerceText(id)} at ${path}`, 1]);
      }
      if (action in force) levels.push([`${phase} at ${path}`, force[action] ?? 0]);
    }
    return levels;
  };
  return rulePhases.flatMap((phase) =>
    skipped.has(wirePhases[phase]) ? [] : levelsOfList(phase, rules[phase]),
  );
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
