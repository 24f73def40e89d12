import { Hono } from "hono";
import { describe, it } from "vitest";

import { addressOf } from "../../src/web/token-gate.ts";
import { WrongTokenLimit } from "../../src/web/wrong-token-limit.ts";
import { SimulatedClock } from "../support/clock.ts";

function limitAfter(address: string, clock = new SimulatedClock()): WrongTokenLimit {
  const limit = new WrongTokenLimit(clock);
  for (let count = 0; count < 10; count += 1) limit.recordWrong(address);
  return limit;
}

describe("the limit of wrong tokens", () => {
  it.for([
    { wrong: "10.0.0.1", other: "10.0.0.1", reached: true },
    { wrong: "10.0.0.1", other: "10.0.0.2", reached: false },
    { wrong: "::ffff:10.0.0.1", other: "10.0.0.1", reached: true },
    { wrong: "2001:db8::ffff:10.0.0.1", other: "10.0.0.1", reached: false },
    { wrong: "2001:db8:1:2::1", other: "2001:db8:1:2:ffff::9", reached: true },
    { wrong: "2001:db8:1:2::1", other: "2001:db8:1:3::1", reached: false },
    { wrong: "2001:db8:1:2::1", other: "2003:db8:1:2::1", reached: false },
    { wrong: "2001:db8::7:0:0:0:1", other: "2001:db8:0:7::2", reached: true },
    { wrong: "2001:db8::7:0:0:0:1", other: "2001:db8:0:8::2", reached: false },
    { wrong: "fe80::1%eth0", other: "fe80::2", reached: true },
    { wrong: "::7", other: "0:0:0:0:1::", reached: true },
    { wrong: "::1:0:0:0:0:0:7", other: "0:1::", reached: true },
    { wrong: "::1", other: "10.0.0.1", reached: false },
  ])("of $wrong is reached for $other: $reached", ({ wrong, other, reached }, { expect }) => {
    expect(limitAfter(wrong).isReached(other)).toBe(reached);
  });

  it("ends after a minute", async ({ expect }) => {
    const clock = new SimulatedClock();
    const limit = limitAfter("10.0.0.1", clock);
    await clock.advance(59_999);
    expect(limit.isReached("10.0.0.1")).toBe(true);
    await clock.advance(1);
    expect(limit.isReached("10.0.0.1")).toBe(false);
  });

  it("remembers ten thousand clients", ({ expect }) => {
    const limit = limitAfter("10.0.0.1");
    for (let n = 1; n < 10_000; n += 1) limit.recordWrong(`172.16.${n >> 8}.${n & 255}`);
    expect(limit.isReached("10.0.0.1")).toBe(true);
    limit.recordWrong("172.17.0.1");
    expect(limit.isReached("10.0.0.1")).toBe(false);
  });
});

describe("the address of a client", () => {
  it.for([
    { socket: { remoteAddress: "10.0.0.1" }, is: "10.0.0.1" },
    // The client has closed the connection.
    { socket: {}, is: "" },
  ])("is $is", async ({ socket, is }, { expect }) => {
    const app = new Hono().get("/", (c) => c.text(`from ${addressOf(c)}`));
    const answer = await app.request("/", {}, { incoming: { socket } });
    expect(await answer.text()).toBe(`from ${is}`);
  });
});
