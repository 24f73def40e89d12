import type { ServerResponse } from "node:http";
import { createServer, type Socket } from "node:net";
import { inspect } from "node:util";

import { describe, it } from "vitest";

import { get, type Call } from "../../src/api/request/call.ts";
import { maxAnswerBytes } from "../../src/api/request/client.ts";
import { sendWithRetries } from "../../src/api/request/retry.ts";
import { ServiceError } from "../../src/zone/service-error.ts";
import { refuse, startServer, succeed, type Answering, type Seen } from "../support/http-server.ts";
import { close, listenOnLoopback } from "../support/loopback.ts";
import { connect, plantedToken, type ServiceChoice } from "../support/service.ts";

const settings = get("/zones/{zone_id}/page_shield", { zone_id: "z1" });
const put: Call = { ...settings, method: "PUT", body: { enabled: true } };
const once1: ServiceChoice = { retry: { maxAttempts: 1 } };

/** Sends one call to a server that answers so, and gives the error that came of it. */
async function errorFrom(
  answering: Answering,
  signal: AbortSignal,
  call: Call = settings,
  choice: ServiceChoice = once1,
): Promise<ServiceError> {
  await using server = await startServer(answering);
  return await errorAt(server.baseUrl, signal, call, choice);
}

async function errorAt(
  baseUrl: string,
  signal: AbortSignal,
  call: Call = settings,
  choice: ServiceChoice = once1,
): Promise<ServiceError> {
  await using connected = connect(baseUrl, choice);
  try {
    await sendWithRetries(connected.session, "sweep", call, signal);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error("expected an ApiError");
}

/** A server below HTTP: it handles each connection as the test says. */
async function startRaw(
  handle: (socket: Socket) => void,
): Promise<AsyncDisposable & { readonly baseUrl: string }> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => handle(socket));
  });
  const port = await listenOnLoopback(server);
  return {
    baseUrl: `http://127.0.0.1:${port}/client/v4`,
    [Symbol.asyncDispose]: () => close(server),
  };
}

describe("a request", () => {
  it("carries the token, fills its route and gives result and ray", async ({ expect, signal }) => {
    await using server = await startServer((_seen, response) =>
      succeed(response, { enabled: true }, { "cf-ray": "8f-ams" }),
    );
    await using connected = connect(server.baseUrl);
    const call = { ...put, params: { zone_id: "z1" }, query: { dry_run: "true" } };

    const answer = await sendWithRetries(connected.session, "write", call, signal);

    expect(answer.result()).toEqual({ enabled: true });
    expect(answer).toMatchObject({
      status: 200,
      ray: "8f-ams",
      attempts: 1,
    });
    expect(server.seen).toEqual([
      {
        method: "PUT",
        path: "/zones/z1/page_shield?dry_run=true",
        authorization: `Bearer ${plantedToken}`,
        body: { enabled: true },
      },
    ]);
    expect(connected.requests).toMatchObject([
      { endpoint: "/zones/{zone_id}/page_shield", method: "PUT", code: 200, credential: "main" },
    ]);
  });
});

describe("an answer that is none", () => {
  it.for([
    { when: "400", status: 400, code: "API_REFUSED", transient: false, happened: false },
    { when: "401", status: 401, code: "API_UNAUTHORIZED", transient: false, happened: false },
    { when: "403", status: 403, code: "API_FORBIDDEN", transient: false, happened: false },
    { when: "404", status: 404, code: "API_NOT_FOUND", transient: false, happened: false },
    { when: "408", status: 408, code: "API_TIMEOUT", transient: true, happened: true },
    { when: "409", status: 409, code: "API_CONFLICT", transient: true, happened: false },
    { when: "413", status: 413, code: "API_REFUSED", transient: false, happened: false },
    { when: "429", status: 429, code: "API_RATE_LIMITED", transient: true, happened: false },
    { when: "500", status: 500, code: "API_SERVER", transient: true, happened: true },
    { when: "503", status: 503, code: "API_SERVER", transient: true, happened: true },
    { when: "success:false", status: 200, code: "API_REFUSED", transient: false, happened: true },
    { when: "a redirect", status: 302, code: "API_MALFORMED", transient: false, happened: true },
  ])("$when is $code", async ({ status, code, transient, happened }, { expect, signal }) => {
    const error = await errorFrom((_seen, response) => refuse(response, status, 1234), signal, put);
    expect(error).toMatchObject({ code, status, transient, ray: "ray-1", wireCodes: [1234] });
    expect(error.mayHaveHappened).toBe(happened);
  });

  it("half-valid errors do not hide the status", async ({ expect, signal }) => {
    const body = { success: false, errors: ["?", { message: "text" }, { code: "12" }, null] };
    const error = await errorFrom(
      (_seen, response) => response.writeHead(400).end(JSON.stringify(body)),
      signal,
    );
    expect(error).toMatchObject({ code: "API_REFUSED", status: 400, wireCodes: [0, 0] });
  });

  it("longer than 32 MiB is not held in memory", async ({ expect, signal }) => {
    expect(maxAnswerBytes).toBe(32 * 2 ** 20);
    const error = await errorFrom((_seen, response) => {
      response.setHeader("cf-ray", "ray-7");
      const chunk = Buffer.alloc(1024 * 1024, " ");
      response.on("error", () => undefined);
      for (let sent = 0; sent <= maxAnswerBytes; sent += chunk.length) response.write(chunk);
      response.end("{}");
    }, signal);
    expect(error).toMatchObject({
      code: "API_TOO_LARGE",
      fault: "parse",
      transient: false,
      ray: "ray-7",
    });
  });

  it("slower than the timeout is API_TIMEOUT, before the headers and in the body", async ({
    expect,
    signal,
  }) => {
    const silent = await errorFrom(() => undefined, signal, put, { ...once1, timeoutMs: 60 });
    const trickling = await errorFrom(
      (_seen, response) => {
        response.setHeader("cf-ray", `ray-8 ${plantedToken}`);
        response.write('{"success"');
      },
      signal,
      put,
      // Long enough for the headers to arrive on a busy machine.
      { ...once1, timeoutMs: 2_000 },
    );
    for (const error of [silent, trickling]) {
      expect(error).toMatchObject({ code: "API_TIMEOUT", fault: "timeout", mayHaveHappened: true });
    }
    expect([silent.ray, trickling.ray]).toEqual(["", "ray-8 [token]"]);
  });

  it.for([
    { when: "reset before an answer", sends: "", code: "API_UNREACHABLE", fault: "reset" },
    {
      when: "cut in the body",
      sends: 'HTTP/1.1 200 OK\r\ncf-ray: ray-9\r\ncontent-length: 99\r\n\r\n{"succ',
      code: "API_UNREACHABLE",
      fault: "reset",
      ray: "ray-9",
    },
    { when: "that is not HTTP", sends: "SSH-2.0-x\r\n", code: "API_MALFORMED", fault: "parse" },
  ])("$when is $code", async ({ sends, code, fault, ray = "" }, { expect, signal }) => {
    await using server = await startRaw((socket) => {
      if (sends === "") socket.resetAndDestroy();
      else socket.end(sends);
    });
    const error = await errorAt(server.baseUrl, signal, put);
    expect(error).toMatchObject({ code, fault, ray, status: 0, transient: true });
    expect(error.mayHaveHappened).toBe(true);
  });

  it("a connection that never came about leaves no doubt", async ({ expect, signal }) => {
    const server = await startRaw(() => undefined);
    await server[Symbol.asyncDispose]();
    const refused = await errorAt(server.baseUrl, signal, put);
    expect(refused).toMatchObject({ code: "API_UNREACHABLE", fault: "reset" });
    expect(refused.mayHaveHappened).toBe(false);

    const nameless = await errorAt("http://nowhere.invalid/client/v4", signal, put);
    expect(nameless).toMatchObject({ code: "API_UNREACHABLE", fault: "dns" });
    expect(nameless.mayHaveHappened).toBe(false);
  });

  it("a server without TLS behind https is a fault of the connection", async ({
    expect,
    signal,
  }) => {
    await using server = await startRaw((socket) => socket.end("HTTP/1.1 400 Bad\r\n\r\n"));
    const error = await errorAt(server.baseUrl.replace("http:", "https:"), signal, put);
    expect(error).toMatchObject({ code: "API_UNREACHABLE", fault: "tls", mayHaveHappened: false });
  });
});

function echo({ authorization }: Seen, response: ServerResponse): void {
  refuse(response, 403, 9109, `no: ${authorization}`, { "cf-ray": authorization });
}

describe("the token", () => {
  it("is in no error, however it is shown, even when the service sends it back", async ({
    expect,
    signal,
  }) => {
    await using raw = await startRaw((socket) => socket.end(`Bearer ${plantedToken}\r\n\r\n`));
    const errors = [
      await errorFrom(echo, signal),
      await errorFrom(({ authorization }, response) => response.end(authorization), signal),
      await errorAt(raw.baseUrl, signal),
    ];
    for (const error of errors) {
      const shown = [
        error.message,
        String(error.stack),
        JSON.stringify(error),
        JSON.stringify(Object.entries(error)),
        inspect(error, { depth: 20, showHidden: true, getters: true }),
      ].join("\n");
      expect(shown).not.toContain(plantedToken);
    }
  });

  it("is in nothing that holds it", async ({ expect, signal }) => {
    await using server = await startServer((_seen, response) => succeed(response, {}));
    await using connected = connect(server.baseUrl);
    await sendWithRetries(connected.session, "sweep", settings, signal);
    const token = await connected.session.credential.token();
    for (const holder of [token, connected.session.credential, connected.service]) {
      const shown = inspect(holder, { depth: 20, showHidden: true, getters: true });
      expect(`${shown}${JSON.stringify([token])}${String(token)}`).not.toContain(plantedToken);
    }
  });
});
