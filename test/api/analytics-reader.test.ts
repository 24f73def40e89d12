import { describe, it } from "vitest";

import { AnalyticsReader } from "../../src/api/analytics-reader.ts";
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
    const reader = new AnalyticsReader(at.service);
    const { body, at: moment } = await reader.ask([at.zone], settingsQuery([at.zone.id]), signal);
    expect(body).toMatchObject({ errors: null, data: { viewer: { zones: [{}] } } });
    expect(moment).toEqual(new Date("2026-11-20T12:00:00Z"));
    expect(at.journal()).toEqual(["POST /graphql"]);
  });

  it.for([200, 400, 403])("gives errors with the status %s", async (status, { expect, signal }) => {
    const text = JSON.stringify({ data: null, errors: [{ message: "no" }] });
    const { started } = answering(status, text);
    await using server = await started;
    await using at = connect(server.baseUrl);
    const { body } = await new AnalyticsReader(at.service).ask([zone()], query, signal);
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
    const asked = new AnalyticsReader(at.service).ask([zone()], query, signal);
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

  it("needs no Lease: it changes nothing", async ({ expect, signal }) => {
    const { started } = answering(200, '{"data":{},"errors":null}');
    await using server = await started;
    const fence = { isHeld: () => false, endIfOver: () => undefined, limitMs: 0 };
    await using at = connect(server.baseUrl, { fence });
    const { body } = await new AnalyticsReader(at.service).ask([zone()], query, signal);
    expect(body).toEqual({ data: {}, errors: null });
  });

  it("sends at most 60 queries in five minutes", async ({ expect, signal }) => {
    const clock = new SimulatedClock();
    await using at = connect("http://127.0.0.1:9/client/v4", { clock });
    const { analyticsShare } = at.session.credential;
    const times: number[] = [];
    const taken = Array.from({ length: 130 }, async () => {
      await analyticsShare.take(signal);
      times.push(clock.monotonicMs());
    });
    await clock.advance(900_000);
    await Promise.all(taken);
    const inWindows = Map.groupBy(times, (time) => time);
    expect([...inWindows].map(([time, all]) => [time, all.length])).toEqual([
      [0, 60],
      [300_000, 60],
      [600_000, 10],
    ]);
  });
});
