import { nodesIn } from "../../syntax/expression/expression.ts";
import type { ZoneContent } from "../../zone/desired-zone.ts";
import type { MitigateRule, RateLimit, Rule } from "../../zone/resource.ts";
import { rulePhases } from "../../zone/rule-phase.ts";
import { stepsBeyond } from "../../zone/steps-in-tier.ts";
import { includesField, type LimitedTier, rateLimitFacts, tiers } from "../../zone/tier.ts";
import type { UnplacedDiagnostic } from "../diagnostics.ts";
import type { Path } from "../location.ts";
import { ruleListOf, rulesetList } from "./zone-lists.ts";

/** What a rule has that a tier does not include: where in the rule, and in words. */
type Beyond = readonly [path: Path, what: string];

/**
 * What zones of a tier are documented not to have. They are warnings: pages disagree, and the
 * service decides.
 */
export function beyondTier(
  { rules, customRulesets }: Pick<ZoneContent, "rules" | "customRulesets">,
  tierName: string,
): readonly UnplacedDiagnostic[] {
  const tier = tiers.find((each) => each === tierName);
  if (tier === undefined || tier === "enterprise") return [];
  const beyondKnown = (list: Path, items: readonly Rule[]): readonly UnplacedDiagnostic[] => {
    const found = known[tier].get(items) ?? beyondIn(list, items, tier);
    known[tier].set(items, found);
    return found;
  };
  return [
    ...rulePhases.flatMap((phase) => beyondKnown(ruleListOf(phase), rules[phase]?.items ?? none)),
    ...(customRulesets?.items ?? []).flatMap(({ key, rules: items }) =>
      beyondKnown([...rulesetList, key, "rules"], items),
    ),
  ];
}

const none: readonly Rule[] = [];

/** Zones share lists, and are selected again whenever the listing of zones changes. */
const known: Readonly<
  Record<LimitedTier, WeakMap<readonly Rule[], readonly UnplacedDiagnostic[]>>
> = { free: new WeakMap(), pro: new WeakMap(), business: new WeakMap() };

function beyondIn(
  list: Path,
  items: readonly Rule[],
  tier: LimitedTier,
): readonly UnplacedDiagnostic[] {
  return items.flatMap((rule) =>
    beyondOf(rule, tier).map(([path, what]) => ({
      code: "BEYOND_PLAN" as const,
      path: [...list, rule.key, ...path],
      message: `the plan ${tier} is documented not to include ${what}`,
      remedy: "declare it for zones of a larger plan; nothing, if your contract includes it",
    })),
  );
}

function beyondOf(rule: Rule, tier: LimitedTier): readonly Beyond[] {
  if (rule.action === "execute") return [];
  if (rule.action === "skip") return inExpression(rule.expression, tier);
  const { ratelimit } = rule;
  return [
    ...(ratelimit === undefined ? inCustomRule(rule, tier) : inLimit(rule, ratelimit, tier)),
    ...inSteps(rule, tier),
  ];
}

/** The steps are taken without those that a tier does not include. */
function inSteps(rule: MitigateRule, tier: LimitedTier): readonly Beyond[] {
  const missing = stepsBeyond(rule, tier);
  if (missing.length === 0) return [];
  const left = (rule.promotion?.steps ?? []).filter((step) => !missing.includes(step));
  const after =
    left.length < 2 ? "the rule is as declared at once" : `${left.join(", ")} follow by time alone`;
  return [[["promote"], `the step ${missing.join(" and ")}: ${after}`]];
}

function inCustomRule(rule: MitigateRule, tier: LimitedTier): readonly Beyond[] {
  return [
    ...inExpression(rule.expression, tier),
    ...only(rule.action === "log", ["action"], "the action log"),
    ...only(rule.response !== undefined && tier === "free", ["response"], "a response"),
  ];
}

function inExpression(expression: string, tier: LimitedTier): readonly Beyond[] {
  const { fields, hasRegex } = usedIn(expression);
  return [
    ...fields
      .filter((field) => !includesField(tier, field))
      .map((field): Beyond => [["expression"], `the field ${field}`]),
    ...only(hasRegex && tier !== "business", ["expression"], "regular expressions"),
  ];
}

function inLimit(rule: MitigateRule, limit: RateLimit, tier: LimitedTier): readonly Beyond[] {
  const included = rateLimitFacts[tier];
  const { period, mitigation_timeout: timeout, counting_expression: counted } = limit;
  const extra = limit.characteristics.find((each) => !included.characteristics.includes(each));
  const { fields, hasRegex } = usedIn(rule.expression);
  const isBlock = rule.action === "block";
  const hasAction = rule.action !== "log" && (isBlock || included.hasChallenges);
  const atTimeout = within("mitigation_timeout");
  return [
    ...only(!hasAction, ["action"], `the action ${rule.action} of rate limits`),
    ...only(period > included.maxPeriod, within("period"), `a period of ${period} s`),
    ...only(timeout > included.maxTimeout, atTimeout, `a mitigation timeout of ${timeout} s`),
    ...only(isBlock && timeout === 0, atTimeout, "a block of only the requests above the rate"),
    ...only(
      !isBlock && timeout !== 0,
      atTimeout,
      "challenges with a mitigation timeout other than 0",
    ),
    ...only(extra !== undefined, within("characteristics"), `the characteristic ${extra}`),
    ...only(
      counted !== "" && !included.hasCountingExpression,
      within("counting_expression"),
      "counting expressions",
    ),
    ...fields
      .filter((field) => !included.includesField(field))
      .map((field): Beyond => [["expression"], `the field ${field} in rate limits`]),
    ...only(hasRegex, ["expression"], "regular expressions in rate limits"),
  ];
}

function within(name: keyof RateLimit): Path {
  return ["ratelimit", name];
}

function only(isBeyond: boolean, path: Path, what: string): readonly Beyond[] {
  return isBeyond ? [[path, what]] : [];
}

function usedIn(expression: string): {
  readonly fields: readonly string[];
  readonly hasRegex: boolean;
} {
  const nodes = nodesIn(expression);
  const names = nodes.flatMap((node) => (node.kind === "field" ? [node.name] : []));
  const hasRegex = nodes.some((node) => node.kind === "comparison" && node.operator === "matches");
  return { fields: [...new Set(names)], hasRegex };
}
