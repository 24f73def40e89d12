import { describe, it } from "vitest";

import type { JsonObject } from "../../src/syntax/json.ts";
import {
  type TestEmulator,
  errorOf,
  goodSeed,
  listIn,
  resultOf,
  testEmulator,
  textIn,
} from "../support/emulator.ts";

const phase = "http_request_firewall_custom";

const seed = goodSeed(`
zones:
  - { name: free.example, plan: free }
  - { name: pro.example, plan: pro }
  - { name: business.example, plan: business }
  - { name: enterprise.example, plan: enterprise }
`);

function blocking(members: JsonObject = {}): JsonObject {
  return { action: "block", expression: "ssl", ...members };
}

function answering(response: JsonObject): JsonObject {
  return blocking({ action_parameters: { response } });
}

function skipping(parameters: JsonObject): JsonObject {
  return { action: "skip", action_parameters: parameters, expression: "ssl" };
}

const response = { status_code: 403, content_type: "application/json", content: '{"error":"no"}' };

async function entrypointOf(world: TestEmulator, plan: string): Promise<string> {
  return `/zones/${await world.zoneId(`${plan}.example`)}/rulesets/phases/${phase}/entrypoint`;
}

describe("a custom rule", () => {
  it.for<{ rule: JsonObject; plan: string }>([
    { rule: blocking(), plan: "free" },
    { rule: blocking({ action: "managed_challenge" }), plan: "free" },
    { rule: blocking({ action: "log" }), plan: "enterprise" },
    { rule: answering(response), plan: "pro" },
    { rule: answering({ ...response, content: "x".repeat(2_048) }), plan: "pro" },
    { rule: skipping({ ruleset: "current", products: ["bic", "hot"] }), plan: "free" },
    { rule: skipping({ phase: "current", products: ["uaBlock"] }), plan: "free" },
    { rule: skipping({ phases: ["http_ratelimit", "http_request_sbfm"] }), plan: "free" },
    { rule: blocking({ expression: "cf.client.bot" }), plan: "free" },
    { rule: blocking({ expression: 'any(http.request.cookies["a"][*] eq "b")' }), plan: "pro" },
    { rule: blocking({ expression: "ip.src.is_in_european_union" }), plan: "business" },
    { rule: blocking({ expression: 'http.host matches "^a"' }), plan: "business" },
    { rule: blocking({ expression: "cf.waf.score lt 20" }), plan: "enterprise" },
  ])("$rule is stored in plan $plan", async ({ rule, plan }, context) => {
    await using world = await testEmulator(context, { seed });
    const path = await entrypointOf(world, plan);
    const ruleset = resultOf(await world.call("PUT", path, { rules: [rule] }));
    context.expect(ruleset).toMatchObject({ source: "firewall_custom", version: "1" });
    context.expect(listIn(ruleset["rules"])).toMatchObject([rule]);
  });

  it("has no parameters where its action takes none", async (context) => {
    await using world = await testEmulator(context, { seed });
    const rules = [blocking({ action: "js_challenge", action_parameters: {} })];
    const answer = await world.call("PUT", await entrypointOf(world, "free"), { rules });
    const [stored] = listIn(resultOf(answer)["rules"]);
    context.expect(stored).not.toHaveProperty("action_parameters");
  });

  it.for<{ rule: JsonObject; plan?: string; error: JsonObject }>([
    {
      rule: skipping({ phases: ["http_request_transform"] }),
      error: {
        code: 20120,
        message: "skip action parameter phase 'http_request_transform' is not authorized",
      },
    },
    {
      rule: skipping({ products: ["waf", "BIC"] }),
      error: { code: 20119, message: "skip action parameter product 'BIC' is invalid" },
    },
    {
      rule: skipping({ products: ["waf", "waf"] }),
      error: { message: "products has duplicates" },
    },
    {
      rule: blocking({ expression: "http.request.body.size gt 9" }),
      plan: "business",
      error: { source: { pointer: "/rules/0/expression" } },
    },
    {
      rule: skipping({ phase: "current", phases: ["http_ratelimit"] }),
      error: { source: { pointer: "/rules/0/action_parameters/phases" } },
    },
    {
      rule: skipping({ rulesets: ["0".repeat(32)] }),
      error: { message: 'invalid JSON: unknown field "rulesets"' },
    },
    {
      rule: blocking({ action: "log" }),
      plan: "business",
      error: { source: { pointer: "/rules/0/action" } },
    },
    {
      rule: blocking({ action: "rewrite" }),
      error: { source: { pointer: "/rules/0/action" } },
    },
    {
      rule: blocking({ action: "challenge", action_parameters: { response } }),
      error: { message: 'invalid JSON: unknown field "response"' },
    },
    {
      rule: blocking({ ratelimit: {} }),
      error: { source: { pointer: "/rules/0/ratelimit" } },
    },
    {
      rule: answering(response),
      plan: "free",
      error: { message: "not entitled to use a custom response" },
    },
    {
      rule: answering({ ...response, status_code: 500 }),
      error: { message: "status_code must be from 400 to 499" },
    },
    {
      rule: answering({ ...response, content_type: "text/css" }),
      error: { source: { pointer: "/rules/0/action_parameters/response/content_type" } },
    },
    {
      rule: answering({ ...response, content: "é".repeat(1_025) }),
      error: { message: "the content has 2050 bytes; it must have from 1 to 2048" },
    },
    {
      rule: answering({ status_code: 403, content: "no" }),
      error: { message: 'field "content_type" is required' },
    },
    {
      rule: blocking({ expression: 'http.host matches "^a"' }),
      plan: "pro",
      error: {
        message:
          "not entitled: the use of operator Matches is not allowed, a Business plan or a WAF Advanced plan is required",
      },
    },
    {
      rule: blocking({ expression: "ip.geoip.is_in_european_union" }),
      plan: "pro",
      error: {
        message:
          "not entitled: the use of field ip.geoip.is_in_european_union is not allowed, a Business plan or a WAF Advanced plan is required",
      },
    },
    {
      rule: blocking({ expression: "cf.bot_management.score lt 30" }),
      plan: "business",
      error: {
        message:
          "not entitled: the use of field cf.bot_management.score is not allowed, an Enterprise plan or a WAF Advanced plan is required",
      },
    },
    {
      rule: blocking({ expression: "(ssl and http.response.code eq 401)" }),
      error: {
        message:
          "'(ssl and http.response.code eq 401)' is not a valid value for expression because the use of field http.response.code is not allowed",
      },
    },
  ])("$rule is refused", async ({ rule, plan = "enterprise", error }, context) => {
    await using world = await testEmulator(context, { seed });
    const path = await entrypointOf(world, plan);
    const answer = await world.stray("PUT", path, { rules: [rule] });
    context.expect(answer.status).toBe(400);
    context.expect(errorOf(answer)).toMatchObject(error);
    context.expect((await world.call("GET", path)).status).toBe(404);
  });

  it("is measured without repeated white space", async (context) => {
    await using world = await testEmulator(context, { seed });
    const rules = [blocking({ expression: `ssl${" \n".repeat(3_000)}and ssl` })];
    const answer = await world.stray("PUT", await entrypointOf(world, "free"), { rules });
    context.expect(answer.status).toBe(200);
  });

  it.for([
    { plan: "free", limit: 5 },
    { plan: "pro", limit: 20 },
    { plan: "business", limit: 100 },
  ])("is one of at most $limit in plan $plan", async ({ plan, limit }, context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { seed });
    const path = await entrypointOf(world, plan);
    const rules = Array.from({ length: limit }, () => blocking());
    const ruleset = resultOf(await world.call("PUT", path, { rules }));
    const zone = path.split("/phases", 1).join("");
    const added = await world.call("POST", `${zone}/${textIn(ruleset, "id")}/rules`, blocking());
    expect(errorOf(added)).toMatchObject({
      code: 50001,
      message: `exceeded the maximum number of rules in the phase ${phase}: ${limit + 1} out of ${limit}`,
    });
    expect(resultOf(await world.call("GET", path))).toEqual(ruleset);
  });
});
