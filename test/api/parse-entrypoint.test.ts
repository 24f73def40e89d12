import { describe, it } from "vitest";

import { entrypointOf, ruleOf } from "../../src/api/read/parse-entrypoint.ts";
import type { JsonObject } from "../../src/syntax/json.ts";

const [a, b] = ["a".repeat(32), "b".repeat(32)];

describe("a rule of the service", () => {
  it("has all that an exception skips, in one order", ({ expect }) => {
    const parameters = {
      ruleset: "current",
      phase: "current",
      rulesets: [b, a, b],
      rules: { [b]: ["2", "1"], [a]: ["3"], none: [] },
      phases: ["http_request_sbfm", "http_ratelimit"],
      products: ["zoneLockdown", "waf"],
    };
    const rule = ruleOf({ id: a, action: "skip", action_parameters: parameters });
    expect(rule.action).toMatchObject({
      type: "skip",
      skip: {
        ruleset: true,
        phase: true,
        rulesets: [a, b],
        rules: { [a]: ["3"], [b]: ["1", "2"] },
        phases: ["http_ratelimit", "http_request_sbfm"],
        products: ["waf", "zoneLockdown"],
      },
    });
    const rulesets = rule.action.type === "skip" ? Object.keys(rule.action.skip.rules) : [];
    expect(rulesets).toEqual([a, b]);
  });

  it("has all overrides of the managed ruleset that it deploys", ({ expect }) => {
    const switches = { enabled: false, action: "log", sensitivity_level: "low" };
    const overrides = {
      ...switches,
      categories: [{ category: "php", ...switches }],
      rules: [{ id: b, ...switches, score_threshold: 25 }],
    };
    const rule = ruleOf({ id: a, action: "execute", action_parameters: { id: b, overrides } });
    expect(rule.action).toEqual({ type: "execute", ruleset: b, overrides });
  });

  it("has the response of a block", ({ expect }) => {
    const response = { status_code: 418, content_type: "text/plain", content: "no" };
    const parameters = { response: { ...response, later: 1 } };
    const rule = ruleOf({ id: a, action: "block", action_parameters: parameters });
    expect(rule.action).toEqual({ type: "mitigate", name: "block", response });
  });

  it("has a rate limit with all defaults, its characteristics as a set", ({ expect }) => {
    const ratelimit = {
      characteristics: ["ip.src", "cf.colo.id", "ip.src"],
      period: 60,
      requests_per_period: 5,
    };
    const rule = ruleOf({ id: a, action: "log", ratelimit });
    expect(rule.action).toEqual({ type: "mitigate", name: "log", response: undefined });
    expect(rule.ratelimit).toEqual({
      characteristics: ["cf.colo.id", "ip.src"],
      period: 60,
      requests_per_period: 5,
      mitigation_timeout: 0,
      counting_expression: "",
      requests_to_origin: false,
    });
    const same = { ...ratelimit, counting_expression: "", requests_to_origin: false };
    expect(ruleOf({ id: a, action: "log", ratelimit: same }).ratelimit).toEqual(rule.ratelimit);
  });

  it.for<{ readonly when: string; readonly wire: JsonObject }>([
    {
      when: "a member of its response is missing",
      wire: { action_parameters: { response: { status_code: 403, content: "" } } },
    },
    { when: "its response is no object", wire: { action_parameters: { response: "no" } } },
    { when: "its rate limit is no object", wire: { ratelimit: [] } },
    {
      when: "its period is a text",
      wire: { ratelimit: { characteristics: ["cf.colo.id"], period: "60" } },
    },
    {
      when: "a characteristic is no text",
      wire: { ratelimit: { characteristics: ["cf.colo.id", 1], period: 60 } },
    },
  ])("is not understood where $when", ({ wire }, { expect }) => {
    const rule = ruleOf({ id: a, action: "block", ...wire });
    expect(rule.action).toEqual({ type: "other", name: "block" });
    expect(rule.ratelimit).toBeUndefined();
  });
});

describe("an entry point", () => {
  it.for([
    { when: "two rules", ids: [a, b], isOne: true },
    // A rule that is listed twice would be taken for two with the same mark, and one of them deleted.
    { when: "one rule twice", ids: [a, b, a], isOne: false },
    { when: "a rule without an id", ids: [a, ""], isOne: false },
  ])("with $when is one: $isOne", ({ ids, isOne }, { expect }) => {
    const rules = ids.map((id) => ({ id, ref: `zonewarden:${id}`, action: "block" }));
    expect(entrypointOf({ id: a, version: "1", rules }) !== undefined).toBe(isOne);
  });

  it.for([
    { wire: {}, enabled: true },
    { wire: { enabled: true }, enabled: true },
    { wire: { enabled: false }, enabled: false },
    { wire: { enabled: "false" }, enabled: false },
    { wire: { enabled: null }, enabled: true },
  ])("$wire is enabled: $enabled, and so is its log", ({ wire, enabled }, { expect }) => {
    const rule = ruleOf({ id: a, action: "skip", ...wire, logging: wire });
    expect(rule.enabled).toBe(enabled);
    expect(rule.action).toMatchObject({ type: "skip", logging: enabled });
  });

  it("has its own texts, and its id for a missing ref", ({ expect }) => {
    const texts = { version: "3", description: "Health checks", expression: "ssl" };
    const wire = { id: a, ref: "own", action: "log", ...texts };
    expect(ruleOf(wire)).toMatchObject({ id: a, ref: "own", ...texts, wire });
    expect(ruleOf({ id: a })).toMatchObject({ ref: a, version: "", description: "" });
  });

  it("has no score threshold where that is no number", ({ expect }) => {
    const overrides = { rules: [{ id: b, score_threshold: "25" }] };
    const rule = ruleOf({ id: a, action: "execute", action_parameters: { id: b, overrides } });
    const { action } = rule;
    const [override] = action.type === "execute" ? action.overrides.rules : [];
    expect(override).toMatchObject({ id: b, score_threshold: undefined });
  });
});
