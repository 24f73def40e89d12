import type { LiveRule, RuleAction } from "../../src/zone/live-zone.ts";
import { owaspRulesetId } from "../../src/zone/managed-ruleset.ts";
import type { Overrides } from "../../src/zone/resource.ts";
import { noOverrides } from "./model.ts";

/** What the effect of a rule depends on. */
export type TestRule = Pick<
  LiveRule,
  "description" | "expression" | "enabled" | "action" | "ratelimit"
>;

/** A rule of all requests. */
export function testRule(action: RuleAction, more: Partial<TestRule> = {}): TestRule {
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
  more: Partial<TestRule> = {},
): TestRule {
  return testRule(
    {
      type: "execute",
      ruleset: owaspRulesetId,
      overrides: { ...noOverrides, ...overrides },
    },
    more,
  );
}
