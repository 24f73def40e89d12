import type { ZoneContent } from "../zone/desired-zone.ts";
import type { LivePolicy, LiveRule } from "../zone/live-zone.ts";
import { policyAtStep, promotedObjects, ruleAtStep } from "../zone/promoted-objects.ts";
import type { Promotion, StepValue } from "../zone/promotion.ts";
import type { Policy, ResourceKey, Rule } from "../zone/resource.ts";
import { comparable } from "./rules/rule-fields.ts";

/** The steps of an object, and at which of them, from 0, it is. */
export interface PromotedStep extends Pick<Promotion, "field" | "steps"> {
  /** `undefined`: nothing is live in force, or with a value that is no step. */
  readonly live: number | undefined;
  readonly planned: number;
}

export type PromotedSteps = ReadonlyMap<ResourceKey, PromotedStep>;

/** A policy as it is planned where it matches a live one: at the step that is known, else at that of the live one, else at the first. */
export function plannedPolicy(policy: Policy, live: LivePolicy | undefined): Policy {
  const { promotion } = policy;
  return promotion === undefined
    ? policy
    : policyAtStep(policy, plannedStep(promotion, policyStep(live)));
}

/** A rule as it is planned, like {@link plannedPolicy}. */
export function plannedRule(rule: Rule, live: LiveRule | undefined, scoreRuleId: string): Rule {
  const { promotion } = rule;
  return promotion === undefined
    ? rule
    : ruleAtStep(rule, plannedStep(promotion, ruleStep(rule, live, scoreRuleId)));
}

/** The step of a policy that {@link plannedPolicy} gave; none of one without steps. */
export function stepOfPolicy(
  { key, promotion }: Policy,
  live: LivePolicy | undefined,
): readonly (readonly [ResourceKey, PromotedStep])[] {
  return stepOf(`policy/${key}`, promotion, policyStep(live));
}

/** The step of a rule that {@link plannedRule} gave; none of one without steps. */
export function stepOfRule(
  key: ResourceKey,
  rule: Rule,
  live: LiveRule | undefined,
  scoreRuleId: string,
): readonly (readonly [ResourceKey, PromotedStep])[] {
  return stepOf(key, rule.promotion, ruleStep(rule, live, scoreRuleId));
}

/** Says of each object whose step is not known at which one it is planned. */
export function stepNotes(content: ZoneContent, steps: PromotedSteps): readonly string[] {
  return [...promotedObjects(content)].flatMap(([key, { promotion }]) => {
    const { live, planned = 0 } = steps.get(key) ?? {};
    if (isKnown(promotion)) return [];
    const value = promotion.steps[planned];
    return live === undefined
      ? `${key} begins with ${value}, the first of its steps`
      : `the step of ${key} is not known: it stays at ${value}`;
  });
}

function stepOf(
  key: ResourceKey,
  promotion: Promotion | undefined,
  live: StepValue | undefined,
): readonly (readonly [ResourceKey, PromotedStep])[] {
  if (promotion === undefined) return [];
  const { field, steps } = promotion;
  const planned = plannedStep(promotion, live);
  return [[key, { field, steps, live: indexIn(promotion, live), planned }]];
}

function plannedStep(promotion: Promotion, live: StepValue | undefined): number {
  return (isKnown(promotion) ? promotion.at : indexIn(promotion, live)) ?? 0;
}

function isKnown({ at, steps }: Promotion): boolean {
  return at !== undefined && steps[at] !== undefined;
}

function indexIn({ steps }: Promotion, value: StepValue | undefined): number | undefined {
  const index = steps.findIndex((step) => step === value);
  return index < 0 ? undefined : index;
}

/** What is switched off is in no step: once it is in force again, it begins with the first one. */
function policyStep(live: LivePolicy | undefined): StepValue | undefined {
  return live?.enabled === true ? live.action : undefined;
}

function ruleStep(
  rule: Rule,
  live: LiveRule | undefined,
  scoreRuleId: string,
): StepValue | undefined {
  const { promotion } = rule;
  if (promotion === undefined || live?.enabled !== true) return undefined;
  const { action } = comparable(live, scoreRuleId);
  if (rule.action !== "execute") return "name" in action ? action.name : undefined;
  if (action.type !== "execute" || action.ruleset !== rule.ruleset) return undefined;
  const { paranoiaLevel, scoreThreshold, action: scoreAction } = action.tuning;
  return {
    action: scoreAction,
    paranoia_level: paranoiaLevel,
    score_threshold: scoreThreshold,
  }[promotion.field];
}
