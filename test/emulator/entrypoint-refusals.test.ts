import { describe, it } from "vitest";

import { errorOf, goodSeed, resultOf, testEmulator } from "../support/emulator.ts";
import {
  cloudflare,
  entrypointPath,
  execute,
  owasp,
  phase,
  scoreRule,
  skip,
  tuned,
} from "../support/wire-rules.ts";

describe("an entry point", () => {
  it.for([
    {
      when: "the body has a field that is not known",
      body: { kind: "zone", rules: [] },
      error: { message: 'invalid JSON: unknown field "kind"', source: { pointer: "/kind" } },
    },
    {
      when: "a rule has a field that is not known",
      body: { rules: [{ ...skip, colour: "red" }] },
      error: {
        message: 'invalid JSON: unknown field "colour"',
        source: { pointer: "/rules/0/colour" },
      },
    },
    {
      when: "another name is asked for",
      body: { name: "other" },
      error: { message: "the name field cannot be modified: got other, want default" },
    },
    {
      when: "a managed ruleset is executed twice",
      body: { rules: [execute(owasp, { ref: "a" }), execute(owasp, { ref: "b" })] },
      error: { code: 20014 },
    },
    {
      when: "two rules have one ref",
      body: { rules: [execute(owasp, { ref: "a" }), execute(cloudflare, { ref: "a" })] },
      error: { source: { pointer: "/rules/1/ref" } },
    },
    {
      when: "there are too many rules",
      body: { rules: [skip, skip, skip, skip] },
      error: {
        code: 50001,
        message: `exceeded the maximum number of rules in the phase ${phase}: 4 out of 3`,
      },
    },
    {
      when: "an expression is none",
      body: { rules: [{ ...skip, expression: "ssl and" }] },
      error: { source: { pointer: "/rules/0/expression" } },
    },
    {
      when: "the executed ruleset does not exist",
      body: { rules: [execute("0".repeat(32))] },
      error: { source: { pointer: "/rules/0/action_parameters/id" } },
    },
    {
      when: "a version is pinned",
      body: { rules: [execute(owasp, { action_parameters: { id: owasp, version: "86" } })] },
      error: { source: { pointer: "/rules/0/action_parameters/version" } },
    },
    {
      when: "overrides override nothing",
      body: { rules: [execute(owasp, tuned({}))] },
      error: { source: { pointer: "/rules/0/action_parameters/overrides" } },
    },
    {
      when: "a rule override overrides nothing",
      body: { rules: [execute(owasp, tuned({ rules: [{ id: scoreRule }] }))] },
      error: { source: { pointer: "/rules/0/action_parameters/overrides/rules/0" } },
    },
    {
      when: "the score rule is given an action that it does not have",
      body: {
        rules: [execute(owasp, tuned({ rules: [{ id: scoreRule, action: "redirect" }] }))],
      },
      error: { source: { pointer: "/rules/0/action_parameters/overrides/rules/0/action" } },
    },
    {
      when: "a threshold is no number",
      body: {
        rules: [execute(owasp, tuned({ rules: [{ id: scoreRule, score_threshold: "40" }] }))],
      },
      error: { message: 'invalid JSON: field "score_threshold" must be an integer' },
    },
    {
      when: "a category is overridden twice",
      body: {
        rules: [
          execute(
            owasp,
            tuned({
              categories: [
                { category: "paranoia-level-4", enabled: false },
                { category: "paranoia-level-4", enabled: true },
              ],
            }),
          ),
        ],
      },
      error: { source: { pointer: "/rules/0/action_parameters/overrides/categories/1" } },
    },
    {
      when: "a sensitivity level is set outside DDoS",
      body: { rules: [execute(owasp, tuned({ sensitivity_level: "low" }))] },
      error: { source: { pointer: "/rules/0/action_parameters/overrides/sensitivity_level" } },
    },
    {
      when: "a skip rule skips nothing",
      body: { rules: [{ ...skip, action_parameters: {} }] },
      error: { source: { pointer: "/rules/0/action_parameters" } },
    },
    {
      when: "a skip rule skips what has no such name",
      body: { rules: [{ ...skip, action_parameters: { products: ["firewall"] } }] },
      error: {
        code: 20119,
        message: "skip action parameter product 'firewall' is invalid",
        source: { pointer: "/rules/0/action_parameters/products" },
      },
    },
    {
      when: "a skip rule skips all rulesets and one",
      body: {
        rules: [{ ...skip, action_parameters: { ruleset: "current", rulesets: [owasp] } }],
      },
      error: { source: { pointer: "/rules/0/action_parameters/rulesets" } },
    },
    {
      when: "a skip rule skips a ruleset without an id",
      body: { rules: [{ ...skip, action_parameters: { rulesets: ["owasp"] } }] },
      error: { source: { pointer: "/rules/0/action_parameters/rulesets" } },
    },
    {
      when: "a skip rule skips a rule without an id",
      body: { rules: [{ ...skip, action_parameters: { rules: { [owasp]: ["949110"] } } }] },
      error: { source: { pointer: `/rules/0/action_parameters/rules/${owasp}` } },
    },
    {
      when: "a skip rule skips both rulesets and phases",
      body: {
        rules: [{ ...skip, action_parameters: { rulesets: [owasp], phases: ["http_ratelimit"] } }],
      },
      error: { source: { pointer: "/rules/0/action_parameters/phases" } },
    },
    {
      when: "an action is not of this phase",
      body: { rules: [{ action: "redirect", expression: "ssl" }] },
      error: { source: { pointer: "/rules/0/action" } },
    },
    {
      when: "a rule claims an id that is not there",
      body: { rules: [{ ...skip, id: "0".repeat(32) }] },
      error: { source: { pointer: "/rules/0/id" } },
    },
    {
      when: "rules are no list",
      body: { rules: {} },
      error: { message: 'invalid JSON: field "rules" must be an array' },
    },
  ])("is unchanged when $when", async ({ body, error }, context) => {
    const seed = goodSeed(`
zones:
  - name: www.brand.example
    entitlements: { rules: 3 }
    entrypoint:
      - { deploy: owasp, paranoia_level: 2 }
`);
    await using world = await testEmulator(context, { seed });
    const path = await entrypointPath(world);
    const before = resultOf(await world.call("GET", path));
    const answer = await world.call("PUT", path, body);
    context.expect(answer.status).toBe(400);
    context.expect(errorOf(answer)).toMatchObject(error);
    context.expect(resultOf(await world.call("GET", path))).toEqual(before);
  });
});
