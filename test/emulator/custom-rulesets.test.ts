import { describe, it } from "vitest";

import type { JsonObject } from "../../src/syntax/json.ts";
import {
  type TestEmulator,
  codeOf,
  errorOf,
  goodSeed,
  listIn,
  listOf,
  objectIn,
  resultOf,
  testEmulator,
  textIn,
} from "../support/emulator.ts";
import { execute } from "../support/wire-rules.ts";

const phase = "http_request_firewall_custom";

const seed = goodSeed(`
accounts:
  - name: Ours
    rulesets:
      - { name: Of the account, kind: custom, phase: ${phase}, rules: [{ action: block, expression: ssl }] }
zones:
  - { name: free.example, plan: free }
  - { name: pro.example, plan: pro }
  - { name: business.example, plan: business }
`);

const team = { name: "Payments", kind: "custom", phase, description: "Rules of a team" };
const blocking = { action: "block", expression: "ssl" };

async function rulesetsOf(world: TestEmulator, plan: string): Promise<string> {
  return `/zones/${await world.zoneId(`${plan}.example`)}/rulesets`;
}

/** Id of a ruleset that is created from a body. */
async function createdId(world: TestEmulator, path: string, body: unknown): Promise<string> {
  return textIn(resultOf(await world.call("POST", path, body)), "id");
}

describe("a custom ruleset of a zone", () => {
  it("is deployed by a rule of the entry point, and then not deleted", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { seed });
    const path = await rulesetsOf(world, "pro");
    const rules = [blocking, { ...blocking, action: "js_challenge" }];
    const created = resultOf(await world.call("POST", path, { ...team, rules }));
    expect(created).toMatchObject({ ...team, version: "1", source: "firewall_custom" });
    expect(listIn(created["rules"])).toHaveLength(2);

    const id = textIn(created, "id");
    const entrypoint = { name: "default", kind: "zone", phase, rules: [execute(id), blocking] };
    const deployed = resultOf(await world.call("POST", path, entrypoint));
    expect(listIn(deployed["rules"])[0]).toMatchObject({ action_parameters: { id } });
    expect((await world.call("DELETE", `${path}/${id}`)).status).toBe(400);

    const rule = textIn(listIn(deployed["rules"])[0], "id");
    await world.call("DELETE", `${path}/${textIn(deployed, "id")}/rules/${rule}`);
    expect((await world.call("DELETE", `${path}/${id}`)).status).toBe(204);
    expect((await world.call("GET", `${path}/${id}`)).status).toBe(404);
  });

  it("changes without a new version of the entry point that deploys it", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { seed });
    const path = await rulesetsOf(world, "free");
    const id = await createdId(world, path, team);
    const entrypoint = `${path}/phases/${phase}/entrypoint`;
    await world.call("PUT", entrypoint, { rules: [execute(id)] });
    await world.call("POST", `${path}/${id}/rules`, blocking);
    await world.call("POST", `${path}/${id}/rules`, { ...blocking, enabled: false });
    const versions = listOf(await world.call("GET", path))
      .filter(({ phase: each }) => each === phase)
      .map((each) => `${textIn(each, "kind")} ${textIn(each, "version")}`);
    expect(versions.toSorted()).toEqual(["custom 1", "custom 3", "zone 1"]);
  });

  it.for([
    { plan: "free", limit: 1 },
    { plan: "pro", limit: 2 },
    { plan: "business", limit: 5 },
  ])("is one of at most $limit in plan $plan", async ({ plan, limit }, context) => {
    await using world = await testEmulator(context, { seed });
    const path = await rulesetsOf(world, plan);
    for (let count = 1; count <= limit; count += 1) {
      const answer = await world.call("POST", path, { ...team, name: `Team ${count}` });
      context.expect(answer.status).toBe(200);
    }
    context.expect(errorOf(await world.call("POST", path, team))).toEqual({
      code: 20217,
      message: `'custom' is not a valid value for kind because exceeded maximum number of custom rulesets for phase ${phase}`,
      source: { pointer: "/kind" },
    });
  });

  it("shares the limit of rules with the entry point", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { seed });
    const path = await rulesetsOf(world, "free");
    const id = await createdId(world, path, { ...team, rules: [blocking, blocking, blocking] });
    const entrypoint = `${path}/phases/${phase}/entrypoint`;
    const three = await world.call("PUT", entrypoint, { rules: [blocking, blocking, blocking] });
    expect(errorOf(three)).toMatchObject({
      code: 50001,
      message: `exceeded the maximum number of rules in the phase ${phase}: 6 out of 5`,
    });
    await world.call("PUT", entrypoint, { rules: [blocking, blocking] });
    expect(codeOf(await world.call("POST", `${path}/${id}/rules`, blocking))).toBe(50001);
  });

  it.for<{ when: string; body: JsonObject; pointer: string }>([
    {
      when: "in the phase of rate limits",
      body: { ...team, phase: "http_ratelimit" },
      pointer: "/kind",
    },
    { when: "with a deployment", body: deploying("0".repeat(32)), pointer: "/rules/0/action" },
  ])("is refused $when", async ({ body, pointer }, context) => {
    await using world = await testEmulator(context, { seed });
    const answer = await world.call("POST", await rulesetsOf(world, "pro"), body);
    context.expect(answer.status).toBe(400);
    context.expect(errorOf(answer)).toMatchObject({ source: { pointer } });
  });

  it("is deployed once, without overrides, and only where it is", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { seed });
    const path = await rulesetsOf(world, "pro");
    const id = await createdId(world, path, team);
    const put = async (zone: string, rules: readonly JsonObject[]): Promise<JsonObject> =>
      errorOf(await world.call("PUT", `${zone}/phases/${phase}/entrypoint`, { rules }));
    expect(await put(path, [execute(id), execute(id)])).toMatchObject({ code: 20014 });
    const tuned = execute(id, { action_parameters: { id, overrides: { enabled: true } } });
    expect(await put(path, [tuned])).toMatchObject({
      message: 'invalid JSON: unknown field "overrides"',
    });
    const other = await rulesetsOf(world, "business");
    expect(await put(other, [execute(id)])).toMatchObject({
      source: { pointer: "/rules/0/action_parameters/id" },
    });
  });

  it("of the account is listed and readable in the zone, but not deployed or written", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { seed });
    const path = await rulesetsOf(world, "pro");
    const listed = listOf(await world.call("GET", path));
    const id = textIn(
      listed.find(({ kind }) => kind === "custom"),
      "id",
    );
    expect(listIn(resultOf(await world.call("GET", `${path}/${id}`))["rules"])).toHaveLength(1);
    const deployed = { rules: [execute(id)] };
    const entrypoint = `${path}/phases/${phase}/entrypoint`;
    expect((await world.call("PUT", entrypoint, deployed)).status).toBe(400);
    expect((await world.call("POST", `${path}/${id}/rules`, blocking)).status).toBe(400);
    expect((await world.call("DELETE", `${path}/${id}`)).status).toBe(400);
  });

  it("is created, changed and deleted in the audit log", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { seed });
    const path = await rulesetsOf(world, "pro");
    const id = await createdId(world, path, team);
    await world.call("POST", `${path}/${id}/rules?dry_run=true`, blocking);
    await world.call("POST", `${path}/${id}/rules`, blocking);
    await world.call("DELETE", `${path}/${id}`);

    const [account] = listOf(await world.call("GET", "/accounts"));
    const log = `/accounts/${textIn(account, "id")}/logs/audit`;
    const window = "since=2026-11-20&before=2026-11-21&direction=asc";
    const entries = listOf(await world.call("GET", `${log}?${window}`));
    const told = entries.map(({ action, resource }) => [
      textIn(objectIn(action), "type"),
      textIn(objectIn(resource), "id"),
    ]);
    expect(told).toEqual([
      ["create", id],
      ["create", id],
      ["delete", id],
    ]);
  });
});

function deploying(id: string): JsonObject {
  return { ...team, rules: [execute(id)] };
}
