import { describe, expect, it } from "vitest";

import { summaryOf } from "../../src/plan/change.ts";
import { plan, type Plan } from "../../src/plan/plan.ts";
import type { LivePolicy, LiveRule } from "../../src/zone/live-zone.ts";
import { documentedScoreRuleId } from "../../src/zone/managed-ruleset.ts";
import { marked } from "../../src/zone/mark.ts";
import type { Rule } from "../../src/zone/resource.ts";
import {
  absent,
  block,
  carriedOut,
  customRuleset,
  declared,
  deployment,
  desiredZone,
  entrypoint,
  livePolicy,
  liveDeployment,
  liveRule,
  liveZone,
  owner,
  policy,
  promotion,
} from "../support/model.ts";
import { plannedPolicies, plannedRules } from "../support/planned.ts";

/** What a plan says: its changes with what they set the promoted field to, its steps and its notes. */
function saysOf({ changes, steps, notes }: Plan, field: string): unknown {
  const set = changes.map((change) => {
    const found = change.fields.find((each) => each.field === field);
    return found === undefined ? summaryOf(change) : `${change.key} ${JSON.stringify(found.after)}`;
  });
  return { set, steps: [...steps.values()], notes };
}

const ladder = promotion({ steps: ["log", "allow"] });
const checkout = policy("checkout", { action: "allow", promotion: ladder });
const stays = (at: string) => [`the step of policy/checkout is not known: it stays at ${at}`];
const begins = ["policy/checkout begins with log, the first of its steps"];

describe("the step of a policy", () => {
  it.each<{
    at: number | undefined;
    live: Partial<LivePolicy> | undefined;
    set?: readonly string[];
    steps: { live: number | undefined; planned: number };
    notes?: readonly string[];
  }>([
    {
      at: undefined,
      live: undefined,
      set: ['policy/checkout "log"'],
      steps: { live: undefined, planned: 0 },
      notes: begins,
    },
    { at: undefined, live: { action: "log" }, steps: { live: 0, planned: 0 }, notes: stays("log") },
    {
      at: undefined,
      live: { action: "allow" },
      steps: { live: 1, planned: 1 },
      notes: stays("allow"),
    },
    {
      at: undefined,
      live: { action: "add_reporting_directives" },
      set: ['policy/checkout "log"'],
      steps: { live: undefined, planned: 0 },
      notes: begins,
    },
    {
      at: undefined,
      live: { action: "allow", enabled: false },
      set: ['policy/checkout "log"'],
      steps: { live: undefined, planned: 0 },
      notes: begins,
    },
    {
      at: undefined,
      live: { action: "allow", value: "script-src 'none'" },
      set: ["~ policy/checkout (value)"],
      steps: { live: 1, planned: 1 },
      notes: stays("allow"),
    },
    {
      at: 2,
      live: { action: "allow" },
      steps: { live: 1, planned: 1 },
      notes: stays("allow"),
    },
    {
      at: 0,
      live: undefined,
      set: ['policy/checkout "log"'],
      steps: { live: undefined, planned: 0 },
    },
    {
      at: 1,
      live: undefined,
      set: ['policy/checkout "allow"'],
      steps: { live: undefined, planned: 1 },
    },
    { at: 0, live: { action: "log" }, steps: { live: 0, planned: 0 } },
    {
      at: 1,
      live: { action: "log" },
      set: ['policy/checkout "allow"'],
      steps: { live: 0, planned: 1 },
    },
    {
      at: 0,
      live: { action: "allow" },
      set: ['policy/checkout "log"'],
      steps: { live: 1, planned: 0 },
    },
    {
      at: 1,
      live: { action: "allow", enabled: false },
      set: ["~ policy/checkout (enabled)"],
      steps: { live: undefined, planned: 1 },
    },
  ])("known as $at, of one that is live as $live", ({ at, live, set = [], steps, notes = [] }) => {
    const given = policy("checkout", { ...checkout, promotion: { ...ladder, at } });
    const found = live === undefined ? [] : [carriedOut("p1", checkout, live)];
    const planned = plannedPolicies(declared([policy("cart"), given]), [
      carriedOut("p0", policy("cart")),
      ...found,
    ]);
    expect(saysOf(planned, "action")).toEqual({
      set,
      steps: [{ field: "action", steps: ["log", "allow"], ...steps }],
      notes,
    });
  });

  it("takes the live policy without a mark that is as declared in one of the steps", () => {
    const live = [
      livePolicy("p1", { description: checkout.description, action: "block" }),
      livePolicy("p2", { description: checkout.description, action: "log" }),
    ];
    const planned = plannedPolicies(declared([checkout]), live);
    expect(planned.liveKeys).toEqual(new Map([["p2", "policy/checkout"]]));
    expect(saysOf(planned, "action")).toMatchObject({ set: [], steps: [{ live: 0, planned: 0 }] });
  });

  it("keeps the step where a duplicate is deleted, which weakens nothing", () => {
    const live = [carriedOut("p1", checkout), carriedOut("p2", checkout)];
    const [change, ...rest] = plannedPolicies(declared([checkout]), live).changes;
    expect(rest).toEqual([]);
    expect(change).toMatchObject({ verb: "delete", reason: "duplicate" });
    expect(change?.effect.direction).toBe("neutral");
  });
});

describe("the step of a rule", () => {
  const admin = block("admin", { promotion: promotion() });
  const liveAdmin = (action: string, more = {}): LiveRule =>
    liveRule("r1", { action, expression: admin.expression, ref: "zonewarden:admin", ...more });

  it.each<{
    at: number | undefined;
    live: LiveRule;
    set?: readonly string[];
    steps: { live: number | undefined; planned: number };
  }>([
    { at: undefined, live: liveAdmin("managed_challenge"), steps: { live: 1, planned: 1 } },
    {
      at: undefined,
      live: liveAdmin("challenge"),
      set: ['custom_rule/admin "log"'],
      steps: { live: undefined, planned: 0 },
    },
    {
      at: undefined,
      live: liveAdmin("teleport"),
      set: ['custom_rule/admin "log"'],
      steps: { live: undefined, planned: 0 },
    },
    {
      at: undefined,
      live: liveAdmin("block", { ref: "by-hand" }),
      steps: { live: 2, planned: 2 },
    },
    {
      at: 1,
      live: liveAdmin("log"),
      set: ['custom_rule/admin "managed_challenge"'],
      steps: { live: 0, planned: 1 },
    },
    {
      at: 1,
      live: liveAdmin("block"),
      set: ['custom_rule/admin "managed_challenge"'],
      steps: { live: 2, planned: 1 },
    },
  ])("known as $at, of one that is live as $live.action", ({ at, live, set = [], steps }) => {
    const given: Rule = { ...admin, promotion: promotion({ at }) };
    const rules = declared([block("login"), given]);
    const login = { action: "block", expression: block("login").expression };
    const planned = plannedRules(
      rules,
      entrypoint(liveRule("r0", { ...login, ref: "zonewarden:login" }), live),
      { phase: "custom_rules" },
    );
    expect(saysOf(planned, "action")).toMatchObject({ set, steps: [steps] });
  });

  it.each<{
    field: "paranoia_level" | "score_threshold" | "action";
    steps: readonly [string | number, string | number, ...(string | number)[]];
    overrides: object;
    live: number | undefined;
    set: readonly string[];
  }>([
    {
      field: "paranoia_level",
      steps: [1, 2, 3],
      overrides: level(2),
      live: 1,
      set: [],
    },
    {
      field: "paranoia_level",
      steps: [1, 2, 3],
      overrides: level(4),
      live: undefined,
      set: ["managed_rule/owasp 1"],
    },
    {
      field: "paranoia_level",
      steps: [2, 3],
      overrides: {},
      live: undefined,
      set: ["managed_rule/owasp 2"],
    },
    {
      field: "score_threshold",
      steps: [60, 40],
      overrides: score({ score_threshold: 60 }),
      live: 0,
      set: [],
    },
    {
      field: "score_threshold",
      steps: [60, 40],
      overrides: score({ score_threshold: 40 }),
      live: 1,
      set: [],
    },
    {
      field: "score_threshold",
      steps: [60, 40, 25],
      overrides: score({ score_threshold: 50 }),
      live: undefined,
      set: ["managed_rule/owasp 60"],
    },
    {
      field: "action",
      steps: ["log", "block"],
      overrides: score({ action: "block" }),
      live: 1,
      set: [],
    },
  ])("of its $field that is live as $overrides", ({ field, steps, overrides, live, set }) => {
    const tuning = {
      paranoiaLevel: field === "paranoia_level" ? (3 as const) : undefined,
      scoreThreshold: field === "score_threshold" ? 40 : undefined,
      action: field === "action" ? ("block" as const) : undefined,
    };
    const owasp = deployment("owasp", { tuning, promotion: promotion({ field, steps }) });
    const found = liveDeployment("r1", { ref: "zonewarden:owasp" }, { ...overrides });
    const planned = plannedRules(declared([owasp]), entrypoint(found));
    expect(saysOf(planned, field)).toMatchObject({ set, steps: [{ live, planned: live ?? 0 }] });
  });
});

describe("the step of a rule of a custom ruleset", () => {
  const payments = customRuleset("payments", {
    rules: [block("amounts"), block("bots", { promotion: promotion() })],
  });
  const desired = desiredZone({ customRulesets: declared([payments]) });
  const live = liveZone({
    customRulesets: [
      {
        id: "c1",
        version: "1",
        name: "payments",
        description: marked(payments.description, owner, "payments"),
        rules: [liveOf("amounts", "block"), liveOf("bots", "managed_challenge")],
      },
    ],
    entrypoints: {
      custom_rules: entrypoint(
        liveRule("e1", {
          action: "execute",
          action_parameters: { id: "c1" },
          expression: payments.expression,
          ref: "zonewarden:custom_ruleset/payments",
        }),
      ),
    },
  });

  it("stays where it is live", () => {
    expect(saysOf(plan(desired, live, owner), "action")).toMatchObject({
      set: [],
      steps: [{ live: 1, planned: 1 }],
      notes: ["the step of custom_rule/payments/bots is not known: it stays at managed_challenge"],
    });
  });

  it("is the first one in a ruleset that is created", () => {
    const none = liveZone({ customRulesets: [], entrypoints: { custom_rules: absent } });
    const planned = plan(desired, none, owner);
    expect([...planned.steps]).toMatchObject([
      ["custom_rule/payments/bots", { live: undefined, planned: 0 }],
    ]);
    const [create] = planned.writes;
    expect(create).toMatchObject({
      call: "create-ruleset",
      body: { rules: [{ action: "block" }, { action: "log" }] },
    });
  });
});

function liveOf(key: string, action: string): LiveRule {
  const expression = block(key).expression;
  return liveRule(key, { action, expression, ref: `zonewarden:${key}` });
}

function level(highest: number): object {
  const categories = [2, 3, 4].map((each) => {
    return { category: `paranoia-level-${each}`, enabled: each <= highest };
  });
  return { categories };
}

function score(more: object): object {
  return { rules: [{ id: documentedScoreRuleId, ...more }] };
}
