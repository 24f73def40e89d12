import { describe, it } from "vitest";

import { rulesetImpact } from "../../src/impact/ruleset-impact.ts";
import { deployedWith, managedRule, owaspRules, scoreRuleId } from "../support/managed-rules.ts";
import { category, ruleOverride } from "../support/model.ts";

describe("advice on overrides", () => {
  const php = category("language-php", { enabled: true });

  it.for([
    {
      when: "a rule is not there",
      overrides: { rules: [ruleOverride("gone", { enabled: false })] },
      says: ["the ruleset has no rule gone"],
    },
    {
      when: "a category is not there",
      overrides: { categories: [category("language-cobol", { enabled: false })] },
      says: ["no rule has the category language-cobol"],
    },
    {
      when: "a rule is off already",
      overrides: { rules: [ruleOverride("sql-2", { enabled: false })] },
      says: ["the override of rule sql-2 (sql-2) changes nothing"],
    },
    {
      when: "a category is on already",
      overrides: { categories: [php] },
      says: ["the override of the category language-php changes nothing"],
    },
    {
      when: "a category gets an action where it is off in part",
      overrides: { categories: [{ ...php, action: "log" }] },
      says: [
        "the category language-php is switched on, but 1 of its 2 rules stay off: other overrides win",
      ],
    },
    {
      when: "a category is off where most of its rules are on by name",
      overrides: {
        categories: [category("attack-sqli", { enabled: false })],
        rules: ["sql-1", "sql-2"].map((id) => ruleOverride(id, { enabled: true, action: "log" })),
      },
      says: [
        "the category attack-sqli is switched off, but 2 of its 3 rules stay on: other overrides win",
        "rule sql-1 (sql-1) is switched on, although its category or paranoia level is switched off",
        "rule sql-2 (sql-2) is switched on, although its category or paranoia level is switched off",
      ],
    },
    {
      when: "a category gets only an action where some of its rules are off",
      overrides: { categories: [category("language-php", { action: "log" })] },
      says: [],
    },
    {
      when: "a category gets a sensitivity",
      overrides: { categories: [category("language-php", { sensitivity_level: "low" })] },
      says: [],
    },
    {
      when: "a rule gets a sensitivity",
      overrides: { rules: [ruleOverride("sql-1", { sensitivity_level: "low" })] },
      says: [],
    },
    {
      when: "a rule that is on gets an action and is on by name",
      overrides: { rules: [ruleOverride("sql-1", { enabled: true, action: "log" })] },
      says: [],
    },
    {
      when: "a rule that nothing but the ruleset switches off is on",
      overrides: { rules: [ruleOverride("rare", { enabled: true })] },
      says: [],
    },
    {
      when: "the score rule is off and has a threshold",
      overrides: { rules: [ruleOverride(scoreRuleId, { enabled: false, score_threshold: 25 })] },
      says: ["rule score (score) is tuned, but it is off"],
    },
    {
      when: "a rule of a higher level is on",
      overrides: { rules: [ruleOverride("php-3", { enabled: true })] },
      says: [
        "rule php-3 (php-3) is switched on, although its category or paranoia level is switched off",
      ],
    },
    {
      when: "a rule is tuned that is off",
      overrides: { rules: [ruleOverride("php-3", { action: "log" })] },
      says: ["rule php-3 (php-3) is tuned, but it is off"],
    },
    {
      when: "all is well",
      overrides: { rules: [ruleOverride("sql-1", { enabled: false })] },
      says: [],
    },
  ])("is given when $when", ({ overrides, says }, { expect }) => {
    const after = deployedWith({ paranoiaLevel: 1 }, overrides);
    const more = [managedRule("sql-3", "attack-sqli"), { ...managedRule("rare"), enabled: false }];
    expect(rulesetImpact([...owaspRules, ...more], undefined, after).advice).toEqual(says);
  });
});
