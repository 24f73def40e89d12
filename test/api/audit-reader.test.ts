import { describe, it } from "vitest";

import { AuditReader } from "../../src/api/audit-reader.ts";
import { sendWithRetries } from "../../src/api/request/retry.ts";
import type { AuditWindow } from "../../src/zone/audit-entry.ts";
import { owaspRulesetId } from "../../src/zone/managed-ruleset.ts";
import { ServiceError } from "../../src/zone/service-error.ts";
import { control } from "../support/ask.ts";
import { SimulatedClock } from "../support/clock.ts";
import { emulated } from "../support/emulated.ts";
import { startServer, succeed } from "../support/http-server.ts";
import { zoneNamed } from "../support/model.ts";
import { connect, plantedToken, zone } from "../support/service.ts";

const zones = [{ name: "shop.example.com", settings: { enabled: true } }];
const everything = { name: "everything", value: plantedToken, permissions: "all" } as const;

/** A window around every clock of a test. */
const always: AuditWindow = { since: new Date(0), before: new Date("2100-01-01T00:00:00Z") };

describe("the reader of audit logs", () => {
  it.for(["published", "specification"] as const)(
    "reads who wrote what, in the dialect %s",
    async (dialect, { expect, signal }) => {
      await using at = await emulated({}, { dialect, seed: { zones } });
      await at.edit({ settings: { enabled: false }, actor: "alice@example.com" });
      const audit = new AuditReader(at.service);
      const { entries, malformed, isCut } = await audit.read([at.zone], always, signal);
      expect({ malformed, isCut }).toEqual({ malformed: 0, isCut: false });
      expect(entries).toMatchObject([
        {
          actor: { type: "user", context: "dash", email: "alice@example.com", tokenId: "" },
          method: "PUT",
          path: `/zones/${at.zone.id}/page_shield`,
          isRefused: false,
          zoneId: at.zone.id,
          zoneName: "shop.example.com",
        },
      ]);
    },
  );

  it("knows our token and its writes, and reads the entries of the token too", async ({
    expect,
    signal,
  }) => {
    await using at = await emulated({}, { seed: { zones } });
    const audit = new AuditReader(at.service);
    await at.edit({ settings: { enabled: false } });
    await at.send("PUT", "/page_shield", { enabled: true });
    const read = await audit.read([at.zone], always, signal);
    expect(read.entries.map(({ actor }) => actor.context)).toEqual(["api_token", "dash"]);
    const all = await audit.readAll([at.zone], always, signal);
    expect(all.entries.map(({ actor }) => actor.context).toSorted()).toEqual(["api_token", "dash"]);
    const whole = await audit.readOf(at.zone, always, signal);
    const ids = whole.entries.map(({ actor }) => actor.tokenId).filter((id) => id !== "");
    expect(ids.map((id) => audit.isOwnToken(id))).toEqual([true]);
    expect(audit.isOwnToken("")).toBe(false);
  });

  it("tells the entries of a zone from those of other zones and of the account itself", async ({
    expect,
    signal,
  }) => {
    const seed = { zones: [...zones, { name: "blog.example.com", settings: { enabled: true } }] };
    await using at = await emulated({}, { seed });
    const edit = { settings: { enabled: false } };
    await at.edit({ ...edit, zone: "shop.example.com" });
    await at.edit({ ...edit, zone: "blog.example.com" });
    await control(at.emulator, "/managed", { ruleset: "owasp", version: "88" });
    const { zones: both } = await at.reader.listZones(signal);
    const shop = both.find(({ name }) => name === "shop.example.com") ?? at.zone;
    const audit = new AuditReader(at.service);
    const ofShop = await audit.readOf(shop, always, signal);
    expect(ofShop.entries.map(({ zoneName }) => zoneName)).toEqual(["shop.example.com"]);
    const ofAccount = await audit.readAccountOf(shop, always, signal);
    expect(ofAccount.entries.map(({ resourceId }) => resourceId)).toEqual([owaspRulesetId]);
    expect((await audit.readAll([shop], always, signal)).entries).toHaveLength(3);
  });

  it("reads although the token cannot be verified", async ({ expect, signal }) => {
    await using at = await emulated({}, { seed: { zones } });
    await at.fault({ fault: "status", status: 503, path: "*/tokens/verify" });
    await at.edit({ settings: { enabled: false } });
    const { entries } = await new AuditReader(at.service).read([at.zone], always, signal);
    expect(entries).toHaveLength(1);
  });

  it.for([
    { path: "*/logs/audit*", retryAfter: 120, isPaused: false },
    { path: "*/logs/audit*", retryAfter: 300, isPaused: false },
    { path: "*/page_shield*", retryAfter: 120, isPaused: true },
  ])(
    "pauses the token after a 429 of $path: $isPaused",
    async ({ path, retryAfter, isPaused }, { expect, signal }) => {
      const clock = new SimulatedClock();
      const tokens = [everything];
      const seed = { zones, tokens, rate_limit: { requests: 1_200, window: "300s" } };
      await using at = await emulated({}, { seed, clock, timeoutMs: 1e9 });
      const fault = { fault: "status", status: 429, retry_after: retryAfter };
      await at.fault({ ...fault, path, count: 1 });
      const { credential } = at.session;
      const isQuiet = (): boolean => credential.state.inFlight === 0;
      const reading = new AuditReader(at.service).read([at.zone], always, signal);
      const audited = await clock.run(
        reading.catch((error: unknown) => error),
        isQuiet,
      );
      expect(audited instanceof ServiceError).toBe(!isPaused);
      if (audited instanceof ServiceError) {
        expect(audited).toMatchObject({ code: "API_RATE_LIMITED" });
        expect(audited.retryAfterMs).toBe(retryAfter * 1_000);
      }
      expect(credential.state.pause).toBeUndefined();
      await clock.run(at.look(signal), isQuiet);
      const waitedMs = clock.monotonicMs();
      expect(waitedMs >= 120_000).toBe(isPaused);
    },
  );

  it("lets no limit that the audit log reports bind other requests", async ({ expect, signal }) => {
    const limited = { ratelimit: '"audit";r=0;t=300', "ratelimit-policy": '"audit";q=1;w=300' };
    await using server = await startServer((_seen, response) => {
      for (const [name, value] of Object.entries(limited)) response.setHeader(name, value);
      succeed(response, []);
    });
    await using connected = connect(server.baseUrl);
    const { credential } = connected.session;
    credential.noteTokenId("known");
    await new AuditReader(connected.service).read([zoneNamed("shop.example.com")], always, signal);
    expect(credential.state.remaining).toBeGreaterThan(100);
    expect(credential.state.limit).toBeGreaterThan(100);
  });

  it("counts retries into its share of the request budget", async ({ expect, signal }) => {
    const clock = new SimulatedClock();
    const windowMs = 300_000;
    // 2 % of them are three requests in a window.
    const budget = { limit: 150, windowMs, reserve: 0 };
    await using at = await emulated({}, { seed: { zones }, clock, timeoutMs: 1e9, budget });
    await at.fault({ fault: "status", status: 503, path: "*/logs/audit*", count: 1 });
    const audit = new AuditReader(at.service);
    const read = async (): Promise<number> => {
      const reading = audit.readAll([at.zone], always, signal);
      await clock.run(reading, () => at.session.credential.state.inFlight === 0);
      return clock.monotonicMs();
    };
    const retried = await read();
    expect(retried).toBeLessThan(1_000);
    expect(await read()).toBe(retried);
    expect(await read()).toBeGreaterThanOrEqual(windowMs);
  });

  it("says that all tokens are denied, and takes another credential where one is", async ({
    expect,
    signal,
  }) => {
    const weak = { name: "weak", value: "weak-token", permissions: ["Zone Read"] } as const;
    const seed = { zones, tokens: [everything, weak] };
    const weakFirst = { name: "weak", source: { read: () => Promise.resolve("weak-token") } };
    await using both = await emulated({}, { seed, credentials: [weakFirst, {}] });
    const audit = new AuditReader(both.service);
    expect((await audit.read([both.zone], always, signal)).isCut).toBe(false);

    await using one = await emulated({}, { seed, credentials: [weakFirst] });
    const denied = new AuditReader(one.service);
    const error: unknown = await denied
      .read([one.zone], always, signal)
      .catch((each: unknown) => each);
    expect(error instanceof ServiceError && denied.isDenied(error)).toBe(true);
    expect(String(error)).toContain("Account Settings: Read");
  });

  it.for([
    { code: "API_FORBIDDEN", denied: true },
    { code: "API_UNAUTHORIZED", denied: true },
    { code: "API_NOT_FOUND", denied: true },
    { code: "API_UNREACHABLE", denied: false },
    { code: "API_BUDGET", denied: false },
  ] as const)("takes $code for a denied token: $denied", async ({ code, denied }, { expect }) => {
    await using at = await emulated({}, { seed: { zones } });
    const audit = new AuditReader(at.service);
    expect(audit.isDenied(new ServiceError(code, "told"))).toBe(denied);
  });

  it("does not try another credential where the service cannot answer", async ({
    expect,
    signal,
  }) => {
    await using at = await emulated({}, { seed: { zones }, credentials: [{}, { name: "second" }] });
    await at.fault({ fault: "status", status: 400, path: "*/logs/audit*", count: 1 });
    await expect(new AuditReader(at.service).read([at.zone], always, signal)).rejects.toThrow();
  });

  it("reads with a credential that serves only some of the zones, and with none that serves none", async ({
    expect,
    signal,
  }) => {
    await using at = await emulated({}, { seed: { zones }, credentials: [{ zones: ["shop.*"] }] });
    const audit = new AuditReader(at.service);
    const blog = zoneNamed("blog.example.com");
    expect((await audit.read([at.zone, blog], always, signal)).isCut).toBe(false);
    await expect(audit.read([blog], always, signal)).rejects.toThrow("no credential serves");
  });

  it("knows the tokens of every credential", async ({ expect }) => {
    await using at = connect("http://127.0.0.1:9", { credentials: [{}, { name: "second" }] });
    for (const [index, { credential }] of at.service.sessions.entries()) {
      credential.noteTokenId(`t${index}`);
    }
    const audit = new AuditReader(at.service);
    expect(["t0", "t1", "t2", ""].map((id) => audit.isOwnToken(id))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it("asks for the entries of our own token too", async ({ expect, signal }) => {
    await using server = await startServer((_seen, response) => succeed(response, []));
    await using at = connect(server.baseUrl);
    at.session.credential.noteTokenId("t1");
    await new AuditReader(at.service).read([zone()], always, signal);
    const query = new URLSearchParams(server.seen.at(-1)?.path.split("?")[1]);
    expect([...query.keys()].toSorted()).toEqual(["before", "direction", "limit", "since"]);
    expect(query.get("since")).toBe(always.since.toISOString());
  });

  it("knows what was written with each credential, and whose token is whose", async ({
    expect,
    signal,
  }) => {
    const seen = { "cf-auditlog-id": "e1" };
    await using server = await startServer((_seen, response) => {
      for (const [name, value] of Object.entries(seen)) response.setHeader(name, value);
      succeed(response, {});
    });
    await using at = connect(server.baseUrl, { credentials: [{}, { name: "second" }] });
    const audit = new AuditReader(at.service);
    const [first, second] = at.service.sessions;
    if (first === undefined || second === undefined) throw new Error("two credentials");
    first.credential.noteTokenId("t1");
    second.credential.noteTokenId("t2");
    const route = "/zones/{zone_id}/page_shield";
    const call = { route, params: { zone_id: "z1" }, query: {}, body: {} };
    await sendWithRetries(second, "write", { ...call, method: "PUT" }, signal);
    await sendWithRetries(first, "write", { ...call, method: "GET", body: undefined }, signal);
    const dryRun = { ...call, query: { dry_run: "true" } };
    await sendWithRetries(first, "write", { ...dryRun, method: "POST" }, signal);
    expect(audit.sentWrites().writes).toMatchObject([
      {
        method: "PUT",
        path: "/zones/z1/page_shield",
        isAnswered: true,
        ray: "ray",
        entryId: "e1",
      },
    ]);
    const owners = (): readonly string[] => ["t1", "t2", "t3"].map((id) => audit.credentialOf(id));
    expect(owners()).toEqual([first.credential.name, "second", ""]);
    second.credential.noteTokenId("t1");
    expect(owners()).toEqual(["", "second", ""]);
  });
});
