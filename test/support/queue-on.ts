import { ZoneQueue } from "../../src/reconcile/queue/zone-queue.ts";
import type { SimulatedClock } from "./clock.ts";

/** A queue on a simulated clock, and what it gives next. */
export function queueOn(clock: SimulatedClock): {
  readonly queue: ZoneQueue;
  readonly next: (signal: AbortSignal) => Promise<string>;
} {
  const queue = new ZoneQueue(clock);
  return {
    queue,
    next: async (signal) => {
      const { zone, priority, trigger } = await queue.take(signal);
      return `${zone} ${priority} ${trigger}`;
    },
  };
}
