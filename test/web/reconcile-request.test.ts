import { describe, it } from "vitest";

import type {
  ReconcileEndpoint,
  ReconcileRequest,
  StoreRequest,
} from "../../src/web/reconcile-request.ts";
import { readBody } from "../../src/web/token-gate.ts";
import { SimulatedClock } from "../support/clock.ts";
import { fleetOf, shop } from "../support/fleets.ts";
import { requestFrom } from "../support/request-from.ts";
import { serveFleet } from "../support/web-server.ts";

const right = "a-token-of-some-length";

/** A server that can be asked, what became of it, and whom it woke. */
interface Asked extends AsyncDisposable {
  readonly url: string;
  readonly clock: SimulatedClock;
  readonly asks: readonly ReconcileRequest[];
  readonly woken: readonly string[];
  /** What was to be stored, and what became of it. */
  readonly messages: readonly unknown[];
  readonly stores: readonly StoreRequest[];
}

async function serve(
  canReconcile = true,
  token: () => Promise<string> = () => Promise.resolve(right),
  works = true,
  stored: "stored" | "busy" | "not_stored" = "stored",
): Promise<Asked> {
  const clock = new SimulatedClock();
  const asks: ReconcileRequest[] = [];
  const woken: string[] = [];
  const messages: unknown[] = [];
  const stores: StoreRequest[] = [];
  const endpoint: ReconcileEndpoint = {
    store: (message: unknown) => {
      messages.push(message);
      return Promise.resolve(message === undefined ? "bad_message" : stored);
    },
    auditStore: (request: StoreRequest) => stores.push(request),
    token,
    works: () => works,
    request: (zone: string) => woken.push(zone),
    audit: (ask: ReconcileRequest) => asks.push(ask),
  };
  const reconcile = canReconcile ? endpoint : undefined;
  const server = await serveFleet(fleetOf(), { reconcile, clock });
  return {
    url: server.url,
    clock,
    asks,
    woken,
    messages,
    stores,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Asks as another program does. */
function askAs(token: string, { url }: Asked, zone = ""): Promise<Response> {
  const query = zone === "" ? "" : `?zone=${zone}`;
  const headers = { authorization: `Bearer ${token}` };
  return fetch(`${url}/api/v1/reconcile${query}`, { method: "POST", headers });
}

/** Sends the form of a page. */
function sendForm(
  { url }: Asked,
  headers: Readonly<Record<string, string>>,
  fields: Readonly<Record<string, string>>,
): Promise<Response> {
  const body = new URLSearchParams(fields);
  return fetch(`${url}/reconcile`, { method: "POST", headers, body, redirect: "manual" });
}

describe("the reconcile endpoint", () => {
  it("of a process that waits for the Lease starts nothing, and says so", async ({ expect }) => {
    await using server = await serve(true, () => Promise.resolve(right), false);
    const answer = await askAs(right, server);
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain("waits for the Lease");
    expect(server.woken).toEqual([]);
    expect(server.asks.map(({ result }) => result)).toEqual(["standby"]);
  });

  it("accepts the token, for all zones or one, and is audited", async ({ expect }) => {
    await using server = await serve();
    const all = await askAs(right, server);
    expect([all.status, await all.json()]).toEqual([202, { result: "accepted", zone: null }]);
    const one = await askAs(right, server, shop);
    expect(await one.json()).toEqual({ result: "accepted", zone: shop });
    expect(server.woken).toEqual(["", shop]);
    expect(server.asks).toEqual([
      { result: "accepted", zone: "", from: "127.0.0.1" },
      { result: "accepted", zone: shop, from: "127.0.0.1" },
    ]);
  });

  it.for([
    { token: "", result: "wrong_token", status: 401 },
    { token: `${right}x`, result: "wrong_token", status: 401 },
    { token: right.slice(0, -1), result: "wrong_token", status: 401 },
  ])("is refused with the token '$token'", async ({ token, result, status }, { expect }) => {
    await using server = await serve();
    expect((await askAs(token, server)).status).toBe(status);
    expect(server.asks.map((ask) => ask.result)).toEqual([result]);
    expect(server.woken).toEqual([]);
  });

  it("has a name of a zone in the audit log up to the longest that there can be", async ({
    expect,
  }) => {
    await using server = await serve();
    const longest = `${"a".repeat(245)}.example`;
    for (const zone of [longest, `${longest}s`]) await askAs(right, server, zone);
    expect(server.asks.map(({ zone }) => zone)).toEqual([longest, longest]);
  });

  it("is refused for a zone that is not declared", async ({ expect }) => {
    await using server = await serve();
    expect((await askAs(right, server, "other.example")).status).toBe(404);
    expect(server.woken).toEqual([]);
  });

  it("judges only ten of many wrong tokens that arrive together", async ({ expect }) => {
    const all = Promise.withResolvers<string>();
    let reading = 0;
    await using server = await serve(true, () => {
      reading += 1;
      if (reading === 50) all.resolve(right);
      return all.promise;
    });
    const guesses = Array.from({ length: 50 }, (_, guess) => askAs(`guess-${guess}`, server));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(40);
  });

  it("does not lock out a client for the wrong tokens of another", async ({ expect }) => {
    await using server = await serve();
    const statuses: number[] = [];
    for (let guess = 0; guess <= 10; guess += 1) {
      const { status } = await requestFrom(`${server.url}/api/v1/reconcile`, {
        method: "POST",
        headers: { authorization: `Bearer guess-${guess}` },
        localAddress: "127.0.0.2",
      });
      statuses.push(status);
    }
    expect(statuses.at(-1)).toBe(429);
    expect((await askAs(right, server)).status).toBe(202);
  });

  it("does not let tokens be guessed: after ten wrong ones in a minute none is answered", async ({
    expect,
  }) => {
    await using server = await serve();
    for (let guess = 0; guess < 10; guess += 1) await askAs(`guess-${guess}`, server);
    expect((await askAs(right, server)).status).toBe(429);
    await server.clock.advance(60_000);
    expect((await askAs(right, server)).status).toBe(202);
  });

  it.for([
    { from: "the page itself", headers: { "sec-fetch-site": "same-origin" }, status: 303 },
    { from: "a foreign page", headers: { "sec-fetch-site": "cross-site" }, status: 403 },
    { from: "a neighbour's page", headers: { "sec-fetch-site": "same-site" }, status: 403 },
    {
      from: "an old browser on a foreign page",
      headers: { origin: "https://evil.example" },
      status: 403,
    },
    { from: "nowhere", headers: {}, status: 403 },
  ])("by a form from $from is answered with $status", async ({ headers, status }, { expect }) => {
    await using server = await serve();
    const response = await sendForm(server, { ...headers }, { token: right, zone: shop });
    expect(response.status).toBe(status);
    expect(server.woken).toEqual(status === 303 ? [shop] : []);
    expect(server.asks.map(({ zone }) => zone)).toEqual([status === 303 ? shop : ""]);
    if (status === 303) expect(response.headers.get("location")).toBe(`/zones/${shop}`);
  });

  it.for([
    {
      what: "too long",
      type: "application/x-www-form-urlencoded",
      body: "x".repeat(5_000),
      status: 413,
      result: "too_large",
    },
    {
      what: "malformed",
      type: "multipart/form-data; boundary=x",
      body: "--x\r\nnonsense",
      status: 400,
      result: "bad_form",
    },
    {
      what: "without a boundary",
      type: "multipart/form-data",
      body: "token=a",
      status: 400,
      result: "bad_form",
    },
  ])("by a form that is $what is answered with $status", async (given, { expect }) => {
    await using server = await serve();
    const headers = { "sec-fetch-site": "same-origin", "content-type": given.type };
    const { body, status, result } = given;
    const response = await fetch(`${server.url}/reconcile`, { method: "POST", headers, body });
    expect(response.status).toBe(status);
    expect(await response.text()).not.toContain("internal error");
    expect(server.asks).toMatchObject([{ result, zone: "" }]);
    const stream = new Blob([body]).stream(); // Sent in chunks, without a length.
    const init = { method: "POST", headers, body: stream, duplex: "half" } as const;
    expect((await fetch(`${server.url}/reconcile`, init)).status).toBe(status);
  });

  it.for([
    { announced: "5000", is: "too_large" },
    { announced: "4096", is: "unreadable" },
  ])(
    "reads no body that is announced as too long: $announced bytes are $is",
    async (row, { expect }) => {
      const body = new ReadableStream({ pull: (sent) => sent.error(new Error("it is read")) });
      const headers = { "content-length": row.announced };
      const init = { method: "POST", headers, body, duplex: "half" } as const;
      expect(await readBody(new Request("http://localhost/", init), 4_096)).toBe(row.is);
    },
  );

  it.for([
    { why: "missing", token: () => Promise.reject(new Error("its file cannot be read: ENOENT")) },
    { why: "empty", token: () => Promise.resolve("") },
  ])("answers 503 while the token is $why", async ({ token }, { expect }) => {
    await using server = await serve(true, token);
    const response = await askAs("", server);
    expect(response.status).toBe(503);
    expect(await response.text()).toContain("see the log");
    expect(server.asks).toMatchObject([{ result: "no_token" }]);
    expect(server.asks[0]?.error).toMatch(/empty|cannot be read/);
    expect(server.woken).toEqual([]);
  });

  it.for(["application/x-www-form-urlencoded", "multipart/form-data"])(
    "reads a form of type %s that is sent in chunks",
    async (type, { expect }) => {
      await using server = await serve();
      const form = type.startsWith("multipart") ? new FormData() : new URLSearchParams();
      form.append("token", right);
      const copy = new Response(form);
      const headers = {
        "sec-fetch-site": "same-origin",
        "content-type": copy.headers.get("content-type") ?? "",
      };
      const init = { method: "POST", headers, body: copy.body, duplex: "half" } as const;
      const answer = await fetch(`${server.url}/reconcile`, { ...init, redirect: "manual" });
      expect([answer.status, answer.headers.get("location")]).toEqual([303, "/"]);
      expect(server.woken).toEqual([""]);
    },
  );

  it.for([
    { bytes: 4_095, status: 303 },
    { bytes: 4_096, status: 303 },
    { bytes: 4_097, status: 413 },
  ])(
    "by a form of $bytes bytes is answered with $status",
    async ({ bytes, status }, { expect }) => {
      await using server = await serve();
      const headers = {
        "sec-fetch-site": "same-origin",
        "content-type": "application/x-www-form-urlencoded",
      };
      const body = `token=${right}&more=`.padEnd(bytes, "x");
      const whole = { method: "POST", headers, body, redirect: "manual" } as const;
      expect((await fetch(`${server.url}/reconcile`, whole)).status).toBe(status);
      const chunks = { ...whole, body: new Blob([body]).stream(), duplex: "half" } as const;
      expect((await fetch(`${server.url}/reconcile`, chunks)).status).toBe(status);
      expect(server.woken).toEqual(status === 303 ? ["", ""] : []);
    },
  );

  it("by a form needs the token as well", async ({ expect }) => {
    await using server = await serve();
    const own = { "sec-fetch-site": "same-origin" };
    expect((await sendForm(server, own, { token: "", zone: shop })).status).toBe(401);
    expect(server.woken).toEqual([]);
  });

  it("is not there where no token is configured: neither form nor route", async ({ expect }) => {
    await using server = await serve(false);
    expect((await askAs(right, server)).status).toBe(404);
    expect(await (await fetch(`${server.url}/zones/${shop}`)).text()).not.toContain("/reconcile");
    await using open = await serve();
    expect(await (await fetch(`${open.url}/zones/${shop}`)).text()).toContain("/reconcile");
  });
});

function send(
  { url }: Asked,
  headers: Readonly<Record<string, string>>,
  body: string | ReadableStream = '{"format":1,"zones":[]}',
): Promise<Response> {
  const init = { method: "POST", headers, body, duplex: "half" } as const;
  return fetch(`${url}/api/v1/store`, init);
}

describe("the endpoint for what commands store", () => {
  const authorized = { authorization: `Bearer ${right}` };

  it("stores with the token, and is audited", async ({ expect }) => {
    await using server = await serve();
    const answer = await send(server, authorized);
    expect([answer.status, await answer.json()]).toEqual([200, { result: "stored" }]);
    expect(server.messages).toEqual([{ format: 1, zones: [] }]);
    expect(server.stores).toEqual([{ result: "stored", from: "127.0.0.1" }]);
    expect(server.woken).toEqual([]);
  });

  it.for([
    { when: "the token is wrong", headers: { authorization: "Bearer no" }, status: 401 },
    { when: "there is no token", headers: {}, status: 401 },
    { when: "more follows", headers: { authorization: `Bearer ${right} x` }, status: 401 },
    { when: "more comes first", headers: { authorization: `x Bearer ${right}` }, status: 401 },
    {
      when: "another site sent it",
      headers: { ...authorized, origin: "https://evil.example" },
      status: 403,
    },
    {
      when: "a browser says that another site sent it",
      headers: { ...authorized, "sec-fetch-site": "cross-site" },
      status: 403,
    },
    { when: "its host is unknown", headers: { ...authorized, host: "evil.example" }, status: 421 },
  ])("stores nothing if $when", async ({ headers, status }, { expect }) => {
    await using server = await serve();
    const found = await requestFrom(`${server.url}/api/v1/store`, { method: "POST", headers });
    expect(found.status).toBe(status);
    expect(server.messages).toEqual([]);
  });

  it.for([
    { stored: "busy", status: 409, says: "send the message again" },
    { stored: "not_stored", status: 503, says: "the store cannot be written" },
  ] as const)("says what became of it: $stored", async ({ stored, status, says }, { expect }) => {
    await using server = await serve(true, () => Promise.resolve(right), true, stored);
    const answer = await send(server, authorized);
    expect(answer.status).toBe(status);
    expect(await answer.text()).toContain(says);
    expect(server.stores).toEqual([{ result: stored, from: "127.0.0.1" }]);
  });

  it("stores nothing of a message whose sender breaks off", async ({ expect }) => {
    const asked = Promise.withResolvers<void>();
    await using server = await serve(true, () => {
      asked.resolve();
      return Promise.resolve(right);
    });
    const body = new ReadableStream({
      start: (sent) => sent.enqueue(new TextEncoder().encode("{")),
      pull: async (sent) => {
        await asked.promise;
        sent.error(new Error("the sender ends"));
      },
    });
    await expect(send(server, authorized, body)).rejects.toThrow();
    await expect.poll(() => server.stores).toMatchObject([{ result: "bad_message" }]);
    expect(server.messages).toEqual([]);
  });

  it("stores nothing of what is no JSON, or too large, or comes to a standby", async ({
    expect,
  }) => {
    await using server = await serve();
    expect((await send(server, authorized, "{")).status).toBe(400);
    const large = "x".repeat(16 * 1024 * 1024 + 1);
    const refused = await send(server, authorized, large).then(
      ({ status }) => status,
      () => 413,
    );
    expect(refused).toBe(413);
    await using standby = await serve(true, () => Promise.resolve(right), false);
    expect((await send(standby, authorized)).status).toBe(503);
    await using off = await serve(false);
    expect((await send(off, authorized)).status).toBe(404);
    await using unready = await serve(true, () => Promise.resolve(""));
    expect((await send(unready, authorized)).status).toBe(503);
    expect(unready.stores).toMatchObject([{ result: "no_token", error: "the token is empty" }]);
    expect([...server.messages, ...standby.messages]).toEqual([undefined]);
  });
});
