/** The bounds of a back-off, in milliseconds. */
export interface BackoffLimits {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** For zones and the zone listing. The longest wait is the usual time between two sweeps. */
export const zoneBackoff: BackoffLimits = { firstMs: 5_000, longestMs: 900_000 };

/**
 * The wait after a number of failures in a row. It doubles with each failure, with a jitter of half of it, so that zones
 * that failed together do not retry together.
 *
 * @param random from 0 up to 1.
 */
export function backoffMs(failures: number, random: number, limits: BackoffLimits): number {
  const full = Math.min(limits.longestMs, limits.firstMs * 2 ** Math.max(0, failures - 1));
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
    return Math.max(leastMs, backoffMs(count, this.#random(), zoneBackoff));
  }

  /** Resets the count: the key succeeded, or is gone. */
  forget(key: K): void {
    this.#counts.delete(key);
  }

  keepOnly(keys: ReadonlySetLike<K>): void {
    for (const key of this.#counts.keys()) if (!keys.has(key)) this.forget(key);
  }
}
