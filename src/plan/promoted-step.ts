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

/** A policy as it is planned where it matches a live one: in its step. */
export function plannedPolicy(policy: Policy, live: LivePolicy | undefined): Policy {
  const step = stepOfPolicy(policy, live);
  return step === undefined ? policy : policyAtStep(policy, step.planned);
}

/** A rule as it is planned where it matches a live one: in its step. */
export function plannedRule(rule: Rule, live: LiveRule | undefined, scoreRuleId: string): Rule {
  const step = stepOfRule(rule, live, scoreRuleId);
  return step === undefined ? rule : ruleAtStep(rule, step.planned);
}

/** The step of a policy: the one that is known, else that of the live one, else the first; `undefined` of one without steps. */
export function stepOfPolicy(
  { promotion }: Policy,
  live: LivePolicy | undefined,
): PromotedStep | undefined {
  return promotion && stepOf(promotion, live?.enabled === true ? live.action : undefined);
}

/** The step of a rule, like {@link stepOfPolicy}. */
export function stepOfRule(
  rule: Rule,
  live: LiveRule | undefined,
  scoreRuleId: string,
): PromotedStep | undefined {
  const { promotion } = rule;
  return promotion && stepOf(promotion, valueIn(live, rule, promotion, scoreRuleId));
}

/** What a live rule has in the field that is promoted. */
function valueIn(
  live: LiveRule | undefined,
  rule: Rule,
  { field }: Promotion,
  scoreRuleId: string,
): StepValue | undefined {
  if (live?.enabled !== true) return undefined;
  const { action } = comparable(live, scoreRuleId);
  if (rule.action !== "execute") return "name" in action ? action.name : undefined;
  if (action.type !== "execute" || action.ruleset !== rule.ruleset) return undefined;
  const { paranoiaLevel, scoreThreshold, action: scoreAction } = action.tuning;
  return {
    action: scoreAction,
    paranoia_level: paranoiaLevel,
    score_threshold: scoreThreshold,
  }[field];
}

/** @param live what is in force: what is switched off is in no step, and begins with the first one. */
function stepOf(promotion: Promotion, live: StepValue | undefined): PromotedStep {
  const { field, steps, at } = promotion;
  const index = steps.findIndex((step) => step === live);
  const found = index < 0 ? undefined : index;
  return { field, steps, live: found, planned: (isKnown(promotion) ? at : found) ?? 0 };
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

function isKnown({ at, steps }: Promotion): boolean {
  return at !== undefined && steps[at] !== undefined;
}
