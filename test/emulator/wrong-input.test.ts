import { describe, it } from "vitest";

import { errorOf, testEmulator } from "../support/emulator.ts";

const id = "0".repeat(32);

describe("an invalid request", () => {
  it.for([
    { method: "GET", path: "/nowhere", status: 404, code: 7003 },
    { method: "GET", path: "/zones/ZONE/page_shields", status: 404, code: 7003 },
    { method: "GET", path: "/zones/short/page_shield", status: 404, code: 7003 },
    { method: "GET", path: `/zones/${id.slice(1)}g/page_shield`, status: 404, code: 7003 },
    { method: "GET", path: "/zones/ZONE/page_shield/scripts/short", status: 404, code: 7003 },
    { method: "GET", path: `/zones/ZONE/page_shield/scripts/${id}`, status: 404, code: 12001 },
    { method: "GET", path: `/zones/ZONE/page_shield/policies/${id}`, status: 404, code: 12001 },
    { method: "GET", path: `/zones/ZONE/rulesets/${id}`, status: 404, code: 10002 },
    { method: "GET", path: "/zones/ZONE/rulesets/phases/no/entrypoint", status: 400, code: 20000 },
    { method: "GET", path: "/zones/ZONE/rulesets?per_page=51", status: 400, code: 1001 },
    { method: "GET", path: "/zones/ZONE/rulesets?cursor=none", status: 400, code: 1001 },
    { method: "GET", path: `/accounts/${id}/rulesets`, status: 403, code: 9109 },
    { method: "GET", path: "/accounts/%zz/rulesets", status: 404, code: 7003 },
    { method: "POST", path: "/zones/ZONE/page_shield", status: 405, code: 7001 },
    { method: "DELETE", path: "/zones", status: 405, code: 7001 },
    { method: "PATCH", path: "/zones/ZONE/rulesets", status: 405, code: 7001 },
    { method: "PUT", path: "/zones/ZONE/page_shield", body: "", status: 400, code: 1002 },
    { method: "PUT", path: "/zones/ZONE/page_shield", body: "{", status: 400, code: 1002 },
    { method: "PUT", path: "/zones/ZONE/page_shield", body: "[]", status: 400, code: 1002 },
    { method: "PUT", path: "/zones/ZONE/page_shield", body: "null", status: 400, code: 1002 },
    {
      method: "PUT",
      path: "/zones/ZONE/page_shield",
      body: '{"enabled":"on"}',
      status: 400,
      code: 12000,
    },
    {
      method: "PUT",
      path: "/zones/ZONE/page_shield",
      body: " ".repeat(8_400_000),
      status: 413,
      code: 1003,
    },
    {
      method: "POST",
      path: "/zones/ZONE/rulesets",
      body: '{"a":{"b":1}}',
      status: 400,
      code: 20000,
    },
  ])(
    "$method $path gets $status with $code",
    async ({ method, path, body, status, code }, context) => {
      await using world = await testEmulator(context);
      const zone = await world.zoneId("shop.example.com");
      const answer = await world.stray(method, path.replace("ZONE", zone), body);
      context.expect(answer.status).toBe(status);
      context.expect(answer.body).toMatchObject({ success: false, result: null, messages: [] });
      context.expect(errorOf(answer)["code"]).toBe(code);
    },
  );

  it.for([
    { what: "nested too deep", body: `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}` },
    { what: "nested deep enough to end a parser", body: `{"a":${"[".repeat(1_000_000)}` },
    { what: "full of prototypes", body: '{"__proto__":{"enabled":true},"constructor":1}' },
    { what: "a number beyond all numbers", body: '{"rules":[{"score_threshold":1e999}]}' },
  ])("whose body is $what is no internal error", async ({ body }, context) => {
    await using world = await testEmulator(context);
    const zone = await world.zoneId("shop.example.com");
    for (const path of ["page_shield/policies", "rulesets"]) {
      const answer = await world.stray("POST", `/zones/${zone}/${path}`, body);
      context.expect(answer.status).toBe(400);
    }
  });

  it("does not match names of object prototypes", async (context) => {
    await using world = await testEmulator(context);
    const answer = await world.call("GET", "/zones?name=constructor:shop.example.com");
    context.expect(answer.body["result"]).toEqual([]);
  });

  it("sends its headers with every response", async (context) => {
    await using world = await testEmulator(context);
    for (const path of ["/zones", "/nowhere"]) {
      const { headers } = await world.call("GET", path);
      context.expect(headers.get("cf-ray")).toMatch(/^[0-9a-f]{16}-EMU$/);
      context.expect(headers.get("ratelimit")).toMatch(/^"default";r=\d+;t=\d+$/);
      context.expect(headers.get("ratelimit-policy")).toBe('"default";q=1200;w=300');
    }
    const zone = await world.zoneId("shop.example.com");
    const write = await world.call("PUT", `/zones/${zone}/page_shield`, { enabled: true });
    context.expect(write.headers.get("cf-auditlog-id")).not.toBeNull();
  });
});
