import { sum } from "../syntax/sum.ts";
import type { Declared, DesiredZone } from "../zone/desired-zone.ts";
import type { LiveCustomRuleset, LiveZone, ScoreRule } from "../zone/live-zone.ts";
import type { Rule } from "../zone/resource.ts";
import { factsOfPhase, quotaOf, rulePhases, type RuleQuotas } from "../zone/rule-phase.ts";
import type { Write } from "../zone/write.ts";
import type { Zone } from "../zone/zone.ts";
import type { Change } from "./change.ts";
import { byMarks, type Ownership } from "./ownership.ts";
import { planSettings } from "./plan-settings.ts";
import { planPolicies } from "./policies/plan-policies.ts";
import { stepNotes } from "./promoted-step.ts";
import { needScoreRule } from "./rules/owasp-tuning.ts";
import { planCustomPhase } from "./rules/plan-custom-rulesets.ts";
import { planRules, type RuleList, type RulesPlan } from "./rules/plan-rules.ts";
import { emptyPlan, type KindPlan, mergedSafely } from "./write-order.ts";

/** The changes that make the live state of a zone equal the desired state, and the writes that apply them. */
export interface Plan extends Omit<KindPlan, "writes"> {
  readonly zone: Zone;
  /** In the order in which they are applied. */
  readonly changes: readonly Change[];
  /** In order; each names the changes that it makes. */
  readonly writes: readonly Write[];
  /**
   * The writes that each write waits for: where one of them before it was not done, it is not sent. A write that is missing
   * here waits for all writes before it.
   */
  readonly waitsFor: ReadonlyMap<Write, readonly Write[]>;
  /** Number of managed policies and rules: a setting cannot be deleted. */
  readonly deletable: number;
  /** Version of the OWASP ruleset that was read; "" if it was not needed or not readable. */
  readonly owaspVersion: string;
}

/**
 * Computes the plan that makes `live` equal `desired`. Pure: the same input gives the same plan.
 *
 * @param owner the owner in the marks of our resources.
 * @param ownership what is ours without a mark, and whether the plan marks what is declared.
 * @param quotas how many rules a contract allows where that is not what the service publishes.
 * @throws if `live` lacks a kind that `desired` declares: a part that was not read is not an empty part.
 */
export function plan(
  { zone, content }: DesiredZone,
  live: LiveZone,
  owner: string,
  ownership: Ownership = byMarks,
  quotas: RuleQuotas = {},
): Plan {
  const { settings, policies } = content;
  const kinds: readonly KindPlan[] = [
    settings.length === 0 ? emptyPlan : planSettings(settings, wasRead(live.settings, "settings")),
    policies === undefined
      ? emptyPlan
      : planPolicies(policies, wasRead(live.policies, "policies"), owner, ownership),
    ...rulePhases.flatMap((phase): readonly KindPlan[] => {
      const rules = content.rules[phase];
      const rulesets = phase === "custom_rules" ? content.customRulesets : undefined;
      if (rules === undefined && rulesets === undefined) return [];
      const entrypoint = wasRead(live.entrypoints[phase], `entry point of ${phase}`);
      const facts = factsOfPhase(phase);
      const quota = quotaOf(phase, zone.tier, quotas);
      const planList = (list: RuleList, declared: Declared<Rule>): RulesPlan =>
        planRules(list, quota, declared, scoreRuleFor(declared, live), owner, ownership);
      if (rulesets !== undefined) {
        const custom = wasRead(live.customRulesets, "custom rulesets");
        const found = { rules, rulesets, entrypoint, live: custom };
        return planCustomPhase(found, planList, owner, ownership);
      }
      return rules === undefined ? [] : [planList({ facts, live: entrypoint }, rules)];
    }),
  ];
  const writes = mergedSafely(kinds.map((each) => each.writes));
  const compared = sum(kinds.map((each) => each.compared));
  const steps = new Map(kinds.flatMap((each) => [...each.steps]));
  return {
    zone,
    changes: writes.flatMap(({ changes }) => changes),
    writes: writes.map(({ write }) => write),
    waitsFor: new Map(writes.map(({ write, waitsFor }) => [write, waitsFor])),
    unmanaged: kinds.flatMap(({ unmanaged }) => unmanaged),
    unowned: kinds.flatMap(({ unowned }) => unowned),
    adoptedRules: kinds.flatMap(({ adoptedRules }) => adoptedRules),
    liveKeys: new Map(kinds.flatMap(({ liveKeys }) => [...liveKeys])),
    policyForms: new Map(kinds.flatMap(({ policyForms }) => [...policyForms])),
    steps,
    placedBy: new Map(kinds.flatMap(({ placedBy }) => [...placedBy])),
    grown: kinds.flatMap(({ grown }) => grown),
    notes: [
      ...kinds.flatMap(({ notes }) => notes),
      ...stepNotes(content, steps),
      ...ofAnotherKind(content.rules.managed_rules?.items ?? [], live.customRulesets ?? []),
    ],
    holds: kinds.flatMap(({ holds }) => holds),
    compared,
    deletable: compared - settings.length,
    owaspVersion: live.scoreRule?.version ?? "",
  };
}

/** Managed rules that deploy a custom ruleset, which belongs to another phase. */
function ofAnotherKind(
  managed: readonly Rule[],
  custom: readonly LiveCustomRuleset[],
): readonly string[] {
  return managed.flatMap((rule) => {
    const found = rule.action === "execute" && custom.find(({ id }) => id === rule.ruleset);
    return found
      ? `managed_rule/${rule.key} deploys ${found.id}, which is the custom ruleset ${found.name} of the zone: declare it in custom_rulesets, which executes it`
      : [];
  });
}

function scoreRuleFor({ items }: Declared<Rule>, { scoreRule }: LiveZone): ScoreRule | undefined {
  return needScoreRule(items) ? wasRead(scoreRule, "score rule") : scoreRule;
}

function wasRead<T>(part: T | undefined, name: string): T {
  if (part === undefined) throw new Error(`planned without having read the ${name} of the zone`);
  return part;
}
