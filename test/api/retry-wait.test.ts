import { describe, it } from "vitest";

import { get } from "../../src/api/request/call.ts";
import { commandRetry, daemonRetry, sendWithRetries } from "../../src/api/request/retry.ts";
import { SimulatedClock } from "../support/clock.ts";
import { refuse, startServer } from "../support/http-server.ts";
import { connect } from "../support/service.ts";

const read = get("/zones/{zone_id}/page_shield", { zone_id: "z1" });

describe("the wait before a retry", () => {
  it.for([
    {
      when: "doubles with each attempt",
      retry: commandRetry,
      random: [0.75, 0.75, 0.75, 0.75],
      waits: [375, 750, 1_500, 3_000],
    },
    {
      when: "is a random share of its bound, chosen anew each time",
      retry: commandRetry,
      random: [0.5, 0.125, 0.25, 0.875],
      waits: [250, 125, 500, 3_500],
    },
    {
      when: "is never longer than the longest one",
      retry: { ...commandRetry, maxAttempts: 9 },
      random: [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5],
      waits: [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000],
    },
    {
      when: "of the daemon is the same, with fewer attempts",
      retry: daemonRetry,
      random: [0.75, 0.75],
      waits: [375, 750],
    },
  ])("$when", async ({ retry, random, waits }, { expect, signal }) => {
    const clock = new SimulatedClock();
    await using server = await startServer((_seen, response) => refuse(response, 503));
    await using connected = connect(server.baseUrl, { clock, retry });
    let draws = 0;
    const session = { ...connected.session, random: () => random[draws++] ?? NaN };
    const sent = sendWithRetries(session, "sweep", read, signal);
    const { budget } = session.credential;
    const ended = clock.run(sent, () => budget.state.inFlight === 0);
    await expect(ended).rejects.toMatchObject({ code: "API_SERVER" });
    expect(connected.retries.map(({ waitMs }) => waitMs)).toEqual(waits);
    expect(clock.monotonicMs()).toBe(waits.reduce((sum, ms) => sum + ms));
  });

  it("comes on top of a Retry-After", async ({ expect, signal }) => {
    const clock = new SimulatedClock();
    await using server = await startServer((_seen, response) =>
      refuse(response, 429, 971, "slow down", { "retry-after": "10" }),
    );
    await using connected = connect(server.baseUrl, {
      clock,
      retry: { ...commandRetry, maxAttempts: 3 },
    });
    const { budget } = connected.session.credential;
    const sent = sendWithRetries(connected.session, "sweep", read, signal);
    const ended = clock.run(sent, () => budget.state.inFlight === 0);
    await expect(ended).rejects.toMatchObject({ code: "API_RATE_LIMITED" });
    expect(connected.retries.map(({ waitMs }) => waitMs)).toEqual([10_250, 10_500]);
  });
});
