import { describe, it } from "vitest";

import { healthAnswer, startWatchdog, type WatchdogClock } from "../../src/web/health.ts";
import { start } from "../support/reports.ts";

/** A clock whose two hands and whose beat are moved by hand. */
function handClock(): WatchdogClock & {
  pass(ms: number, more?: { readonly stuck?: boolean; readonly skew?: number }): void;
  /** Milliseconds between two beats. */
  readonly beat: number | undefined;
} {
  let wall = start.getTime();
  let monotonic = 1_000;
  let beat: { readonly ms: number; run(): void } | undefined;
  return {
    now: () => new Date(wall),
    monotonic: () => monotonic,
    every: (ms, run) => {
      beat = { ms, run };
      return {
        [Symbol.dispose]: () => {
          beat = undefined;
        },
      };
    },
    pass: (ms, { stuck = false, skew = 0 } = {}) => {
      monotonic += ms;
      wall += ms + skew;
      if (!stuck) beat?.run();
    },
    get beat() {
      return beat?.ms;
    },
  };
}

describe("the watchdog", () => {
  it("is content while the event loop turns", ({ expect }) => {
    const clock = handClock();
    using watchdog = startWatchdog(clock);
    clock.pass(3_600_000);
    expect(healthAnswer(watchdog.checks, false)).toEqual({ status: 200, text: "ok\n" });
  });

  it("detects an event loop that is blocked for thirty seconds", ({ expect }) => {
    const clock = handClock();
    using watchdog = startWatchdog(clock);
    clock.pass(29_999, { stuck: true });
    expect(healthAnswer(watchdog.checks, false).status).toBe(200);
    clock.pass(1, { stuck: true });
    expect(healthAnswer(watchdog.checks, false).status).toBe(503);
    clock.pass(1_000_000, { stuck: true });
    expect(healthAnswer(watchdog.checks, false)).toEqual({
      status: 503,
      text: "[-]event-loop failed: blocked for 1030 s\n[+]clock ok\ncheck failed\n",
    });
  });

  it.for([
    { skew: 299_999, status: 200, says: "ok\n" },
    { skew: 300_000, status: 503, says: "[-]clock failed: wall clock moved by 300 s\n" },
    { skew: -900_000, status: 503, says: "[-]clock failed: wall clock moved by 900 s\n" },
  ])("answers $status where the wall clock moved by $skew ms", (row, { expect }) => {
    const { skew, status, says } = row;
    const clock = handClock();
    using watchdog = startWatchdog(clock);
    clock.pass(1_000, { skew });
    const answer = healthAnswer(watchdog.checks, false);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(says);
  });

  it("stops its beat when it is disposed", ({ expect }) => {
    const clock = handClock();
    const watchdog = startWatchdog(clock);
    expect(clock.beat).toBe(5_000);
    watchdog[Symbol.dispose]();
    expect(clock.beat).toBeUndefined();
  });
});

describe("the answer to a probe", () => {
  it("names every check when asked", ({ expect }) => {
    const checks = [
      { name: "a", failure: () => undefined },
      { name: "b", failure: () => undefined },
    ];
    expect(healthAnswer(checks, true)).toEqual({
      status: 200,
      text: "[+]a ok\n[+]b ok\ncheck passed\n",
    });
  });
});
