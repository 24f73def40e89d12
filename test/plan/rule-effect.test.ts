import { describe, it } from "vitest";

import { effectOfRule } from "../../src/plan/rules/rule-effect.ts";
import { comparable } from "../../src/plan/rules/rule-fields.ts";
import type { RuleState } from "../../src/zone/live-zone.ts";
import { documentedScoreRuleId, managedRulesets } from "../../src/zone/managed-ruleset.ts";
import { liveDeployment, noOverrides, skipNothing } from "../support/model.ts";
import { effectBetween, execute, type RuleEffect, testRule } from "../support/test-rules.ts";

function skip(more: Partial<RuleState> = {}): RuleState {
  const spared = { ...skipNothing, ruleset: true };
  return testRule(
    { type: "skip", skip: spared, logging: true },
    { expression: 'http.host eq "a.example"', ...more },
  );
}

const other = testRule({ type: "other", name: "rewrite" });

describe("the effect of a rule", () => {
  it.for<RuleEffect>([
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
      when: "a rule of another kind comes",
      after: other,
      yields: "◆ may break",
      reason: ["a rule with the action rewrite comes"],
    },
    {
      when: "a rule of another kind goes",
      before: other,
      yields: "◆ may break",
      reason: ["a rule with the action rewrite goes"],
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
  ])("when $when", ({ before, after, yields, reason }, { expect }) => {
    expect(effectBetween(before, after)).toEqual({ yields, reason });
  });
});

/** From the mildest to the most severe; those of one line are equal for a visitor. */
const actions = [["log"], ["challenge", "js_challenge"], ["managed_challenge"], ["block"]];
const all = actions.flatMap((equal, severity) => equal.map((action) => ({ action, severity })));

function direction(before: string, after: string): string {
  const [was, is] = [before, after].map((action) =>
    comparable(liveDeployment("r1", {}, { action }), documentedScoreRuleId),
  );
  return effectOfRule(was, is).direction;
}

describe("the action of a managed ruleset", () => {
  it.for(all.flatMap((before) => all.map((after) => ({ before, after }))))(
    "from $before.action to $after.action",
    ({ before, after }, { expect }) => {
      const steps = Math.sign(after.severity - before.severity);
      const expected = steps === 0 ? "neutral" : steps > 0 ? "strengthens" : "weakens";
      expect(direction(before.action, after.action)).toBe(expected);
    },
  );
});
