import { describe, it } from "vitest";

import { createAnalytics } from "../../src/api/analytics-reader.ts";
import { createReader } from "../../src/api/service.ts";
import { settingsQuery } from "../../src/measure/measure-query.ts";
import { ServiceError } from "../../src/zone/service-error.ts";
import { SimulatedClock } from "../support/clock.ts";
import { emulated } from "../support/emulated.ts";
import { startServer } from "../support/http-server.ts";
import { eventually } from "../support/processes.ts";
import { connect, zone } from "../support/service.ts";

/** A server that answers each request with a status and a body. */
function answering(status: number, body: string, headers: Readonly<Record<string, string>> = {}) {
  let count = 0;
  const started = startServer((_request, response) => {
    count += 1;
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
  });
  return { started, count: () => count };
}

const query = settingsQuery([zone().id]);

describe("the reader of the analytics", () => {
  it("gives the answer of the service and its time", async ({ expect, signal }) => {
    await using at = await emulated({ settings: { enabled: true } });
    const ask = createAnalytics(at.service);
    const { body, at: moment } = await ask([at.zone], settingsQuery([at.zone.id]), signal);
    expect(body).toMatchObject({ errors: null, data: { viewer: { zones: [{}] } } });
    expect(moment).toEqual(new Date("2026-11-20T12:00:00Z"));
    expect(at.journal()).toEqual(["POST /graphql"]);
  });

  it.for([200, 400, 403])("gives errors with the status %s", async (status, { expect, signal }) => {
    const text = JSON.stringify({ data: null, errors: [{ message: "no" }] });
    const { started } = answering(status, text);
    await using server = await started;
    await using at = connect(server.baseUrl);
    const { body } = await createAnalytics(at.service)([zone()], query, signal);
    expect(body).toEqual({ data: null, errors: [{ message: "no" }] });
  });

  it.for([
    { status: 401, body: "{}", code: "API_UNAUTHORIZED", requests: 1 },
    { status: 403, body: '{"success":false,"errors":[]}', code: "API_FORBIDDEN", requests: 1 },
    { status: 429, body: '{"data":null,"errors":[]}', code: "API_RATE_LIMITED", requests: 1 },
    { status: 503, body: '{"data":null,"errors":[]}', code: "API_SERVER", requests: 2 },
    { status: 200, body: "<html>", code: "API_MALFORMED", requests: 5 },
    { status: 200, body: "[]", code: "API_MALFORMED", requests: 1 },
    { status: 200, body: `{"data":${"[".repeat(100)}`, code: "API_MALFORMED", requests: 1 },
  ])("fails with $code on $status $body, and slows nothing else", async (row, context) => {
    const { expect, signal } = context;
    const { started, count } = answering(row.status, row.body, { "retry-after": "600" });
    await using server = await started;
    const clock = new SimulatedClock();
    await using at = connect(server.baseUrl, { clock, retry: { maxAttempts: 5 } });
    const asked = createAnalytics(at.service)([zone()], query, signal);
    const failed = asked.catch((error: unknown) => error);
    const error = await eventually("the end", async () => {
      await clock.advance(1_000_000);
      return Promise.race([failed, Promise.resolve(undefined)]);
    });
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ code: row.code, mayHaveHappened: false });
    expect(count()).toBe(row.requests);
    const { state, sent } = at.session.credential;
    expect(state).toMatchObject({ valid: true, pause: undefined });
    expect(sent.all).toEqual([]);
  });

  it("takes the service for unreachable only where other requests do", async ({
    expect,
    signal,
  }) => {
    const clock = new SimulatedClock();
    const { started } = answering(200, "{}");
    const server = await started;
    await using at = connect(server.baseUrl, { clock, retry: { maxAttempts: 1 } });
    await server[Symbol.asyncDispose]();
    const { budget } = at.session.credential;
    const isQuiet = (): boolean => budget.state.inFlight === 0;
    const codeOf = (asked: Promise<unknown>): Promise<unknown> => {
      const told = asked.catch((error: unknown) => error instanceof ServiceError && error.code);
      return clock.run(told, isQuiet);
    };
    const ask = (): Promise<unknown> =>
      codeOf(createAnalytics(at.service)([zone()], query, signal));
    for (let nth = 0; nth < 7; nth += 1) expect(await ask()).toBe("API_UNREACHABLE");
    expect(clock.monotonicMs()).toBe(0);
    expect(budget.state.isCircuitOpen).toBe(false);

    const reader = createReader(at.service);
    for (let nth = 0; nth < 5; nth += 1) await codeOf(reader.listZones(signal));
    expect(budget.state.isCircuitOpen).toBe(true);
    // No query is the single request that finds out whether the service is back.
    const sent = at.requests.length;
    expect(sent).toBeGreaterThan(7);
    expect(await ask()).toBe("API_UNREACHABLE");
    expect(at.requests.length).toBe(sent);
  });

  it("needs no Lease: it changes nothing", async ({ expect, signal }) => {
    const { started } = answering(200, '{"data":{},"errors":null}');
    await using server = await started;
    const fence = { isHeld: () => false, endIfOver: () => undefined, limitMs: 0 };
    await using at = connect(server.baseUrl, { fence });
    const { body } = await createAnalytics(at.service)([zone()], query, signal);
    expect(body).toEqual({ data: {}, errors: null });
  });

  it.for([
    { limit: 1_200, most: 60 },
    { limit: 6_000, most: 60 },
    { limit: 300, most: 16 },
    { limit: 1, most: 1 },
  ])("sends at most $most queries in five minutes of $limit requests", async (row, context) => {
    const { expect, signal } = context;
    const { limit, most } = row;
    const clock = new SimulatedClock();
    const budget = { limit, windowMs: 300_000, reserve: 0.2 };
    const times: number[] = [];
    await using server = await startServer((_request, response) => {
      times.push(clock.monotonicMs());
      response.writeHead(200, { "content-type": "application/json" }).end('{"data":{}}');
    });
    await using at = connect(server.baseUrl, { clock, budget });
    const ask = createAnalytics(at.service);
    let answers = 0;
    const asked = Array.from({ length: 2 * most + 1 }, async () => {
      await ask([zone()], query, signal);
      answers += 1;
    });
    for (const until of [most, 2 * most]) {
      await eventually(`${until} answers`, () => answers >= until || undefined);
      await clock.advance(300_000);
    }
    await Promise.all(asked);
    const inWindows = Map.groupBy(times, (time) => time);
    expect([...inWindows].map(([time, all]) => [time, all.length])).toEqual([
      [0, most],
      [300_000, most],
      [600_000, 1],
    ]);
  });
});
