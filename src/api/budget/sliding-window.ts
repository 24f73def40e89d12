/** At most `limit` requests in any `ms` milliseconds. */
export interface RateRule {
  readonly limit: number;
  readonly ms: number;
}

/**
 * The requests of the recent past, counted so that no window of a rule ever holds more than its limit.
 *
 * A token bucket with a full burst and a refill would allow nearly twice the limit in one window. Here each request
 * occupies one place from the moment it is sent until a whole window after its END: the service counts it at some
 * moment between the two that we cannot know.
 */
export class SlidingWindow {
  #underWay = 0;
  /** Moments at which requests ended, in ascending order. */
  #ended: number[] = [];

  /** Requests that were sent and have not ended. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Notes that a request is sent. */
  begin(): void {
    this.#underWay += 1;
  }

  /** Takes a beginning back: nothing was sent after all. */
  cancel(): void {
    this.#underWay -= 1;
  }

  /** Notes the end of a request; forgets what is older than `keepMs`, the longest window of any rule. */
  end(now: number, keepMs: number): void {
    this.#underWay -= 1;
    this.#ended.push(now);
    this.#ended.splice(0, firstAfter(this.#ended, now - keepMs));
  }

  /** Places that `rule` leaves at this moment; below zero where the rule came later than the requests. */
  free(rule: RateRule, now: number): number {
    const counted = this.#ended.length - firstAfter(this.#ended, now - rule.ms);
    return rule.limit - this.#underWay - counted;
  }

  /** The moment at which `places` more places are free again; infinite where that hangs on requests under way. */
  returnsAt(rule: RateRule, now: number, places: number): number {
    const ended = this.#ended[firstAfter(this.#ended, now - rule.ms) + places - 1];
    return ended === undefined ? Number.POSITIVE_INFINITY : ended + rule.ms;
  }
}

/** Index of the first moment after `limit`. */
function firstAfter(moments: readonly number[], limit: number): number {
  let low = 0;
  let high = moments.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((moments[middle] ?? 0) > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}
