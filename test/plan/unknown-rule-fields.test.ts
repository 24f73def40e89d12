import { describe, it } from "vitest";

import { unknownFieldsOf } from "../../src/plan/rules/rule-body.ts";
import type { Json } from "../../src/syntax/json.ts";
import type { LiveRule } from "../../src/zone/live-zone.ts";
import { owaspRulesetId } from "../../src/zone/managed-ruleset.ts";
import {
  category,
  declared,
  deployment,
  entrypoint,
  exception,
  liveDeployment,
  liveException,
  liveRule,
  noOverrides,
  ruleOverride,
} from "../support/model.ts";
import { plannedRules } from "../support/planned.ts";

const documented = {
  version: "3",
  last_updated: "2026-11-01T00:00:00Z",
  categories: ["a"],
  description: "Uploads",
};

describe("the fields of a rule that files cannot say", () => {
  it.for<{ readonly when: string; readonly live: LiveRule; readonly yields: readonly string[] }>([
    {
      when: "an exception has all that files can say",
      live: liveException("r1", "uploads", {
        ...documented,
        action_parameters: {
          ruleset: "current",
          phase: "current",
          rulesets: ["r"],
          rules: { r: ["1"] },
          phases: ["http_ratelimit"],
          products: ["waf"],
        },
      }),
      yields: [],
    },
    {
      when: "an exception has others, also in its parameters",
      live: liveException("r1", "uploads", {
        later: 1,
        action_parameters: { ruleset: "current", future: 1, id: "r" },
      }),
      yields: ["action_parameters.future", "action_parameters.id", "later"],
    },
    {
      when: "a deployment has all that files can say",
      live: liveDeployment("r1", documented, {
        enabled: true,
        action: "log",
        sensitivity_level: "low",
        categories: [{ category: "a", enabled: true, action: "log", sensitivity_level: "low" }],
        rules: [
          { id: "1", enabled: true, action: "log", score_threshold: 1, sensitivity_level: "low" },
        ],
      }),
      yields: [],
    },
    {
      when: "a deployment logs, which only an exception can",
      live: liveDeployment("r1", { logging: { enabled: true } }),
      yields: ["logging"],
    },
    {
      when: "a deployment has others in its parameters",
      live: liveDeployment("r1", {
        action_parameters: { id: owaspRulesetId, version: "latest", matched_data: {}, phase: "x" },
      }),
      yields: ["action_parameters.matched_data", "action_parameters.phase"],
    },
    {
      when: "several overrides have the same one",
      live: liveDeployment(
        "r1",
        {},
        {
          later: 1,
          categories: [
            { category: "a", later: 1 },
            { category: "b", later: 2 },
          ],
          rules: [{ id: "1", later: 1 }],
        },
      ),
      yields: [
        "action_parameters.overrides.categories[].later",
        "action_parameters.overrides.later",
        "action_parameters.overrides.rules[].later",
      ],
    },
    {
      when: "the action is one that files cannot say",
      live: liveRule("r1", { action: "rewrite", action_parameters: { response: {} }, logging: {} }),
      yields: ["action_parameters.response", "logging"],
    },
  ])("are named where $when", ({ live, yields }, { expect }) => {
    expect(unknownFieldsOf(live)).toEqual(yields);
  });

  it("stay in the parameters of an exception that is changed", ({ expect }) => {
    const live = liveException("r1", "else", {
      ref: "zonewarden:uploads",
      action_parameters: { phases: ["http_ratelimit"], future: 1 },
    });
    const { writes } = plannedRules(declared([exception("uploads")]), entrypoint(live));
    expect(writes).toMatchObject([{ call: "update-rule", phase: "managed_rules", id: "r1" }]);
    expect(writes[0]).toHaveProperty("body.action_parameters", { ruleset: "current", future: 1 });
  });

  it("stay in each override that stays, and in no other", ({ expect }) => {
    const live = liveDeployment(
      "r1",
      { ref: "zonewarden:owasp" },
      {
        categories: [
          { category: "gone", enabled: true, later: 1 },
          { category: "stays", enabled: true, later: 2 },
        ],
        rules: [
          { id: "1", enabled: true, later: 3 },
          { id: "2", enabled: true, later: 4 },
        ],
      },
    );
    const given = deployment("owasp", {
      overrides: {
        ...noOverrides,
        categories: [category("stays", { enabled: false }), category("comes", { enabled: true })],
        rules: [ruleOverride("2", { action: "log" }), ruleOverride("3", { enabled: false })],
      },
    });
    const { writes } = plannedRules(declared([given]), entrypoint(live));
    const expected: Json = {
      categories: [
        { category: "stays", enabled: false, later: 2 },
        { category: "comes", enabled: true },
      ],
      rules: [
        { id: "2", action: "log", later: 4 },
        { id: "3", enabled: false },
      ],
    };
    expect(writes[0]).toHaveProperty("body.action_parameters.overrides", expected);
  });

  it("alone make overrides that are sent", ({ expect }) => {
    const live = liveDeployment("r1", { ref: "zonewarden:owasp", enabled: false }, { later: 1 });
    const { writes } = plannedRules(declared([deployment("owasp")]), entrypoint(live));
    expect(writes[0]).toHaveProperty("body.action_parameters.overrides", { later: 1 });
  });
});
