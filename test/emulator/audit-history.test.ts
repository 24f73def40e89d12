import Cloudflare from "cloudflare";
import { describe, it } from "vitest";

import { advance, auditPath, zone } from "../support/audit-log.ts";
import { type TestEmulator, objectIn, testEmulator } from "../support/emulator.ts";

describe("the official client and the audit log", () => {
  it("tells the history of a resource to the official client", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const { emulator, fetch } = world;
    const options = { apiToken: "emulator-token", baseURL: emulator.baseUrl, maxRetries: 0 };
    const client = new Cloudflare({ ...options, fetch });
    const zone_id = await world.zoneId(zone);
    const account_id = (await auditPath(world)).split("/")[2] ?? "";
    const policy = {
      zone_id,
      description: "Scripts",
      action: "log",
      expression: "true",
      enabled: true,
      value: "script-src 'self'",
    } as const;
    const created = await client.pageShield.policies.create(policy);
    await advance(world, "1s");
    await client.pageShield.policies.update(created?.id ?? "", { ...policy, action: "allow" });
    await client.pageShield.update({ zone_id, enabled: false });
    await world.control("POST", "/managed", { ruleset: "owasp" });

    const dates = { account_id, since: "2026-11-20", before: "2026-11-21" };
    const { audit } = client.accounts.logs;
    const listed: Cloudflare.Accounts.Logs.AuditListResponse[] = [];
    for await (const entry of audit.list({ ...dates, direction: "asc", limit: 1 })) {
      listed.push(entry);
    }
    const [first] = listed;
    const history = await audit.history(first?.id ?? "", {
      ...dates,
      action_time: first?.action?.time ?? "",
      direction: "asc",
    });
    expect(history.map(({ action }) => action?.type)).toEqual(["create", "update"]);
    expect(await statusOf(world, client, listed.at(-1), dates)).toBe("approximate");
    expect(await statusOf(world, client, first, dates)).toBe("exact");
  });
});
async function statusOf(
  { exchanges }: TestEmulator,
  client: Cloudflare,
  entry: Cloudflare.Accounts.Logs.AuditListResponse | undefined,
  dates: { readonly account_id: string; readonly since: string; readonly before: string },
): Promise<unknown> {
  const action_time = entry?.action?.time ?? "";
  await client.accounts.logs.audit.history(entry?.id ?? "", { ...dates, action_time });
  return objectIn(objectIn(exchanges.at(-1)?.received)["result_info"])["history_status"];
}
