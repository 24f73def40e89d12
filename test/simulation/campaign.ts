import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";

import type { Schedule } from "./schedule.ts";

/** Schedules to try: those that are listed, and those of seeds. */
export interface Campaign {
  /** Each single disturbance, with some of the pairs of request faults or with all of them. */
  readonly listed: "none" | "some" | "all";
  readonly firstSeed: number;
  readonly seeds: number;
  /** Whether the changes of these go out in waves. */
  readonly inWaves: boolean;
  /** No schedule begins after so many seconds. */
  readonly seconds: number;
  readonly workers: number;
  /** Only schedules with this store; `undefined`: with any. */
  readonly store: string | undefined;
}

/** A schedule in which an invariant did not hold. */
export interface Failure {
  /** `undefined` for a schedule of the exhaustive list. */
  readonly seed: number | undefined;
  readonly schedule: Schedule;
  readonly invariant: string;
  readonly message: string;
}

/** What came of some schedules. */
export interface Tally {
  readonly schedules: number;
  readonly requests: number;
  /** Milliseconds of processor time. */
  readonly cpuMs: number;
  /** How often each disturbance happened. */
  readonly happened: Readonly<Record<string, number>>;
  /** The most sweeps to the declared state. */
  readonly mostSweeps: number;
  readonly failures: readonly Failure[];
}

export const noTally: Tally = {
  schedules: 0,
  requests: 0,
  cpuMs: 0,
  happened: {},
  mostSweeps: 0,
  failures: [],
};

export function added(a: Tally, b: Tally): Tally {
  const happened = { ...a.happened };
  for (const [name, count] of Object.entries(b.happened)) {
    happened[name] = (happened[name] ?? 0) + count;
  }
  return {
    schedules: a.schedules + b.schedules,
    requests: a.requests + b.requests,
    cpuMs: a.cpuMs + b.cpuMs,
    happened,
    mostSweeps: Math.max(a.mostSweeps, b.mostSweeps),
    failures: [...a.failures, ...b.failures],
  };
}

/** What one thread does: each `of`th schedule, beginning with the `nth`. */
export interface Share extends Campaign {
  readonly nth: number;
  readonly of: number;
}

/** Threads that a machine has room for. */
export const usualWorkers: number = availableParallelism();

/** Tries all schedules, in threads. */
export async function run(
  campaign: Campaign,
  progress: (tally: Tally) => void = () => undefined,
): Promise<Tally> {
  let total = noTally;
  const shares = Array.from({ length: campaign.workers }, (_, nth): Share => ({
    ...campaign,
    nth,
    of: campaign.workers,
  }));
  const work = shares.map(async (share) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const worker = new Worker(new URL("./campaign-worker.ts", import.meta.url), {
      workerData: share,
    });
    worker.on("message", (tally: Tally) => {
      total = added(total, tally);
      progress(total);
    });
    worker.on("error", reject);
    worker.on("exit", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`a thread ended with ${code}`));
    });
    await promise;
  });
  await Promise.all(work);
  return total;
}
