import { describe, it } from "vitest";

import { nextApplied } from "../../src/plan/cause/next-applied.ts";
import { plan } from "../../src/plan/plan.ts";
import { savedPlan } from "../../src/plan/saved/saved-plan.ts";
import type { Declared } from "../../src/zone/desired-zone.ts";
import type { LiveRule } from "../../src/zone/live-zone.ts";
import { documentedScoreRuleId } from "../../src/zone/managed-ruleset.ts";
import type { Rule } from "../../src/zone/resource.ts";
import type { RulePhase } from "../../src/zone/rule-phase.ts";
import { found, inSync } from "../support/causes.ts";
import {
  block,
  declared,
  desiredZone,
  entrypoint,
  exception,
  liveException,
  liveRule,
  liveZone,
  owner,
  rateLimit,
} from "../support/model.ts";

type Rules = Readonly<Partial<Record<RulePhase, Declared<Rule>>>>;

const login = block("login", { expression: "true" });

const limit = block("login", {
  expression: "true",
  ratelimit: { ...rateLimit, characteristics: ["cf.colo.id"], mitigation_timeout: 0 },
});

/** A rule of the same key in each list. */
const everywhere: Rules = {
  custom_rules: declared<Rule>([login]),
  rate_limiting_rules: declared<Rule>([limit]),
  managed_rules: declared<Rule>([exception("login")]),
};

const ref = "zonewarden:login";
const liveBlock = liveRule("c1", { ref, action: "block", description: "" });
const liveLimit = liveRule("l1", {
  ref,
  action: "block",
  description: "",
  ratelimit: {
    characteristics: ["cf.colo.id"],
    period: 60,
    requests_per_period: 5,
    mitigation_timeout: 0,
    requests_to_origin: false,
  },
});
const liveSkip = liveException("m1", "login", { ref });

function zoneWith(custom: LiveRule, limited: LiveRule, skip: LiveRule) {
  return {
    entrypoints: {
      custom_rules: entrypoint(custom),
      rate_limiting_rules: entrypoint(limited),
      managed_rules: entrypoint(skip),
    },
  };
}

describe("rules of one key in three lists", () => {
  it("are three resources, in the order in which the service evaluates them", ({ expect }) => {
    const absent = { state: "absent" } as const;
    const entrypoints = {
      custom_rules: absent,
      rate_limiting_rules: absent,
      managed_rules: absent,
    };
    const { changes, writes, compared } = plan(
      desiredZone({ rules: everywhere }),
      liveZone({ entrypoints }),
      owner,
    );
    expect(compared).toBe(3);
    expect(changes.map(({ key }) => key)).toEqual([
      "custom_rule/login",
      "rate_limiting_rule/login",
      // An exception weakens: it goes last.
      "managed_rule/login",
    ]);
    expect(writes.map((write) => "phase" in write && write.phase)).toEqual([
      "custom_rules",
      "rate_limiting_rules",
      "managed_rules",
    ]);
  });

  it("are in sync each for itself", ({ expect }) => {
    const live = zoneWith(liveBlock, liveLimit, liveSkip);
    const { changes, unowned } = plan(desiredZone({ rules: everywhere }), liveZone(live), owner);
    expect([changes, unowned]).toEqual([[], []]);
  });

  it("have causes of their own", ({ expect }) => {
    const applied = inSync({ rules: everywhere });
    const weaker = {
      ...liveLimit.wire,
      ratelimit: { characteristics: ["cf.colo.id"], period: 10 },
    };
    const live = zoneWith(liveBlock, liveRule("l1", weaker), liveSkip);
    const wanted = {
      ...everywhere,
      custom_rules: declared<Rule>([{ ...login, action: "log" }]),
    };
    expect(found(applied, { rules: wanted }, live)).toEqual([
      "rate_limiting_rule/login drift(ratelimit.period,ratelimit.requests_per_period)",
      "custom_rule/login pending(action)",
    ]);
  });

  it("stay known where their list is no longer declared", ({ expect }) => {
    const applied = inSync({ rules: everywhere });
    const rules = { managed_rules: declared<Rule>([exception("login")]) };
    const { content } = desiredZone({ rules });
    const next = nextApplied(applied, content, documentedScoreRuleId, []);
    expect([...next].map(([name, { size }]) => [name, size > 0])).toEqual([
      ["r/login", true],
      ["c/login", false],
      ["l/login", false],
    ]);
  });

  it("are bound by a saved plan to the rules of their own list", ({ expect }) => {
    const watch = liveRule("x1", { action: "log" });
    const live = liveZone(zoneWith(watch, liveLimit, liveSkip));
    const planned = plan(desiredZone({ rules: everywhere }), live, owner);
    const { fingerprints } = savedPlan(planned, live);
    const elsewhere = liveZone(zoneWith(watch, liveLimit, watch));
    expect(savedPlan(planned, elsewhere).fingerprints).toEqual(fingerprints);
    const here = liveZone(zoneWith(liveSkip, liveLimit, liveSkip));
    expect(savedPlan(planned, here).fingerprints).not.toEqual(fingerprints);
  });

  it("are a fault of the program where one of the lists was not read", ({ expect }) => {
    const { managed_rules: _managed, ...read } = zoneWith(
      liveBlock,
      liveLimit,
      liveSkip,
    ).entrypoints;
    expect(() =>
      plan(desiredZone({ rules: everywhere }), liveZone({ entrypoints: read }), owner),
    ).toThrow("planned without having read the entry point of managed_rules");
  });
});
