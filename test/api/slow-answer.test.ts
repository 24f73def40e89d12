import { afterAll, beforeAll, describe, it, vi } from "vitest";

import { get } from "../../src/api/request/call.ts";
import { sendWithRetries } from "../../src/api/request/retry.ts";
import { SimulatedClock } from "../support/clock.ts";
import { startServer, succeed, type Answering } from "../support/http-server.ts";
import { connect } from "../support/service.ts";

const zones = get("/zones", {});
const silent = get("/zones/{zone_id}/page_shield", { zone_id: "z1" });

// The timers of undici, which has time limits of its own.
beforeAll(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterAll(() => void vi.useRealTimers());

describe("a connection", () => {
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
    // An hour passes for undici, and no time on the clock of the program.
    for (let nth = 0; nth < 30; nth += 1) {
      await sendWithRetries(session, "sweep", zones, signal);
      vi.advanceTimersByTime(120_000);
    }
    expect(session.credential.state.inFlight).toBe(1);
    await clock.advance(599_999);
    expect(session.credential.state.inFlight).toBe(1);
    await clock.advance(1);
    await waiting;
  });
});
