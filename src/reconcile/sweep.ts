import type { ZoneName } from "../zone/zone.ts";

/** Schedules with shorter gaps look at all zones at once: who asks for seconds wants an answer within seconds. */
const shortestSpreadGapMs = 60_000;

/** The rest of the gap is left to retries and to a sweep that is late. */
const shareOfTheGap = 0.8;

/** A nightly sweep is to be over in the night. */
const longestSpreadMs = 900_000;

/**
 * Over which time the looks of a scheduled sweep are spread, in milliseconds.
 *
 * A fleet that is looked at all at once takes the whole allowance of its token at once, and leaves people and other
 * tools to wait; spread over the gap to the next sweep, each zone is still looked at once in each gap.
 *
 * @param next when the next sweep begins; `undefined` where none is planned.
 */
export function spreadMs(now: Date, next: Date | undefined): number {
  const gap = next === undefined ? 0 : Number(next) - Number(now);
  return gap < shortestSpreadGapMs ? 0 : Math.min(gap * shareOfTheGap, longestSpreadMs);
}

/** Which zones the sweep under way has still to look at. */
export class Sweep {
  readonly #left = new Set<ZoneName>();

  /** Whether there is one. */
  get isUnderWay(): boolean {
    return this.#left.size > 0;
  }

  /** A sweep over `zones` begins; what one before it left undone is part of it. */
  begin(zones: Iterable<ZoneName>): void {
    for (const zone of zones) this.#left.add(zone);
  }

  /** A zone was looked at, for whatever reason, or is no longer declared; says whether the sweep has ended with it. */
  settle(zone: ZoneName): boolean {
    return this.#left.delete(zone) && this.#left.size === 0;
  }
}
