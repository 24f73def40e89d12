/** A signal that aborts with the first of others, as long as it is not disposed. */
export interface JoinedSignal extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * Joins signals. `AbortSignal.any` leaves a weak reference behind on each of them for every call: on one that lives as
 * long as the program they pile up, a hundred bytes for every look at a zone.
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
