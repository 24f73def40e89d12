import { describe, it } from "vitest";

import { get, type Call } from "../../src/api/request/call.ts";
import {
  commandRetry,
  daemonRetry,
  type RetryPolicy,
  sendWithRetries,
} from "../../src/api/request/retry.ts";
import { SimulatedClock } from "../support/clock.ts";
import { refuse, startServer, succeed, type Answering } from "../support/http-server.ts";
import { connect } from "../support/service.ts";

const read = get("/zones/{zone_id}/page_shield", { zone_id: "z1" });
const put: Call = { ...read, method: "PUT", body: {} };

/** Every answer asks for the same wait, and no wait is longer than it asks for. */
const patient: RetryPolicy = { ...commandRetry, firstWaitMs: 0, maxAttempts: 9 };

describe("the deadline of retries", () => {
  it.for<{ retry: Partial<RetryPolicy>; status: number; seconds: number; attempts: number }>([
    { retry: { ...patient, deadlineMs: 60_000 }, status: 503, seconds: 60, attempts: 2 },
    { retry: { ...patient, deadlineMs: 59_999 }, status: 503, seconds: 60, attempts: 1 },
    { retry: { ...patient, deadlineMs: 120_000 }, status: 503, seconds: 60, attempts: 3 },
    { retry: { ...patient, deadlineMs: 119_999 }, status: 503, seconds: 60, attempts: 2 },
    { retry: { ...patient, rateLimitDeadlineMs: 119_999 }, status: 429, seconds: 60, attempts: 2 },
    { retry: { ...patient, rateLimitDeadlineMs: 0 }, status: 503, seconds: 60, attempts: 9 },
    { retry: { ...patient, deadlineMs: 0 }, status: 429, seconds: 60, attempts: 9 },
    { retry: commandRetry, status: 503, seconds: 180, attempts: 5 },
    { retry: commandRetry, status: 503, seconds: 180.0002, attempts: 4 },
    { retry: commandRetry, status: 429, seconds: 180, attempts: 5 },
    { retry: commandRetry, status: 429, seconds: 180.0002, attempts: 4 },
    { retry: daemonRetry, status: 503, seconds: 5, attempts: 2 },
    { retry: daemonRetry, status: 503, seconds: 5.0005, attempts: 1 },
    { retry: daemonRetry, status: 429, seconds: 360, attempts: 3 },
    { retry: daemonRetry, status: 429, seconds: 361, attempts: 2 },
  ])(
    "allows $attempts attempts where each $status asks for $seconds s",
    async ({ retry, status, seconds, attempts }, { expect, signal }) => {
      const clock = new SimulatedClock();
      await clock.advance(7_000_000);
      await using server = await startServer((_seen, response) =>
        refuse(response, status, 1, "wait", { "retry-after": `${seconds}` }),
      );
      await using connected = connect(server.baseUrl, { clock, retry });
      const session = { ...connected.session, random: () => 0 };
      const sending = sendWithRetries(session, "sweep", read, signal);
      const { budget } = session.credential;
      const ended = clock.run(sending, () => budget.state.inFlight === 0);
      await expect(ended).rejects.toMatchObject({ status });
      expect(server.seen).toHaveLength(attempts);
    },
  );
});

describe("a retry", () => {
  it("is told with its request, its cause and its wait", async ({ expect, signal }) => {
    await using server = await startServer((_seen, response, nth) => {
      if (nth === 1) refuse(response, 409);
      else succeed(response, {});
    });
    await using connected = connect(server.baseUrl);
    await sendWithRetries(connected.session, "write", put, signal);
    expect(connected.retries).toEqual([
      { endpoint: read.route, method: "PUT", code: 409, credential: "main", waitMs: 1 },
    ]);
  });

  it("is none where the request budget is exhausted", async ({ expect, signal }) => {
    await using server = await startServer((_seen, response) => succeed(response, {}));
    await using connected = connect(server.baseUrl, { budget: { maxWaitMs: 1_000 } });
    connected.session.credential.budget.pauseFor(60_000);
    const sending = sendWithRetries(connected.session, "sweep", read, signal);
    await expect(sending).rejects.toMatchObject({ code: "API_BUDGET" });
    expect(connected.retries).toEqual([]);
  });

  it("that meets a defect does not hide it behind the error before", async ({ expect, signal }) => {
    await using server = await startServer((_seen, response) => refuse(response, 503));
    let asked = 0;
    const fence = { limitMs: 5_000, isHeld: () => (asked += 1) === 1, endIfOver: () => undefined };
    await using connected = connect(server.baseUrl, { fence });
    const sending = sendWithRetries(connected.session, "write", put, signal);
    const message = "a write without a Lease was about to be sent";
    await expect(sending).rejects.toMatchObject({ message });
    expect(server.seen).toHaveLength(1);
  });
});

describe("a DELETE of what is gone", () => {
  const call: Call = { ...read, method: "DELETE" };

  it("has the answer to its last attempt, and no result", async ({ expect, signal }) => {
    await using server = await startServer((_seen, response) =>
      refuse(response, 404, 10004, "gone", { "cf-ray": "ray-4" }),
    );
    await using connected = connect(server.baseUrl);
    const answer = await sendWithRetries(connected.session, "write", call, signal);
    expect(answer).toMatchObject({ digest: "", status: 404, ray: "ray-4", attempts: 1 });
    expect([answer.result(), answer.resultInfo()]).toEqual([null, undefined]);
  });

  it.for([
    { codes: [], isGone: true },
    { codes: [10004, 1234], isGone: true },
    { codes: [7000], isGone: false },
    { codes: [7003], isGone: false },
    { codes: [10004, 7003], isGone: false },
  ])("is not known where its address is wrong: $codes", async (row, { expect, signal }) => {
    const errors = row.codes.map((code) => ({ code, message: "no" }));
    await using server = await startServer((_seen, response) =>
      response.writeHead(404).end(JSON.stringify({ success: false, errors })),
    );
    await using connected = connect(server.baseUrl);
    const sending = sendWithRetries(connected.session, "write", call, signal);
    if (row.isGone) await expect(sending).resolves.toMatchObject({ status: 404 });
    else await expect(sending).rejects.toMatchObject({ code: "API_NOT_FOUND" });
  });
});

describe("a service out of reach is", () => {
  it.for<{
    when: string;
    answering: Answering;
    timesOut?: boolean;
    requests?: number;
    isOpen: boolean;
  }>([
    {
      when: "one that breaks connections",
      answering: (_seen, response) => response.socket?.resetAndDestroy(),
      isOpen: true,
    },
    {
      when: "one that answers nothing in time",
      answering: () => undefined,
      timesOut: true,
      isOpen: true,
    },
    {
      when: "not one that answers one request of five",
      answering: (_seen, response, nth) => {
        if (nth === 5) refuse(response, 503);
        else response.socket?.resetAndDestroy();
      },
      requests: 9,
      isOpen: false,
    },
    {
      when: "not one that answers 408",
      answering: (_seen, response) => refuse(response, 408),
      isOpen: false,
    },
    {
      when: "not one that answers 503",
      answering: (_seen, response) => refuse(response, 503),
      isOpen: false,
    },
    {
      when: "not one that answers nonsense",
      answering: (_seen, response) => void response.end("<html>"),
      isOpen: false,
    },
  ])("$when", async ({ answering, timesOut = false, requests = 5, isOpen }, context) => {
    const { expect, signal } = context;
    const clock = new SimulatedClock();
    await using server = await startServer(answering);
    await using connected = connect(server.baseUrl, { clock, retry: { maxAttempts: 1 } });
    for (let nth = 1; nth <= requests; nth += 1) {
      const sending = sendWithRetries(connected.session, "sweep", read, signal);
      const isLate = (): boolean => server.seen.length === nth;
      await expect(timesOut ? clock.run(sending, isLate) : sending).rejects.toThrow();
    }
    expect(connected.session.credential.state.isCircuitOpen).toBe(isOpen);
  });
});
