import type { FleetView } from "../state/fleet.ts";
import { errorSummary } from "../state/load-report.ts";

/** One question about the process. */
export interface HealthCheck {
  readonly name: string;
  /** What is wrong; `undefined` when nothing is. */
  failure(): string | undefined;
}

/** Time as the watchdog sees it: two clocks and a beat. */
export interface WatchdogClock {
  now(): Date;
  /** Milliseconds that only ever grow. */
  monotonic(): number;
  every(ms: number, run: () => void): Disposable;
}

/** Checks that the process is alive, as long as it is not disposed. */
export interface Watchdog extends Disposable {
  readonly checks: readonly HealthCheck[];
}

const tickMs = 5_000;
const longestSilenceMs = 30_000;
const largestSkewMs = 5 * 60_000;

/**
 * Watches that the event loop turns, and that wall clock and monotonic clock agree: they part where a machine was
 * suspended, and then no timer of this process can be trusted.
 */
export function startWatchdog(clock: WatchdogClock): Watchdog {
  let ticked = clock.monotonic();
  const offset = clock.now().getTime() - ticked;
  const beat = clock.every(tickMs, () => {
    ticked = clock.monotonic();
  });
  const silence = (): string | undefined => {
    const ms = clock.monotonic() - ticked;
    return ms < longestSilenceMs ? undefined : `no turn for ${Math.round(ms / 1000)} s`;
  };
  const skew = (): string | undefined => {
    const ms = Math.abs(clock.now().getTime() - clock.monotonic() - offset);
    return ms < largestSkewMs ? undefined : `wall clock moved by ${Math.round(ms / 1000)} s`;
  };
  return {
    checks: [
      { name: "event-loop", failure: silence },
      { name: "clock", failure: skew },
    ],
    [Symbol.dispose]: () => {
      beat[Symbol.dispose]();
    },
  };
}

/** Whether a revision is active. Neither the service nor later errors in files make a process unready. */
export function desiredStateCheck(fleet: FleetView): HealthCheck {
  return {
    name: "desired-state",
    failure: () => {
      if (fleet.hasActiveRevision) return undefined;
      if (fleet.load === undefined) return "the zone files are not loaded yet";
      return `no revision is active, the zone files are rejected: ${errorSummary(fleet.load.diagnostics)}`;
    },
  };
}

/** The answer to a probe: `ok`, or with `verbose` or a failure a line for each check, as Kubernetes' own servers do. */
export function healthAnswer(
  checks: readonly HealthCheck[],
  verbose: boolean,
): { readonly status: 200 | 503; readonly text: string } {
  const results = checks.map((check) => ({ name: check.name, failure: check.failure() }));
  const passed = results.every(({ failure }) => failure === undefined);
  if (passed && !verbose) return { status: 200, text: "ok\n" };
  const lines = results.map(({ name, failure }) =>
    failure === undefined ? `[+]${name} ok` : `[-]${name} failed: ${failure}`,
  );
  return {
    status: passed ? 200 : 503,
    text: [...lines, passed ? "check passed" : "check failed", ""].join("\n"),
  };
}
