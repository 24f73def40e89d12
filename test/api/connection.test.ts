import { getEventListeners } from "node:events";
import { createServer as createHttpServer, type IncomingHttpHeaders } from "node:http";
import { createServer } from "node:net";

import { describe, it } from "vitest";

import { get, type Call } from "../../src/api/request/call.ts";
import { createDispatcher, serviceAddress } from "../../src/api/request/client.ts";
import { sendWithRetries } from "../../src/api/request/retry.ts";
import { SimulatedClock } from "../support/clock.ts";
import { startServer, succeed, type Answering } from "../support/http-server.ts";
import { listenOnLoopback } from "../support/loopback.ts";
import { connect, type ServiceChoice } from "../support/service.ts";

const put: Call = {
  method: "PUT",
  route: "/zones/{zone_id}/page_shield",
  params: { zone_id: "z1" },
  query: {},
  body: { enabled: true },
};
const silent = get("/zones/{zone_id}/page_shield", { zone_id: "z1" });

describe("the address of the service", () => {
  it.for([
    ["https://api.example/client/v4", "https://api.example", "/client/v4"],
    ["https://api.example/client/v4/", "https://api.example", "/client/v4"],
    ["https://api.example/client/v4//", "https://api.example", "/client/v4"],
    ["https://api.example//client/v4", "https://api.example", "//client/v4"],
    ["http://127.0.0.1:8787/client/v4", "http://127.0.0.1:8787", "/client/v4"],
    ["https://api.example", "https://api.example", ""],
  ] as const)("%s is %s with the path %s", ([baseUrl, origin, basePath], { expect }) => {
    expect(serviceAddress(baseUrl)).toEqual({ origin, basePath });
  });
});

describe("a connection", () => {
  it("does not offer HTTP/2", async ({ expect }) => {
    const offer = Promise.withResolvers<Buffer>();
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", (hello) => {
        offer.resolve(hello);
        socket.destroy();
      });
    });
    const origin = `https://127.0.0.1:${await listenOnLoopback(server)}`;
    const dispatcher = createDispatcher(1);
    const request = dispatcher.request({ origin, path: "/", method: "GET" });
    await Promise.allSettled([request]);
    const protocols = (await offer.promise).toString("latin1");
    expect(protocols).toContain("\u0008http/1.1");
    expect(protocols).not.toContain("\u0002h2");
    await dispatcher.destroy();
    server.close();
  });
});

describe("a request", () => {
  it("says what it is, and of what type its body is", async ({ expect, signal }) => {
    const seen: IncomingHttpHeaders[] = [];
    const server = createHttpServer((request, response) => {
      seen.push(request.headers);
      request.resume();
      succeed(response, {});
    });
    const port = await listenOnLoopback(server);
    await using connected = connect(`http://127.0.0.1:${port}/client/v4`);
    await sendWithRetries(connected.session, "sweep", silent, signal);
    await sendWithRetries(connected.session, "write", put, signal);
    const own = { accept: "application/json", "user-agent": "zonewarden" };
    expect(seen).toMatchObject([own, { ...own, "content-type": "application/json" }]);
    expect(seen[0]).not.toHaveProperty("content-type");
    server.close();
  });

  it("is told with its duration and the date of its answer", async ({ expect, signal }) => {
    const clock = new SimulatedClock();
    await clock.advance(7_000);
    const date = "Fri, 20 Nov 2026 12:00:00 GMT";
    await using server = await startServer((_seen, response) => {
      void clock.advance(250).then(() => succeed(response, {}, { date }));
    });
    await using connected = connect(server.baseUrl, { clock });
    await sendWithRetries(connected.session, "write", put, signal);
    const { route: endpoint } = put;
    expect(connected.requests).toEqual([
      { endpoint, method: "PUT", code: 200, ms: 250, credential: "main", date },
    ]);
  });

  it.for<{ cause: string; answering: Answering; code: string; choice: ServiceChoice }>([
    {
      cause: "reset",
      answering: (_seen, response) => response.socket?.destroy(),
      code: "API_UNREACHABLE",
      choice: {},
    },
    {
      cause: "timeout",
      answering: () => undefined,
      code: "API_TIMEOUT",
      choice: { timeoutMs: 60 },
    },
  ])("that fails is told with its cause: $cause", async (row, { expect, signal }) => {
    await using server = await startServer(row.answering);
    await using connected = connect(server.baseUrl, { ...row.choice, retry: { maxAttempts: 1 } });
    const sending = sendWithRetries(connected.session, "sweep", silent, signal);
    await expect(sending).rejects.toMatchObject({ code: row.code });
    expect(connected.requests).toMatchObject([{ code: row.cause, date: "" }]);
  });

  it("that waits for a connection can be given up at once, and is never sent", async ({
    expect,
    signal,
  }) => {
    const [isHeld, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await using server = await startServer((_seen, response, nth) => {
      if (nth === 1) isHeld.resolve();
      void (nth === 1 ? end.promise : Promise.resolve()).then(() => succeed(response, {}));
    });
    await using connected = connect(server.baseUrl);
    const dispatcher = createDispatcher(1);
    const session = { ...connected.session, connection: { ...connected.connection, dispatcher } };
    const first = sendWithRetries(session, "sweep", silent, signal);
    await isHeld.promise;
    const stop = new AbortController();
    const second = sendWithRetries(session, "write", put, stop.signal);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    stop.abort(new Error("shutdown"));
    await expect(second).rejects.toMatchObject({ message: "shutdown" });
    end.resolve();
    await first;
    await sendWithRetries(session, "sweep", silent, signal);
    expect(server.seen.map(({ method }) => method)).toEqual(["GET", "GET"]);
    await dispatcher.destroy();
  });

  it("leaves no alarm behind, and no listener on the signal of its caller", async ({ expect }) => {
    const clock = new SimulatedClock();
    const { signal } = new AbortController();
    await using server = await startServer((_seen, response) => succeed(response, {}));
    await using connected = connect(server.baseUrl, { clock });
    await sendWithRetries(connected.session, "sweep", silent, signal);
    expect(clock.sleeping).toBe(0);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("is not sent where its caller gives up while the token is read", async ({ expect }) => {
    const stop = new AbortController();
    await using server = await startServer((_seen, response) => succeed(response, {}));
    const read = (): Promise<string> => {
      stop.abort(new Error("shutdown"));
      return Promise.resolve("token");
    };
    await using connected = connect(server.baseUrl, { credentials: [{ source: { read } }] });
    const sending = sendWithRetries(connected.session, "sweep", silent, stop.signal);
    await expect(sending).rejects.toMatchObject({ message: "shutdown" });
    expect([server.seen, connected.requests]).toEqual([[], []]);
    expect(connected.session.credential.state).toMatchObject({ inFlight: 0 });
  });

  it("counts in the request budget where its caller gives up on the answer", async ({ expect }) => {
    const stop = new AbortController();
    await using server = await startServer(() => stop.abort(new Error("shutdown")));
    await using connected = connect(server.baseUrl);
    const { budget } = connected.session.credential;
    const { remaining } = budget.state;
    const sending = sendWithRetries(connected.session, "sweep", silent, stop.signal);
    await expect(sending).rejects.toMatchObject({ message: "shutdown" });
    expect(budget.state).toMatchObject({ remaining: remaining - 1, inFlight: 0 });
    // Neither did the service fail, nor is anything sent again.
    expect([connected.requests, connected.retries]).toEqual([[], []]);
  });

  it.for([
    { method: "GET", endsAfter: 60_000 },
    { method: "PUT", endsAfter: 5_000 },
  ] as const)("under a fence ends after $endsAfter ms: $method", async (row, context) => {
    const { expect, signal } = context;
    const clock = new SimulatedClock();
    const closed = Promise.withResolvers<void>();
    const isSeen = Promise.withResolvers<void>();
    await using server = await startServer((_seen, response) => {
      response.once("close", closed.resolve);
      isSeen.resolve();
    });
    await using connected = connect(server.baseUrl, {
      clock,
      timeoutMs: 60_000,
      fence: { limitMs: 5_000, isHeld: () => true, endIfOver: () => undefined },
      retry: { maxAttempts: 1 },
    });
    const call: Call = { ...put, method: row.method, body: undefined };
    const sending = sendWithRetries(connected.session, "write", call, signal);
    const timedOut = expect(sending).rejects.toMatchObject({ code: "API_TIMEOUT" });
    await isSeen.promise;
    await clock.advance(row.endsAfter - 1);
    expect(connected.session.credential.state.inFlight).toBe(1);
    await clock.advance(1);
    await timedOut;
    // The service learns it too: the connection is free for another request.
    await closed.promise;
  });
});
