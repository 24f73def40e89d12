import { describe, it } from "vitest";

import type { Json, JsonObject } from "../../src/syntax/json.ts";
import {
  type TestEmulator,
  errorOf,
  listIn,
  listOf,
  objectIn,
  resultOf,
  testEmulator,
  textIn,
} from "../support/emulator.ts";

/** What is written to an entry point, in two phases. */
const written: Readonly<Record<string, readonly JsonObject[]>> = {
  http_request_firewall_custom: [
    {
      ref: "monitoring",
      action: "skip",
      action_parameters: { phases: ["http_ratelimit"], products: ["bic"] },
      description: "Monitoring",
      enabled: true,
      expression: "ip.src in {198.51.100.7}",
      logging: { enabled: true },
    },
    {
      ref: "admin",
      action: "block",
      action_parameters: {
        response: { content: '{"error":"no"}', content_type: "application/json", status_code: 410 },
      },
      description: "Admin",
      enabled: true,
      expression: 'starts_with(http.request.uri.path, "/admin")',
    },
  ],
  http_ratelimit: [
    {
      ref: "search",
      action: "managed_challenge",
      description: "Search",
      enabled: true,
      expression: 'starts_with(http.request.uri.path, "/search")',
      ratelimit: {
        characteristics: ["cf.colo.id", "ip.src"],
        period: 10,
        requests_per_period: 30,
        mitigation_timeout: 0,
      },
    },
  ],
};

/** Members of a rule that clients read and never send. */
const readOnly = ["id", "version", "last_updated", "categories"];

function sendable(rule: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(rule).filter(([name]) => !readOnly.includes(name)));
}

async function zonePath(world: TestEmulator): Promise<string> {
  return `/zones/${await world.zoneId("www.brand.example")}/rulesets`;
}

function idsIn(ruleset: JsonObject): readonly string[] {
  return listIn(ruleset["rules"]).map((rule) => textIn(rule, "id"));
}

describe.for(Object.keys(written))("in the phase %s", (phase) => {
  const rules = written[phase] ?? [];

  // The requests of `cloudflare_ruleset`, version 5: POST, GET by id, PUT of everything, DELETE.
  it("Terraform creates, refreshes, updates and destroys an entry point", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const path = await zonePath(world);
    const facts = { kind: "zone", name: "terraform", phase, description: "By Terraform" };
    const created = resultOf(await world.call("POST", path, { ...facts, rules }));
    const own = `${path}/${textIn(created, "id")}`;
    expect(resultOf(await world.call("GET", own))).toEqual(created);

    const changed = rules.map((rule) => ({ ...rule, enabled: false }));
    const updated = resultOf(await world.call("PUT", own, { ...facts, rules: changed }));
    expect(idsIn(updated)).toEqual(idsIn(created));
    expect(listIn(updated["rules"]).every(({ version }) => version === "2")).toBe(true);
    expect((await world.call("DELETE", own)).status).toBe(204);
    expect((await world.call("GET", own)).status).toBe(404);
  });

  it("Terraform does not take over an entry point", async (context) => {
    await using world = await testEmulator(context);
    const path = await zonePath(world);
    await world.call("PUT", `${path}/phases/${phase}/entrypoint`, { rules });
    const facts = { kind: "zone", name: "terraform", phase, rules };
    context.expect(errorOf(await world.call("POST", path, facts))).toMatchObject({ code: 20217 });
  });

  // The requests of `octorules dump`, `plan` and `sync`, version 0.37.
  it("octorules dumps, changes and writes back an entry point", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const path = `${await zonePath(world)}/phases/${phase}/entrypoint`;
    expect((await world.call("GET", path)).status).toBe(404);
    const first = resultOf(await world.call("PUT", path, { rules }));

    const dumped = listIn(resultOf(await world.call("GET", path))["rules"]).map(sendable);
    const unchanged = resultOf(await world.call("PUT", path, { rules: dumped }));
    expect(unchanged["rules"]).toEqual(first["rules"]);
    const [head, ...others] = dumped;
    const rest = [...others, { ...objectIn(head), description: "Changed" }];
    const synced = resultOf(await world.call("PUT", path, { rules: rest }));
    expect(idsIn(synced).at(-1)).toBe(idsIn(first)[0]);
    expect(listIn(synced["rules"]).map(versionOf)).toEqual([...others.map(() => "1"), "2"]);
  });
});

it("octorules fills a custom ruleset of the zone", async (context) => {
  const { expect } = context;
  await using world = await testEmulator(context);
  const path = await zonePath(world);
  const phase = "http_request_firewall_custom";
  await world.call("POST", path, { name: "Team", kind: "custom", phase, rules: [] });
  const id = textIn(
    listOf(await world.call("GET", path)).find(({ kind }) => kind === "custom"),
    "id",
  );
  const { [phase]: rules = [] } = written;
  const filled = resultOf(await world.call("PUT", `${path}/${id}`, { rules }));
  expect(listIn(filled["rules"]).map(sendable)).toEqual(rules);
  expect((await world.call("DELETE", `${path}/${id}`)).status).toBe(204);
});

function versionOf({ version }: JsonObject): Json | undefined {
  return version;
}
