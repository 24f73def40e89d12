import type { Declared, ZoneContent } from "./desired-zone.ts";
import type { Promotion, StepValue } from "./promotion.ts";
import {
  type ExecuteRule,
  mitigateActions,
  type MitigateRule,
  paranoiaLevels,
  type Policy,
  policyActions,
  type ResourceKey,
  type Rule,
} from "./resource.ts";
import { factsOfPhase, rulePhases } from "./rule-phase.ts";

/** A declared policy or rule with steps. */
export type PromotedObject = (Policy | ExecuteRule | MitigateRule) & {
  readonly promotion: Promotion;
};

/** The declared policies and rules with steps, also those of custom rulesets, by their keys. */
export function promotedObjects(content: ZoneContent): ReadonlyMap<ResourceKey, PromotedObject> {
  const found = new Map<ResourceKey, PromotedObject>();
  const collect = <T extends Policy | Rule>(key: ResourceKey, object: T): T => {
    if (isPromoted(object)) found.set(key, object);
    return object;
  };
  mapObjects(content, collect, collect);
  return found;
}

/** Content of which these steps, from 0, are in force; a number that is no step of its object is not known. */
export function atSteps(
  content: ZoneContent,
  steps: ReadonlyMap<ResourceKey, number>,
): ZoneContent {
  if (steps.size === 0) return content;
  const set = <T extends Policy | Rule>(key: ResourceKey, object: T): T => {
    const at = steps.get(key);
    if (at === undefined || !isPromoted(object) || object.promotion.at === at) return object;
    if (object.promotion.steps[at] === undefined) return object;
    return { ...object, promotion: { ...object.promotion, at } };
  };
  return mapObjects(content, set, set);
}

/** Content whose objects have the values of these steps, which are in force; others are as they are declared. */
export function withStepValues(
  content: ZoneContent,
  steps: ReadonlyMap<ResourceKey, { readonly planned: number }>,
): ZoneContent {
  if (steps.size === 0) return content;
  const atOf = (key: ResourceKey): number => steps.get(key)?.planned ?? -1;
  return mapObjects(
    content,
    (key, policy) => policyAtStep(policy, atOf(key)),
    (key, rule) => ruleAtStep(rule, atOf(key)),
  );
}

/** The policy as it is in one of its steps, from 0. */
export function policyAtStep(policy: Policy, at: number): Policy {
  const { promotion } = policy;
  const step = promotion?.steps[at];
  if (promotion === undefined || step === undefined) return policy;
  const action = oneOf(policyActions, step) ?? policy.action;
  return { ...policy, action, promotion: { ...promotion, at } };
}

/** The rule as it is in one of its steps, from 0. */
export function ruleAtStep(rule: Rule, at: number): Rule {
  const { promotion } = rule;
  const step = promotion?.steps[at];
  if (promotion === undefined || step === undefined) return rule;
  const stepped = { ...promotion, at };
  if (rule.action !== "execute") {
    return { ...rule, action: oneOf(mitigateActions, step) ?? rule.action, promotion: stepped };
  }
  return { ...rule, tuning: { ...rule.tuning, ...tunedBy(promotion, step) }, promotion: stepped };
}

function tunedBy({ field }: Promotion, step: StepValue): Partial<ExecuteRule["tuning"]> {
  switch (field) {
    case "action":
      return { action: oneOf(mitigateActions, step) };
    case "paranoia_level":
      return { paranoiaLevel: oneOf(paranoiaLevels, step) };
    case "score_threshold":
      return { scoreThreshold: Number(step) };
  }
}

function oneOf<T extends StepValue>(values: readonly T[], step: StepValue): T | undefined {
  return values.find((each) => each === step);
}

function isPromoted(object: Policy | Rule): object is PromotedObject {
  return object.promotion !== undefined;
}

/** Content with other rules; the same content where all stay the same. */
export function withRules(
  content: ZoneContent,
  of: (key: ResourceKey, rule: Rule) => Rule,
): ZoneContent {
  return mapObjects(content, (_key, policy) => policy, of);
}

/** Content with other policies and rules; the same content where all stay the same. */
function mapObjects(
  content: ZoneContent,
  ofPolicy: (key: ResourceKey, policy: Policy) => Policy,
  ofRule: (key: ResourceKey, rule: Rule) => Rule,
): ZoneContent {
  const policies = mapDeclared(content.policies, (each) => ofPolicy(`policy/${each.key}`, each));
  const customRulesets = mapDeclared(content.customRulesets, (ruleset) => {
    const rules = mapList(ruleset.rules, (rule) =>
      ofRule(`custom_rule/${ruleset.key}/${rule.key}`, rule),
    );
    return rules === ruleset.rules ? ruleset : { ...ruleset, rules };
  });
  const rules = { ...content.rules };
  for (const phase of rulePhases) {
    const { kind } = factsOfPhase(phase);
    const declared = mapDeclared(rules[phase], (rule) => ofRule(`${kind}/${rule.key}`, rule));
    if (declared !== undefined) rules[phase] = declared;
  }
  const isSame =
    policies === content.policies &&
    customRulesets === content.customRulesets &&
    rulePhases.every((phase) => rules[phase] === content.rules[phase]);
  return isSame ? content : { ...content, policies, rules, customRulesets };
}

function mapDeclared<T>(
  declared: Declared<T> | undefined,
  of: (item: T) => T,
): Declared<T> | undefined {
  if (declared === undefined) return undefined;
  const items = mapList(declared.items, of);
  return items === declared.items ? declared : { ...declared, items };
}

function mapList<T>(list: readonly T[], of: (item: T) => T): readonly T[] {
  const mapped = list.map(of);
  return mapped.every((each, index) => each === list[index]) ? list : mapped;
}
