/** Bounds of the wait after a failure, in milliseconds. */
export interface BackoffLimits {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** The wait after the failure of a zone or of the zone listing (product: after a failure). */
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
