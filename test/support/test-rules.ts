import { effectOfRule } from "../../src/plan/rules/rule-effect.ts";
import { comparable } from "../../src/plan/rules/rule-fields.ts";
import { effectWords } from "../../src/render/change-text.ts";
import type { RuleAction, RuleState } from "../../src/zone/live-zone.ts";
import { documentedScoreRuleId, owaspRulesetId } from "../../src/zone/managed-ruleset.ts";
import type { Overrides } from "../../src/zone/resource.ts";
import { noOverrides } from "./model.ts";

/** A rule of all requests. */
export function testRule(action: RuleAction, more: Partial<RuleState> = {}): RuleState {
  return {
    description: "",
    expression: "true",
    enabled: true,
    ratelimit: undefined,
    action,
    ...more,
  };
}

/** A rule that deploys the OWASP ruleset with these overrides. */
export function execute(
  overrides: Partial<Overrides> = {},
  more: Partial<RuleState> = {},
): RuleState {
  return testRule(
    {
      type: "execute",
      ruleset: owaspRulesetId,
      overrides: { ...noOverrides, ...overrides },
    },
    more,
  );
}

/** A change of a rule, which comes without `before` and goes without `after`, and its effect in words with the reasons. */
export interface RuleEffect {
  readonly when: string;
  readonly before?: RuleState;
  readonly after?: RuleState;
  readonly yields: string;
  readonly reason: readonly string[];
}

/** What the effect of a change of a rule is. */
export function effectBetween(
  before: RuleState | undefined,
  after: RuleState | undefined,
): Pick<RuleEffect, "yields" | "reason"> {
  const [was, is] = [before, after].map((rule) => rule && comparable(rule, documentedScoreRuleId));
  const effect = effectOfRule(was, is);
  return { yields: effectWords(effect), reason: effect.reasons };
}
