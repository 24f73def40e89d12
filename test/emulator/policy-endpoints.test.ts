import { describe, it } from "vitest";

import {
  type TestEmulator,
  codeOf,
  errorOf,
  goodSeed,
  listOf,
  resultOf,
  testEmulator,
  textIn,
} from "../support/emulator.ts";

const policy = {
  description: "Scripts of the checkout",
  action: "log",
  expression: 'http.host eq "www.brand.example"',
  enabled: true,
  value: "script-src 'self' cdn.example.net",
};

async function policiesPath(world: TestEmulator): Promise<string> {
  return `/zones/${await world.zoneId("www.brand.example")}/page_shield/policies`;
}

describe("content security policies", () => {
  it("are created, updated, read and deleted", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const path = await policiesPath(world);

    const created = await world.call("POST", path, policy);
    expect(created.status).toBe(200);
    const id = textIn(resultOf(created), "id");
    expect(resultOf(created)).toEqual({ id, ...policy });

    await world.call("PUT", `${path}/${id}`, { ...policy, action: "allow" });
    const changed = { id, ...policy, action: "allow" };
    expect(resultOf(await world.call("GET", `${path}/${id}`))).toEqual(changed);
    expect(listOf(await world.call("GET", path))).toEqual([changed]);

    expect((await world.call("DELETE", `${path}/${id}`)).text).toBe("");
    expect((await world.call("GET", `${path}/${id}`)).status).toBe(404);
  });

  it("answer 204 to a delete of a deleted policy", async (context) => {
    await using world = await testEmulator(context);
    const path = `${await policiesPath(world)}/${"0".repeat(32)}`;
    context.expect((await world.call("DELETE", path)).status).toBe(204);
  });

  it("may have equal descriptions: a create that is sent twice makes two", async (context) => {
    await using world = await testEmulator(context);
    const path = await policiesPath(world);
    await world.call("POST", path, policy);
    await world.call("POST", path, policy);
    context.expect(listOf(await world.call("GET", path))).toHaveLength(2);
  });

  it("are limited by the entitlement", async (context) => {
    const seed = goodSeed(`
zones:
  - name: www.brand.example
    entitlements: { policies: 1 }
`);
    await using world = await testEmulator(context, { seed });
    const path = await policiesPath(world);
    await world.call("POST", path, policy);
    const answer = await world.call("POST", path, policy);
    context.expect(answer.status).toBe(400);
    context
      .expect(errorOf(answer)["message"])
      .toBe(
        "exceeded the maximum number of rules in the phase http_response_page_shield: 2 out of 1",
      );
    context.expect(listOf(await world.call("GET", path))).toHaveLength(1);
  });

  it.for<{ change: object; pointer?: string; says?: string }>([
    { change: { value: undefined } },
    { change: { action: "block" }, pointer: "/action" },
    { change: { enabled: 1 }, pointer: "/enabled" },
    { change: { description: null }, pointer: "/description" },
    { change: { value: "scripts-src 'self'" }, says: "unknown directive: scripts-src" },
    { change: { value: "script-src; report-uri /x" }, says: "unknown directive: report-uri" },
    { change: { value: "img-src *\n cdn.example" }, says: "unknown directive: cdn.example" },
    { change: { value: "script-src 'nonce-abc'" }, says: "nonces are not supported" },
    { change: { value: "upgrade-insecure-requests 1" } },
    { change: { value: " ; " } },
    {
      change: { expression: 'http.host equals "x"' },
      pointer: "/expression",
      says: "Filter parsing error (1:11)",
    },
  ])("are rejected with $change", async ({ change, pointer = "/value", says }, context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const path = await policiesPath(world);
    const answer = await world.call("POST", path, { ...policy, ...change });
    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toMatchObject({ source: { pointer } });
    expect(errorOf(answer)["message"]).toContain(says ?? "");
    expect(listOf(await world.call("GET", path))).toEqual([]);
  });

  it.for([true, false, "true", "false"])(
    "take enabled as %j and answer a boolean",
    async (enabled, context) => {
      await using world = await testEmulator(context);
      const answer = await world.call("POST", await policiesPath(world), { ...policy, enabled });
      context.expect(resultOf(answer)["enabled"]).toBe(String(enabled) === "true");
    },
  );

  it("may use regular expressions from the business plan on", async (context) => {
    const seed = goodSeed(`
zones:
  - name: www.brand.example
    plan: pro
`);
    await using world = await testEmulator(context, { seed });
    const change = { expression: 'http.host matches "^www"' };
    const answer = await world.call("POST", await policiesPath(world), { ...policy, ...change });
    context.expect(codeOf(answer)).toBe(12000);
    context.expect(errorOf(answer)["message"]).toContain("operator Matches is not allowed");
  });
});
