import type { LiveRule } from "../../src/zone/live-zone.ts";
import { owaspRulesetId } from "../../src/zone/managed-ruleset.ts";
import type { Overrides } from "../../src/zone/resource.ts";
import { noOverrides } from "./model.ts";

/** What the effect of a rule depends on. */
export type TestRule = Pick<
  LiveRule,
  "description" | "expression" | "enabled" | "action" | "ratelimit"
>;

/** A rule that deploys the OWASP ruleset with these overrides. */
export function execute(
  overrides: Partial<Overrides> = {},
  more: Partial<TestRule> = {},
): TestRule {
  const action = {
    type: "execute",
    ruleset: owaspRulesetId,
    overrides: { ...noOverrides, ...overrides },
  } as const;
  const ratelimit = undefined;
  return { expression: "true", enabled: true, description: "", action, ratelimit, ...more };
}
