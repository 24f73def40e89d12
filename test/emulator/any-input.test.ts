import * as fc from "fast-check";
import { describe, it } from "vitest";

import { operations } from "../../src/emulator/http/operations.ts";
import {
  type TestEmulator,
  goodSeed,
  listIn,
  listOf,
  resultOf,
  testEmulator,
  textIn,
} from "../support/emulator.ts";
import { cases } from "../support/properties.ts";

const owasp = "4814384a9e5d4991b9815dcfc25d2f1f";
const phase = "http_request_firewall_managed";

const seed = goodSeed(`
rate_limit: false
zones:
  - name: a.example
    settings: { enabled: true }
    policies: [{ action: log, expression: ssl, value: "img-src 'self'" }]
    entrypoint: [{ deploy: owasp, paranoia_level: 2 }]
    scripts: [{ url: "https://a.example/a.js" }]
    cookies: [{ name: session }]
`);

/** Names that bodies have, so that random bodies reach further than the first check. */
const memberNames = fc.constantFrom(
  ..."name kind phase description rules action action_parameters expression enabled value id ref".split(
    " ",
  ),
  ..."position before after index overrides version categories category rulesets phases".split(" "),
  ..."products score_threshold logging ratelimit period characteristics response".split(" "),
  ..."counting_expression mitigation_timeout content status_code".split(" "),
);
const memberTexts = "execute skip log zone custom current true ssl latest paranoia-level-3 a".split(
  " ",
);
const otherValues = ["", "img-src 'self'", phase, owasp, -1, 0, 1, 1.5, true, false, null];
const memberValues = fc.constantFrom<unknown>(...memberTexts, ...otherValues);

const { value: anyBody } = fc.letrec<{ value: unknown; object: unknown; list: unknown }>((tie) => ({
  value: fc.oneof({ maxDepth: 5, withCrossShrink: true }, memberValues, tie("object"), tie("list")),
  object: fc.dictionary(memberNames, tie("value"), { maxKeys: 6 }),
  list: fc.array(tie("value"), { maxLength: 3 }),
}));

/** Bodies that the service takes, for one place in them to be spoilt. */
const rule = { action: "execute", expression: "true", ref: "a", description: "", enabled: true };
const overrides = {
  categories: [{ category: "paranoia-level-4", enabled: false }],
  rules: [{ id: "6179ae15870a4bb7b2d480d4843b323c", score_threshold: 40, action: "log" }],
};
const deploying = { ...rule, action_parameters: { id: owasp, version: "latest", overrides } };
const skipping = { ...rule, action: "skip", action_parameters: { ruleset: "current" } };
const limiting = {
  ...rule,
  action: "block",
  ratelimit: {
    characteristics: ["cf.colo.id", "ip.src"],
    period: 60,
    requests_per_period: 5,
    mitigation_timeout: 600,
    counting_expression: "http.response.code eq 401",
    requests_to_origin: false,
  },
};
const response = { status_code: 403, content_type: "text/plain", content: "no" };
const blocking = { ...rule, action: "block", action_parameters: { response } };
const exempting = {
  ...rule,
  action: "skip",
  action_parameters: { ruleset: "current", phases: ["http_ratelimit"], products: ["bic"] },
};
const customPhase = "http_request_firewall_custom";
const goodBodies: readonly unknown[] = [
  { enabled: true, use_connection_url_path: true },
  { description: "A", action: "log", expression: "true", enabled: true, value: "img-src 'self'" },
  { name: "default", description: "A", rules: [deploying, { ...skipping, ref: "b" }] },
  { name: "A", kind: "zone", phase: customPhase, rules: [{ ...exempting, ref: "b" }, blocking] },
  { name: "A", kind: "custom", phase: customPhase, rules: [blocking] },
  { name: "A", kind: "zone", phase: "http_ratelimit", rules: [limiting] },
  blocking,
  exempting,
  limiting,
  { ...skipping, ref: "c", position: { index: 1 } },
  { position: { before: "" } },
  deploying,
];

const nearlyGood = fc
  .tuple(fc.constantFrom(...goodBodies), fc.nat({ max: 30 }), memberValues)
  .map(([body, place, value]) => spoilt(body, place, value));

/** The body with another value at its `place`-th member, or as it is where it has fewer. */
function spoilt(body: unknown, place: number, value: unknown): unknown {
  let seen = -1;
  const text = JSON.stringify(body, (_name, member: unknown) => {
    seen += 1;
    return seen === place + 1 ? value : member;
  });
  return JSON.parse(text);
}

const anyQuery = fc.dictionary(
  fc.constantFrom(
    "page",
    "per_page",
    "status",
    "hosts",
    "direction",
    "cursor",
    "name",
    "dry_run",
    "since",
    "before",
    "action_time",
    "product_category",
    "zone_id.not",
    "limit",
  ),
  fc.oneof(
    fc.constantFrom(
      "2026-11-20",
      "2026-11-21T00:00:00Z",
      "rules",
      "1",
      "all",
      "true",
      "asc",
      "*a*",
      "active",
      "",
    ),
    fc.string(),
  ),
  { maxKeys: 3 },
);

/** For each parameter of a path: what is there, what might be, and what cannot be. */
async function parametersOf(world: TestEmulator): Promise<Readonly<Record<string, string>>> {
  const zone = await world.zoneId("a.example");
  const shield = `/zones/${zone}/page_shield`;
  const [account] = listOf(await world.call("GET", "/accounts"));
  const [policy] = listOf(await world.call("GET", `${shield}/policies`));
  const [script] = listOf(await world.call("GET", `${shield}/scripts`));
  const path = `/zones/${zone}/rulesets/phases/${phase}/entrypoint`;
  const entrypoint = resultOf(await world.call("GET", path));
  return {
    zone_id: zone,
    account_id: textIn(account, "id"),
    policy_id: textIn(policy, "id"),
    script_id: textIn(script, "id"),
    ruleset_id: textIn(entrypoint, "id"),
    rule_id: textIn(listIn(entrypoint["rules"])[0], "id"),
    ruleset_phase: phase,
    ruleset_version: "1",
    rule_tag: "paranoia-level-3",
  };
}

const visit = fc.record({
  operation: fc.constantFrom(...operations),
  strange: fc.option(fc.constantFrom("0".repeat(32), "short", "%00", "..%2f", "1"), { freq: 3 }),
  body: fc.oneof(anyBody, nearlyGood, nearlyGood),
  query: anyQuery,
});

describe("any request", () => {
  it("gets a response in the service's form, and never an internal error", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { seed });
    const parameters = await parametersOf(world);
    await fc.assert(
      fc.asyncProperty(visit, async ({ operation, strange, body, query }) => {
        const path = operation.path.replaceAll(
          /:([a-z_]+)/g,
          (_whole, name: string) =>
            (name === "zone_id" ? undefined : strange) ?? parameters[name] ?? "1",
        );
        const search = new URLSearchParams(query).toString();
        const sent = operation.method === "GET" ? undefined : JSON.stringify(body);
        const answer = await world.stray(operation.method, `${path}?${search}`, sent);
        expect(answer.status).toBeLessThan(500);
        if (answer.status >= 400) expect(answer.body["success"]).toBe(false);
      }),
      { ...cases(100), endOnFailure: true },
    );
    // What was stored on the way must still be as the schema has it.
    const zone = `/zones/${parameters["zone_id"] ?? ""}`;
    await world.call("GET", `${zone}/page_shield/policies`);
    for (const ruleset of listOf(await world.call("GET", `${zone}/rulesets`))) {
      await world.call("GET", `${zone}/rulesets/${textIn(ruleset, "id")}`);
    }
  });
});
