import type { Clock } from "../zone/ports.ts";

/** Calls again and again, each time after `ms`, until it is disposed. */
export function every(ms: number, run: () => void, clock: Clock): Disposable {
  const ended = new AbortController();
  const wait = async (): Promise<void> => {
    try {
      for (;;) {
        await clock.sleep(ms, ended.signal);
        run();
      }
    } catch (error) {
      if (!ended.signal.aborted) throw error;
    }
  };
  void wait();
  return { [Symbol.dispose]: () => ended.abort() };
}
