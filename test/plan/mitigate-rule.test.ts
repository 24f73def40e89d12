import { describe, it } from "vitest";

import { ruleBody, unknownFieldsOf, targetOf } from "../../src/plan/rules/rule-body.ts";
import { comparable, differingRuleFields } from "../../src/plan/rules/rule-fields.ts";
import { documentedScoreRuleId } from "../../src/zone/managed-ruleset.ts";
import type { MitigateRule } from "../../src/zone/resource.ts";
import { block, liveRule, rateLimit } from "../support/model.ts";

const login = block("login", {
  description: "Logins",
  response: { status_code: 429, content_type: "text/plain", content: "slow down" },
  ratelimit: { ...rateLimit, counting_expression: "http.response.code eq 401" },
});

/** The same as the service gives it, with fields that zonewarden does not know. */
const wire = {
  ref: "zonewarden:login",
  description: "Logins",
  expression: 'http.request.uri.path eq "/login"',
  enabled: true,
  action: "block",
  action_parameters: {
    later: 1,
    response: { status_code: 429, content_type: "text/plain", content: "slow down", later: 2 },
  },
  ratelimit: {
    characteristics: ["ip.src", "cf.colo.id"],
    period: 60,
    requests_per_period: 5,
    mitigation_timeout: 600,
    counting_expression: "http.response.code eq 401",
    requests_to_origin: false,
    later: 3,
  },
};
const live = liveRule("r1", wire);

const target = targetOf(login, documentedScoreRuleId);

function fieldsFrom(rule: MitigateRule): readonly unknown[] {
  const is = targetOf(rule, documentedScoreRuleId);
  return differingRuleFields(
    comparable(live, documentedScoreRuleId),
    comparable(is, documentedScoreRuleId),
  );
}

describe("a rule that acts against requests", () => {
  it("is as declared whatever the order of its characteristics", ({ expect }) => {
    expect(fieldsFrom(login)).toEqual([]);
  });

  it("names what differs as files do", ({ expect }) => {
    const response = { status_code: 403, content_type: "text/plain", content: "slow down" };
    const changed = { ...rateLimit, period: 10 };
    expect(fieldsFrom({ ...login, action: "log", response, ratelimit: changed })).toEqual([
      { field: "action", before: "block", after: "log" },
      { field: "response.status_code", before: 429, after: 403 },
      { field: "ratelimit.period", before: 60, after: 10 },
      { field: "ratelimit.counting_expression", before: "http.response.code eq 401", after: "" },
    ]);
  });

  it("is sent whole, and repeats what it does not understand", ({ expect }) => {
    expect(ruleBody(target, live, "zonewarden:login")).toEqual({
      id: "r1",
      ...wire,
      ratelimit: { ...wire.ratelimit, characteristics: ["cf.colo.id", "ip.src"] },
    });
    expect(unknownFieldsOf(live)).toEqual([
      "action_parameters.later",
      "action_parameters.response.later",
      "ratelimit.later",
    ]);
  });

  it("is created without what it does not have", ({ expect }) => {
    const custom: MitigateRule = { ...login, response: undefined, ratelimit: undefined };
    expect(ruleBody(targetOf(custom, documentedScoreRuleId), undefined, "x:login")).toEqual({
      ref: "x:login",
      description: "Logins",
      expression: 'http.request.uri.path eq "/login"',
      enabled: true,
      action: "block",
    });
    const limited = targetOf({ ...custom, ratelimit: rateLimit }, documentedScoreRuleId);
    expect(ruleBody(limited, undefined, "x:login")["ratelimit"]).toEqual({
      characteristics: ["cf.colo.id", "ip.src"],
      period: 60,
      requests_per_period: 5,
      mitigation_timeout: 600,
      requests_to_origin: false,
    });
  });
});
