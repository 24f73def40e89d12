import type { StopSignals } from "../reconcile/signals.ts";
import type { Host } from "./host.ts";

/** How the end of the process comes about. */
export interface Stopping extends Disposable {
  readonly signals: StopSignals;
  /** The signal that asked for it; `undefined`: none has. */
  readonly asked: NodeJS.Signals | undefined;
}

/**
 * A request under way may take so long to end: `api.timeout`, 30 s where nothing else is said, and time to record what
 * came of it. The pod is given 60 s (deploy/kustomize/base/deployment.yaml); the 30 s that Kubernetes gives where nothing
 * is said would kill before the end of it, which is harmless: the next look shows what came of the request.
 */
export const graceMs: number = 35_000;

/**
 * Ends on SIGTERM or SIGINT in two steps: first nothing new is begun, and after the grace period what is under way is
 * given up. The second signal does not wait.
 *
 * @param exitCode of a process that did not wait.
 */
export function startStopping(host: Host, exitCode: number): Stopping {
  const stop = new AbortController();
  const abort = new AbortController();
  let asked: NodeJS.Signals | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (asked !== undefined) {
      host.stderr.write(`${signal} again: ended at once; the next look shows what came of it\n`);
      host.exit(exitCode);
    }
    asked = signal;
    stop.abort();
    void abortLater(host, abort);
  };
  const listeners = (["SIGTERM", "SIGINT"] as const).map((signal) =>
    host.onSignal(signal, () => onSignal(signal)),
  );
  return {
    signals: { stop: stop.signal, abort: abort.signal },
    get asked() {
      return asked;
    },
    [Symbol.dispose]: () => {
      abort.abort();
      for (const listener of listeners) listener[Symbol.dispose]();
    },
  };
}

async function abortLater(host: Host, abort: AbortController): Promise<void> {
  try {
    await host.clock.sleep(graceMs, abort.signal);
    abort.abort();
  } catch {
    // Everything had ended before the grace period did.
  }
}
