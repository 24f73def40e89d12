import { describe, it } from "vitest";

import { sendWithRetries } from "../../src/api/request/retry.ts";
import { routes } from "../../src/api/routes.ts";
import type { WriteFence } from "../../src/zone/ports.ts";
import { startServer, succeed } from "../support/http-server.ts";
import { connect, zone } from "../support/service.ts";

const { id } = zone();

const write = {
  method: "PUT",
  route: routes.settings,
  query: {},
  params: { zone_id: id },
  body: { enabled: true },
} as const;

const read = { ...write, method: "GET", body: undefined } as const;

/** A fence that is held for so many questions. */
function closingFence(stop: AbortController, yes: number): WriteFence {
  let left = yes;
  return {
    limitMs: 5_000,
    isHeld: () => {
      left -= 1;
      return left >= 0;
    },
    endIfOver: () => stop.abort(new Error("the Lease is lost")),
  };
}

const never = new AbortController().signal;

describe("a request under a fence", () => {
  it("that writes is not sent where the fence is closed in the moment of sending", async ({
    expect,
  }) => {
    await using server = await startServer((_seen, response) => succeed(response, {}));
    const stop = new AbortController();
    await using service = connect(server.baseUrl, { fence: closingFence(stop, 0) });
    const sending = sendWithRetries(service.session, "write", write, never, stop.signal);
    await expect(sending).rejects.toMatchObject({ message: "the Lease is lost" });
    expect(server.seen).toEqual([]);
    expect(service.requests).toEqual([]);
  });

  it("that writes asks again before each attempt", async ({ expect }) => {
    await using server = await startServer((_seen, response) => response.writeHead(503).end("{}"));
    const stop = new AbortController();
    await using service = connect(server.baseUrl, { fence: closingFence(stop, 1) });
    const sending = sendWithRetries(service.session, "write", write, never, stop.signal);
    await expect(sending).rejects.toThrow();
    expect(server.seen).toHaveLength(1);
  });

  it("that reads is sent all the same", async ({ expect }) => {
    await using server = await startServer((_seen, response) => succeed(response, {}));
    await using service = connect(server.baseUrl, {
      fence: { limitMs: 1, isHeld: () => false, endIfOver: () => undefined },
    });
    await sendWithRetries(service.session, "sweep", read, never);
    expect(server.seen).toHaveLength(1);
  });

  it("that writes ends within the time that the fence leaves it", async ({ expect }) => {
    await using server = await startServer(() => undefined);
    await using service = connect(server.baseUrl, {
      timeoutMs: 60_000,
      fence: { limitMs: 50, isHeld: () => true, endIfOver: () => undefined },
      retry: { maxAttempts: 1 },
    });
    const sending = sendWithRetries(service.session, "write", write, never);
    await expect(sending).rejects.toMatchObject({ code: "API_TIMEOUT" });
  });
});
