import { once } from "node:events";
import { createServer } from "node:net";

import { describe, it } from "vitest";

import { get } from "../../src/api/request/call.ts";
import { createDispatcher, serviceAddress } from "../../src/api/request/client.ts";
import { sendWithRetries } from "../../src/api/request/retry.ts";
import { SimulatedClock } from "../support/clock.ts";
import { startServer, succeed, type Answering } from "../support/http-server.ts";
import { connect } from "../support/service.ts";

const zones = get("/zones", {});
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
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    const origin = `https://127.0.0.1:${address.port}`;
    const dispatcher = createDispatcher({ origin, basePath: "" }, 1);
    const request = dispatcher.request({ origin, path: "/", method: "GET" });
    await Promise.allSettled([request]);
    const protocols = (await offer.promise).toString("latin1");
    expect(protocols).toContain("\u0008http/1.1");
    expect(protocols).not.toContain("\u0002h2");
    await dispatcher.destroy();
    server.close();
  });

  it.for<{ when: string; answering: Answering }>([
    { when: "nothing came", answering: () => undefined },
    {
      when: "its body stopped",
      answering: (_seen, response) => void response.write('{"success":'),
    },
  ])("waits for an answer as long as it is told, and no less: $when", async (row, context) => {
    const { expect, signal } = context;
    const clock = new SimulatedClock();
    await using server = await startServer((seen, response, nth) => {
      if (seen.path === "/zones") succeed(response, []);
      else row.answering(seen, response, nth);
    });
    await using connected = connect(server.baseUrl, {
      clock,
      timeoutMs: 600_000,
      retry: { maxAttempts: 1 },
    });
    const { session } = connected;
    const waiting = expect(sendWithRetries(session, "sweep", silent, signal)).rejects.toMatchObject(
      {
        code: "API_TIMEOUT",
        message: `GET ${silent.route}: no whole answer within 600 s; raise api.timeout if the service is only slow`,
      },
    );
    // Time passes on the machine, and none on the clock of the program.
    for (let nth = 0; nth < 30; nth += 1) await sendWithRetries(session, "sweep", zones, signal);
    expect(session.credential.state.inFlight).toBe(1);
    await clock.advance(599_999);
    expect(session.credential.state.inFlight).toBe(1);
    await clock.advance(1);
    await waiting;
  });
});
