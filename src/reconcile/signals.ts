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
 * Joins signals. `AbortSignal.any` would leave a weak reference on each of them for every call: on a signal that lives as
 * long as the program they add up, a hundred bytes for every run.
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

/** Does several works side by side until `stop` aborts. Where one fails, it stops the others, and rejects when they have ended. */
export async function sideBySide(
  works: readonly ((signals: StopSignals) => Promise<void>)[],
  { stop, abort }: StopSignals,
): Promise<void> {
  const failed = new AbortController();
  using joined = joinSignals(stop, failed.signal);
  const signals = { stop: joined.signal, abort };
  const running = works.map((work) =>
    work(signals).catch((error: unknown) => {
      failed.abort(error);
      throw error;
    }),
  );
  await Promise.allSettled(running);
  await Promise.all(running);
}

/** Repeats `work` until `stop` aborts. An internal error is reported as a bug and does not end the loop. */
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
