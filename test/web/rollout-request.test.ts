import { describe, it } from "vitest";

import type { RolloutAnswer } from "../../src/state/asked-of-rollout.ts";
import type {
  AskedOfRollout,
  RolloutEndpoint,
  RolloutRequest,
} from "../../src/web/rollout-request.ts";
import { readBody } from "../../src/web/token-gate.ts";
import { SimulatedClock } from "../support/clock.ts";
import { fleetOf, shop } from "../support/fleets.ts";
import { named } from "../support/reports.ts";
import { serveFleet } from "../support/web-server.ts";

const right = "a-token-of-a-rollout";

/** A server whose rollout can be commanded, and what it was asked. */
interface Commanded extends AsyncDisposable {
  readonly url: string;
  readonly asked: readonly AskedOfRollout[];
  readonly audited: readonly RolloutRequest[];
}

interface Scene extends Partial<Pick<RolloutEndpoint, "token" | "works">> {
  readonly answer?: RolloutAnswer | { readonly result: "not_stored" };
  readonly hasToken?: boolean;
}

async function serve({
  answer = { result: "done", zones: [], left: [] },
  hasToken = true,
  ...ports
}: Scene = {}): Promise<Commanded> {
  const asked: AskedOfRollout[] = [];
  const audited: RolloutRequest[] = [];
  const endpoint: RolloutEndpoint = {
    token: () => Promise.resolve(right),
    works: () => true,
    undeclared: (zones) => zones.filter((name) => name !== shop),
    command: (each) => {
      asked.push(each);
      return Promise.resolve(answer);
    },
    audit: (request) => audited.push(request),
    ...ports,
  };
  const rollout = hasToken ? endpoint : undefined;
  const server = await serveFleet(fleetOf(), { rollout, clock: new SimulatedClock() });
  return {
    url: server.url,
    asked,
    audited,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

interface Sent {
  readonly token?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function command(
  { url }: Commanded,
  name: string,
  { token = right, body = "", headers = {} }: Sent = {},
): Promise<readonly [number, unknown]> {
  const response = await fetch(`${url}/api/v1/rollout/${name}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, ...headers },
    body,
  });
  const json: unknown = await response.json();
  return [response.status, json];
}

const from = "127.0.0.1";

function unreadable(): Promise<string> {
  return Promise.reject(new Error("its file cannot be read"));
}

describe("a command for a rollout", () => {
  it.for(["pause", "resume", "abort"] as const)(
    "%s is done and audited",
    async (name, { expect }) => {
      await using server = await serve();
      const body = JSON.stringify({ revision: "r7", by: "mia" });
      expect(await command(server, name, { body })).toEqual([
        200,
        { result: "done", zones: [], left: [], steps: [] },
      ]);
      expect(server.asked).toEqual([
        { command: { name, zones: [] }, revision: "r7", by: "mia", from },
      ]);
      expect(server.audited).toStrictEqual([{ command: name, result: "done", by: "mia", from }]);
    },
  );

  it("promotes the zones that it names, each once", async ({ expect }) => {
    const [a, b] = [named("a.example"), named("b.example")];
    await using server = await serve({ answer: { result: "done", zones: [a], left: [b] } });
    const body = JSON.stringify({ zones: [shop, shop.toUpperCase()] });
    expect(await command(server, "promote", { body })).toEqual([
      200,
      { result: "done", zones: [a], left: [b], steps: [] },
    ]);
    expect(server.asked).toMatchObject([{ command: { name: "promote", zones: [shop] } }]);
  });

  it.for([
    { result: "no_rollout", status: 409, says: "no rollout is under way" },
    { result: "aborted", status: 409, says: "change the files" },
    { result: "not_listed", status: 503, says: "ask again in a minute" },
    { result: "not_planned", status: 409, says: "ask again in a minute" },
    { result: "not_stored", status: 503, says: "it is done, but not stored" },
    { result: "no_steps", zones: [], status: 409, says: "nothing in these zones has steps" },
    { result: "not_begun", zones: [], status: 503, says: "the step did not begin" },
  ] as const)("that ends as $result says what to do", async (row, { expect }) => {
    const { result, status, says } = row;
    await using server = await serve({ answer: row });
    const [answered, json] = await command(server, "pause");
    expect(answered).toBe(status);
    expect(JSON.stringify(json)).toMatch(new RegExp(`${says}.*(?<!: )"\\}$`));
    expect(server.audited).toMatchObject([{ result }]);
  });

  it("names the active revision, and the zones that do not wait", async ({ expect }) => {
    await using other = await serve({ answer: { result: "other_revision", active: "r9" } });
    expect(await command(other, "abort")).toEqual([
      409,
      { error: "another revision is active: name that, or none: r9" },
    ]);
    const zones = [named("a.example"), named("b.example")];
    await using waits = await serve({ answer: { result: "not_waiting", zones } });
    const [status, json] = await command(waits, "promote");
    expect(status).toBe(409);
    expect(JSON.stringify(json)).toContain("a.example, b.example");
  });

  it("is refused for zones that are not declared, of which it names five", async ({ expect }) => {
    await using server = await serve();
    const others = Array.from({ length: 7 }, (_, nth) => `z${nth}.example`);
    const one = JSON.stringify({ zones: ["z0.example"] });
    expect((await command(server, "promote", { body: one }))[0]).toBe(404);
    const body = JSON.stringify({ zones: [shop, ...others] });
    expect(await command(server, "promote", { body })).toEqual([
      404,
      {
        error:
          "these zones are not declared: z0.example, z1.example, z2.example, z3.example, z4.example and 2 more",
      },
    ]);
    expect(server.asked).toEqual([]);
  });

  it.for([
    { body: "{" },
    { body: "[]" },
    { body: '{"zone":"shop.example.com"}' },
    { body: '{"zones":"shop.example.com"}' },
    { body: '{"zones":[7]}' },
    { body: '{"zones":["..", "shop.example.com"]}' },
    { body: '{"revision":7}' },
    { body: '{"by":["mia"]}' },
    { body: JSON.stringify({ by: "m".repeat(101) }) },
    { body: JSON.stringify({ revision: "r".repeat(201) }) },
    { body: JSON.stringify({ zones: [shop], key: "k".repeat(1_001) }) },
    { body: JSON.stringify({ zones: [shop], key: 7 }) },
  ])("is refused with the message $body", async ({ body }, { expect }) => {
    await using server = await serve();
    expect((await command(server, "promote", { body }))[0]).toBe(400);
    expect(server.asked).toEqual([]);
    expect(server.audited).toMatchObject([{ result: "bad_message" }]);
  });

  it("may have the longest names", async ({ expect }) => {
    await using server = await serve({ answer: { result: "as_before" } });
    const [revision, key, by] = ["r".repeat(200), "k".repeat(1_000), "m".repeat(100)];
    const body = JSON.stringify({ zones: [shop], revision, key, by });
    expect((await command(server, "promote", { body }))[0]).toBe(200);
    expect(server.asked).toMatchObject([{ command: { key }, revision, by }]);
  });

  it("names zones, and a key only to promote it in them", async ({ expect }) => {
    await using server = await serve();
    const zones = [shop];
    for (const name of ["pause", "resume", "abort", "promote"]) {
      expect((await command(server, name, { body: JSON.stringify({ zones }) }))[0]).toBe(200);
    }
    const body = JSON.stringify({ zones, key: "policy/pay" });
    for (const name of ["pause", "resume", "abort"]) {
      expect((await command(server, name, { body }))[0]).toBe(400);
    }
    expect((await command(server, "promote", { body: '{"key":"policy/pay"}' }))[0]).toBe(400);
    expect((await command(server, "promote", { body }))[0]).toBe(200);
    expect(server.asked.map((asked) => asked.command)).toEqual([
      { name: "pause", zones },
      { name: "resume", zones },
      { name: "abort", zones },
      { name: "promote", zones },
      { name: "promote", zones, key: "policy/pay" },
    ]);
  });

  it("says what became of steps, and what keeps one from that", async ({ expect }) => {
    const zone = named("a.example");
    const event = { zone, key: "policy/pay", event: "promoted", from: "log", to: "allow" } as const;
    const steps = [{ ...event, cause: { by: "mia" } }];
    await using done = await serve({ answer: { result: "done", zones: [zone], left: [], steps } });
    expect(await command(done, "promote")).toEqual([
      200,
      { result: "done", zones: [zone], left: [], steps: [event] },
    ]);
    const busy = { result: "busy", zones: [zone], key: "policy/pay" } as const;
    await using waits = await serve({ answer: busy });
    const [status, json] = await command(waits, "promote");
    expect(status).toBe(409);
    expect(JSON.stringify(json)).toContain("promote it first: policy/pay of a.example");
    await using none = await serve({ answer: { result: "no_steps", zones: [zone] } });
    expect(JSON.stringify((await command(none, "pause"))[1])).toContain(
      "promote, or name no zones",
    );
  });

  it("without a body is one without words", async ({ expect }) => {
    const request = new Request("http://localhost/api/v1/rollout/pause", { method: "POST" });
    expect(await readBody(request, 10)).toEqual(Buffer.alloc(0));
    await using server = await serve();
    expect((await command(server, "pause", { body: " \n" }))[0]).toBe(200);
  });

  it("is refused where the message is too long", async ({ expect }) => {
    await using server = await serve();
    const body = `{"by":"${"m".repeat(4 * 1024 * 1024)}"}`;
    expect((await command(server, "pause", { body }))[0]).toBe(413);
  });

  it.for([
    { token: "", status: 401 },
    { token: `${right}x`, status: 401 },
    { token: right.slice(1), status: 401 },
  ])("is refused with the token '$token'", async ({ token, status }, { expect }) => {
    await using server = await serve();
    expect((await command(server, "abort", { token }))[0]).toBe(status);
    expect(server.asked).toEqual([]);
    expect(server.audited).toEqual([{ command: "abort", result: "wrong_token", by: "", from }]);
  });

  it("is refused after ten wrong tokens", async ({ expect }) => {
    await using server = await serve();
    for (let guess = 0; guess < 10; guess += 1) {
      await command(server, "pause", { token: `guess-${guess}` });
    }
    expect((await command(server, "pause"))[0]).toBe(429);
    expect(server.asked).toEqual([]);
  });

  it("is refused where the token cannot be read", async ({ expect }) => {
    await using server = await serve({ token: unreadable });
    expect((await command(server, "pause"))[0]).toBe(503);
    expect(server.audited).toMatchObject([
      { result: "no_token", error: "its file cannot be read" },
    ]);
  });

  it("is refused by a process that waits for the Lease", async ({ expect }) => {
    await using server = await serve({ works: () => false });
    const [status, json] = await command(server, "pause");
    expect(status).toBe(503);
    expect(JSON.stringify(json)).toContain("send the request to the holder of the Lease");
    expect(server.asked).toEqual([]);
  });

  it("of another site is refused, even with the token", async ({ expect }) => {
    await using server = await serve();
    const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    expect((await command(server, "abort", { headers }))[0]).toBe(403);
    expect(server.audited).toEqual([{ command: "abort", result: "foreign_site", by: "", from }]);
    expect(server.asked).toEqual([]);
  });

  it("is not there without a token, nor under another name", async ({ expect }) => {
    await using off = await serve({ hasToken: false });
    expect(await command(off, "pause")).toEqual([404, { error: "not found" }]);
    await using server = await serve();
    expect((await command(server, "undo"))[0]).toBe(404);
    expect((await fetch(`${server.url}/api/v1/rollout/pause`)).status).toBe(405);
    expect(server.asked).toEqual([]);
  });
});
