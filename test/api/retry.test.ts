import type { ServerResponse } from "node:http";

import { describe, it } from "vitest";

import { get, type Call } from "../../src/api/request/call.ts";
import { sendWithRetries } from "../../src/api/request/retry.ts";
import type { Method } from "../../src/zone/service-request.ts";
import { SimulatedClock } from "../support/clock.ts";
import { refuse, startServer, succeed } from "../support/http-server.ts";
import { connect } from "../support/service.ts";

const read = get("/zones/{zone_id}/page_shield", { zone_id: "z1" });

function callOf(method: Method): Call {
  return { ...read, method, body: method === "GET" || method === "DELETE" ? undefined : {} };
}

/** Ways in which a server spoils the first answer. */
const faults: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "408": (response) => refuse(response, 408),
  "409": (response) => refuse(response, 409),
  "429": (response) => refuse(response, 429, 971),
  "500": (response) => refuse(response, 500),
  "502": (response) => void response.writeHead(502).end("<html>"),
  "503": (response) => refuse(response, 503),
  "a broken connection": (response) => response.socket?.resetAndDestroy(),
  "a cut answer": (response) => void response.end('{"success":true,"res'),
  "400": (response) => refuse(response, 400),
  "403": (response) => refuse(response, 403),
  "404": (response) => refuse(response, 404),
};

const always = ["409", "429"];
const unlessPost = ["408", "500", "502", "503", "a broken connection", "a cut answer"];

describe("what is sent again", () => {
  const table = (["GET", "PUT", "PATCH", "DELETE", "POST"] as const).flatMap((method) =>
    Object.keys(faults).map((fault) => ({
      method,
      fault,
      sent: always.includes(fault) || (unlessPost.includes(fault) && method !== "POST") ? 2 : 1,
    })),
  );

  it.for(table)("$method after $fault: sent $sent times", async (row, { expect, signal }) => {
    await using server = await startServer((_seen, response, nth) => {
      if (nth === 1) faults[row.fault]?.(response);
      else succeed(response, "done");
    });
    await using connected = connect(server.baseUrl);
    const isGone = row.method === "DELETE" && row.fault === "404";

    const sent = sendWithRetries(connected.session, "write", callOf(row.method), signal);
    const answer = await sent.then(
      ({ result }) => result(),
      () => "failed",
    );
    const otherwise = isGone ? null : "failed";
    expect(answer).toBe(row.sent === 2 ? "done" : otherwise);
    expect(server.seen).toHaveLength(row.sent);
    expect(connected.retries).toHaveLength(row.sent - 1);
  });

  it("a PUT that was refused after a lost answer may have happened the first time", async ({
    expect,
    signal,
  }) => {
    await using server = await startServer((_seen, response, nth) => {
      if (nth === 1) response.socket?.resetAndDestroy();
      else refuse(response, 400, 1234);
    });
    await using connected = connect(server.baseUrl);
    const sent = sendWithRetries(connected.session, "write", callOf("PUT"), signal);
    await expect(sent).rejects.toMatchObject({
      code: "API_REFUSED",
      wireCodes: [1234],
      mayHaveHappened: true,
    });
  });

  it("a POST that never reached anybody", async ({ expect, signal }) => {
    const server = await startServer(() => undefined);
    await server[Symbol.asyncDispose]();
    await using connected = connect(server.baseUrl, { retry: { maxAttempts: 3 } });
    const sent = sendWithRetries(connected.session, "write", callOf("POST"), signal);
    await expect(sent).rejects.toMatchObject({
      code: "API_UNREACHABLE",
      mayHaveHappened: false,
    });
    expect(connected.retries.map(({ code }) => code)).toEqual(["reset", "reset"]);
  });
});

describe("the wait", () => {
  it.for([
    { when: "seconds", header: "120", waits: 120_000 },
    { when: "a date", header: "Fri, 20 Nov 2026 12:04:00 GMT", waits: 240_000 },
    { when: "a date that has passed", header: "Fri, 20 Nov 2026 11:00:00 GMT", waits: 0 },
    { when: "a day", header: "86400", waits: 600_000 },
    { when: "nonsense", header: "soon", waits: 0 },
  ])("obeys a Retry-After of $when, for all requests of the credential", async (row, context) => {
    const { expect, signal } = context;
    const clock = new SimulatedClock();
    const moments: number[] = [];
    await using server = await startServer((_seen, response, nth) => {
      moments.push(clock.monotonicMs());
      if (nth === 1) refuse(response, 429, 971, "slow down", { "retry-after": row.header });
      else succeed(response, {});
    });
    await using connected = connect(server.baseUrl, { clock, retry: { firstWaitMs: 0 } });

    const first = sendWithRetries(connected.session, "sweep", read, signal);
    await until(() => connected.retries.length === 1);
    const second = sendWithRetries(connected.session, "write", callOf("PUT"), signal);
    const { budget } = connected.session.credential;
    expect(budget.state.remaining === 0).toBe(row.waits > 0);
    await clock.run(Promise.all([first, second]), () => budget.state.inFlight === 0);

    expect(moments).toEqual([0, row.waits, row.waits]);
  });

  it("is not begun when it would pass the deadline; the budget is closed all the same", async ({
    expect,
    signal,
  }) => {
    const clock = new SimulatedClock();
    await using server = await startServer((_seen, response) =>
      refuse(response, 429, 971, "slow down", { "retry-after": "300" }),
    );
    await using connected = connect(server.baseUrl, {
      clock,
      retry: { rateLimitDeadlineMs: 60_000 },
    });
    const sent = sendWithRetries(connected.session, "sweep", read, signal);
    await expect(sent).rejects.toMatchObject({ code: "API_RATE_LIMITED", retryAfterMs: 300_000 });
    expect(server.seen).toHaveLength(1);
    expect(connected.session.credential.state).toMatchObject({ remaining: 0 });
  });

  it("ends when the caller gives up", async ({ expect }) => {
    await using server = await startServer((_seen, response) => refuse(response, 503));
    await using connected = connect(server.baseUrl, {
      retry: { firstWaitMs: 1e6, maxWaitMs: 1e6, deadlineMs: 1e9 },
    });
    const controller = new AbortController();
    const sent = sendWithRetries(connected.session, "sweep", read, controller.signal);
    await until(() => connected.retries.length === 1);
    controller.abort(new Error("shutdown"));
    await expect(sent).rejects.toMatchObject({ message: "shutdown" });
  });

  it("of a write ends with the program, and what was sent before counts", async ({
    expect,
    signal,
  }) => {
    await using server = await startServer((_seen, response) => refuse(response, 503));
    await using connected = connect(server.baseUrl, {
      retry: { firstWaitMs: 1e6, maxWaitMs: 1e6, deadlineMs: 1e9 },
    });
    const stop = new AbortController();
    const sent = sendWithRetries(connected.session, "write", callOf("PUT"), signal, stop.signal);
    await until(() => connected.retries.length === 1);
    stop.abort();
    await expect(sent).rejects.toMatchObject({ code: "API_SERVER", mayHaveHappened: true });
    expect(server.seen).toHaveLength(1);
  });

  it("of a write for its budget ends with the program, and nothing is sent", async ({
    expect,
    signal,
  }) => {
    await using server = await startServer((_seen, response) => succeed(response, {}));
    await using connected = connect(server.baseUrl, { budget: { limit: 1, reserve: 0 } });
    await sendWithRetries(connected.session, "write", callOf("PUT"), signal);
    const stop = new AbortController();
    const sent = sendWithRetries(connected.session, "write", callOf("PUT"), signal, stop.signal);
    stop.abort(new Error("shutdown"));
    await expect(sent).rejects.toMatchObject({ message: "shutdown" });
    expect(server.seen).toHaveLength(1);
  });
});

/** Waits until real sockets have brought something about. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
