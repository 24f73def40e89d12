import type { Trigger } from "../../state/run-report.ts";
import type { ZoneName } from "../../zone/zone.ts";

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

/** The sweep that is owed, what the one under way has still to look at, and whether a scheduled one waits for its end. */
export class Sweep {
  readonly #lateIsDue: () => void;
  readonly #left = new Set<ZoneName>();
  #owed: Trigger | undefined;
  #isLate = false;

  /** @param lateIsDue is called when a sweep has ended for whose end a scheduled one waits. */
  constructor(lateIsDue: () => void) {
    this.#lateIsDue = lateIsDue;
  }

  /** What asked for the sweep that has not begun yet: it waits for the zone listing. */
  get owed(): Trigger | undefined {
    return this.#owed;
  }

  /**
   * Notes that a sweep is asked for, and says whether it is owed: a scheduled one waits for the end of the one before.
   *
   * @param isListing whether the zones are being listed: for the sweep that is owed, where one is.
   */
  owe(trigger: Trigger, isListing: boolean): boolean {
    const isUnderWay = this.#left.size > 0 || (isListing && this.#owed !== undefined);
    if (trigger === "schedule" && isUnderWay) {
      this.#isLate = true;
      return false;
    }
    // What somebody has asked for at once is not spread over the gaps of the schedule.
    if (trigger !== "schedule" || this.#owed === undefined) this.#owed = trigger;
    return true;
  }

  /** The sweep that is owed begins, over `zones`; what one before it left undone is part of it. */
  begin(zones: Iterable<ZoneName>): void {
    this.#owed = undefined;
    for (const zone of zones) this.#left.add(zone);
    // One in which every zone is held back is over at once.
    this.#endWhenDone();
  }

  /** A zone was looked at, for whatever reason, or is no longer declared. */
  settle(zone: ZoneName): void {
    if (this.#left.delete(zone)) this.#endWhenDone();
  }

  #endWhenDone(): void {
    if (this.#left.size > 0 || !this.#isLate) return;
    this.#isLate = false;
    this.#lateIsDue();
  }
}
