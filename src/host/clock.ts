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

/**
 * Milliseconds since the machine started, the time included in which it was suspended. Nobody sets
 * this clock.
 */
export function sinceBootMs(): number {
  return uptime() * 1_000;
}
