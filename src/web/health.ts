import type { Fleet } from "../state/fleet.ts";
import { errorSummary } from "../state/load-report.ts";
import { isLoadFailure } from "../zone/internal-error.ts";

export interface HealthCheck {
  readonly name: string;
  /** Why the check fails; `undefined` if it passes. */
  failure(): string | undefined;
}

/** The clocks and the timer of the watchdog. */
export interface WatchdogClock {
  now(): Date;
  /** Monotonic, in milliseconds. */
  monotonic(): number;
  every(ms: number, run: () => void): Disposable;
}

/** Checks for liveness, until it is disposed. */
export interface Watchdog extends Disposable {
  readonly checks: readonly HealthCheck[];
}

const tickMs = 5_000;
const maxLagMs = 30_000;
const maxSkewMs = 5 * 60_000;

/**
 * Checks that the event loop runs, and that wall clock and monotonic clock agree: they differ after the machine was
 * suspended, and then the timers of the process cannot be trusted.
 */
export function startWatchdog(clock: WatchdogClock): Watchdog {
  let ticked = clock.monotonic();
  const offset = clock.now().getTime() - ticked;
  const beat = clock.every(tickMs, () => {
    ticked = clock.monotonic();
  });
  const lag = (): string | undefined => {
    const ms = clock.monotonic() - ticked;
    return ms < maxLagMs ? undefined : `blocked for ${Math.round(ms / 1000)} s`;
  };
  const skew = (): string | undefined => {
    const ms = Math.abs(clock.now().getTime() - clock.monotonic() - offset);
    return ms < maxSkewMs ? undefined : `wall clock moved by ${Math.round(ms / 1000)} s`;
  };
  return {
    checks: [
      { name: "event-loop", failure: lag },
      { name: "clock", failure: skew },
    ],
    [Symbol.dispose]: () => beat[Symbol.dispose](),
  };
}

/**
 * Whether a revision is active and the files are followed. Neither the service nor later errors in files make a process
 * unready.
 */
export function desiredStateCheck(fleetNow: () => Fleet): HealthCheck {
  return {
    name: "desired-state",
    failure: () => {
      const fleet = fleetNow();
      const failed = fleet.load?.diagnostics.find(isLoadFailure);
      if (failed !== undefined) return `the zone files are not followed: ${failed.message}`;
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
