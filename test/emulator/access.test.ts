import { describe, it } from "vitest";

import {
  codeOf,
  errorOf,
  goodSeed,
  listOf,
  resultOf,
  testEmulator,
  textIn,
} from "../support/emulator.ts";

const seed = goodSeed(`
accounts:
  - name: Ours
  - name: Theirs
tokens:
  - { name: everything, value: emulator-token }
  - { name: reader, value: reading, permissions: [Zone Read, Page Shield Read, Zone WAF Read] }
  - { name: one zone, value: single, zones: [a.example] }
  - { name: ours only, value: ours, accounts: [Ours] }
  - { name: off, value: disabled, status: disabled }
  - { name: old, value: expired, expires_on: 2026-11-20T11:59:59Z }
  - { name: early, value: early, not_before: 2026-11-20T12:00:01Z }
zones:
  - { name: a.example }
  - { name: b.example }
  - { name: c.example, account: Theirs, type: internal }
  - { name: d.example, account: Theirs, status: pending, plan: free }
`);

describe("a credential", () => {
  it.for([
    { token: "reading", method: "GET", path: "/page_shield", status: 200 },
    { token: "reading", method: "PUT", path: "/page_shield", status: 403, code: 10000 },
    { token: "reading", method: "POST", path: "/page_shield/policies", status: 403, code: 10000 },
    { token: "reading", method: "POST", path: "/rulesets", status: 403, code: 10000 },
    { token: "single", method: "GET", path: "/page_shield", status: 200 },
    { token: "disabled", method: "GET", path: "/page_shield", status: 403, code: 9109 },
    { token: "expired", method: "GET", path: "/page_shield", status: 403, code: 9109 },
    { token: "early", method: "GET", path: "/page_shield", status: 403, code: 9109 },
    { token: "unheard-of", method: "GET", path: "/page_shield", status: 403, code: 9109 },
  ])(
    "$token gets $status for $method $path",
    async ({ token, method, path, status, code }, context) => {
      await using world = await testEmulator(context, { seed });
      const zone = await world.zoneId("a.example");
      const body = method === "GET" ? undefined : {};
      const answer = await world.call(method, `/zones/${zone}${path}`, body, token);
      context.expect(answer.status).toBe(status);
      if (code !== undefined) context.expect(codeOf(answer)).toBe(code);
    },
  );

  it("of one zone sees no other, neither listed nor by id", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { seed });
    const other = await world.zoneId("b.example");
    const zones = listOf(await world.call("GET", "/zones", undefined, "single"));
    expect(zones.map(({ name }) => name)).toEqual(["a.example"]);
    const foreign = await world.call("GET", `/zones/${other}/page_shield`, undefined, "single");
    const unheard = await world.call("GET", `/zones/${"0".repeat(32)}/page_shield`);
    expect([foreign.status, codeOf(foreign)]).toEqual([403, 9109]);
    expect(unheard.body).toEqual(foreign.body);
  });

  it("of one account sees its zones only", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { seed });
    const accounts = listOf(await world.call("GET", "/accounts", undefined, "ours"));
    expect(accounts.map(({ name }) => name)).toEqual(["Ours"]);
    const zones = listOf(await world.call("GET", "/zones", undefined, "ours"));
    expect(zones.map(({ name }) => name)).toEqual(["a.example", "b.example"]);
  });

  it.for([
    { token: "emulator-token", status: 200, says: "active" },
    { token: "disabled", status: 200, says: "disabled" },
    { token: "expired", status: 200, says: "expired" },
    { token: "unheard-of", status: 401, says: undefined },
  ])("$token verifies as $says", async ({ token, status, says }, context) => {
    await using world = await testEmulator(context, { seed });
    const answer = await world.call("GET", "/user/tokens/verify", undefined, token);
    context.expect(answer.status).toBe(status);
    if (says === undefined) context.expect(codeOf(answer)).toBe(1000);
    else context.expect(resultOf(answer)["status"]).toBe(says);
    context.expect(answer.text).not.toContain("emulator-token");
  });

  it("expires by the emulator's clock", async (context) => {
    await using world = await testEmulator(context, { seed });
    await world.control("POST", "/clock", { advance: "2s" });
    context.expect((await world.call("GET", "/zones", undefined, "early")).status).toBe(200);
  });

  it.for([undefined, "Basic abc", "Bearer", "Bearer a b"])(
    "as %j is a malformed header",
    async (authorization, context) => {
      await using world = await testEmulator(context, { seed });
      const headers = authorization === undefined ? {} : { authorization };
      const response = await world.fetch(`${world.emulator.baseUrl}/zones`, { headers });
      context.expect(response.status).toBe(400);
      context.expect(await response.text()).toContain('"code":6003');
    },
  );
});

describe("the zone listing", () => {
  it.for([
    { query: "", yields: "abd" },
    { query: "name=b.example", yields: "b" },
    { query: "name=B.EXAMPLE", yields: "b" },
    { query: "name=equal:b.example", yields: "b" },
    { query: "name=not_equal:b.example", yields: "ad" },
    { query: "name=starts_with:a", yields: "a" },
    { query: "name=ends_with:.example", yields: "abd" },
    { query: "name=contains:B.", yields: "b" },
    { query: "name=contains_case_sensitive:B.", yields: "" },
    { query: "account.name=Theirs", yields: "d" },
    { query: "status=pending", yields: "d" },
    { query: "type=internal", yields: "c" },
    { query: "type=full,internal&account.name=Theirs", yields: "cd" },
    { query: "name=a.example&status=pending", yields: "" },
    { query: "name=a.example&status=pending&match=any", yields: "ad" },
    { query: "direction=desc", yields: "dba" },
    { query: "order=status&direction=desc", yields: "dab" },
    { query: "order=plan.id&direction=desc", yields: "dab" },
    { query: "per_page=5&page=2", yields: "" },
  ])("with ?$query returns $yields", async ({ query, yields }, context) => {
    await using world = await testEmulator(context, { seed });
    const zones = listOf(await world.call("GET", `/zones?${query}`));
    context.expect(zones.map((zone) => textIn(zone, "name").charAt(0)).join("")).toBe(yields);
  });

  it.for([
    "per_page=51",
    "per_page=4",
    "page=0",
    "status=gone",
    "order=age",
    "match=some",
    "type=half",
  ])("rejects ?%s", async (query, context) => {
    await using world = await testEmulator(context, { seed });
    const answer = await world.call("GET", `/zones?${query}`);
    context.expect(answer.status).toBe(400);
    context.expect(errorOf(answer)["message"]).toContain(query.split("=")[0]);
  });

  it("includes the account and the plan of each zone", async (context) => {
    await using world = await testEmulator(context, { seed });
    const [zone] = listOf(await world.call("GET", "/zones?name=d.example"));
    context.expect(zone).toMatchObject({
      status: "pending",
      account: { name: "Theirs" },
      plan: { legacy_id: "free" },
    });
  });
});
