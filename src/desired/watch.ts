/** Time for the watcher: milliseconds since whenever, and a call after a while that can be called off. */
export interface WatchClock {
  now(): number;
  after(ms: number, run: () => void): Disposable;
}

/** How {@link watchDesired} waits. */
export interface WatchOptions {
  /** Quiet time after the last event before `onChange` is called; at most ten times as long in all. */
  readonly debounceMs: number;
  /** How often the path is asked whether it still leads to the same place. */
  readonly identityMs: number;
  readonly clock: WatchClock;
}

/** Calls `onChange` after something below `path` changed. The call carries no facts: who wants them loads again. */
export async function watchDesired(
  path: string,
  onChange: () => void,
  options: WatchOptions,
): Promise<AsyncDisposable> {
  options.clock.after(options.debounceMs, onChange)[Symbol.dispose]();
  throw new Error(`not built yet: ${path}`);
}
