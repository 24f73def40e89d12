import { describe, it } from "vitest";

import { driftIn, impactOf } from "../../src/state/drift.ts";
import { changeResultOf, isFailure, runResultOf } from "../../src/state/run-report.ts";
import {
  type Came,
  change,
  done,
  failed,
  hold,
  lost,
  report,
  skipped,
} from "../support/reports.ts";

const a = change("policy/a");
const b = change("rule/b");
const applied = (outcomes: Extract<Came, { result: "applied" }>["outcomes"]): Came => ({
  result: "applied",
  cause: "drift",
  changes: [a, b],
  outcomes: outcomes ?? [],
});
const both = "policy/a";

describe("a run in a word", () => {
  it.for<{ came: Came; verdict: string; fails: boolean }>([
    { came: { result: "in_sync" }, verdict: "in_sync", fails: false },
    { came: { result: "error" }, verdict: "error", fails: true },
    {
      came: { result: "planned", cause: "drift", changes: [a] },
      verdict: "planned",
      fails: false,
    },
    {
      came: { result: "held", cause: "drift", changes: [a], holds: [hold("observe")] },
      verdict: "planned",
      fails: false,
    },
    {
      came: {
        result: "held",
        cause: "drift",
        changes: [a],
        holds: [hold("observe"), hold("quota")],
      },
      verdict: "held",
      fails: false,
    },
    { came: applied([done(both, "rule/b")]), verdict: "applied", fails: false },
    { came: applied([done(both), failed("rule/b")]), verdict: "partial", fails: true },
    { came: applied([done(both), lost("rule/b")]), verdict: "partial", fails: true },
    {
      came: applied([done(both), skipped("shutdown", "rule/b")]),
      verdict: "partial",
      fails: false,
    },
    {
      came: applied([failed(both), skipped("earlier_failure", "rule/b")]),
      verdict: "error",
      fails: true,
    },
    { came: applied([skipped("shutdown", both, "rule/b")]), verdict: "partial", fails: false },
    {
      came: { result: "applied", cause: "drift", changes: [a], left: [a] },
      verdict: "partial",
      fails: true,
    },
  ])("$came.result is $verdict, failing: $fails", ({ came, verdict, fails }, { expect }) => {
    const run = report("shop.example.com", 1, came);
    expect(runResultOf(run)).toBe(verdict);
    expect(isFailure(run)).toBe(fails);
  });
});

describe("what became of a change", () => {
  it.for([
    { given: [done("policy/a")], result: "done" },
    { given: [done("policy/a"), failed("policy/a")], result: "failed" },
    { given: [lost("policy/a"), done("policy/a")], result: "unknown" },
    { given: [skipped("shutdown", "policy/a")], result: "skipped" },
    { given: [done("rule/b")], result: "skipped" },
  ])("is the worst that became of its writes: $result", ({ given, result }, { expect }) => {
    const writes = given.map(({ status, write }) => ({ status, changes: write.changes }));
    expect(changeResultOf(a, writes)).toBe(result);
  });
});

describe("the impact of drift", () => {
  it.for([
    { corrected: "strengthens", impact: "weakens" },
    { corrected: "weakens", impact: "strengthens" },
    { corrected: "neutral", impact: "neutral" },
    { corrected: "unclear", impact: "weakens" },
  ] as const)(
    "what $corrected corrects a drift that $impact",
    ({ corrected, impact }, { expect }) => {
      expect(impactOf(corrected)).toBe(impact);
    },
  );

  it("is counted by kind", ({ expect }) => {
    const counts = driftIn([a, b, change("rule/c", "weakens"), change("rule/d", "unclear")]);
    expect(counts).toEqual({
      setting: { weakens: 0, neutral: 0, strengthens: 0 },
      policy: { weakens: 1, neutral: 0, strengthens: 0 },
      rule: { weakens: 2, neutral: 0, strengthens: 1 },
    });
  });
});
