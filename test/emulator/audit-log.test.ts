import { describe, it } from "vitest";

import { advance, entriesOf, auditPath, window, zone } from "../support/audit-log.ts";
import {
  codeOf,
  goodSeed,
  listOf,
  objectIn,
  testEmulator,
  testStart,
  textIn,
} from "../support/emulator.ts";

describe("the audit log", () => {
  it("names the token, the path and the zone of a write", async (context) => {
    await using world = await testEmulator(context);
    const id = await world.zoneId(zone);
    const answer = await world.call("PUT", `/zones/${id}/page_shield`, { enabled: false });
    const token = await world.call("GET", "/user/tokens/verify");
    context.expect(await entriesOf(world)).toMatchObject([
      {
        id: answer.headers.get("cf-auditlog-id"),
        account: { name: "Synthetic Shops" },
        action: { result: "success", type: "update", time: testStart.toISOString() },
        actor: {
          context: "api_token",
          token_id: textIn(objectIn(token.body["result"]), "id"),
          token_name: "everything",
        },
        raw: {
          method: "PUT",
          uri: `/zones/${id}/page_shield`,
          status_code: 200,
          cf_ray_id: answer.headers.get("cf-ray"),
        },
        resource: { product: "page_shield", type: "settings", scope: "zones" },
        zone: { id, name: zone },
      },
    ]);
  });

  it("has refused writes as failures, and neither reads nor dry runs nor what was not authorized", async (context) => {
    await using world = await testEmulator(context);
    const path = `/zones/${await world.zoneId(zone)}`;
    await world.call("GET", `${path}/page_shield`);
    await world.call("POST", `${path}/page_shield/policies`, { description: "no more" });
    await world.stray("PUT", `${path}/rulesets/phases/ddos_l7/entrypoint?dry_run=true`, {
      rules: [],
    });
    await world.call("PUT", `${path}/page_shield`, { enabled: true }, "unknown-token");
    context
      .expect(await entriesOf(world))
      .toMatchObject([
        { action: { result: "failure", type: "create" }, raw: { status_code: 400 } },
      ]);
  });

  it.for([
    {
      edit: { settings: { enabled: false } },
      method: "PUT",
      place: /^\/page_shield$/,
      type: "settings",
    },
    {
      edit: { policy: "checkout", set: { action: "allow" } },
      method: "PUT",
      place: /^\/page_shield\/policies\/[0-9a-f]{32}$/,
      type: "policy",
    },
    {
      edit: { policy: "checkout", delete: true },
      method: "DELETE",
      place: /^\/page_shield\/policies\/[0-9a-f]{32}$/,
      type: "policy",
    },
    {
      edit: {
        policy: {
          description: "By hand",
          action: "log",
          expression: "true",
          enabled: true,
          value: "script-src 'self'",
        },
      },
      method: "POST",
      place: /^\/page_shield\/policies$/,
      type: "policy",
    },
    {
      edit: { rule: "OWASP", set: { paranoia_level: 1 } },
      method: "PATCH",
      place: /^\/rulesets\/[0-9a-f]{32}\/rules\/[0-9a-f]{32}$/,
      type: "rule",
    },
    {
      edit: { rule: "OWASP", delete: true },
      method: "DELETE",
      place: /^\/rulesets\/[0-9a-f]{32}\/rules\/[0-9a-f]{32}$/,
      type: "rule",
    },
  ])("has the edit $edit as a dashboard user's", async ({ edit, method, place, type }, context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    await world.control("POST", "/edit", { zone, actor: "alice@example.com", ...edit });
    const [entry, ...others] = await entriesOf(world);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      actor: { type: "user", context: "dash", email: "alice@example.com" },
      raw: { method },
      resource: { type },
      zone: { name: zone },
    });
    const prefix = `/zones/${await world.zoneId(zone)}`;
    const uri = textIn(objectIn(entry?.["raw"]), "uri");
    expect(uri.startsWith(prefix)).toBe(true);
    expect(uri.slice(prefix.length)).toMatch(place);
    expect(textIn(objectIn(entry?.["resource"]), "id")).toMatch(/^[0-9a-f]{32}$/);
  });

  it("has a moved managed ruleset as the system's, and the ruleset has the version", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    await world.control("POST", "/managed", { ruleset: "owasp" });
    expect(await entriesOf(world)).toMatchObject([
      { actor: { type: "system" }, resource: { type: "managed_ruleset" } },
    ]);
    const owasp = `/zones/${await world.zoneId(zone)}/rulesets/4814384a9e5d4991b9815dcfc25d2f1f`;
    expect((await world.call("GET", owasp)).body["result"]).toMatchObject({ version: "88" });
    const versions = listOf(await world.call("GET", `${owasp}/versions`));
    expect(versions.map((each) => each["version"])).toEqual(["87", "88"]);
  });

  it("keeps the accounts apart", async (context) => {
    await using world = await testEmulator(context);
    await world.control("POST", "/edit", { zone, settings: { enabled: false } });
    const brand = await auditPath(world, "www.brand.example");
    context.expect(listOf(await world.call("GET", `${brand}?${window}`))).toEqual([]);
  });

  it.for([
    { query: "action_type=delete", finds: ["DELETE"] },
    { query: "action_type.not=delete", finds: ["PUT", "PUT"] },
    { query: "actor_email=bob%40example.com", finds: ["DELETE"] },
    { query: "actor_context=api_token", finds: ["PUT"] },
    { query: "actor_context.not=api_token&actor_context.not=dash", finds: [] },
    { query: "raw_method=PUT&raw_method=DELETE", finds: ["DELETE", "PUT", "PUT"] },
    { query: "product_category=client_side_security", finds: ["DELETE", "PUT", "PUT"] },
    { query: "product_category=rules", finds: [] },
    { query: "zone_name=blog.example.com", finds: [] },
    { query: "direction=asc&limit=2", finds: ["PUT", "PUT"] },
    { query: "limit=1", finds: ["DELETE"] },
  ])("answers $query with $finds", async ({ query, finds }, context) => {
    await using world = await testEmulator(context);
    const path = `/zones/${await world.zoneId(zone)}/page_shield`;
    await world.control("POST", "/edit", { zone, settings: { enabled: false } });
    await advance(world, "1s");
    await world.call("PUT", path, { enabled: true });
    await advance(world, "1s");
    const deletion = { policy: "checkout", delete: true, actor: "bob@example.com" };
    await world.control("POST", "/edit", { zone, ...deletion });
    const found = await entriesOf(world, `${window}&${query}`);
    context.expect(found.map((entry) => objectIn(entry["raw"])["method"])).toEqual(finds);
  });

  it("takes since as inclusive and before as exclusive, to the millisecond", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    await world.control("POST", "/edit", { zone, settings: { enabled: false } });
    const at = "2026-11-20T12:00:00.000Z";
    const next = "2026-11-20T12:00:00.001Z";
    expect(await entriesOf(world, `since=${at}&before=${next}`)).toHaveLength(1);
    expect(await entriesOf(world, `since=2026-11-20&before=${at}`)).toHaveLength(0);
    expect(await entriesOf(world, `since=${next}&before=2026-11-21`)).toHaveLength(0);
  });

  it.for([
    "",
    "since=2026-11-20",
    "since=yesterday&before=2026-11-21",
    `${window}&limit=0`,
    `${window}&limit=1001`,
    `${window}&direction=up`,
    `${window}&cursor=elsewhere`,
    `${window}&product_category=unknown`,
  ])("refuses the query %j", async (query, context) => {
    await using world = await testEmulator(context);
    const answer = await world.call("GET", `${await auditPath(world)}?${query}`);
    context.expect(answer.status).toBe(400);
  });

  it("needs a permission of the account", async (context) => {
    const seed = goodSeed(`
tokens:
  - { name: all, value: emulator-token }
  - { name: zones, value: only-zones, permissions: [Zone Read, Page Shield] }
  - { name: settings, value: settings-write, permissions: [Account Settings Write] }
zones: [{ name: ${zone} }]
`);
    await using world = await testEmulator(context, { seed });
    const path = `${await auditPath(world)}?${window}`;
    const denied = await world.call("GET", path, undefined, "only-zones");
    context.expect([denied.status, codeOf(denied)]).toEqual([403, 10000]);
    const allowed = await world.call("GET", path, undefined, "settings-write");
    context.expect(allowed.status).toBe(200);
  });

  it("forgets entries after 18 months", async (context) => {
    await using world = await testEmulator(context);
    await world.control("POST", "/edit", { zone, settings: { enabled: false } });
    await advance(world, "545d");
    context.expect(await entriesOf(world)).toHaveLength(1);
    await advance(world, "5d");
    context.expect(await entriesOf(world)).toHaveLength(0);
  });

  it.for([
    { dialect: "published", cursor: "cursors" },
    { dialect: "specification", cursor: "cursor" },
  ] as const)("has the cursor of the dialect $dialect in $cursor", async ({ dialect }, context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { dialect });
    for (let index = 0; index < 5; index += 1) {
      await world.control("POST", "/edit", { zone, settings: { enabled: index % 2 === 0 } });
    }
    const path = await auditPath(world);
    const ids: string[] = [];
    let cursor = "";
    do {
      const answer = await world.call("GET", `${path}?${window}&limit=2&cursor=${cursor}`);
      ids.push(...listOf(answer).map((entry) => textIn(entry, "id")));
      const info = objectIn(answer.body["result_info"]);
      if (dialect === "specification") {
        expect(typeof info["count"]).toBe("string");
        cursor = textIn(info, "cursor");
      } else {
        const { cursors } = info;
        cursor = cursors === undefined ? "" : textIn(objectIn(cursors), "after");
      }
    } while (cursor !== "");
    expect(new Set(ids).size).toBe(5);
    expect(ids).toHaveLength(5);
  });
});
