import { describe, it } from "vitest";

import type { JsonObject } from "../../src/syntax/json.ts";
import {
  type TestEmulator,
  errorOf,
  goodSeed,
  listIn,
  objectIn,
  resultOf,
  testEmulator,
  textIn,
} from "../support/emulator.ts";

const zones = `
zones:
  - { name: free.example, plan: free }
  - { name: pro.example, plan: pro }
  - { name: business.example, plan: business }
  - { name: enterprise.example, plan: enterprise, entitlements: { advanced_rate_limiting: false } }
  - { name: advanced.example, plan: enterprise }
`;
const seed = goodSeed(zones);

const fastest = { period: 10, requests_per_period: 5, mitigation_timeout: 10 };

function limiting(ratelimit: JsonObject = {}, members: JsonObject = {}): JsonObject {
  const characteristics = ["cf.colo.id", "ip.src"];
  return {
    action: "block",
    expression: 'http.request.uri.path eq "/login"',
    ratelimit: { characteristics, ...fastest, ...ratelimit },
    ...members,
  };
}

/** A limit of the origin's scores instead of requests. */
const scoring: JsonObject = {
  ...limiting(),
  ratelimit: {
    characteristics: ["cf.colo.id", "ip.src"],
    period: 60,
    mitigation_timeout: 10,
    score_per_period: 400,
    score_response_header_name: "x-score",
  },
};

async function entrypointOf(world: TestEmulator, plan: string): Promise<string> {
  const zone = await world.zoneId(`${plan}.example`);
  return `/zones/${zone}/rulesets/phases/http_ratelimit/entrypoint`;
}

/** A rule whose response has so many bytes. */
function answering(size: number): JsonObject {
  const texts = { content_type: "text/plain", content: "x".repeat(size) };
  return limiting({}, { action_parameters: { response: { status_code: 429, ...texts } } });
}

/** The rate limit of a rule as the emulator stores it; `by` is how it is sent. */
async function stored(
  world: TestEmulator,
  plan: string,
  rule: JsonObject,
  by: "call" | "stray" = "call",
): Promise<JsonObject> {
  const answer = await world[by]("PUT", await entrypointOf(world, plan), { rules: [rule] });
  const [first] = listIn(resultOf(answer)["rules"]);
  return objectIn(first?.["ratelimit"]);
}

const needs = "an higher Advanced Rate Limiting plan is required";

describe("a rate limit", () => {
  it.for<{ plan: string; rule: JsonObject }>([
    { plan: "free", rule: limiting() },
    { plan: "pro", rule: limiting({ period: 60, mitigation_timeout: 3_600 }) },
    { plan: "pro", rule: limiting({ mitigation_timeout: 0 }, { action: "js_challenge" }) },
    {
      plan: "business",
      rule: limiting({ period: 600, counting_expression: "http.response.code eq 401" }),
    },
    {
      plan: "business",
      rule: limiting({ characteristics: ["cf.unique_visitor_id", "cf.colo.id"] }),
    },
    { plan: "enterprise", rule: limiting({ mitigation_timeout: 0 }) },
    { plan: "enterprise", rule: limiting({}, { action: "log", expression: "ssl" }) },
    { plan: "advanced", rule: scoring },
    {
      plan: "advanced",
      rule: limiting({ requests_to_origin: true }, { expression: "ip.src in $cf.vpn" }),
    },
    {
      plan: "advanced",
      rule: limiting({ period: 65_535, characteristics: ["cf.colo.id", "http.host"] }),
    },
  ])("$rule is stored in plan $plan", async ({ plan, rule }, context) => {
    await using world = await testEmulator(context, { seed });
    const { characteristics, ...others } = objectIn(rule["ratelimit"]);
    const limit = await stored(world, plan, rule);
    context.expect(limit).toMatchObject(others);
    context.expect(new Set(listOfTexts(limit))).toEqual(new Set(textsIn(characteristics)));
  });

  it("comes back with the members that were not sent, and in another order", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { seed });
    const { ratelimit } = limiting();
    const { mitigation_timeout: _timeout, ...sent } = objectIn(ratelimit);
    expect(await stored(world, "free", limiting({}, { ratelimit: sent }))).toEqual({
      ...sent,
      characteristics: ["ip.src", "cf.colo.id"],
      mitigation_timeout: 10,
      requests_to_origin: false,
    });
    // Clients send an empty one, though the schema has at least one character.
    const counting = limiting({ counting_expression: "" });
    expect(await stored(world, "free", counting, "stray")).not.toHaveProperty(
      "counting_expression",
    );
  });

  it("comes back with an empty counting expression if the seed says so", async (context) => {
    const echoing = goodSeed(`undocumented: { counting_expression: empty }\n${zones}`);
    await using world = await testEmulator(context, { seed: echoing });
    const limit = await stored(world, "free", limiting(), "stray");
    context.expect(limit["counting_expression"]).toBe("");
  });

  it.for<{ plan: string; rule: JsonObject; error: JsonObject }>([
    {
      plan: "advanced",
      rule: limiting({ characteristics: ["ip.src"] }),
      error: {
        code: 20155,
        message:
          "characteristics field is missing 'cf.colo.id', this is required as ratelimiting counting is processed at colocation level only",
        source: { pointer: "/rules/0/ratelimit/characteristics" },
      },
    },
    {
      plan: "free",
      rule: limiting({ period: 60 }),
      error: { message: "not entitled to use the period 60, can only use a period among [10]" },
    },
    {
      plan: "free",
      rule: limiting({ mitigation_timeout: 600 }),
      error: { message: "not entitled to use a mitigation timeout different from 10" },
    },
    {
      plan: "pro",
      rule: limiting({ mitigation_timeout: 60 }, { action: "managed_challenge" }),
      error: { message: "not entitled to use a mitigation timeout different from 0" },
    },
    {
      plan: "business",
      rule: limiting({ mitigation_timeout: 0 }),
      error: { source: { pointer: "/rules/0/ratelimit/mitigation_timeout" } },
    },
    {
      plan: "free",
      rule: limiting({ mitigation_timeout: 0 }, { action: "managed_challenge" }),
      error: { message: "not entitled to use the managed_challenge action in ratelimiting" },
    },
    {
      plan: "free",
      rule: limiting({}, { expression: 'http.host eq "a.example"' }),
      error: { message: `not entitled: the use of field http.host is not allowed, ${needs}` },
    },
    {
      plan: "business",
      rule: limiting({}, { expression: 'ip.src.country eq "DE"' }),
      error: { message: `not entitled: the use of field ip.src.country is not allowed, ${needs}` },
    },
    {
      plan: "enterprise",
      rule: limiting({}, { expression: "http.request.body.size gt 9" }),
      error: {
        message: `not entitled: the use of field http.request.body.size is not allowed, ${needs}`,
      },
    },
    {
      plan: "pro",
      rule: limiting({}, { expression: 'http.host matches "^a"' }),
      error: {
        message:
          "not entitled: the use of operator Matches is not allowed, an Advanced Rate Limiting plan is required",
      },
    },
    {
      plan: "advanced",
      rule: limiting({}, { expression: "(http.response.code eq 401)" }),
      error: {
        message:
          "'(http.response.code eq 401)' is not a valid value for expression because the use of field http.response.code is not allowed",
      },
    },
    {
      plan: "pro",
      rule: limiting({ counting_expression: 'http.request.uri.path eq "/a"' }),
      error: { source: { pointer: "/rules/0/ratelimit/counting_expression" } },
    },
    {
      plan: "advanced",
      rule: limiting({ counting_expression: "ip.src in $bad and http.response.code eq 401" }),
      error: { message: "counting_expression must not have both lists and response fields" },
    },
    {
      plan: "advanced",
      rule: limiting({ counting_expression: "http.host equals 1" }),
      error: { source: { pointer: "/rules/0/ratelimit/counting_expression" } },
    },
    {
      plan: "advanced",
      rule: limiting({ requests_to_origin: true }, { expression: "ip.src in $bad" }),
      error: { source: { pointer: "/rules/0/ratelimit/requests_to_origin" } },
    },
    {
      plan: "pro",
      rule: limiting({ characteristics: ["cf.colo.id", "cf.unique_visitor_id"] }),
      error: { source: { pointer: "/rules/0/ratelimit/characteristics" } },
    },
    {
      plan: "advanced",
      rule: limiting({ characteristics: ["cf.colo.id", "ip.src", "cf.unique_visitor_id"] }),
      error: { message: "characteristics must not have both ip.src and cf.unique_visitor_id" },
    },
    {
      plan: "advanced",
      rule: { ...limiting(), ratelimit: { characteristics: ["cf.colo.id"], period: 10 } },
      error: { source: { pointer: "/rules/0/ratelimit/requests_per_period" } },
    },
    {
      plan: "advanced",
      rule: limiting({ requests_per_period: 0 }),
      error: { message: "requests_per_period must be at least 1" },
    },
    {
      plan: "advanced",
      rule: { action: "block", expression: "ssl" },
      error: { message: 'field "ratelimit" is required' },
    },
    {
      plan: "advanced",
      rule: limiting({}, { action: "skip", action_parameters: { ruleset: "current" } }),
      error: { source: { pointer: "/rules/0/action" } },
    },
    {
      plan: "advanced",
      rule: limiting({ burst: 4 }),
      error: { message: 'invalid JSON: unknown field "burst"' },
    },
  ])("$rule is refused in plan $plan", async ({ plan, rule, error }, context) => {
    await using world = await testEmulator(context, { seed });
    const path = await entrypointOf(world, plan);
    const answer = await world.stray("PUT", path, { rules: [rule] });
    context.expect(answer.status).toBe(400);
    context.expect(errorOf(answer)).toMatchObject(error);
    context.expect((await world.call("GET", path)).status).toBe(404);
  });

  it("may answer with 30 KB in every plan", async (context) => {
    await using world = await testEmulator(context, { seed });
    const path = await entrypointOf(world, "free");
    const over = await world.call("PUT", path, { rules: [answering(30_721)] });
    context.expect(errorOf(over)["message"]).toContain("from 1 to 30720");
    const full = await world.call("PUT", path, { rules: [answering(30_720)] });
    context.expect(full.status).toBe(200);
  });

  it.for([
    { plan: "free", limit: 1 },
    { plan: "pro", limit: 2 },
    { plan: "enterprise", limit: 5 },
    { plan: "advanced", limit: 100 },
  ])("is one of at most $limit in plan $plan", async ({ plan, limit }, context) => {
    await using world = await testEmulator(context, { seed });
    const path = await entrypointOf(world, plan);
    const rules = Array.from({ length: limit }, () => limiting());
    const ruleset = resultOf(await world.call("PUT", path, { rules }));
    const own = `${path.split("/phases", 1).join("")}/${textIn(ruleset, "id")}`;
    const added = await world.call("POST", `${own}/rules`, limiting());
    context.expect(errorOf(added)).toMatchObject({
      code: 50001,
      message: `exceeded the maximum number of rules in the phase http_ratelimit: ${limit + 1} out of ${limit}`,
    });
  });

  it("is checked by a dry run, which stores nothing", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { seed });
    const path = await entrypointOf(world, "free");
    const dry = async (rule: JsonObject): Promise<JsonObject> =>
      (await world.call("PUT", `${path}?dry_run=true`, { rules: [rule] })).body;
    expect(await dry(limiting())).toMatchObject({ success: true, result: null });
    expect(await dry(limiting({ period: 60 }))).toMatchObject({
      success: false,
      errors: [{ message: expect.stringContaining("can only use a period among [10]") as unknown }],
    });
    expect((await world.call("GET", path)).status).toBe(404);
  });

  it("has the limits of a contract that differs from the plan", async (context) => {
    const contract = goodSeed(
      "zones:\n  - { name: free.example, plan: free, entitlements: { rules: { http_ratelimit: 2 } } }\n",
    );
    await using world = await testEmulator(context, { seed: contract });
    const path = await entrypointOf(world, "free");
    const three = [limiting(), limiting(), limiting()];
    context.expect((await world.call("PUT", path, { rules: three })).status).toBe(400);
    context.expect((await world.call("PUT", path, { rules: three.slice(1) })).status).toBe(200);
  });
});

function listOfTexts(limit: JsonObject): readonly string[] {
  return textsIn(limit["characteristics"]);
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
