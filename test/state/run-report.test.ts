import { describe, it } from "vitest";

import type { Change } from "../../src/plan/change.ts";
import { countByKind, driftIn, impactOf, weakeningOf } from "../../src/state/drift.ts";
import { changeResultOf, isFailure, keysDone, runResultOf } from "../../src/state/run-report.ts";
import {
  type Came,
  change,
  done,
  failed,
  hold,
  lost,
  report,
  skipped,
  withCause,
} from "../support/reports.ts";

const a = change("policy/a");
const b = change("managed_rule/b");
const applied = (outcomes: Extract<Came, { result: "applied" }>["outcomes"]): Came => ({
  result: "applied",
  cause: "drift",
  changes: [a, b],
  outcomes: outcomes ?? [],
});
const both = "policy/a";

describe("the result of a run", () => {
  it.for<{ came: Came; result: string; fails: boolean }>([
    { came: { result: "in_sync" }, result: "in_sync", fails: false },
    { came: { result: "error" }, result: "error", fails: true },
    {
      came: { result: "planned", cause: "drift", changes: [a] },
      result: "planned",
      fails: false,
    },
    {
      came: { result: "held", cause: "drift", changes: [a], holds: [hold("observe")] },
      result: "planned",
      fails: false,
    },
    {
      came: {
        result: "held",
        cause: "drift",
        changes: [a],
        holds: [hold("observe"), hold("quota")],
      },
      result: "held",
      fails: false,
    },
    { came: applied([done(both, "managed_rule/b")]), result: "applied", fails: false },
    { came: applied([done(both), failed("managed_rule/b")]), result: "partial", fails: true },
    { came: applied([done(both), lost("managed_rule/b")]), result: "partial", fails: true },
    {
      came: applied([done(both), skipped("shutdown", "managed_rule/b")]),
      result: "partial",
      fails: false,
    },
    {
      came: applied([failed(both), skipped("earlier_failure", "managed_rule/b")]),
      result: "error",
      fails: true,
    },
    {
      came: applied([skipped("shutdown", both, "managed_rule/b")]),
      result: "partial",
      fails: false,
    },
    {
      came: {
        result: "applied",
        cause: "drift",
        changes: [a, b],
        outcomes: [done(both), skipped("shutdown", "managed_rule/b")],
        left: [a],
      },
      result: "partial",
      fails: false,
    },
    {
      came: { result: "applied", cause: "drift", changes: [a], left: [a] },
      result: "partial",
      fails: true,
    },
  ])("$came.result is $result, failing: $fails", ({ came, result, fails }, { expect }) => {
    const run = report("shop.example.com", 1, came);
    expect(runResultOf(run)).toBe(result);
    expect(isFailure(run)).toBe(fails);
  });
});

describe("the result of a change", () => {
  it.for([
    { given: [done("policy/a")], result: "done" },
    { given: [done("policy/a"), failed("policy/a")], result: "failed" },
    { given: [lost("policy/a"), done("policy/a")], result: "unknown" },
    { given: [skipped("shutdown", "policy/a")], result: "skipped" },
    { given: [done("managed_rule/b")], result: "skipped" },
    { given: [], result: "skipped" },
    { given: [done("policy/a"), skipped("shutdown", "policy/a")], result: "skipped" },
    { given: [lost("policy/a"), failed("policy/a"), done("policy/a")], result: "failed" },
  ])("is the worst outcome of its writes: $result", ({ given, result }, { expect }) => {
    expect(changeResultOf(a, given)).toBe(result);
  });
});

describe("the impact of drift", () => {
  it.for([
    { corrected: "strengthens", impact: "weakens" },
    { corrected: "weakens", impact: "strengthens" },
    { corrected: "neutral", impact: "neutral" },
    { corrected: "unclear", impact: "weakens" },
  ] as const)(
    "a change that $corrected corrects a drift that $impact",
    ({ corrected, impact }, { expect }) => {
      const [corrects] = withCause("drift", [change("policy/a", corrected)]);
      expect(corrects && impactOf(corrects)).toBe(impact);
    },
  );

  it.for([
    { corrected: "strengthens", impact: "weakens" },
    { corrected: "weakens", impact: "weakens" },
    { corrected: "neutral", impact: "neutral" },
    { corrected: "unclear", impact: "weakens" },
  ] as const)(
    "is $impact where the change applies a new declaration too and $corrected as a whole",
    ({ corrected, impact }, { expect }) => {
      const mixed: Change = {
        ...change("managed_rule/b", corrected),
        causes: [
          { cause: "drift", fields: ["action", "expression"] },
          { cause: "pending", fields: ["description"] },
        ],
      };
      expect(impactOf(mixed)).toBe(impact);
      expect(weakeningOf([a, mixed])).toEqual(impact === "weakens" ? [a, mixed] : [a]);
    },
  );

  it("is counted by kind", ({ expect }) => {
    expect(countByKind([a, b, b])).toMatchObject({ setting: 0, policy: 1, managed_rule: 2 });
    const counts = driftIn([
      a,
      b,
      change("managed_rule/c", "weakens"),
      change("managed_rule/d", "unclear"),
    ]);
    expect(counts).toEqual({
      setting: { weakens: 0, neutral: 0, strengthens: 0 },
      policy: { weakens: 1, neutral: 0, strengthens: 0 },
      custom_ruleset: { weakens: 0, neutral: 0, strengthens: 0 },
      custom_rule: { weakens: 0, neutral: 0, strengthens: 0 },
      rate_limiting_rule: { weakens: 0, neutral: 0, strengthens: 0 },
      managed_rule: { weakens: 2, neutral: 0, strengthens: 1 },
    });
  });
});

describe("the resources that a run wrote", () => {
  it("are those of which every write was done", ({ expect }) => {
    const outcomes = [
      done("policy/a", "managed_rule/b"),
      done("policy/c"),
      failed("managed_rule/b"),
      lost("policy/d"),
    ];
    expect([...keysDone(outcomes)]).toEqual(["policy/a", "policy/c"]);
  });
});
