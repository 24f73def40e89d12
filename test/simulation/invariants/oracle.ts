import type { EmulatedPolicy, EmulatedRule, EmulatedZone } from "../../../src/emulator/state.ts";
import { coerceText, isJsonObject } from "../../../src/syntax/json.ts";
import { managedRulesets } from "../../../src/zone/managed-ruleset.ts";
import type { DeclaredContent, DeclaredPolicy, DeclaredRule } from "../stories.ts";

/*
 * What a zone is and should be, written from the documentation of the service and of the zone files, without a look at how
 * the program plans.
 */

export function rulesOf({ rulesets }: EmulatedZone): readonly EmulatedRule[] {
  return rulesets.find(({ current }) => current.kind === "zone")?.current.rules ?? [];
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
    ...rulesOf(zone)
      .filter((rule) => keyOfRule(rule) !== undefined)
      .map(({ id }) => id),
  ]);
}

/** Content of everything in a zone that can be owned, by id; what the service maintains is left out. */
export function objectsIn(zone: EmulatedZone): ReadonlyMap<string, string> {
  return new Map([
    ...zone.policies.map((policy) => [policy.id, JSON.stringify(policy)] as const),
    ...rulesOf(zone).map(
      (rule) => [rule.id, JSON.stringify({ ...rule, version: "", last_updated: "" })] as const,
    ),
  ]);
}

/** In what a zone differs from its declaration; empty where it is as declared. */
export function differencesOf(zone: EmulatedZone, declared: DeclaredContent): readonly string[] {
  const { enabled, policies, rules } = declared;
  return [
    ...(enabled === undefined || enabled === zone.settings.enabled
      ? []
      : [`page shield is ${zone.settings.enabled ? "on" : "off"}`]),
    ...(policies === undefined ? [] : policyDifferences(zone, policies)),
    ...(rules === undefined ? [] : ruleDifferences(zone, rules)),
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

function ruleDifferences(zone: EmulatedZone, declared: readonly DeclaredRule[]): readonly string[] {
  const ours = rulesOf(zone).filter((rule) => keyOfRule(rule) !== undefined);
  const keys = ours.map(keyOfRule).join(", ");
  const wanted = declared.map(({ key }) => key).join(", ");
  if (keys !== wanted) return [`the rules are ${keys || "none"} instead of ${wanted || "none"}`];
  return declared.flatMap((rule, index) => {
    const live = ours[index];
    return live !== undefined && isAsDeclared(live, rule) ? [] : [`rule ${rule.key} differs`];
  });
}

function isAsDeclared(live: EmulatedRule, rule: DeclaredRule): boolean {
  const parameters = live.action_parameters ?? {};
  if (!live.enabled || live.description !== rule.description) return false;
  if ("skip" in rule) {
    return (
      live.action === "skip" &&
      parameters["ruleset"] === "current" &&
      live.expression === rule.expression
    );
  }
  const isDeployed = live.action === "execute" && parameters["id"] === managedRulesets[rule.deploy];
  const overrides = parameters["overrides"];
  const categories = isJsonObject(overrides) ? overrides["categories"] : undefined;
  const isTuned = Array.isArray(categories) && categories.length > 0;
  return isDeployed && isTuned === (rule.paranoia_level !== undefined);
}

/** How well a zone is protected, each a number that is better when it is higher. */
export type Levels = ReadonlyMap<string, number>;

interface Protection {
  readonly enabled: boolean;
  readonly policies: readonly Pick<EmulatedPolicy, "action" | "enabled" | "expression" | "value">[];
  readonly rulesets: readonly string[];
}

export function levelsOf(zone: EmulatedZone): Levels {
  return levelsIn({
    enabled: zone.settings.enabled,
    policies: zone.policies,
    rulesets: rulesOf(zone)
      .filter(({ action, enabled }) => action === "execute" && enabled)
      .map(({ action_parameters: parameters }) => coerceText(parameters?.["id"])),
  });
}

/** The protection that a declaration alone gives. */
export function levelsDeclared({ enabled, policies, rules }: DeclaredContent): Levels {
  return levelsIn({
    enabled: enabled ?? false,
    policies: (policies ?? []).map((policy) => ({ ...policy, enabled: true })),
    rulesets: (rules ?? []).flatMap((rule) =>
      "deploy" in rule ? managedRulesets[rule.deploy] : [],
    ),
  });
}

const sources = ["'self'", "cdn.example.net", "cdn.example.org", "evil.example"];

function levelsIn({ enabled, policies, rulesets }: Protection): Levels {
  const levels = new Map<string, number>([["scripts are watched", enabled ? 1 : 0]]);
  for (const ruleset of rulesets) levels.set(`managed ruleset ${ruleset}`, 1);
  for (const policy of policies) {
    const force = policy.enabled ? ({ allow: 2, log: 1 }[policy.action] ?? 0) : 0;
    const [directive = "", ...allowed] = policy.value.split(" ");
    for (const source of sources) {
      if (allowed.includes(source)) continue;
      const name = `${directive} ${source}`;
      levels.set(name, Math.max(levels.get(name) ?? 0, force));
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
