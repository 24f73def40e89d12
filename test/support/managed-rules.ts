import type { Deployment } from "../../src/impact/ruleset-impact.ts";
import { resolveOverrides } from "../../src/plan/rules/owasp-tuning.ts";
import type { ExecuteRule, Overrides } from "../../src/zone/resource.ts";
import type { RulesetRule } from "../../src/zone/ruleset.ts";
import { deployment, noOverrides, untuned } from "./model.ts";

/** The id of the score rule among {@link owaspRules}. */
export const scoreRuleId = "score";

/** A rule of a managed ruleset, which is on. */
export function managedRule(id: string, ...categories: readonly string[]): RulesetRule {
  const facts = { ref: id, action: "score", expression: "", enabled: true, wire: {} };
  return { ...facts, id, description: `rule ${id}`, categories, scoreThreshold: undefined };
}

/** A small OWASP ruleset. */
export const owaspRules: readonly RulesetRule[] = [
  managedRule("sql-1", "attack-sqli", "paranoia-level-1"),
  managedRule("php-1", "language-php", "paranoia-level-1"),
  managedRule("sql-2", "attack-sqli", "paranoia-level-2"),
  managedRule("php-3", "language-php", "paranoia-level-3"),
  { ...managedRule(scoreRuleId, "attack-generic"), action: "block", scoreThreshold: 40 },
];

/** A deployment of it, tuned and overridden as in a zone file. */
export function deployedWith(
  tuning: Partial<ExecuteRule["tuning"]>,
  overrides: Partial<Overrides> = {},
): Deployment {
  const declared = deployment("owasp", {
    tuning: { ...untuned, ...tuning },
    overrides: { ...noOverrides, ...overrides },
  });
  return { enabled: true, overrides: resolveOverrides(declared, scoreRuleId) };
}
