import type { Plan } from "../plan/plan.ts";
import { resolveOverrides } from "../plan/rules/owasp-tuning.ts";
import { byText } from "../syntax/by-text.ts";
import { declaredRules, type ZoneContent } from "../zone/desired-zone.ts";
import type { SeenResource } from "../zone/inventory-item.ts";
import { type LivePolicy, type LiveZone, rulesIn } from "../zone/live-zone.ts";
import { documentedScoreRuleId } from "../zone/managed-ruleset.ts";
import { unmarked } from "../zone/mark.ts";
import type { Policy, ResourceKey } from "../zone/resource.ts";
import type { Ruleset } from "../zone/ruleset.ts";
import type { ZoneName } from "../zone/zone.ts";
import { type ComparedPolicy, type PolicyImpact, cspImpact } from "./csp-impact.ts";
import { type ManagedExceptions, managedExceptions } from "./managed-exceptions.ts";
import { type Deployment, type RulesetImpact, rulesetImpact } from "./ruleset-impact.ts";

/** A plan with the two states that it was made from. */
export interface PlanWithStates {
  readonly content: ZoneContent;
  readonly live: LiveZone;
  readonly plan: Plan;
}

interface ImpactFacts extends PlanWithStates {
  /** Scripts and connections; `undefined`: not read, or not needed. */
  readonly resources: readonly SeenResource[] | undefined;
  /** Managed rulesets that could be read, by id. */
  readonly managed: ReadonlyMap<string, Ruleset>;
  /** What is missing, and why. */
  readonly notes: readonly string[];
}

/** What a declared deployment does to the rules of its managed ruleset. */
export interface DeploymentImpact extends RulesetImpact {
  readonly key: ResourceKey;
  readonly ruleset: Ruleset;
}

/** What the policies of a zone do to its inventory, and its rules to managed rules. */
export interface ZoneImpact extends ManagedExceptions {
  readonly zone: ZoneName;
  readonly policies: readonly PolicyImpact[];
  readonly deployments: readonly DeploymentImpact[];
  readonly notes: readonly string[];
}

export function zoneImpact(
  facts: ImpactFacts,
  options: { readonly maliciousBelow: number },
): ZoneImpact {
  const { content, plan, live, resources, notes } = facts;
  const policies = comparedPolicies(plan, content.policies?.items ?? [], live.policies ?? []);
  return {
    zone: plan.zone.name,
    policies: resources === undefined ? [] : cspImpact(policies, resources, options),
    deployments: deploymentImpacts(facts),
    ...managedExceptions(content, plan, live),
    notes,
  };
}

function deploymentImpacts({
  content,
  plan,
  live,
  managed,
}: ImpactFacts): readonly DeploymentImpact[] {
  const scoreRuleId = live.scoreRule?.id ?? documentedScoreRuleId;
  const changes = new Set(plan.changes.map(({ key: changed }) => changed));
  const deploying = (content.rules.managed_rules?.items ?? []).filter(
    (rule) => rule.action === "execute",
  );
  return deploying.flatMap((rule) => {
    const ruleset = managed.get(rule.ruleset);
    if (ruleset === undefined) return [];
    const key = `managed_rule/${rule.key}` as const;
    const after = { enabled: rule.enabled, overrides: resolveOverrides(rule, scoreRuleId) };
    const isKept = !changes.has(key) && !plan.steps.has(key);
    const before = isKept ? after : deployedAs(key, plan, live);
    return [{ key, ruleset, ...rulesetImpact(ruleset.rules, before, after) }];
  });
}

function deployedAs(
  key: ResourceKey,
  { liveKeys }: Plan,
  { entrypoints }: LiveZone,
): Deployment | undefined {
  const rule = rulesIn(entrypoints.managed_rules).find(({ id }) => liveKeys.get(id) === key);
  if (rule?.action.type !== "execute") return undefined;
  return { enabled: rule.enabled, overrides: rule.action.overrides };
}

/** Ids of the managed rulesets that a zone's declared rules deploy. */
export function deployedRulesets(content: ZoneContent): readonly string[] {
  const ids = declaredRules(content).flatMap((rule) =>
    rule.action === "execute" ? [rule.ruleset] : [],
  );
  return [...new Set(ids)];
}

/** Every policy of a zone before or after its plan, including those that do not change; one with steps at their end. */
export function comparedPolicies(
  plan: Plan,
  declared: readonly Policy[],
  live: readonly LivePolicy[],
): readonly ComparedPolicy[] {
  const byKey = new Map(declared.map((policy) => [`policy/${policy.key}`, policy]));
  const changes = plan.changes.filter(({ kind }) => kind === "policy");
  const ids = new Map(
    changes.flatMap((change) => (change.verb === "create" ? [] : [[change.id, change]])),
  );
  const created = changes
    .filter(({ verb }) => verb === "create")
    .map(({ key, title }) => ({ key, title, before: undefined, after: byKey.get(key) }));
  const lasting = live.map((before): ComparedPolicy => {
    const change = ids.get(before.id);
    if (change === undefined) {
      const key = plan.liveKeys.get(before.id) ?? (`policy/${before.id}` as const);
      const after = plan.steps.has(key) ? byKey.get(key) : before;
      return { key, title: unmarked(before.description).description, before, after };
    }
    const after = change.verb === "delete" ? undefined : byKey.get(change.key);
    return { key: change.key, title: change.title, before, after };
  });
  return [...created, ...lasting].toSorted(byText(({ key }) => key));
}
