import { describe, it } from "vitest";

import { documentedScoreRuleId } from "../../src/zone/managed-ruleset.ts";
import type { Overrides } from "../../src/zone/resource.ts";
import { category, ruleOverride } from "../support/model.ts";
import { effectBetween, execute } from "../support/test-rules.ts";

function levels(...off: readonly number[]): Partial<Overrides> {
  return {
    categories: [1, 2, 3, 4].map((n) =>
      category(`paranoia-level-${n}`, { enabled: !off.includes(n) }),
    ),
  };
}

function scored(threshold: number, action: string): Partial<Overrides> {
  return { rules: [ruleOverride(documentedScoreRuleId, { score_threshold: threshold, action })] };
}

const repeated = "overrides a rule or category twice, and the service does not say which one wins";

const [a, b] = ["a", "b"].map((name) => category(name, { enabled: true }));
const both = [a, b].filter((each) => each !== undefined);

describe("the effect of overrides", () => {
  it.for<{
    readonly when: string;
    readonly before: Partial<Overrides>;
    readonly after: Partial<Overrides>;
    readonly yields: string;
    readonly reason: readonly string[];
  }>([
    {
      when: "the paranoia level rises",
      before: levels(2, 3, 4),
      after: levels(3, 4),
      yields: "▲ strengthens, may break",
      reason: ["paranoia level 1 → 2"],
    },
    {
      when: "the paranoia level falls",
      before: {},
      after: levels(4),
      yields: "▼ weakens",
      reason: ["paranoia level 4 → 3"],
    },
    {
      when: "the threshold falls, which is stricter",
      before: scored(60, "block"),
      after: scored(25, "block"),
      yields: "▲ strengthens, may break",
      reason: ["score threshold 60 → 25"],
    },
    {
      when: "the threshold rises above the default",
      before: {},
      after: scored(60, "block"),
      yields: "▼ weakens",
      reason: ["score threshold 40 → 60"],
    },
    {
      when: "the threshold rises from one digit to two",
      before: scored(5, "block"),
      after: scored(40, "block"),
      yields: "▼ weakens",
      reason: ["score threshold 5 → 40"],
    },
    {
      when: "the threshold falls from three digits to two",
      before: scored(100, "block"),
      after: scored(25, "block"),
      yields: "▲ strengthens, may break",
      reason: ["score threshold 100 → 25"],
    },
    {
      when: "the action is milder",
      before: scored(40, "managed_challenge"),
      after: scored(40, "log"),
      yields: "▼ weakens",
      reason: ["the score's action managed_challenge → log"],
    },
    {
      when: "one challenge becomes another one as strong",
      before: scored(40, "js_challenge"),
      after: scored(40, "challenge"),
      yields: "· neutral",
      reason: [],
    },
    {
      when: "the whole ruleset gets an action",
      before: {},
      after: { action: "log" },
      yields: "◆ may break",
      reason: ["the action of the whole ruleset as the ruleset has it → log"],
    },
    {
      when: "the whole ruleset is switched off",
      before: {},
      after: { enabled: false },
      yields: "▼ weakens",
      reason: ["the whole ruleset is switched off"],
    },
    {
      when: "the whole ruleset is no longer switched on",
      before: { enabled: true },
      after: {},
      yields: "▼ weakens",
      reason: ["the whole ruleset is no longer switched on"],
    },
    {
      when: "a category is switched off",
      before: {},
      after: { categories: [category("php", { enabled: false })] },
      yields: "▼ weakens",
      reason: ["php is switched off"],
    },
    {
      when: "a rule is no longer switched off",
      before: { rules: [ruleOverride("r1", { enabled: false })] },
      after: {},
      yields: "▲ strengthens, may break",
      reason: ["r1 is switched on"],
    },
    {
      when: "a rule gets a stronger action",
      before: { rules: [ruleOverride("r1", { action: "log" })] },
      after: { rules: [ruleOverride("r1", { action: "block" })] },
      yields: "▲ strengthens, may break",
      reason: ["the action of r1 log → block"],
    },
    {
      when: "categories are listed in another order",
      before: {
        categories: [category("a", { enabled: true }), category("b", { enabled: false })],
      },
      after: {
        categories: [category("b", { enabled: false }), category("a", { enabled: true })],
      },
      yields: "◆ may break",
      reason: ["overrides the ruleset in another way"],
    },
    {
      when: "a rule gets a score threshold of its own",
      before: {},
      after: { rules: [ruleOverride("r1", { score_threshold: 1000 })] },
      yields: "◆ may break",
      reason: ["overrides the ruleset in another way"],
    },
    {
      when: "the score threshold of a single rule changes",
      before: { rules: [ruleOverride("r1", { score_threshold: 25 })] },
      after: { rules: [ruleOverride("r1", { score_threshold: 1000 })] },
      yields: "▼ weakens",
      reason: ["score threshold of r1 25 → 1000"],
    },
    {
      when: "the score threshold of one of several rules rises",
      before: {
        rules: [
          ruleOverride("r1", { score_threshold: 25 }),
          ruleOverride("r2", { score_threshold: 60 }),
        ],
      },
      after: {
        rules: [
          ruleOverride("r1", { score_threshold: 60 }),
          ruleOverride("r2", { score_threshold: 60 }),
        ],
      },
      yields: "▼ weakens",
      reason: ["score threshold of r1 25 → 60"],
    },
    {
      when: "two overrides of one rule change places",
      before: {
        rules: [
          ruleOverride("r1", { score_threshold: 60 }),
          ruleOverride("r1", { score_threshold: 25 }),
        ],
      },
      after: {
        rules: [
          ruleOverride("r1", { score_threshold: 25 }),
          ruleOverride("r1", { score_threshold: 60 }),
        ],
      },
      yields: "◆ may break",
      reason: [repeated],
    },
    {
      when: "one of two overrides of a category goes",
      before: {
        categories: [category("a", { enabled: false }), category("a", { enabled: true })],
      },
      after: { categories: [category("a", { enabled: true })] },
      yields: "◆ may break",
      reason: [repeated],
    },
    {
      when: "a second override of a rule comes first and switches it off",
      before: { rules: [ruleOverride("r1", { enabled: true })] },
      after: {
        rules: [ruleOverride("r1", { enabled: false }), ruleOverride("r1", { enabled: true })],
      },
      yields: "◆ may break",
      reason: [repeated],
    },
    {
      when: "one of two overrides of a paranoia level goes",
      before: {
        categories: [
          category("paranoia-level-4", { enabled: true }),
          category("paranoia-level-4", { enabled: false }),
        ],
      },
      after: { categories: [category("paranoia-level-4", { enabled: false })] },
      yields: "◆ may break",
      reason: [repeated],
    },
    {
      when: "two overrides of one rule stay as they are",
      before: {
        rules: [ruleOverride("r1", { enabled: false }), ruleOverride("r1", { enabled: true })],
      },
      after: {
        rules: [ruleOverride("r1", { enabled: false }), ruleOverride("r1", { enabled: true })],
      },
      yields: "· neutral",
      reason: [],
    },
    {
      when: "the sensitivity of a single rule changes",
      before: { rules: [ruleOverride("r1", { sensitivity_level: "high" })] },
      after: { rules: [ruleOverride("r1", { sensitivity_level: "low" })] },
      yields: "◆ may break",
      reason: ["overrides the ruleset in another way"],
    },
    {
      when: "the sensitivity of a category changes",
      before: { categories: [category("php", { sensitivity_level: "high" })] },
      after: { categories: [category("php", { sensitivity_level: "low" })] },
      yields: "◆ may break",
      reason: ["overrides the ruleset in another way"],
    },
    {
      when: "the sensitivity of the whole ruleset changes",
      before: { sensitivity_level: "high" },
      after: { sensitivity_level: "low" },
      yields: "◆ may break",
      reason: ["overrides the ruleset in another way"],
    },
    {
      when: "score thresholds of single rules are listed in another order",
      before: {
        rules: [
          ruleOverride("r1", { score_threshold: 25 }),
          ruleOverride("r2", { score_threshold: 60 }),
        ],
      },
      after: {
        rules: [
          ruleOverride("r2", { score_threshold: 60 }),
          ruleOverride("r1", { score_threshold: 25 }),
        ],
      },
      yields: "· neutral",
      reason: [],
    },
    {
      when: "a level is on with and without a word",
      before: { categories: [category("paranoia-level-4", { enabled: false })] },
      after: levels(4),
      yields: "· neutral",
      reason: [],
    },
    {
      when: "the action of the whole ruleset goes",
      before: { action: "log" },
      after: {},
      yields: "◆ may break",
      reason: ["the action of the whole ruleset log → as the ruleset has it"],
    },
    {
      when: "the whole ruleset gets an action that nobody knows",
      before: { action: "log" },
      after: { action: "teleport" },
      yields: "◆ may break",
      reason: ["the action of the whole ruleset log → teleport"],
    },
    {
      when: "a rule is switched on, whatever the ruleset has",
      before: {},
      after: { rules: [ruleOverride("r1", { enabled: true })] },
      yields: "▲ strengthens, may break",
      reason: ["r1 is switched on"],
    },
    {
      when: "the first of two categories goes",
      before: { categories: both },
      after: { categories: both.slice(1) },
      yields: "▼ weakens",
      reason: ["a is no longer switched on"],
    },
    {
      when: "a category comes before another one",
      before: { categories: both.slice(1) },
      after: { categories: both },
      yields: "▲ strengthens, may break",
      reason: ["a is switched on"],
    },
    {
      when: "a rule keeps its switch and loses its score threshold",
      before: { rules: [ruleOverride("r1", { enabled: true, score_threshold: 25 })] },
      after: { rules: [ruleOverride("r1", { enabled: true })] },
      yields: "◆ may break",
      reason: ["overrides the ruleset in another way"],
    },
    {
      when: "a rule with a switch gets a score threshold",
      before: { rules: [ruleOverride("r1", { enabled: true })] },
      after: { rules: [ruleOverride("r1", { enabled: true, score_threshold: 25 })] },
      yields: "◆ may break",
      reason: ["overrides the ruleset in another way"],
    },
  ])("when $when", ({ before, after, yields, reason }, { expect }) => {
    expect(effectBetween(execute(before), execute(after))).toEqual({ yields, reason });
  });
});
