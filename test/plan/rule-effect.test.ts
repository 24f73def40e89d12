import { describe, it } from "vitest";

import { effectOfRule } from "../../src/plan/rules/rule-effect.ts";
import { comparable } from "../../src/plan/rules/rule-fields.ts";
import { effectWords } from "../../src/render/change-text.ts";
import type { LiveRule } from "../../src/zone/live-zone.ts";
import {
  documentedScoreRuleId,
  managedRulesets,
  owaspRulesetId,
} from "../../src/zone/managed-ruleset.ts";
import type { Overrides } from "../../src/zone/resource.ts";
import { category, noOverrides, ruleOverride, skipNothing } from "../support/model.ts";

type TestRule = Pick<LiveRule, "description" | "expression" | "enabled" | "action">;

function execute(overrides: Partial<Overrides> = {}, more: Partial<TestRule> = {}): TestRule {
  const action = {
    type: "execute",
    ruleset: owaspRulesetId,
    overrides: { ...noOverrides, ...overrides },
  } as const;
  return { expression: "true", enabled: true, description: "", action, ...more };
}

function skip(more: Partial<TestRule> = {}): TestRule {
  const action = { type: "skip", skip: { ...skipNothing, ruleset: true }, logging: true } as const;
  return {
    expression: 'http.host eq "a.example"',
    enabled: true,
    description: "",
    action,
    ...more,
  };
}

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

const other: TestRule = {
  description: "",
  expression: "true",
  enabled: true,
  action: { type: "other", name: "block" },
};

describe("the effect of a rule", () => {
  it.for<{
    readonly when: string;
    readonly before?: TestRule;
    readonly after?: TestRule;
    readonly yields: string;
    readonly reason: readonly string[];
  }>([
    {
      when: "a deployment comes",
      after: execute(),
      yields: "▲ strengthens, may break",
      reason: ["deploys a managed ruleset"],
    },
    {
      when: "a deployment goes",
      before: execute(),
      yields: "▼ weakens",
      reason: ["a managed ruleset is no longer deployed"],
    },
    {
      when: "an exception comes",
      after: skip(),
      yields: "▼ weakens",
      reason: ["an exception spares requests"],
    },
    {
      when: "an exception goes",
      before: skip(),
      yields: "▲ strengthens, may break",
      reason: ["an exception no longer spares requests"],
    },
    {
      when: "a rule of another kind goes",
      before: other,
      yields: "◆ may break",
      reason: ["a rule with the action block goes"],
    },
    {
      when: "a disabled rule goes",
      before: execute({}, { enabled: false }),
      yields: "· neutral",
      reason: [],
    },
    {
      when: "a rule is switched off",
      before: execute(),
      after: execute({}, { enabled: false }),
      yields: "▼ weakens",
      reason: ["a managed ruleset is no longer deployed"],
    },
    {
      when: "a rule does something else",
      before: other,
      after: execute(),
      yields: "◆ may break",
      reason: ["does something else"],
    },
    {
      when: "another ruleset is deployed",
      before: execute(),
      after: execute(
        {},
        { action: { type: "execute", ruleset: managedRulesets.free, overrides: noOverrides } },
      ),
      yields: "◆ may break",
      reason: ["deploys another managed ruleset"],
    },
    {
      when: "a deployment applies to fewer requests",
      before: execute(),
      after: execute({}, { expression: 'http.host eq "a.example"' }),
      yields: "▼ weakens",
      reason: ["applies to fewer requests"],
    },
    {
      when: "a deployment applies to more requests",
      before: execute({}, { expression: 'http.host eq "a.example"' }),
      after: execute(),
      yields: "▲ strengthens, may break",
      reason: ["applies to more requests"],
    },
    {
      when: "an exception spares more",
      before: skip(),
      after: skip({ expression: "true" }),
      yields: "▼ weakens",
      reason: ["the exception spares more requests"],
    },
    {
      when: "an exception spares fewer",
      before: skip({ expression: "true" }),
      after: skip(),
      yields: "▲ strengthens, may break",
      reason: ["the exception spares fewer requests"],
    },
    {
      when: "an exception spares others",
      before: skip(),
      after: skip({ expression: "ssl" }),
      yields: "◆ may break",
      reason: ["applies to other requests"],
    },
    {
      when: "an exception spares from something else",
      before: skip(),
      after: skip({
        action: { type: "skip", skip: { ...skipNothing, phase: true }, logging: true },
      }),
      yields: "◆ may break",
      reason: ["spares something else"],
    },
    {
      when: "an exception is no longer logged",
      before: skip(),
      after: skip({
        action: { type: "skip", skip: { ...skipNothing, ruleset: true }, logging: false },
      }),
      yields: "· neutral",
      reason: [],
    },
    {
      when: "only other fields of a strange rule differ",
      before: other,
      after: other,
      yields: "· neutral",
      reason: [],
    },
    {
      when: "the paranoia level rises",
      before: execute(levels(2, 3, 4)),
      after: execute(levels(3, 4)),
      yields: "▲ strengthens, may break",
      reason: ["paranoia level 1 → 2"],
    },
    {
      when: "the paranoia level falls",
      before: execute(),
      after: execute(levels(4)),
      yields: "▼ weakens",
      reason: ["paranoia level 4 → 3"],
    },
    {
      when: "the threshold falls, which is stricter",
      before: execute(scored(60, "block")),
      after: execute(scored(25, "block")),
      yields: "▲ strengthens, may break",
      reason: ["score threshold 60 → 25"],
    },
    {
      when: "the threshold rises above the default",
      before: execute(),
      after: execute(scored(60, "block")),
      yields: "▼ weakens",
      reason: ["score threshold 40 → 60"],
    },
    {
      when: "the action is milder",
      before: execute(scored(40, "managed_challenge")),
      after: execute(scored(40, "log")),
      yields: "▼ weakens",
      reason: ["the score's action managed_challenge → log"],
    },
    {
      when: "one challenge becomes another one as strong",
      before: execute(scored(40, "js_challenge")),
      after: execute(scored(40, "challenge")),
      yields: "· neutral",
      reason: [],
    },
    {
      when: "the whole ruleset gets an action",
      before: execute(),
      after: execute({ action: "log" }),
      yields: "◆ may break",
      reason: ["the action of the whole ruleset as the ruleset has it → log"],
    },
    {
      when: "the whole ruleset is switched off",
      before: execute(),
      after: execute({ enabled: false }),
      yields: "▼ weakens",
      reason: ["the whole ruleset is switched off"],
    },
    {
      when: "the whole ruleset is no longer switched on",
      before: execute({ enabled: true }),
      after: execute(),
      yields: "▼ weakens",
      reason: ["the whole ruleset is no longer switched on"],
    },
    {
      when: "a category is switched off",
      before: execute(),
      after: execute({ categories: [category("php", { enabled: false })] }),
      yields: "▼ weakens",
      reason: ["php is switched off"],
    },
    {
      when: "a rule is no longer switched off",
      before: execute({ rules: [ruleOverride("r1", { enabled: false })] }),
      after: execute(),
      yields: "▲ strengthens, may break",
      reason: ["r1 is switched on"],
    },
    {
      when: "a rule gets a stronger action",
      before: execute({ rules: [ruleOverride("r1", { action: "log" })] }),
      after: execute({ rules: [ruleOverride("r1", { action: "block" })] }),
      yields: "▲ strengthens, may break",
      reason: ["the action of r1 log → block"],
    },
    {
      when: "categories are listed in another order",
      before: execute({
        categories: [category("a", { enabled: true }), category("b", { enabled: false })],
      }),
      after: execute({
        categories: [category("b", { enabled: false }), category("a", { enabled: true })],
      }),
      yields: "◆ may break",
      reason: ["overrides the ruleset in another way"],
    },
    {
      when: "a level is on with and without a word",
      before: execute({ categories: [category("paranoia-level-4", { enabled: false })] }),
      after: execute(levels(4)),
      yields: "· neutral",
      reason: [],
    },
  ])("when $when", ({ before, after, yields, reason }, { expect }) => {
    const [was, is] = [before, after].map(
      (rule) => rule && comparable(rule, documentedScoreRuleId),
    );
    const effect = effectOfRule(was, is);
    expect(effectWords(effect)).toBe(yields);
    expect(effect.reasons).toEqual(reason);
  });
});
