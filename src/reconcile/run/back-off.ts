/** Bounds of the wait after a failure, in milliseconds. */
export interface BackoffLimits {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** The wait after the failure of a zone or of the zone listing; at most the usual time between two sweeps. */
export const zoneBackoff: BackoffLimits = { firstMs: 5_000, longestMs: 900_000 };

/**
 * How long to wait after so many failures in a row: twice as long each time, between half and all of it by chance,
 * so that what failed together does not come back together.
 *
 * @param random from 0 up to 1.
 */
export function backoffMs(failures: number, random: number, limits: BackoffLimits): number {
  const full = Math.min(limits.longestMs, limits.firstMs * 2 ** Math.max(0, failures - 1));
  return Math.round(full * (0.5 + random / 2));
}

/** How often whom failed in a row, and how long to wait after that. */
export class BackOff<K> {
  readonly #counts = new Map<K, number>();
  readonly #random: () => number;

  /** @param random from 0 up to 1. */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** Counts one more failure and gives the wait after it, in milliseconds; never less than `leastMs`. */
  add(key: K, leastMs: number): number {
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return Math.max(leastMs, backoffMs(count, this.#random(), zoneBackoff));
  }

  /** Begins anew with one that succeeded, or is gone. */
  forget(key: K): void {
    this.#counts.delete(key);
  }

  /** Forgets all others. */
  keepOnly(keys: ReadonlySetLike<K>): void {
    for (const key of this.#counts.keys()) if (!keys.has(key)) this.forget(key);
  }
}
