import { once } from "node:events";

import { describe, it } from "vitest";

import { Faults } from "../../src/emulator/control/faults.ts";
import { codeOf, errorOf, listOf, resultOf, testEmulator, textIn } from "../support/emulator.ts";

const policy = {
  description: "A",
  action: "log",
  expression: "true",
  enabled: true,
  value: "script-src 'self'",
};

/** Which of a thousand requests a fault with probability 0.3 hits. */
function hitsOf(seed: number): readonly boolean[] {
  const faults = new Faults();
  faults.add({ fault: "lost_answer", probability: 0.3, seed });
  const target = { method: "GET", path: "/zones", credential: "" };
  return Array.from({ length: 1_000 }, () => faults.effectsOn(target).lostAnswer === true);
}

describe("a fault", () => {
  it.for([{ status: 500 }, { status: 503, retry_after: 7 }, { status: 429, retry_after: 300 }])(
    "answers $status without doing anything",
    async ({ status, ...more }, context) => {
      const { expect } = context;
      await using world = await testEmulator(context);
      const path = `/zones/${await world.zoneId("www.brand.example")}/page_shield/policies`;
      await world.control("POST", "/faults", { fault: "status", status, count: 1, ...more });
      const answer = await world.call("POST", path, policy);
      expect(answer.status).toBe(status);
      expect(answer.headers.get("retry-after")).toBe(more.retry_after?.toString() ?? null);
      if (status === 429) expect(codeOf(answer)).toBe(971);
      expect(listOf(await world.call("GET", path))).toEqual([]);
    },
  );

  it.for([
    { fault: "lost_request", happened: false },
    { fault: "lost_answer", happened: true },
  ])(
    "$fault breaks the connection; the write happened: $happened",
    async ({ fault, happened }, context) => {
      const { expect } = context;
      await using world = await testEmulator(context);
      const path = `/zones/${await world.zoneId("www.brand.example")}/page_shield/policies`;
      await world.control("POST", "/faults", { fault, method: "POST", count: 1 });
      await expect(world.call("POST", path, policy)).rejects.toThrow();
      expect(listOf(await world.call("GET", path))).toHaveLength(happened ? 1 : 0);
      expect(world.emulator.journal().map(({ status }) => status)).toEqual([200, 0, 200]);
    },
  );

  it("cut_body closes the connection in the middle of the body", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    await world.control("POST", "/faults", { fault: "cut_body", count: 1 });
    const headers = { authorization: "Bearer emulator-token" };
    const response = await fetch(`${world.emulator.baseUrl}/zones`, { headers });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    expect((await world.call("GET", "/zones")).status).toBe(200);
  });

  it("malformed_json sends a body that cannot be parsed", async (context) => {
    await using world = await testEmulator(context);
    await world.control("POST", "/faults", { fault: "malformed_json", count: 1 });
    const { status, text } = await world.stray("GET", "/zones");
    context.expect(status).toBe(200);
    context.expect(() => JSON.parse(text) as unknown).toThrow();
  });

  it.for([
    { fault: "malformed_json", yields: 204 },
    { fault: "cut_body", yields: "broken" },
    { fault: "lost_answer", yields: "broken" },
  ])("$fault makes a response without a body $yields", async ({ fault, yields }, context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const path = `/zones/${await world.zoneId("shop.example.com")}/page_shield/policies`;
    const [live] = listOf(await world.call("GET", path));
    await world.control("POST", "/faults", { fault, method: "DELETE", count: 1 });
    const answer = world.stray("DELETE", `${path}/${textIn(live, "id")}`);
    const outcome = await answer.then(
      ({ status }) => status,
      () => "broken",
    );
    expect(outcome).toBe(yields);
    expect(listOf(await world.call("GET", path))).toEqual([]);
  });

  it("latency waits before the request is handled", async (context) => {
    const waits: number[] = [];
    const sleep = async (milliseconds: number): Promise<void> => {
      waits.push(milliseconds);
    };
    await using world = await testEmulator(context, { sleep });
    await world.control("POST", "/faults", { fault: "latency", milliseconds: 1_500, count: 1 });
    await world.call("GET", "/zones");
    await world.call("GET", "/zones");
    context.expect(waits).toEqual([1_500]);
  });

  it("latency ends when the client does not wait", async (context) => {
    const { expect } = context;
    const ended = Promise.withResolvers<void>();
    const client = new AbortController();
    const sleep = async (_milliseconds: number, signal: AbortSignal): Promise<void> => {
      client.abort();
      await once(signal, "abort");
      ended.resolve();
      signal.throwIfAborted();
    };
    await using world = await testEmulator(context, { sleep });
    await world.control("POST", "/faults", { fault: "latency", milliseconds: 60_000, count: 1 });
    const headers = { authorization: "Bearer emulator-token" };
    const { signal } = client;
    await expect(fetch(`${world.emulator.baseUrl}/zones`, { headers, signal })).rejects.toThrow();
    await ended.promise;
    expect((await world.call("GET", "/zones")).status).toBe(200);
    expect(world.emulator.journal().map(({ status }) => status)).toEqual([0, 200]);
  });

  it("stale affects reads, not writes", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const path = `/zones/${await world.zoneId("shop.example.com")}/page_shield`;
    const enabled = async (): Promise<unknown> =>
      resultOf(await world.call("GET", path))["enabled"];
    await world.control("POST", "/clock", { advance: "1m" });
    await world.call("PUT", path, { enabled: false });
    await world.control("POST", "/faults", { fault: "stale", seconds: 30, method: "GET" });

    expect(await enabled()).toBe(true);
    const write = await world.call("PUT", path, { use_connection_url_path: true });
    expect(resultOf(write)["enabled"]).toBe(false);
    await world.control("POST", "/clock", { advance: "31s" });
    expect(await enabled()).toBe(false);
  });

  it("revoked rejects a credential while the fault is active", async (context) => {
    await using world = await testEmulator(context);
    await world.control("POST", "/faults", { fault: "revoked", credential: "everything" });
    const refused = await world.call("GET", "/zones");
    context.expect([refused.status, codeOf(refused)]).toEqual([403, 9109]);
    await world.control("DELETE", "/faults");
    context.expect((await world.call("GET", "/zones")).status).toBe(200);
  });

  it.for([
    { spec: { method: "get" }, hits: [true, true, false, true] },
    { spec: { method: "PUT" }, hits: [false, false, true, false] },
    { spec: { path: "*/policies" }, hits: [false, true, false, false] },
    { spec: { path: "/zones/*/page_shield" }, hits: [true, false, true, false] },
    { spec: { credential: "reader" }, hits: [false, false, false, true] },
    { spec: { count: 2 }, hits: [true, true, false, false] },
    { spec: { skip: 1, count: 1 }, hits: [false, true, false, false] },
    { spec: { probability: 0 }, hits: [false, false, false, false] },
  ])("with $spec hits $hits", ({ spec, hits }, { expect }) => {
    const faults = new Faults();
    faults.add({ fault: "lost_answer", ...spec });
    const targets = [
      { method: "GET", path: "/zones/a/page_shield", credential: "all" },
      { method: "GET", path: "/zones/a/page_shield/policies", credential: "all" },
      { method: "PUT", path: "/zones/a/page_shield", credential: "all" },
      { method: "GET", path: "/zones", credential: "reader" },
    ];
    expect(targets.map((target) => faults.effectsOn(target).lostAnswer === true)).toEqual(hits);
  });

  it("with a probability hits about that often, and the same way for the same seed", ({
    expect,
  }) => {
    expect(hitsOf(7)).toEqual(hitsOf(7));
    expect(hitsOf(7)).not.toEqual(hitsOf(8));
    const share = hitsOf(7).filter(Boolean).length / 1_000;
    expect(share).toBeGreaterThan(0.25);
    expect(share).toBeLessThan(0.35);
  });

  it.for([
    { spec: {}, pointer: "/fault" },
    { spec: { fault: "fire" }, pointer: "/fault" },
    { spec: { fault: "latency" }, pointer: "/milliseconds" },
    { spec: { fault: "status", status: 200 }, pointer: "/status" },
    { spec: { fault: "lost_answer", probability: 2 }, pointer: "/probability" },
    { spec: { fault: "lost_answer", times: 2 }, pointer: "/times" },
  ])("specified as $spec is rejected", async ({ spec, pointer }, context) => {
    await using world = await testEmulator(context);
    const answer = await world.control("POST", "/faults", spec);
    context.expect(answer.status).toBe(400);
    context.expect(errorOf(answer)).toMatchObject({ source: { pointer } });
  });

  it("is listed with its number of hits, and removed by its id", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const spec = { fault: "status", status: 500, count: 3 };
    const { body } = await world.control("POST", "/faults", spec);
    expect(body).toMatchObject({ id: 1, remaining: 3, hits: 0 });
    await world.call("GET", "/zones");
    const listed = await world.control("GET", "/faults");
    expect(listed.body["faults"]).toEqual([{ id: 1, spec, remaining: 2, hits: 1 }]);
    expect((await world.control("DELETE", "/faults/1")).status).toBe(200);
    expect((await world.control("DELETE", "/faults/1")).status).toBe(404);
    expect((await world.call("GET", "/zones")).status).toBe(200);
  });
});
