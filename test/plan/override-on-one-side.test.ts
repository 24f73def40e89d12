import { describe, it } from "vitest";

import { effectOfRule } from "../../src/plan/rules/rule-effect.ts";
import { comparable } from "../../src/plan/rules/rule-fields.ts";
import { effectWords } from "../../src/render/change-text.ts";
import { documentedScoreRuleId } from "../../src/zone/managed-ruleset.ts";
import type { Overrides } from "../../src/zone/resource.ts";
import { category, ruleOverride } from "../support/model.ts";
import { execute } from "../support/test-rules.ts";

const [a, b] = ["a", "b"].map((name) => category(name, { enabled: true }));
const both = [a, b].filter((each) => each !== undefined);

describe("the effect of an override that only one side has", () => {
  it.for<{
    readonly when: string;
    readonly before: Partial<Overrides>;
    readonly after: Partial<Overrides>;
    readonly yields: string;
    readonly reason: string;
  }>([
    {
      when: "the action of the whole ruleset goes",
      before: { action: "log" },
      after: {},
      yields: "◆ may break",
      reason: "the action of the whole ruleset log → as the ruleset has it",
    },
    {
      when: "the whole ruleset gets an action that nobody knows",
      before: { action: "log" },
      after: { action: "teleport" },
      yields: "◆ may break",
      reason: "the action of the whole ruleset log → teleport",
    },
    {
      when: "a rule is switched on, whatever the ruleset has",
      before: {},
      after: { rules: [ruleOverride("r1", { enabled: true })] },
      yields: "▲ strengthens, may break",
      reason: "r1 is switched on",
    },
    {
      when: "the first of two categories goes",
      before: { categories: both },
      after: { categories: both.slice(1) },
      yields: "▼ weakens",
      reason: "a is no longer switched on",
    },
    {
      when: "a category comes before another one",
      before: { categories: both.slice(1) },
      after: { categories: both },
      yields: "▲ strengthens, may break",
      reason: "a is switched on",
    },
    {
      when: "a rule keeps its switch and loses its score threshold",
      before: { rules: [ruleOverride("r1", { enabled: true, score_threshold: 25 })] },
      after: { rules: [ruleOverride("r1", { enabled: true })] },
      yields: "◆ may break",
      reason: "overrides the ruleset in another way",
    },
    {
      when: "a rule with a switch gets a score threshold",
      before: { rules: [ruleOverride("r1", { enabled: true })] },
      after: { rules: [ruleOverride("r1", { enabled: true, score_threshold: 25 })] },
      yields: "◆ may break",
      reason: "overrides the ruleset in another way",
    },
  ])("where $when", ({ before, after, yields, reason }, { expect }) => {
    const effect = effectOfRule(
      comparable(execute(before), documentedScoreRuleId),
      comparable(execute(after), documentedScoreRuleId),
    );
    expect(effectWords(effect)).toBe(yields);
    expect(effect.reasons).toEqual([reason]);
  });
});
