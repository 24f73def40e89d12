import { endsWithTime, type Hold, type TimedReason } from "../../plan/guard/hold.ts";
import { isRefused, type Outcome, type ZoneReport } from "../../state/run-report.ts";

/** A run that a zone needs without a trigger from outside: after a failure, or when a hold ends. */
export interface NextRun {
  readonly reason: "retry" | "due";
  readonly delayMs: number;
}

/**
 * The least wait before a run is repeated, in milliseconds; `undefined` if it succeeded, or if only a changed file or
 * the next sweep can help.
 */
export function retryDelayMs(report: ZoneReport): number | undefined {
  if (report.result === "error") return delayAfter(report.failure);
  if (report.result !== "applied") return undefined;
  const { outcomes, left } = report;
  const failures = outcomes.flatMap((each) => ("failure" in each ? [each.failure] : []));
  const delays = failures.flatMap((failure) => delayAfter(failure) ?? []);
  if (delays.length > 0) return Math.max(...delays);
  if (!failures.every(isRefused)) return undefined;
  const refused = new Set(outcomes.filter(isStuck).flatMap(({ write }) => write.changes));
  return left.some(({ key }) => !refused.has(key)) ? 0 : undefined;
}

/** Whether a write was refused, or waits for one that was. */
function isStuck(outcome: Outcome): boolean {
  if (outcome.status === "skipped") return outcome.waitsFor !== undefined;
  return outcome.status === "failed" && isRefused(outcome.failure);
}

function delayAfter(failure: { readonly transient: boolean; readonly retryAfterMs: number }) {
  return failure.transient ? failure.retryAfterMs : undefined;
}

/**
 * When the last hold of a plan ends by itself; `undefined` if somebody has to act, or if nothing holds the plan. If
 * another hold begins before, the run at that moment finds its end.
 *
 * @param ends when the holds end that time alone ends; `undefined`: it takes more than time.
 */
export function endOfHolds(
  holds: readonly Hold[],
  ends: Readonly<Record<TimedReason, () => Date | undefined>>,
): Date | undefined {
  const moments = holds.map(({ reason }) => (endsWithTime(reason) ? ends[reason]() : undefined));
  const known = moments.filter((moment) => moment !== undefined);
  if (known.length < holds.length) return undefined;
  return known.toSorted((a, b) => Number(b) - Number(a))[0];
}

const firstMs = 5_000;

/** The usual time between two sweeps. */
const longestMs = 900_000;

/**
 * The wait after a number of failures in a row. It doubles with each failure, with a jitter of half of it, so that zones
 * that failed together do not retry together.
 *
 * @param random from 0 up to 1.
 */
export function backoffMs(failures: number, random: number): number {
  const full = Math.min(longestMs, firstMs * 2 ** Math.max(0, failures - 1));
  return Math.round(full * (0.5 + random / 2));
}

/** Counts the failures in a row of each key, and gives the wait after each. */
export class BackOff<K> {
  readonly #counts = new Map<K, number>();
  readonly #random: () => number;

  /** @param random from 0 up to 1. */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** Counts a failure and gives the wait after it, in milliseconds: at least `leastMs`. */
  add(key: K, leastMs: number): number {
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return Math.max(leastMs, backoffMs(count, this.#random()));
  }

  /** Resets the count: the key succeeded, or is gone. */
  forget(key: K): void {
    this.#counts.delete(key);
  }

  keepOnly(keys: ReadonlySetLike<K>): void {
    for (const key of this.#counts.keys()) if (!keys.has(key)) this.forget(key);
  }
}
