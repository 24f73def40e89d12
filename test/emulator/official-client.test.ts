import Cloudflare from "cloudflare";
import { describe, it } from "vitest";

import { operations } from "../../src/emulator/http/operations.ts";
import { type TestEmulator, listIn, objectIn, testEmulator, textIn } from "../support/emulator.ts";

const owasp = "4814384a9e5d4991b9815dcfc25d2f1f";
const phase = "http_request_firewall_managed";

function clientOf({ emulator, fetch }: TestEmulator): Cloudflare {
  const options = { apiToken: "emulator-token", baseURL: emulator.baseUrl, maxRetries: 0 };
  return new Cloudflare({ ...options, fetch });
}

interface Everywhere {
  readonly client: Cloudflare;
  readonly zone_id: string;
  readonly account_id: string;
}

async function everywhere(world: TestEmulator): Promise<Everywhere> {
  const client = clientOf(world);
  const zones = await client.zones.list({ name: "shop.example.com" });
  const [zone] = zones.result;
  return { client, zone_id: zone?.id ?? "", account_id: zone?.account.id ?? "" };
}

/** What the official client can do, one function for each noun, in words of its own. */
const visits = {
  zones: async ({ client, zone_id }: Everywhere) => {
    for await (const { id } of client.zones.list({ per_page: 5 })) {
      await client.zones.get({ zone_id: id });
    }
    await client.zones.get({ zone_id });
  },
  accounts: async ({ client, account_id }: Everywhere) => {
    await client.accounts.list();
    await client.accounts.get({ account_id });
    await client.user.tokens.verify();
    await client.accounts.tokens.verify({ account_id });
  },
  "the audit log": async ({ client, account_id, zone_id }: Everywhere) => {
    await client.pageShield.update({ zone_id, enabled: false });
    const window = { account_id, since: "2026-11-20", before: "2026-11-21" };
    const { audit } = client.accounts.logs;
    const ids: string[] = [];
    for await (const { id, action } of audit.list({ ...window, limit: 2 })) {
      ids.push(id ?? "");
      await audit.history(id ?? "", { ...window, action_time: action?.time ?? "" });
    }
    if (ids.length === 0) throw new Error("the audit log has no entry of the update");
    for await (const { value } of audit.productCategories({ account_id })) {
      await audit.list({ ...window, product_category: [value ?? ""] });
    }
  },
  "Page Shield": async ({ client, zone_id }: Everywhere) => {
    await client.pageShield.get({ zone_id });
    await client.pageShield.update({ zone_id, enabled: true, use_connection_url_path: true });
    for await (const { id } of client.pageShield.scripts.list({ zone_id })) {
      await client.pageShield.scripts.get(id, { zone_id });
    }
    for await (const { id } of client.pageShield.connections.list({ zone_id })) {
      await client.pageShield.connections.get(id, { zone_id });
    }
    for await (const { id } of client.pageShield.cookies.list({ zone_id })) {
      await client.pageShield.cookies.get(id, { zone_id });
    }
  },
  policies: async ({ client, zone_id }: Everywhere) => {
    const id = await createAndUpdatePolicy(client, zone_id);
    await client.pageShield.policies.get(id, { zone_id });
    for await (const { id: each } of client.pageShield.policies.list({ zone_id })) {
      await client.pageShield.policies.delete(each, { zone_id });
    }
  },
  "rulesets of a zone": async ({ client, zone_id }: Everywhere) => {
    await visitRulesets(client, { zone_id });
  },
  "custom rules and rate limits": async ({ client, zone_id }: Everywhere) => {
    await visitCustomRules(client, zone_id);
    await visitRateLimits(client, zone_id);
  },
  "rulesets of an account": async ({ client, account_id }: Everywhere) => {
    await visitRulesets(client, { account_id });
    // The client has lost this operation; the service has not.
    const path = `/accounts/${account_id}/rulesets/${owasp}/versions/87/by_tag/paranoia-level-2`;
    await client.get(path);
  },
};

async function createAndUpdatePolicy(client: Cloudflare, zone_id: string): Promise<string> {
  const named = { description: "Scripts", expression: "true", value: "script-src 'self'" };
  const policy = { zone_id, ...named, enabled: true, action: "log" } as const;
  const created = await client.pageShield.policies.create(policy);
  const id = created?.id ?? "";
  await client.pageShield.policies.update(id, { ...policy, action: "allow" });
  return id;
}

/** Rulesets are alike at both levels. */
async function visitRulesets(
  { rulesets }: Cloudflare,
  place: { readonly zone_id: string } | { readonly account_id: string },
): Promise<void> {
  const deploying = {
    action: "execute",
    action_parameters: { id: owasp },
    expression: "true",
  } as const;
  await rulesets.phases.update(phase, { ...place, rules: [{ ...deploying, ref: "a" }] });
  await rulesets.phases.get(phase, place);
  for await (const { version } of rulesets.phases.versions.list(phase, place)) {
    await rulesets.phases.versions.get(version, { ruleset_phase: phase, ...place });
  }

  const facts = { kind: "custom", name: "Ours", phase: "http_request_firewall_custom" } as const;
  const ruleset_id = idOf(await rulesets.create({ ...place, ...facts }));
  await rulesets.update(ruleset_id, { ...place, description: "By the client", rules: [] });
  const rule = { action: "log", expression: "true" } as const;
  const added = await rulesets.rules.create(ruleset_id, { ...place, ...rule });
  const rule_id = idOf(listIn(objectIn(added)["rules"])[0]);
  await rulesets.rules.edit(rule_id, { ruleset_id, ...place, ...rule, expression: "ssl" });
  await rulesets.rules.delete(rule_id, { ruleset_id, ...place });

  for await (const { id } of rulesets.list({ ...place, per_page: 2 })) {
    await rulesets.get(id, place);
  }
  for await (const { version } of rulesets.versions.list(ruleset_id, place)) {
    await rulesets.versions.get(version, { ruleset_id, ...place });
  }
  await rulesets.versions.delete("1", { ruleset_id, ...place });
  await rulesets.delete(ruleset_id, place);
}

/** A custom ruleset is created and deployed, and the rules of the entry point are moved. */
async function visitCustomRules({ rulesets }: Cloudflare, zone_id: string): Promise<void> {
  const custom = "http_request_firewall_custom";
  const response = { status_code: 403, content_type: "text/plain", content: "no" };
  const blocking = { action: "block", expression: "ssl", ref: "blocking" } as const;
  const skipping = {
    action: "skip" as const,
    action_parameters: { phases: ["http_ratelimit" as const], products: ["bic" as const] },
    logging: { enabled: false },
    expression: "ip.src in {198.51.100.7}",
  };
  const team = { name: "Team", kind: "custom", phase: custom } as const;
  const teamId = idOf(await rulesets.create({ zone_id, ...team, rules: [blocking] }));
  const entrypoint = await rulesets.phases.update(custom, {
    zone_id,
    rules: [{ ...blocking, action_parameters: { response } }],
  });
  const ruleset_id = idOf(entrypoint);
  const deploying = { action: "execute", action_parameters: { id: teamId } } as const;
  const place = { zone_id, position: { before: "" } };
  const rule = { ...deploying, expression: "true", ...place } as const;
  await rulesets.rules.create(ruleset_id, { ...rule, dry_run: true });
  const deployed = await rulesets.rules.create(ruleset_id, rule);
  const rule_id = idOf(listIn(objectIn(deployed)["rules"])[0]);
  await rulesets.rules.create(ruleset_id, { ...skipping, ...place });
  const last = { ruleset_id, ...deploying, expression: "ssl", zone_id, position: { after: "" } };
  await rulesets.rules.edit(rule_id, last);
  const { rules } = objectIn(await rulesets.phases.get(custom, { zone_id }));
  const actions = listIn(rules).map((each) => textIn(each, "action"));
  if (actions.join(" ") !== "skip block execute") throw new Error(`rules are ${actions.join(" ")}`);
  await rulesets.rules.delete(rule_id, { ruleset_id, zone_id });
  await rulesets.delete(teamId, { zone_id });
}

async function visitRateLimits({ rulesets }: Cloudflare, zone_id: string): Promise<void> {
  const limit = {
    action: "managed_challenge" as const,
    expression: 'http.request.uri.path eq "/login"',
    ratelimit: {
      characteristics: ["cf.colo.id", "ip.src"],
      period: 60,
      requests_per_period: 5,
      mitigation_timeout: 0,
      counting_expression: "http.response.code eq 401",
    },
  };
  const entrypoint = await rulesets.phases.update("http_ratelimit", { zone_id, rules: [limit] });
  const ruleset_id = idOf(entrypoint);
  const added = await rulesets.rules.create(ruleset_id, { ...limit, action: "block", zone_id });
  const rule_id = idOf(listIn(objectIn(added)["rules"])[1]);
  const slower = { ...limit.ratelimit, period: 600, requests_to_origin: true };
  const edit = { ...limit, action: "block", ratelimit: slower, zone_id } as const;
  await rulesets.rules.edit(rule_id, { ...edit, ruleset_id });
  await rulesets.rules.delete(rule_id, { ruleset_id, zone_id });
}

function idOf(answer: unknown): string {
  return textIn(objectIn(answer), "id");
}

describe("the official client of the API", () => {
  it("works with every supported operation, and the answers are as the published schema has them", async (context) => {
    await using world = await testEmulator(context);
    const place = await everywhere(world);
    for (const visit of Object.values(visits)) await visit(place);
    context.expect(world.exchanges.filter(({ status }) => status >= 400)).toEqual([]);

    const reached = world.exchanges.map(({ method, path }) => ({
      method,
      path: path.split("?")[0] ?? "",
    }));
    const missed = operations.filter(({ method, path }) => {
      const pattern = new RegExp(`^${path.replaceAll(/:[a-z_]+/g, "[^/]+")}$`);
      return !reached.some((visit) => visit.method === method && pattern.test(visit.path));
    });
    // It has no method for GraphQL.
    context.expect(missed.map(({ path }) => path)).toEqual(["/graphql"]);
  });

  it("pages through a zone's rulesets", async (context) => {
    await using world = await testEmulator(context);
    const { client, zone_id } = await everywhere(world);
    const ids: string[] = [];
    for await (const { id } of client.rulesets.list({ zone_id, per_page: 3 })) ids.push(id);
    context.expect(new Set(ids).size).toBe(11);
    context.expect(ids).toContain(owasp);
  });
});

it("tells the history of a resource to the official client", async (context) => {
  const { expect } = context;
  await using world = await testEmulator(context);
  const { client, zone_id, account_id } = await everywhere(world);
  await createAndUpdatePolicy(client, zone_id);
  await client.pageShield.update({ zone_id, enabled: false });
  await world.control("POST", "/managed", { ruleset: "owasp" });

  const dates = { account_id, since: "2026-11-20", before: "2026-11-21" };
  const { audit } = client.accounts.logs;
  const listed: Cloudflare.Accounts.Logs.AuditListResponse[] = [];
  for await (const entry of audit.list({ ...dates, direction: "asc", limit: 1 })) {
    listed.push(entry);
  }
  const history = async (
    entry: Cloudflare.Accounts.Logs.AuditListResponse | undefined,
  ): Promise<unknown> => {
    const query = { ...dates, action_time: entry?.action?.time ?? "", direction: "asc" } as const;
    const page = await audit.history(entry?.id ?? "", query);
    const info = objectIn(objectIn(world.exchanges.at(-1)?.received)["result_info"]);
    return [info["history_status"], ...page.map(({ action }) => action?.type)];
  };
  expect(await history(listed[0])).toEqual(["exact", "create", "update"]);
  expect(await history(listed.at(-1))).toEqual(["approximate", "update"]);
});
