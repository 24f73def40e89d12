import { describe, it } from "vitest";

import type { CountedEffect, Uncounted } from "../../src/plan/measured-effect.ts";
import { countedEffectOfPolicy } from "../../src/plan/policies/policy-effect.ts";
import { countedEffectOfRule, ofOneAction } from "../../src/plan/rules/counted-rule.ts";
import { effectOfRule } from "../../src/plan/rules/rule-effect.ts";
import { comparable, type ComparableRule } from "../../src/plan/rules/rule-fields.ts";
import type { LiveRule, RuleState } from "../../src/zone/live-zone.ts";
import { documentedScoreRuleId, managedRulesets } from "../../src/zone/managed-ruleset.ts";
import { marked } from "../../src/zone/mark.ts";
import type { MitigateAction, PolicyBehavior } from "../../src/zone/resource.ts";
import {
  block,
  category,
  declared,
  entrypoint,
  livePolicy,
  liveRule,
  noOverrides,
  owner,
  policy,
  rateLimit,
  ruleOverride,
} from "../support/model.ts";
import { plannedPolicies, plannedRules } from "../support/planned.ts";
import { execute, testRule } from "../support/test-rules.ts";

const admin = 'http.request.uri.path eq "/admin"';
const login = 'http.request.uri.path eq "/login"';
const changedAt = "2026-11-19T08:20:00.5Z";
const live = liveRule("r1", { action: "log", last_updated: changedAt });

function mitigate(name: MitigateAction, more: Partial<RuleState> = {}): RuleState {
  const action = { type: "mitigate", name, response: undefined } as const;
  return testRule(action, { expression: admin, ...more });
}

function owasp(score: object = {}, ...categories: readonly string[]): RuleState {
  return execute({
    categories: categories.map((name) => category(name, { enabled: false })),
    rules: Object.keys(score).length === 0 ? [] : [ruleOverride(documentedScoreRuleId, score)],
  });
}

function managed(action: string | undefined, more: Partial<RuleState> = {}): RuleState {
  const overrides = { ...noOverrides, action };
  return testRule({ type: "execute", ruleset: managedRulesets.cloudflare, overrides }, more);
}

function ofRules(
  before: ComparableRule,
  after: ComparableRule | undefined,
  ...found: readonly LiveRule[]
): CountedEffect | Uncounted | undefined {
  const reach = after && effectOfRule(ofOneAction(before), ofOneAction(after)).direction;
  return countedEffectOfRule(before, after, reach ?? "neutral", found);
}

const off = { enabled: false } as const;

function said(effect: CountedEffect | Uncounted | undefined): string {
  if (effect === undefined) return "";
  return "why" in effect ? effect.why : `${effect.before} → ${effect.after}: ${effect.extent}`;
}

const beside = "what it would act on beside is not counted";
const different = "its rules act in different ways, and are counted together";

describe("what counts can say of the change of a rule", () => {
  it.for<readonly [when: string, before: RuleState, after: RuleState | undefined, says: string]>([
    ["a log becomes a block", mitigate("log"), mitigate("block"), "log → block: all"],
    [
      "a log becomes a challenge",
      mitigate("log"),
      mitigate("js_challenge"),
      "log → challenge: all",
    ],
    [
      "a challenge becomes a block",
      mitigate("challenge"),
      mitigate("block"),
      "challenge → block: all",
    ],
    [
      "a block only challenges",
      mitigate("block"),
      mitigate("managed_challenge"),
      "block → challenge: all",
    ],
    ["a block only logs", mitigate("block"), mitigate("log"), "block → pass: all"],
    ["a block is switched off", mitigate("block"), mitigate("block", off), "block → pass: all"],
    ["a challenge is deleted", mitigate("challenge"), undefined, "challenge → pass: all"],
    ["a log is deleted", mitigate("log"), undefined, ""],
    ["a log is switched off", mitigate("log"), mitigate("log", off), ""],
    ["one challenge becomes the other", mitigate("challenge"), mitigate("js_challenge"), ""],
    [
      "nothing but the description changes",
      mitigate("block"),
      mitigate("block", { description: "x" }),
      "",
    ],
    [
      "a block is switched on",
      mitigate("block", off),
      mitigate("block"),
      "it is off, and then nothing is counted",
    ],
    ["a log is switched on", mitigate("log", off), mitigate("log"), ""],
    [
      "a block selects fewer than the log did",
      mitigate("log", { expression: "true" }),
      mitigate("block"),
      "log → block: some",
    ],
    [
      "a block selects more than the log did",
      mitigate("log"),
      mitigate("block", { expression: "true" }),
      "log → block: more",
    ],
    [
      "a block selects others than the log did",
      mitigate("log"),
      mitigate("block", { expression: login }),
      "it would act on other requests, which are not counted",
    ],
    [
      "a log selects others than the block did",
      mitigate("block"),
      mitigate("log", { expression: login }),
      "block → pass: all",
    ],
    [
      "a block selects fewer",
      mitigate("block", { expression: "true" }),
      mitigate("block"),
      "block → pass: some",
    ],
    ["a block selects more", mitigate("block"), mitigate("block", { expression: "true" }), beside],
    [
      "a limit allows fewer",
      mitigate("block", { ratelimit: rateLimit }),
      mitigate("block", { ratelimit: { ...rateLimit, requests_per_period: 4 } }),
      beside,
    ],
    [
      "a limit that logged blocks, and allows more",
      mitigate("log", { ratelimit: rateLimit }),
      mitigate("block", { ratelimit: { ...rateLimit, requests_per_period: 50 } }),
      "log → block: some",
    ],
    ["the score blocks, which logged", owasp({ action: "log" }), owasp(), "log → block: all"],
    [
      "the score logs, which blocked by default",
      owasp(),
      owasp({ action: "log" }),
      "block → pass: all",
    ],
    [
      "the score blocks from a lower threshold",
      owasp({ score_threshold: 40 }),
      owasp({ score_threshold: 25 }),
      beside,
    ],
    [
      "the score blocks from a higher threshold",
      owasp({ score_threshold: 25 }),
      owasp({ score_threshold: 60 }),
      "block → pass: some",
    ],
    [
      "the score blocks, and counts a level more",
      owasp({ action: "log" }, "paranoia-level-3", "paranoia-level-4"),
      owasp({}, "paranoia-level-4"),
      "log → block: more",
    ],
    ["the ruleset blocks, which logged", managed("log"), managed("block"), "log → block: all"],
    ["the ruleset no longer logs only", managed("log"), managed(undefined), different],
    ["the ruleset only logs", managed(undefined), managed("log"), "mixed → pass: all"],
    [
      "the ruleset is switched off",
      managed(undefined),
      managed(undefined, off),
      "mixed → pass: all",
    ],
    ["an exception goes", testRule({ type: "other", name: "rewrite" }), undefined, ""],
  ])("%s", ([, before, after, says], { expect }) => {
    const [was, is] = [before, after].map(
      (rule) => rule && comparable(rule, documentedScoreRuleId),
    );
    if (was === undefined) throw new Error("a rule that is not live");
    const effect = ofRules(was, is, live);
    expect(said(effect)).toBe(says);
    const counted = effect === undefined || "why" in effect ? undefined : effect;
    expect(counted?.since ?? { at: new Date(changedAt) }).toEqual({ at: new Date(changedAt) });
  });

  it("holds since the last change of the rule, or of what executes it", ({ expect }) => {
    const before = comparable(mitigate("log"), "");
    const after = comparable(mitigate("block"), "");
    const executor = liveRule("r2", { action: "execute", last_updated: "2026-11-20T00:00:00Z" });
    expect(ofRules(before, after, live, executor)).toMatchObject({
      since: { at: new Date("2026-11-20T00:00:00Z") },
    });
    const undated = liveRule("r3", { action: "log" });
    expect(said(ofRules(before, after, undated))).toBe(
      "the service does not say when it was changed",
    );
    // What is not counted anyway needs no date.
    expect(ofRules(before, before, undated)).toBeUndefined();
    const wider = comparable(mitigate("block", { expression: "true" }), "");
    expect(said(ofRules(after, wider, undated))).toBe(beside);
  });

  it("stands at updates and deletes of declared rules", ({ expect }) => {
    const { changes } = plannedRules(
      declared([block("admin"), block("new")]),
      entrypoint(
        liveRule("r1", { action: "log", ref: "zonewarden:admin", last_updated: changedAt }),
        liveRule("r2", { action: "block", ref: "zonewarden:gone", last_updated: changedAt }),
      ),
      { phase: "custom_rules" },
    );
    expect(new Map(changes.map(({ key, counted }) => [key, said(counted)]))).toEqual(
      new Map([
        ["custom_rule/admin", "log → block: some"],
        ["custom_rule/new", ""],
        ["custom_rule/gone", "block → pass: all"],
      ]),
    );
  });
});

const allowing: PolicyBehavior = {
  action: "allow",
  expression: 'http.host eq "shop.example.com"',
  enabled: true,
  value: "script-src 'self'",
};
const logging = { ...allowing, action: "log" };

describe("what counts can say of the change of a policy", () => {
  it.for<
    readonly [when: string, before: PolicyBehavior, after: PolicyBehavior | undefined, says: string]
  >([
    ["a log is enforced", logging, allowing, "log → block: all"],
    [
      "a log is enforced with one source more",
      logging,
      { ...allowing, value: "script-src 'self' https://cdn.example" },
      "log → block: some",
    ],
    [
      "a log is enforced with one source less",
      { ...logging, value: "script-src 'self' https://cdn.example" },
      allowing,
      "log → block: more",
    ],
    [
      "a log is enforced with another source",
      logging,
      { ...allowing, value: "script-src https://cdn.example" },
      "it would act on other requests, which are not counted",
    ],
    ["an enforced one only logs", allowing, logging, "block → pass: all"],
    ["an enforced one is deleted", allowing, undefined, "block → pass: all"],
    ["a log is deleted", logging, undefined, ""],
    [
      "one that was off is enforced",
      { ...allowing, enabled: false },
      allowing,
      "it is off, and then nothing is counted",
    ],
    ["its action is not known", { ...logging, action: "new" }, allowing, ""],
  ])("%s", ([, before, after, says], { expect }) => {
    expect(said(countedEffectOfPolicy(before, after))).toBe(says);
  });

  it("holds where it was as it is live", ({ expect }) => {
    const changed = { ...logging, value: "script-src 'none'" };
    const [one, same, other] = [logging, { ...logging }, changed].map((before) =>
      countedEffectOfPolicy(before, allowing),
    );
    expect(one).toMatchObject({
      since: { form: expect.stringMatching(/^[0-9a-f]{8}$/) as unknown },
    });
    expect(same).toEqual(one);
    expect(other).not.toMatchObject(one ?? {});
  });

  it("says nothing of a duplicate, which is not counted", ({ expect }) => {
    const twin = { description: marked("Scripts", owner, "checkout"), action: "allow" };
    const { changes } = plannedPolicies(declared([policy("checkout", { action: "allow" })]), [
      livePolicy("p1", twin),
      livePolicy("p2", twin),
      livePolicy("p3", { ...twin, description: marked("Scripts", owner, "cart") }),
    ]);
    const deleted = changes.filter(({ verb }) => verb === "delete");
    expect(deleted.map(({ key, counted }) => [key, said(counted)])).toEqual([
      ["policy/cart", "block → pass: all"],
      ["policy/p2", ""],
    ]);
  });
});
