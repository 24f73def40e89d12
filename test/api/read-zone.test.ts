import { describe, it } from "vitest";

import { createReader, writeSender } from "../../src/api/service.ts";
import { createWriter } from "../../src/api/write/send-write.ts";
import { dialects } from "../../src/emulator/http/api-endpoint.ts";
import { rulesIn } from "../../src/zone/live-zone.ts";
import type { PartsToRead } from "../../src/zone/ports.ts";
import { factsOfPhase } from "../../src/zone/rule-phase.ts";
import { SimulatedClock } from "../support/clock.ts";
import { emulated, everything } from "../support/emulated.ts";
import { refuse, startServer, succeed } from "../support/http-server.ts";
import { connect, zone } from "../support/service.ts";
import { deployOwasp, policy, shop } from "../support/writes.ts";

const entrypointPath = `/zones/…/rulesets/phases/${factsOfPhase("managed_rules").wire}/entrypoint`;
const nothing = { settings: false, policies: false, rules: [], scoreRule: false } as const;

describe("reading a zone", () => {
  it("costs three requests, and the score rule one for the account", async ({ expect, signal }) => {
    await using shopAt = await shop();
    await shopAt.look(signal);
    await shopAt.look(signal);
    expect(shopAt.journal()).toEqual([
      "GET /zones/…/page_shield",
      "GET /zones/…/page_shield/policies",
      `GET ${entrypointPath}`,
      "GET /accounts/…/rulesets/…",
      "GET /zones/…/page_shield",
      "GET /zones/…/page_shield/policies",
      `GET ${entrypointPath}`,
    ]);
  });

  it.for([
    { wanted: nothing, requests: 0 },
    { wanted: { ...nothing, settings: true }, requests: 1 },
    { wanted: { ...nothing, policies: true }, requests: 1 },
    { wanted: { ...nothing, rules: ["managed_rules"] as const }, requests: 1 },
    { wanted: { ...everything, policies: false, scoreRule: false }, requests: 2 },
  ])("$wanted costs $requests", async ({ wanted, requests }, { expect, signal }) => {
    await using shopAt = await shop();
    const live = await shopAt.reader.readZone(shopAt.zone, wanted, "sweep", signal);
    expect(shopAt.journal()).toHaveLength(requests);
    expect(live).toMatchObject({ zone: shopAt.zone });
    expect(live.settings === undefined).toBe(!wanted.settings);
    expect(live.policies === undefined).toBe(!wanted.policies);
    expect(live.entrypoints.managed_rules === undefined).toBe(wanted.rules.length === 0);
    expect(live.scoreRule).toBeUndefined();
  });

  it.for([
    { what: "a setting", edit: { settings: { enabled: true } } },
    { what: "a policy", edit: { policy: "By hand", set: { enabled: false } } },
    { what: "a rule", edit: { rule: "owasp", set: { paranoia_level: 4 } } },
  ])("gives answers of one digest until $what is edited", async ({ edit }, { expect, signal }) => {
    await using shopAt = await shop();
    const look = () => shopAt.reader.readAnswers(shopAt.zone, everything, "sweep", signal);
    const first = await look();
    const again = await look();
    expect(again.digest).toBe(first.digest);
    expect(again.live()).toEqual(first.live());
    await shopAt.edit(edit);
    const edited = await look();
    expect(edited.digest).not.toBe(first.digest);
    expect(edited.live()).not.toEqual(first.live());
  });

  it.for([{ entrypoint: [deployOwasp] }, {}])(
    "says when the request of each part was sent, and not when the last was answered",
    async (seed, { expect, signal }) => {
      const clock = new SimulatedClock();
      await using at = await emulated(seed, { clock, timeoutMs: 1e9 });
      await at.fault({
        fault: "status",
        status: 429,
        retry_after: 80,
        path: "*/policies",
        count: 1,
      });
      const reading = at.reader.readAnswers(at.zone, everything, "sweep", signal);
      const isIdle = (): boolean => at.session.credential.state.inFlight === 0;
      const { readAt } = await clock.run(reading, isIdle);
      const [settings = NaN, policies = NaN, rules = NaN] = [
        readAt.settings,
        readAt.policies,
        readAt.managed_rules,
      ];
      expect(settings).toBeLessThan(1_000);
      expect(policies).toBeGreaterThanOrEqual(80_000);
      expect(rules).toBeGreaterThanOrEqual(policies);
      expect(clock.monotonicMs()).toBeGreaterThanOrEqual(rules);
    },
  );

  it("counts no wait for the request budget as age", async ({ expect, signal }) => {
    const clock = new SimulatedClock();
    const budget = { limit: 2, windowMs: 60_000, reserve: 0 };
    await using at = await emulated({}, { clock, timeoutMs: 1e9, budget });
    const wanted = { ...everything, scoreRule: false };
    const reading = at.reader.readAnswers(at.zone, wanted, "sweep", signal);
    const { readAt } = await clock.run(reading, () => at.session.credential.state.inFlight === 0);
    const ended = clock.monotonicMs();
    expect(ended).toBeGreaterThan(10_000);
    expect([readAt.policies, readAt.managed_rules]).toEqual([ended, ended]);
  });

  it("gives another digest where another score rule applies", async ({ expect, signal }) => {
    await using shopAt = await shop();
    const without = { ...everything, scoreRule: false };
    const read = (wanted: PartsToRead) =>
      shopAt.reader.readAnswers(shopAt.zone, wanted, "sweep", signal);
    expect((await read(everything)).digest).not.toBe((await read(without)).digest);
  });

  it("gives another digest where a part is absent than where it is not read", async (context) => {
    const { expect, signal } = context;
    await using bare = await emulated({});
    const read = (wanted: PartsToRead) =>
      bare.reader.readAnswers(bare.zone, wanted, "sweep", signal);
    const without = { ...everything, rules: [] };
    expect((await read(everything)).digest).not.toBe((await read(without)).digest);
  });

  it("gives the same in every dialect of the service", async ({ expect, signal }) => {
    const lives = [];
    for (const dialect of dialects) {
      await using shopAt = await shop({ dialect });
      lives.push(await shopAt.look(signal));
    }
    const [published, specification] = lives;
    expect(published?.policies).toHaveLength(1);
    expect(specification).toEqual(published);
  });

  it("tells an entry point that is absent from one that is empty", async ({ expect, signal }) => {
    await using absent = await emulated({});
    await using empty = await emulated({ entrypoint: [] });
    expect((await absent.look(signal)).entrypoints.managed_rules).toEqual({ state: "absent" });
    expect((await empty.look(signal)).entrypoints.managed_rules).toMatchObject({
      state: "present",
      rules: [],
    });
  });

  it.for([
    { status: 404, code: 7003 },
    { status: 404, code: 10000 },
    { status: 403, code: 10003 },
    { status: 400, code: 10003 },
    { status: 401, code: 10000 },
  ])("a $status with code $code is a failed read, not an empty zone", async (row, context) => {
    await using server = await startServer((_seen, response) =>
      refuse(response, row.status, row.code),
    );
    await using connected = connect(server.baseUrl);
    const reader = createReader(connected.service);
    const read = reader.readZone(
      zone(),
      { ...nothing, rules: ["managed_rules"] as const },
      "sweep",
      context.signal,
    );
    await context.expect(read).rejects.toMatchObject({ status: row.status, transient: false });
  });

  it("stops at the first request that fails", async ({ expect, signal }) => {
    await using shopAt = await shop();
    await shopAt.fault({ fault: "status", status: 403, path: "*/policies" });
    await expect(shopAt.look(signal)).rejects.toMatchObject({ code: "API_FORBIDDEN" });
    expect(shopAt.journal()).toHaveLength(2);
  });

  it.for([
    { path: "/page_shield", result: { enabled: true }, says: "a setting is missing" },
    { path: "/page_shield/policies", result: {}, says: "not a list of policies" },
    { path: "/entrypoint", result: [], says: "not a ruleset with rules" },
    {
      path: "/page_shield/policies",
      result: [{ id: "..", description: "[zonewarden:old]" }],
      says: "unexpected response shape",
    },
  ])("an answer of $path that is of another kind is API_MALFORMED", async (row, context) => {
    const { expect, signal } = context;
    const settings = {
      enabled: true,
      use_cloudflare_reporting_endpoint: true,
      use_connection_url_path: true,
    };
    await using server = await startServer(({ path }, response) => {
      const usual = path.endsWith("/policies") ? [] : settings;
      succeed(response, path.endsWith(row.path) ? row.result : usual);
    });
    await using connected = connect(server.baseUrl);
    const reader = createReader(connected.service);
    const wanted = { ...everything, scoreRule: false };
    const read = reader.readZone(zone(), wanted, "sweep", signal);
    await expect(read).rejects.toThrow(row.says);
    await expect(read).rejects.toMatchObject({
      code: "API_MALFORMED",
      ray: "ray-1",
      transient: false,
    });
  });

  it.for([
    { result: [], info: { total_count: 120 }, says: "0 is said to have 120" },
    { result: [], info: { count: 3, total_count: 0 }, says: "0 is said to have 3" },
    { result: [], info: { total_count: "7" }, says: "0 is said to have 7" },
    { result: [{}, {}], info: { count: 2, total_count: 5 }, says: "2 is said to have 5" },
    { result: [{}], info: { total_count: 0 }, says: "1 is said to have 0" },
  ])("a list that contradicts its counts is no list: $says", async (row, { expect, signal }) => {
    const { result, info, says } = row;
    await using server = await startServer((_seen, response) =>
      succeed(response, result, {}, info),
    );
    await using connected = connect(server.baseUrl);
    const reader = createReader(connected.service);
    const read = reader.readZone(zone(), { ...nothing, policies: true }, "sweep", signal);
    await expect(read).rejects.toThrow(says);
    await expect(read).rejects.toMatchObject({ code: "API_MALFORMED", transient: true });
  });

  it.for([undefined, {}, { count: 0, total_count: 0, total_pages: 0 }])(
    "a list without policies is empty with %j",
    async (info, { expect, signal }) => {
      await using server = await startServer((_seen, response) => succeed(response, [], {}, info));
      await using connected = connect(server.baseUrl);
      const reader = createReader(connected.service);
      const read = reader.readZone(zone(), { ...nothing, policies: true }, "sweep", signal);
      expect((await read).policies).toEqual([]);
    },
  );

  it.for([
    { part: { policies: true }, result: Array.from({ length: 10_001 }, () => ({})) },
    {
      part: { rules: ["managed_rules"] as const },
      result: { rules: Array.from({ length: 10_001 }, () => ({})) },
    },
  ])("of $part a list has a limit", async ({ part, result }, { expect, signal }) => {
    await using server = await startServer((_seen, response) => succeed(response, result));
    await using connected = connect(server.baseUrl);
    const reader = createReader(connected.service);
    const read = reader.readZone(zone(), { ...nothing, ...part }, "sweep", signal);
    await expect(read).rejects.toThrow("a list of 10001 exceeds the limit of 10000");
  });

  it("bears a thousand foreign rules", async ({ expect, signal }) => {
    const rules = Array.from({ length: 1_000 }, (_, index) => ({
      id: index.toString(16).padStart(32, "0"),
      action: index % 2 === 0 ? "block" : "score",
      expression: "true",
      ratelimit: { period: index },
    }));
    await using server = await startServer((_seen, response) =>
      succeed(response, { id: "e1", version: "9", rules }),
    );
    await using connected = connect(server.baseUrl);
    const wanted = { ...nothing, rules: ["managed_rules"] as const };
    const live = await createReader(connected.service).readZone(zone(), wanted, "sweep", signal);
    const read = rulesIn(live.entrypoints.managed_rules);
    expect(read.map(({ wire }) => wire)).toEqual(rules);
    expect(new Set(read.map(({ action: does }) => does.type))).toEqual(new Set(["other"]));
  });
});

describe("several credentials", () => {
  const seed = {
    accounts: [{ name: "Shops" }, { name: "Brands" }],
    tokens: [
      { name: "shops", value: "shops-token", accounts: ["Shops"] },
      { name: "brands", value: "brands-token", accounts: ["Brands"] },
    ],
    zones: [
      { name: "shop.example.com", account: "Shops", policies: [policy] },
      { name: "brand.example", account: "Brands", entrypoint: [deployOwasp] },
    ],
  };
  const shops = { name: "shops", source: source("shops-token"), accounts: ["Shops"] };
  const brands = { name: "brands", source: source("brands-token"), zones: ["brand.*"] };

  it("list their zones together and serve each its own", async ({ expect, signal }) => {
    await using at = await emulated({}, { seed, credentials: [shops, brands] });
    const { zones, failed } = await at.reader.listZones(signal);
    expect(zones.map(({ name }) => name)).toEqual(["brand.example", "shop.example.com"]);
    expect(failed).toEqual([]);
    for (const one of zones) await at.reader.readZone(one, everything, "sweep", signal);
    expect(new Set(at.requests.map(({ credential }) => credential))).toEqual(
      new Set(["shops", "brands"]),
    );
    expect(at.service.sessions.map(({ credential }) => credential.state.limit)).toEqual([
      1_200, 1_200,
    ]);
  });

  it("one whose listing fails hides only its own zones, and is named", async ({
    expect,
    signal,
  }) => {
    const revoked = { ...brands, source: source("unknown-token") };
    await using at = await emulated({}, { seed, credentials: [shops, revoked] });
    const { zones, failed } = await at.reader.listZones(signal);
    expect(zones.map(({ name }) => name)).toEqual(["shop.example.com"]);
    expect(failed).toMatchObject([{ credential: "brands", error: { transient: false } }]);
  });

  it("throw when not one of them can list", async ({ expect, signal }) => {
    await using server = await startServer((_seen, response) => refuse(response, 403, 9109));
    await using at = connect(server.baseUrl, { credentials: [shops, brands] });
    await expect(createReader(at.service).listZones(signal)).rejects.toMatchObject({
      code: "API_FORBIDDEN",
    });
  });

  it("leave a zone that none of them serves alone, with words on what to do", async ({
    expect,
    signal,
  }) => {
    await using at = await emulated({}, { seed, credentials: [shops] });
    const foreign = zone("brand.example", { accountId: "acc9", accountName: "Brands" });
    const error = {
      code: "API_NO_CREDENTIAL",
      message:
        "brand.example: no credential serves this zone; add the zone or its account to a credential under credentials",
    };
    await expect(at.reader.readZone(foreign, everything, "sweep", signal)).rejects.toMatchObject(
      error,
    );
    const live = { ...(await at.look(signal)), zone: foreign };
    const write = { call: "update-settings", body: { enabled: true }, changes: [] } as const;
    await expect(
      createWriter(writeSender(at.service)).write(live, write, signal, signal),
    ).rejects.toMatchObject(error);
  });
});

function source(token: string): { read(): Promise<string> } {
  return { read: () => Promise.resolve(token) };
}
