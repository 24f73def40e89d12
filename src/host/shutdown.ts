import type { StopSignals } from "../zone/signals.ts";
import type { Host } from "./host.ts";

export interface Shutdown extends Disposable {
  readonly signals: StopSignals;
  /** The signal that began the shutdown; `undefined` before it. */
  readonly receivedSignal: NodeJS.Signals | undefined;
}

/**
 * How long a request in flight may take to end: `api.timeout`, by default 30 s, and the time to
 * record its outcome; and how long a store that cannot be written is tried again for the last lines
 * of the history. The pod has 60 s (deploy/kustomize/base/statefulset.yaml). With the 30 s that
 * Kubernetes gives by default it would be killed earlier, which is harmless: the next read shows
 * the outcome of the request.
 */
export const graceMs: number = 35_000;

/**
 * Shuts down on SIGTERM or SIGINT in two steps: at once, nothing new is begun; after the grace
 * period, requests in flight are aborted. The second signal exits the process at once.
 *
 * @param exitCode of the process after the second signal.
 */
export function handleShutdown(host: Host, exitCode: number): Shutdown {
  const stop = new AbortController();
  const abort = new AbortController();
  let receivedSignal: NodeJS.Signals | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (receivedSignal !== undefined) {
      host.stderr.write(
        `second signal (${signal}): exiting at once; the next read shows the outcome of requests in flight\n`,
      );
      host.exit(exitCode);
    }
    receivedSignal = signal;
    stop.abort();
    void abortAfterGrace(host, abort);
  };
  const listeners = (["SIGTERM", "SIGINT"] as const).map((signal) =>
    host.onSignal(signal, () => onSignal(signal)),
  );
  return {
    signals: { stop: stop.signal, abort: abort.signal },
    get receivedSignal() {
      return receivedSignal;
    },
    [Symbol.dispose]: () => {
      abort.abort();
      for (const listener of listeners) listener[Symbol.dispose]();
    },
  };
}

async function abortAfterGrace(host: Host, abort: AbortController): Promise<void> {
  try {
    await host.clock.sleep(graceMs, abort.signal);
    abort.abort();
  } catch {
    // The work ended within the grace period.
  }
}
