import type { ZoneContent } from "./desired-zone.ts";
import { withRules } from "./promoted-objects.ts";
import type { Promotion, StepValue } from "./promotion.ts";
import type { MitigateRule, Rule } from "./resource.ts";
import { type LimitedTier, rateLimitFacts, tiers } from "./tier.ts";

/**
 * Content without steps that the tier of its zone is documented not to include; the same content where it includes all.
 * Where `log` is one of them, only time counts: nothing can be measured before a rule acts. Where one step is left, the
 * object is as it is declared.
 */
export function withStepsOfTier(content: ZoneContent, tierName: string): ZoneContent {
  const tier = tiers.find((each) => each === tierName);
  if (tier === undefined || tier === "enterprise") return content;
  return withRules(content, (_key, rule) => {
    if (rule.action === "execute" || rule.promotion === undefined) return rule;
    const missing = stepsBeyond(rule, tier);
    return missing.length === 0 ? rule : { ...rule, promotion: without(rule.promotion, missing) };
  });
}

/** The steps of a rule, but the last one, that a tier is documented not to include (SERVICE.md B.10, B.11). */
export function stepsBeyond(rule: Rule, tier: LimitedTier): readonly StepValue[] {
  if (rule.action === "execute" || rule.action === "skip") return [];
  const { steps = [] } = rule.promotion ?? {};
  return steps.slice(0, -1).filter((step) => !includesStep(rule, step, tier));
}

function includesStep({ ratelimit }: MitigateRule, step: StepValue, tier: LimitedTier): boolean {
  if (step === "log") return false;
  // A challenge of a rate limit has no timeout.
  return (
    ratelimit === undefined ||
    (rateLimitFacts[tier].hasChallenges && ratelimit.mitigation_timeout === 0)
  );
}

function without(promotion: Promotion, missing: readonly StepValue[]): Promotion | undefined {
  const [first, second, ...others] = promotion.steps.filter((step) => !missing.includes(step));
  if (first === undefined || second === undefined) return undefined;
  return { ...promotion, steps: [first, second, ...others], when: "time_only" };
}
