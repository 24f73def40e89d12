import type { Clock } from "./ports.ts";

/** When a run stops: `stop` begins no further request, `abort` also cancels the one in flight. */
export interface StopSignals {
  readonly stop: AbortSignal;
  readonly abort: AbortSignal;
}

/** Reads a signal again: the compiler assumes that it keeps its value across an `await`. */
export function isAborted({ aborted }: AbortSignal): boolean {
  return aborted;
}

/** A signal that aborts with the first of others, until it is disposed. */
export interface JoinedSignal extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * Joins signals. `AbortSignal.any` would leave a weak reference on each of them for every call: on
 * a signal that lives as long as the program they add up, a hundred bytes for every run.
 */
export function joinSignals(...signals: readonly AbortSignal[]): JoinedSignal {
  const joined = new AbortController();
  const listeners = signals.map((signal) => {
    const abort = (): void => joined.abort(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    return { signal, abort };
  });
  return {
    signal: joined.signal,
    [Symbol.dispose]: () => {
      for (const { signal, abort } of listeners) signal.removeEventListener("abort", abort);
    },
  };
}

/**
 * Repeats `work` until `stop` aborts. An internal error is reported as a bug and does not end the
 * loop.
 */
export async function loopUntil(
  stop: AbortSignal,
  work: () => Promise<void>,
  bug: (error: unknown, zone: string) => void,
): Promise<void> {
  while (!isAborted(stop)) {
    try {
      await work();
    } catch (error) {
      if (!isAborted(stop)) bug(error, "");
    }
  }
}

/** Resolves when the work has ended, or after a time. */
export async function settledWithin(
  ms: number,
  work: Promise<unknown>,
  clock: Pick<Clock, "alarm">,
): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const stopAlarm = clock.alarm(ms, resolve);
  await Promise.race([work, late]);
  stopAlarm();
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
