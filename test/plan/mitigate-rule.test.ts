import { describe, it } from "vitest";

import { ruleBody, unknownFieldsOf } from "../../src/plan/rules/rule-body.ts";
import { comparable, differingRuleFields, targetOf } from "../../src/plan/rules/rule-fields.ts";
import { documentedScoreRuleId } from "../../src/zone/managed-ruleset.ts";
import type { MitigateRule, RateLimit } from "../../src/zone/resource.ts";
import { liveRule } from "../support/model.ts";

const ratelimit: RateLimit = {
  characteristics: ["cf.colo.id", "ip.src"],
  period: 60,
  requests_per_period: 5,
  mitigation_timeout: 600,
  counting_expression: "http.response.code eq 401",
  requests_to_origin: false,
  score_per_period: undefined,
  score_response_header_name: undefined,
};

const login: MitigateRule = {
  key: "login",
  was: undefined,
  position: undefined,
  description: "Logins",
  expression: 'http.request.uri.path eq "/login"',
  enabled: true,
  action: "block",
  response: { status_code: 429, content_type: "text/plain", content: "slow down" },
  ratelimit,
};

const live = liveRule("r1", {
  ref: "zonewarden:login",
  description: "Logins",
  expression: 'http.request.uri.path eq "/login"',
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
});

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
    const changed = { ...ratelimit, period: 10, counting_expression: "" };
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
        characteristics: ["cf.colo.id", "ip.src"],
        period: 60,
        requests_per_period: 5,
        mitigation_timeout: 600,
        counting_expression: "http.response.code eq 401",
        requests_to_origin: false,
        later: 3,
      },
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
    const throttle = { ...ratelimit, counting_expression: "" };
    const limited = targetOf({ ...custom, ratelimit: throttle }, documentedScoreRuleId);
    expect(ruleBody(limited, undefined, "x:login")["ratelimit"]).toEqual({
      characteristics: ["cf.colo.id", "ip.src"],
      period: 60,
      requests_per_period: 5,
      mitigation_timeout: 600,
      requests_to_origin: false,
    });
  });
});
