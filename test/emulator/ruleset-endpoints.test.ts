import { describe, it } from "vitest";

import type { JsonObject } from "../../src/syntax/json.ts";
import {
  codeOf,
  errorOf,
  listIn,
  listOf,
  resultOf,
  testEmulator,
  textIn,
} from "../support/emulator.ts";
import {
  entrypointPath,
  execute,
  owasp,
  phase,
  scoreRule,
  skip,
  tuned,
} from "../support/wire-rules.ts";

function rulesIn(ruleset: JsonObject): readonly JsonObject[] {
  return listIn(ruleset["rules"]);
}

describe("an entry point", () => {
  it("that was never created is not an empty one", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const path = await entrypointPath(world);

    const absent = await world.call("GET", path);
    expect(absent.status).toBe(404);
    expect(errorOf(absent)).toEqual({
      code: 10003,
      message: `could not find entrypoint ruleset in the ${phase} phase`,
    });
    expect(listOf(await world.call("GET", `${path}/versions`))).toEqual([]);

    await world.call("PUT", path, { rules: [] });
    expect(rulesIn(resultOf(await world.call("GET", path)))).toEqual([]);
  });

  it("gets a new version with every write, and keeps the old ones", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const path = await entrypointPath(world);
    await world.call("PUT", path, { rules: [execute(owasp, { ref: "a" })] });
    await world.call("PUT", path, { rules: [execute(owasp, { ref: "a", enabled: false })] });
    await world.call("PUT", path, { description: "Ours" });

    const now = resultOf(await world.call("GET", path));
    expect(now).toMatchObject({ version: "3", description: "Ours", source: "firewall_managed" });
    expect(rulesIn(now)).toMatchObject([{ version: "2", enabled: false }]);
    const versions = listOf(await world.call("GET", `${path}/versions`));
    expect(versions.map(({ version }) => version)).toEqual(["1", "2", "3"]);
    const first = resultOf(await world.call("GET", `${path}/versions/1`));
    expect(rulesIn(first)).toMatchObject([{ version: "1", enabled: true }]);
  });

  it.for([
    { identical: "stored" as const, version: "2" },
    { identical: "ignored" as const, version: "1" },
  ])("has version $version after an identical PUT that is $identical", async (given, context) => {
    const undocumented = { identical_put: given.identical };
    await using world = await testEmulator(context, {
      seed: { undocumented, zones: [{ name: "www.brand.example" }] },
    });
    const path = await entrypointPath(world);
    const rules = [execute(owasp, { ref: "a" }), { ...skip, ref: "b" }];
    await world.call("PUT", path, { rules });
    const again = resultOf(await world.call("PUT", path, { rules }));
    context.expect(again["version"]).toBe(given.version);
    const moved = resultOf(await world.call("PUT", path, { rules: rules.toReversed() }));
    context.expect(Number(moved["version"])).toBe(Number(given.version) + 1);
  });

  it("keeps the ids of rules with the ref or id of live ones", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const path = await entrypointPath(world);
    const before = rulesIn(
      resultOf(await world.call("PUT", path, { rules: [execute(owasp, { ref: "a" }), skip] })),
    );
    const [first, second] = before.map(({ id }) => id);
    const rules = [{ ...skip, id: second ?? "" }, execute(owasp, { ref: "a" })];
    const after = rulesIn(resultOf(await world.call("PUT", path, { rules })));
    expect(after.map(({ id }) => id)).toEqual([second, first]);
    expect(after.map(({ version }) => version)).toEqual(["1", "1"]);
  });

  it("gives new ids to rules with neither", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const path = await entrypointPath(world);
    const once = rulesIn(resultOf(await world.call("PUT", path, { rules: [skip] })));
    const twice = rulesIn(resultOf(await world.call("PUT", path, { rules: [skip] })));
    expect(twice[0]?.["id"]).not.toBe(once[0]?.["id"]);
  });

  it("cannot deploy paid rulesets in a free zone", async (context) => {
    await using world = await testEmulator(context);
    const zone = await world.zoneId("old.brand.example");
    const path = `/zones/${zone}/rulesets/phases/${phase}/entrypoint`;
    const answer = await world.call("PUT", path, { rules: [execute(owasp)] });
    context.expect(errorOf(answer)["message"]).toContain("not entitled");
    const managed = await world.call("GET", `/zones/${zone}/rulesets/${owasp}`);
    context.expect(managed.status).toBe(404);
  });

  it("leaves empty lists of overrides out, and answers version latest", async (context) => {
    await using world = await testEmulator(context);
    const rule = execute(owasp, tuned({ enabled: true, categories: [], rules: [] }));
    const answer = await world.stray("PUT", await entrypointPath(world), { rules: [rule] });
    context
      .expect(rulesIn(resultOf(answer))[0]?.["action_parameters"])
      .toEqual({ id: owasp, version: "latest", overrides: { enabled: true } });
  });

  it("keeps logging of skip rules only, and logs unless told otherwise", async (context) => {
    await using world = await testEmulator(context);
    const rules = [skip, { ...execute(owasp), logging: { enabled: false } }];
    const answer = await world.call("PUT", await entrypointPath(world), { rules });
    const [first, second] = rulesIn(resultOf(answer));
    context.expect(first?.["logging"]).toEqual({ enabled: true });
    context.expect(second).not.toHaveProperty("logging");
  });

  it("is validated but not written by a dry run", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const path = await entrypointPath(world);
    const good = await world.call("PUT", `${path}?dry_run=true`, { rules: [execute(owasp)] });
    expect(good.body).toMatchObject({ success: true, result: null });
    const bad = await world.call("PUT", `${path}?dry_run=true`, { rules: [execute("no")] });
    expect(bad.status).toBe(400);
    const strange = await world.call("PUT", `${path}?dry_run=1`, { rules: [] });
    expect(strange.status).toBe(400);
    expect((await world.call("GET", path)).status).toBe(404);
  });
});

describe("a ruleset", () => {
  it("cannot be a second entry point of its phase", async (context) => {
    await using world = await testEmulator(context);
    const zone = await world.zoneId("shop.example.com");
    const body = { name: "zone", kind: "zone", phase };
    const answer = await world.call("POST", `/zones/${zone}/rulesets`, body);
    context.expect(answer.status).toBe(400);
    context.expect(errorOf(answer)).toEqual({
      code: 20217,
      message: `'zone' is not a valid value for kind because exceeded maximum number of zone rulesets for phase ${phase}`,
      source: { pointer: "/kind" },
    });
  });

  it.for([
    { body: { kind: "zone", phase }, pointer: "/name" },
    { body: { name: "x", phase }, pointer: "/kind" },
    { body: { name: "x", kind: "zone" }, pointer: "/phase" },
    { body: { name: "x", kind: "custom", phase }, pointer: "/kind" },
    { body: { name: "x", kind: "zone", phase: "http_request" }, pointer: "/phase" },
  ])("of a zone is not created from $body", async ({ body, pointer }, context) => {
    await using world = await testEmulator(context);
    const zone = await world.zoneId("www.brand.example");
    const answer = await world.call("POST", `/zones/${zone}/rulesets`, body);
    context.expect(errorOf(answer)).toMatchObject({ source: { pointer } });
  });

  it("that is managed is listed and readable at zones, but not writable", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const path = `/zones/${await world.zoneId("www.brand.example")}/rulesets`;
    const listed = listOf(await world.call("GET", path));
    expect(listed.find(({ id }) => id === owasp)).toMatchObject({ kind: "managed", version: "87" });
    expect(listed[0]).not.toHaveProperty("rules");

    const rules = rulesIn(resultOf(await world.call("GET", `${path}/${owasp}`)));
    expect(rules.at(-1)).toMatchObject({ id: scoreRule, score_threshold: 40, action: "block" });
    expect(rules[0]).not.toHaveProperty("expression");
    expect((await world.call("PUT", `${path}/${owasp}`, { rules: [] })).status).toBe(400);
  });

  it("that is executed is not deleted", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const [account] = listOf(await world.call("GET", "/accounts"));
    const path = `/accounts/${textIn(account, "id")}/rulesets`;
    const custom = { name: "Ours", kind: "custom", phase: "http_request_firewall_custom" };
    const id = textIn(resultOf(await world.call("POST", path, custom)), "id");
    const root = `${path}/phases/http_request_firewall_custom/entrypoint`;
    await world.call("PUT", root, { rules: [execute(id)] });

    expect((await world.call("DELETE", `${path}/${id}`)).status).toBe(400);
    await world.call("PUT", root, { rules: [] });
    expect((await world.call("DELETE", `${path}/${id}`)).status).toBe(204);
    expect((await world.call("GET", `${path}/${id}`)).status).toBe(404);
  });

  it("of an account may execute a managed one twice, but skip nothing", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const [account] = listOf(await world.call("GET", "/accounts"));
    const path = `/accounts/${textIn(account, "id")}/rulesets/phases/${phase}/entrypoint`;
    const rules = [execute(owasp), execute(owasp, { expression: 'cf.zone.plan eq "ENT"' })];
    expect(rulesIn(resultOf(await world.call("PUT", path, { rules })))).toHaveLength(2);
    expect(codeOf(await world.call("PUT", path, { rules: [skip] }))).toBe(20016);
  });

  it("of an account may be executed in the phase of rate limits", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const [account] = listOf(await world.call("GET", "/accounts"));
    const path = `/accounts/${textIn(account, "id")}/rulesets`;
    const custom = { name: "Ours", kind: "custom", phase: "http_ratelimit" };
    const id = textIn(resultOf(await world.call("POST", path, custom)), "id");
    const root = `${path}/phases/http_ratelimit/entrypoint`;
    const limited = { ratelimit: {} };
    expect((await world.call("PUT", root, { rules: [execute(id)] })).status).toBe(200);
    const both = await world.call("PUT", root, { rules: [execute(id, limited)] });
    expect(errorOf(both)).toMatchObject({ source: { pointer: "/rules/0/ratelimit" } });
  });

  it("loses old versions one by one, never the newest", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const entrypoint = await entrypointPath(world);
    await world.call("PUT", entrypoint, { rules: [] });
    const id = textIn(resultOf(await world.call("PUT", entrypoint, { rules: [skip] })), "id");
    const path = `${entrypoint.split("/phases", 1).join("")}/${id}/versions`;

    expect((await world.call("DELETE", `${path}/2`)).status).toBe(400);
    expect((await world.call("DELETE", `${path}/1`)).status).toBe(204);
    expect((await world.call("GET", `${path}/1`)).status).toBe(404);
    await world.call("PUT", entrypoint, { rules: [] });
    const versions = listOf(await world.call("GET", path));
    expect(versions.map(({ version }) => version)).toEqual(["2", "3"]);
  });

  it("lists the rules of a managed one by tag", async (context) => {
    await using world = await testEmulator(context);
    const [account] = listOf(await world.call("GET", "/accounts"));
    const path = `/accounts/${textIn(account, "id")}/rulesets/${owasp}/versions/87/by_tag`;
    const rules = rulesIn(resultOf(await world.call("GET", `${path}/paranoia-level-3`)));
    context.expect(rules.length).toBeGreaterThan(0);
    for (const { categories } of rules) context.expect(categories).toContain("paranoia-level-3");
  });
});
