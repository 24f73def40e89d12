import type { RateView } from "./rate-headers.ts";

/** The share of the rate limit that a credential may use. */
export interface RateLimiterOptions {
  /** Requests per window that the service allows the token (SERVICE.md C.3). */
  readonly limit: number;
  readonly windowMs: number;
  /** Share of them, 0 to below 1, that is reserved for people and other tools. */
  readonly reserve: number;
}

/**
 * High-priority requests may use the last slot; low-priority requests are spread over the window.
 */
export type PriorityClass = "high" | "low";

/**
 * Share of the slots that low-priority requests leave free, so that high-priority ones need not
 * wait.
 */
const headroom = 0.02;

/**
 * Low-priority requests are spread over the window once less than this share of the slots is free.
 */
const spreadBelow = 0.5;

/** Limit for the number of policies that are tracked, in case the service keeps inventing names. */
const maxPolicies = 8;

/** Share of the reserve that is never used, however much of it others have used. */
const untouchedReserve = 0.25;

/**
 * What the service reported as left, what zonewarden may use of it, and until when that is valid.
 */
interface Reported {
  readonly left: number;
  usable: number;
  readonly until: number;
}

/** The rate limit at one moment, as the service sees it: the reserve included. */
export interface RateLimiterView {
  readonly limit: number;
  readonly left: number;
  /** When more will be left; infinite if nothing is used. */
  readonly resetsAt: number;
  /** Sustainable requests per second, without the reserve. */
  readonly perSecond: number;
}

/**
 * Computes when the next request may be sent without exceeding any limit, configured or reported.
 *
 * A token bucket with a full burst and a refill would allow nearly twice the limit in one window.
 * Here each request occupies a slot from when it is sent until a whole window after its END: the
 * service counts it at some unknown moment between the two.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions;
  #inFlight = 0;
  /** When requests ended, in ascending order. */
  #ended: number[] = [];
  /**
   * The configured rule, under "", and those that the service reported. They can only tighten it.
   */
  readonly #rules = new Map<string, RateRule>();
  #maxWindowMs = 0;
  /** The most that was ever reported as left, by policy name: a substitute for a missing quota. */
  readonly #maxLeft = new Map<string, number>();
  #reported: Reported | undefined;
  #lastLow = Number.NEGATIVE_INFINITY;

  constructor(options: RateLimiterOptions) {
    this.#options = options;
    this.#addRule("", options.limit, options.windowMs);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** The rate limit as the service sees it. */
  view(now: number): RateLimiterView {
    const rules = [...this.#rules.values()];
    const tightest = rules.reduce((a, b) => (b.limit / b.ms < a.limit / a.ms ? b : a));
    const limit = Math.round(tightest.limit / (1 - this.#options.reserve));
    const others = limit - tightest.limit;
    const reported =
      this.#reported !== undefined && now < this.#reported.until ? this.#reported : undefined;
    return {
      limit,
      left: reported?.left ?? Math.max(0, others + this.#free(tightest, now)),
      resetsAt: reported?.until ?? this.#nextFreeAt(tightest, now, 1),
      perSecond: (tightest.limit / tightest.ms) * 1000,
    };
  }

  /** When one more request may be sent; infinite if that depends on requests in flight. */
  nextRequestAt(priority: PriorityClass, now: number): number {
    const { usable, until } = this.#reported ?? { usable: 1, until: now };
    let next = usable > 0 ? now : until;
    for (const rule of this.#rules.values()) {
      next = Math.max(next, this.#nextSlotAt(rule, priority, now));
    }
    return next;
  }

  /** Notes that a request is sent. */
  begin(priority: PriorityClass, now: number): void {
    this.#inFlight += 1;
    if (this.#reported !== undefined) this.#reported.usable -= 1;
    if (priority === "low") this.#lastLow = now;
  }

  /** Reverts `begin`: the request was not sent. */
  cancel(): void {
    this.#inFlight -= 1;
    if (this.#reported !== undefined) this.#reported.usable += 1;
  }

  /** Notes the end of a request, and what its answer says about the rate limit. */
  end(now: number, rate: RateView | undefined): void {
    this.#inFlight -= 1;
    this.#ended.push(now);
    this.#ended.splice(0, firstAfter(this.#ended, now - this.#maxWindowMs));
    if (rate === undefined) return;
    for (const { name, limit, ms } of rate.policies) this.#addRule(name, limit, ms);
    this.#noteLeft(rate, now);
  }

  #addRule(name: string, limit: number, ms: number): void {
    if (!this.#rules.has(name) && this.#rules.size > maxPolicies) return;
    const ours = Math.max(1, Math.floor(limit * (1 - this.#options.reserve)));
    this.#rules.set(name, { limit: ours, ms });
    this.#maxWindowMs = Math.max(...this.#rules.values().map((rule) => rule.ms));
  }

  /** Others use the token too: zonewarden may use what is left, without a part of the reserve. */
  #noteLeft(rate: RateView, now: number): void {
    for (const { name, left } of rate.left) {
      const most = Math.max(left, this.#maxLeft.get(name) ?? 0);
      if (this.#maxLeft.has(name) || this.#maxLeft.size < maxPolicies) {
        this.#maxLeft.set(name, most);
      }
    }
    const reported = rate.left.map(({ name, left, ms }) => ({
      left,
      usable: left - this.#reserveOf(name) - this.#inFlight,
      until: now + ms,
    }));
    const [first, ...others] = reported;
    if (first !== undefined) {
      this.#reported = others.reduce((a, b) => (b.usable < a.usable ? b : a), first);
    }
  }

  #reserveOf(name: string): number {
    const policy = this.#rules.get(name)?.limit;
    const { reserve } = this.#options;
    const quota = policy === undefined ? this.#maxLeft.get(name) : policy / (1 - reserve);
    return Math.floor((quota ?? 0) * reserve * untouchedReserve);
  }

  #nextSlotAt(rule: RateRule, priority: PriorityClass, now: number): number {
    const kept = priority === "low" ? Math.floor(rule.limit * headroom) : 0;
    const free = this.#free(rule, now) - kept;
    if (free <= 0) return this.#nextFreeAt(rule, now, 1 - free);
    if (priority === "high" || free >= rule.limit * spreadBelow) return now;
    return this.#spread(rule, free, now);
  }

  /**
   * Spreads the free slots over the time until the next one returns, so that one is always free
   * soon.
   */
  #spread(rule: RateRule, free: number, now: number): number {
    const returns = this.#nextFreeAt(rule, now, 1);
    if (!Number.isFinite(this.#lastLow) || !Number.isFinite(returns)) return now;
    return (free * this.#lastLow + returns) / (free + 1);
  }

  /** Free slots of `rule`; negative if the rule is newer than the requests. */
  #free(rule: RateRule, now: number): number {
    const counted = this.#ended.length - firstAfter(this.#ended, now - rule.ms);
    return rule.limit - this.#inFlight - counted;
  }

  /** When `slots` more slots become free; infinite if that depends on requests in flight. */
  #nextFreeAt(rule: RateRule, now: number, slots: number): number {
    const ended = this.#ended[firstAfter(this.#ended, now - rule.ms) + slots - 1];
    return ended === undefined ? Number.POSITIVE_INFINITY : ended + rule.ms;
  }
}

/** At most `limit` requests in any `ms` milliseconds. */
interface RateRule {
  readonly limit: number;
  readonly ms: number;
}

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
