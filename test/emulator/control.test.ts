import { describe, it } from "vitest";

import type { JsonObject } from "../../src/syntax/json.ts";
import {
  errorOf,
  listIn,
  listOf,
  objectIn,
  resultOf,
  testEmulator,
  textIn,
} from "../support/emulator.ts";
import { requestFrom } from "../support/request-from.ts";

const zone = "shop.example.com";
const scoreRule = "6179ae15870a4bb7b2d480d4843b323c";

describe("an edit as in the dashboard", () => {
  it("changes settings", async (context) => {
    await using world = await testEmulator(context);
    await world.control("POST", "/edit", { zone, settings: { enabled: false } });
    const path = `/zones/${await world.zoneId(zone)}/page_shield`;
    context.expect(resultOf(await world.call("GET", path))["enabled"]).toBe(false);
  });

  it("updates, adds and deletes policies by words of their description", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const path = `/zones/${await world.zoneId(zone)}/page_shield/policies`;
    const edit = { zone, policy: "scripts of the checkout" };
    await world.control("POST", "/edit", { ...edit, set: { action: "allow" } });
    expect(listOf(await world.call("GET", path))).toMatchObject([{ action: "allow" }]);

    const value = "script-src 'self'";
    const added = {
      description: "By hand",
      action: "log",
      expression: "true",
      enabled: true,
      value,
    };
    await world.control("POST", "/edit", { zone, policy: added });
    await world.control("POST", "/edit", { ...edit, delete: true });
    expect(listOf(await world.call("GET", path))).toMatchObject([added]);
  });

  it("tunes the OWASP ruleset and keeps its other overrides", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const set = { paranoia_level: 1, score_threshold: 60 };
    const answer = await world.control("POST", "/edit", { zone, rule: "owasp", set });
    const [rule] = listIn(answer.body["rules"]);
    expect(rule).toMatchObject({ version: "2", description: "Synthetic: OWASP core ruleset" });
    expect(objectIn(rule?.["action_parameters"])["overrides"]).toEqual({
      categories: [
        { category: "paranoia-level-2", enabled: false },
        { category: "paranoia-level-3", enabled: false },
        { category: "paranoia-level-4", enabled: false },
      ],
      rules: [{ id: scoreRule, score_threshold: 60, action: "managed_challenge" }],
    });
  });

  it("can raise the paranoia level to the highest, which overrides no category", async (context) => {
    await using world = await testEmulator(context);
    const edit = { zone, rule: "owasp", set: { paranoia_level: 4, enabled: false } };
    const [rule] = listIn((await world.control("POST", "/edit", edit)).body["rules"]);
    context.expect(rule?.["enabled"]).toBe(false);
    context
      .expect(objectIn(rule?.["action_parameters"])["overrides"])
      .not.toHaveProperty("categories");
  });

  it("adds, moves, changes and deletes rules of any phase and of custom rulesets", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const brand = "www.brand.example";
    const edit = async (change: JsonObject): Promise<void> => {
      const answer = await world.control("POST", "/edit", { zone: brand, ...change });
      expect(answer.status).toBe(200);
    };
    const phase = "http_request_firewall_custom";
    const rule = { action: "block", expression: "ssl" };
    await edit({ rule: { ...rule, description: "First" }, ruleset: phase });
    await edit({ rule: { ...rule, description: "Second" }, ruleset: phase });
    await edit({ ruleset: { name: "Payments", kind: "custom", phase } });
    await edit({ rule: { ...rule, description: "Of the team" }, ruleset: "Payments" });
    await edit({ rule: "second", set: { action: "js_challenge", position: { index: 1 } } });
    await edit({ rule: "of the team", set: { enabled: false } });
    await edit({ ruleset: "payments", set: { description: "Of a team" } });

    const path = `/zones/${await world.zoneId(brand)}/rulesets`;
    const entrypoint = async (): Promise<readonly JsonObject[]> =>
      listIn(resultOf(await world.call("GET", `${path}/phases/${phase}/entrypoint`))["rules"]);
    expect(await entrypoint()).toMatchObject([
      { description: "Second", action: "js_challenge" },
      { description: "First", action: "block", version: "1" },
    ]);
    const custom = listOf(await world.call("GET", path)).find(({ kind }) => kind === "custom");
    expect(custom).toMatchObject({ description: "Of a team", version: "4" });
    const { rules } = resultOf(await world.call("GET", `${path}/${textIn(custom, "id")}`));
    expect(rules).toMatchObject([{ description: "Of the team", enabled: false, version: "2" }]);

    await edit({ rule: "First", delete: true });
    await edit({ ruleset: "Payments", delete: true });
    expect(await entrypoint()).toMatchObject([{ description: "Second" }]);
    expect(listOf(await world.call("GET", path)).some(({ kind }) => kind === "custom")).toBe(false);
  });

  it("is not in the journal", async (context) => {
    await using world = await testEmulator(context);
    await world.control("POST", "/edit", { zone, settings: { enabled: false } });
    context.expect(world.emulator.journal()).toEqual([]);
  });

  it.for([
    { edit: { zone: "shop", settings: {} }, status: 404, says: "shop.example.com" },
    { edit: { settings: {} }, status: 400, says: "zone" },
    { edit: { zone }, status: 400, says: "settings, policy, rule or ruleset" },
    { edit: { zone, policy: "nothing", set: {} }, status: 404, says: "scripts of the checkout" },
    { edit: { zone, policy: "checkout", set: { action: "no" } }, status: 400, says: "action" },
    { edit: { zone, policy: "checkout", set: { actoin: "log" } }, status: 400, says: "actoin" },
    { edit: { zone, settings: { enable: true } }, status: 400, says: "enable" },
    { edit: { zone, rule: "owasp", set: { paranoia: 1 } }, status: 400, says: "paranoia" },
    { edit: { zone, rule: "owasp", set: { paranoia_level: 5 } }, status: 400, says: "from 1 to 4" },
    {
      edit: { zone: "www.brand.example", rule: "owasp", set: {} },
      status: 404,
      says: "matches no rule; there is none",
    },
    { edit: { zone, rule: "owasp", ruleset: "http_ratelimit" }, status: 404, says: "no rule;" },
    { edit: { zone, ruleset: { name: "Team" } }, status: 400, says: "kind" },
    { edit: { zone, rule: {}, ruleset: "nowhere" }, status: 404, says: "no ruleset" },
    { edit: "no JSON", status: 400, says: "JSON object" },
  ])("as $edit is rejected with a remedy", async ({ edit, status, says }, context) => {
    await using world = await testEmulator(context);
    const answer = await world.control("POST", "/edit", edit);
    context.expect(answer.status).toBe(status);
    context.expect(errorOf(answer)["message"]).toContain(says);
  });
});

describe("the control API", () => {
  it("answers an unknown path with its help", async (context) => {
    await using world = await testEmulator(context);
    const { status, text } = await world.control("GET", "/jurnal");
    context.expect(status).toBe(404);
    context.expect(text).toContain("/_emulator/journal");
    context.expect(world.emulator.journal()).toEqual([]);
  });

  it("has a help page", async (context) => {
    await using world = await testEmulator(context);
    const { text } = await world.control("GET", "/");
    for (const word of ["/journal", "/edit", "/faults", "/clock", "/reset", "lost_answer"]) {
      context.expect(text).toContain(word);
    }
  });

  it("returns the journal: request, credential and status", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    await world.call("GET", "/zones?per_page=5");
    const id = await world.zoneId(zone);
    await world.call("PUT", `/zones/${id}/page_shield`, { enabled: true });
    await world.call("GET", "/nowhere", undefined, "wrong");

    const { entries } = (await world.control("GET", "/journal")).body;
    expect(listIn(entries).map(({ method, status }) => [method, status])).toEqual([
      ["GET", 200],
      ["GET", 200],
      ["PUT", 200],
      ["GET", 404],
    ]);
    expect(listIn(entries)[0]).toMatchObject({
      number: 1,
      at: "2026-11-20T12:00:00.000Z",
      path: "/client/v4/zones?per_page=5",
      credential: "everything",
    });
    const writes = await world.control("GET", "/journal?method=PUT&since=1");
    expect(listIn(writes.body["entries"])).toHaveLength(1);
    await world.control("DELETE", "/journal");
    expect(world.emulator.journal()).toEqual([]);
  });

  it("returns to the seed and clears the rest", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const before = await world.call("GET", "/zones");
    await world.control("POST", "/edit", { zone, settings: { enabled: false } });
    await world.control("POST", "/faults", { fault: "status", status: 500 });
    await world.control("POST", "/clock", { now: "2027-01-01T00:00:00Z" });
    expect((await world.control("GET", "/clock")).body).toEqual({
      now: "2027-01-01T00:00:00.000Z",
    });

    await world.control("POST", "/reset");
    expect(world.emulator.journal()).toEqual([]);
    expect((await world.call("GET", "/zones")).body).toEqual(before.body);
    const path = `/zones/${textIn(listOf(before)[2], "id")}/page_shield`;
    expect(resultOf(await world.call("GET", path))["enabled"]).toBe(true);
  });

  it.for([{ advance: "soon" }, { now: "tomorrow" }, {}, { advance: 5 }])(
    "does not set the clock to %j",
    async (body, context) => {
      await using world = await testEmulator(context);
      context.expect((await world.control("POST", "/clock", body)).status).toBe(400);
    },
  );
});

describe("a request that a page of another site can send", () => {
  const body = JSON.stringify({ zone, settings: { enabled: false } });
  const json = { "content-type": "application/json" };

  it.for([
    { headers: { ...json, "sec-fetch-site": "cross-site" }, status: 403 },
    { headers: { ...json, "sec-fetch-site": "same-site" }, status: 403 },
    { headers: { ...json, origin: "https://evil.example" }, status: 403 },
    { headers: { ...json, origin: "null" }, status: 403 },
    { headers: { "content-type": "text/plain" }, status: 415 },
    { headers: { "content-type": "application/x-www-form-urlencoded" }, status: 415 },
    { headers: { ...json, "sec-fetch-site": "same-origin" }, status: 200 },
    { headers: { "content-type": "application/json; charset=utf-8" }, status: 200 },
  ])("with $headers is answered with $status", async ({ headers, status }, context) => {
    await using world = await testEmulator(context);
    const url = `${world.emulator.url}/_emulator/edit`;
    const response = await fetch(url, { method: "POST", headers: { ...headers }, body });
    context.expect(response.status, await response.text()).toBe(status);
    const path = `/zones/${await world.zoneId(zone)}/page_shield`;
    context.expect(resultOf(await world.call("GET", path))["enabled"]).toBe(status !== 200);
  });

  it("without a body is refused by its origin, and accepted without one", async (context) => {
    await using world = await testEmulator(context);
    const url = `${world.emulator.url}/_emulator/reset`;
    const headers = { origin: "https://evil.example" };
    context.expect((await fetch(url, { method: "POST", headers })).status).toBe(403);
    context.expect((await fetch(url, { method: "POST" })).status).toBe(200);
  });

  it("is answered under the names that are given", async (context) => {
    await using world = await testEmulator(context, { hosts: ["emulator.example"] });
    const { url } = world.emulator;
    for (const [host, status] of [
      ["emulator.example:8787", 200],
      ["localhost:8787", 200],
      ["10.1.2.3", 200],
      ["other.example", 421],
    ] as const) {
      context
        .expect((await requestFrom(`${url}/_emulator/`, { headers: { host } })).status)
        .toBe(status);
    }
  });
});
