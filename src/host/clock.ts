import { uptime } from "node:os";
import { setTimeout as wait } from "node:timers/promises";

import type { Clock } from "../zone/ports.ts";

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  sleep: async (ms, signal) => {
    try {
      await wait(ms, undefined, { signal });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  },
  alarm: (ms, ring) => {
    const timer = setTimeout(ring, ms);
    return () => clearTimeout(timer);
  },
};

/** Milliseconds since the machine started, the time included in which it was suspended. Nobody sets this clock. */
export function sinceBootMs(): number {
  return uptime() * 1_000;
}

/** Calls `run` after each `ms`, until it is disposed. */
export function every(ms: number, run: () => void, clock: Clock): Disposable {
  const stop = new AbortController();
  const repeat = async (): Promise<void> => {
    try {
      for (;;) {
        await clock.sleep(ms, stop.signal);
        run();
      }
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    }
  };
  void repeat();
  return { [Symbol.dispose]: () => stop.abort() };
}
