import { setTimeout as wait } from "node:timers/promises";

/** Time as this room needs it; comes in from outside so that a simulation can own it. */
export interface Clock {
  /** Wall time, for the dates that the service writes and people read. */
  now(): Date;
  /** Milliseconds since some fixed moment. Unlike wall time it never jumps: for measuring and for waiting. */
  uptime(): number;
  /** Resolves after `ms`; rejects with the signal's reason when that comes first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Calls `ring` after `ms`, unless what it gives is called before. */
  alarm(ms: number, ring: () => void): () => void;
}

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => new Date(),
  uptime: () => performance.now(),
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
    return () => {
      clearTimeout(timer);
    };
  },
};
