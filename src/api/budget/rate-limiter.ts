import type { RateView } from "./rate-headers.ts";
import { SlidingWindow, type RateRule } from "./sliding-window.ts";

/** How much of the service's allowance a credential may use. */
export interface RateLimiterOptions {
  /** Requests that the service allows the token in a window (SERVICE.md C.3). */
  readonly limit: number;
  readonly windowMs: number;
  /** Share of them, 0 to below 1, that is left to people and other tools. */
  readonly reserve: number;
}

/** Who asks: the urgent may take the last place, the patient spread themselves over the window. */
export type Tier = "urgent" | "patient";

/** Share of the places that the patient leave to the urgent, so that these need not wait for one. */
const headroom = 0.02;

/** The patient go freely while at least this share of the places is free; then they make the rest last. */
const freelyWhileFree = 0.5;

/** Policies of the service that are kept apart; one that makes up ever new names is not followed. */
const mostPolicies = 8;

/** Of the reserve, this share is never touched, however much of it others have used. */
const untouched = 0.25;

/** What the service said is left, what of it we may use, and until when that holds. */
interface Told {
  readonly left: number;
  usable: number;
  readonly until: number;
}

/** An allowance at one moment, as the service sees it: the reserve included. */
export interface RateLimiterView {
  readonly limit: number;
  readonly left: number;
  /** When there will be more; infinite where nothing is used. */
  readonly resetsAt: number;
  /** Requests a second that we can keep up, the reserve left out. */
  readonly perSecond: number;
}

/** Knows when the next request may be sent without passing any limit, our own or the service's. */
export class RateLimiter {
  readonly #options: RateLimiterOptions;
  readonly #window = new SlidingWindow();
  /** The configured rule, under "", and those that the service named. They can only narrow it. */
  readonly #rules = new Map<string, RateRule>();
  #longestMs = 0;
  /** The most that the service ever said was left, by name: its quota, where it does not say that. */
  readonly #mostLeft = new Map<string, number>();
  #told: Told | undefined;
  #lastPatient = Number.NEGATIVE_INFINITY;

  constructor(options: RateLimiterOptions) {
    this.#options = options;
    this.#adopt("", options.limit, options.windowMs);
  }

  /** Requests that were sent and have not ended. */
  get underWay(): number {
    return this.#window.underWay;
  }

  /** The limit as the service sees it. */
  view(now: number): RateLimiterView {
    const rules = [...this.#rules.values()];
    const tightest = rules.reduce((a, b) => (b.limit / b.ms < a.limit / a.ms ? b : a));
    const limit = Math.round(tightest.limit / (1 - this.#options.reserve));
    const others = limit - tightest.limit;
    const told = this.#told !== undefined && now < this.#told.until ? this.#told : undefined;
    return {
      limit,
      left: told?.left ?? Math.max(0, others + this.#window.free(tightest, now)),
      resetsAt: told?.until ?? this.#window.returnsAt(tightest, now, 1),
      perSecond: (tightest.limit / tightest.ms) * 1000,
    };
  }

  /** The moment from which one more request of `tier` may go; infinite where that hangs on requests under way. */
  opensAt(tier: Tier, now: number): number {
    const { usable, until } = this.#told ?? { usable: 1, until: now };
    let opens = usable > 0 ? now : until;
    for (const rule of this.#rules.values()) {
      opens = Math.max(opens, this.#placeAt(rule, tier, now));
    }
    return opens;
  }

  /** Notes that a request goes. */
  begin(tier: Tier, now: number): void {
    this.#window.begin();
    if (this.#told !== undefined) this.#told.usable -= 1;
    if (tier === "patient") this.#lastPatient = now;
  }

  /** Takes a beginning back: nothing was sent after all. */
  cancel(): void {
    this.#window.cancel();
    if (this.#told !== undefined) this.#told.usable += 1;
  }

  /** Notes that a request ended, and what its answer said about the limit. */
  end(now: number, rate: RateView | undefined): void {
    this.#window.end(now, this.#longestMs);
    if (rate === undefined) return;
    for (const { name, limit, ms } of rate.policies) this.#adopt(name, limit, ms);
    this.#hear(rate, now);
  }

  #adopt(name: string, limit: number, ms: number): void {
    if (!this.#rules.has(name) && this.#rules.size > mostPolicies) return;
    const ours = Math.max(1, Math.floor(limit * (1 - this.#options.reserve)));
    this.#rules.set(name, { limit: ours, ms });
    this.#longestMs = Math.max(...this.#rules.values().map((rule) => rule.ms));
  }

  /** Others use the token too: what the service says is left binds us, less a rest of the reserve. */
  #hear(rate: RateView, now: number): void {
    for (const { name, left } of rate.left) {
      const most = Math.max(left, this.#mostLeft.get(name) ?? 0);
      if (this.#mostLeft.has(name) || this.#mostLeft.size < mostPolicies) {
        this.#mostLeft.set(name, most);
      }
    }
    const told = rate.left.map(({ name, left, ms }) => ({
      left,
      usable: left - this.#restOf(name) - this.#window.underWay,
      until: now + ms,
    }));
    const [first, ...others] = told;
    if (first !== undefined) {
      this.#told = others.reduce((a, b) => (b.usable < a.usable ? b : a), first);
    }
  }

  #restOf(name: string): number {
    const policy = this.#rules.get(name)?.limit;
    const { reserve } = this.#options;
    const quota = policy === undefined ? this.#mostLeft.get(name) : policy / (1 - reserve);
    return Math.floor((quota ?? 0) * reserve * untouched);
  }

  #placeAt(rule: RateRule, tier: Tier, now: number): number {
    const kept = tier === "patient" ? Math.floor(rule.limit * headroom) : 0;
    const free = this.#window.free(rule, now) - kept;
    if (free <= 0) return this.#window.returnsAt(rule, now, 1 - free);
    if (tier === "urgent" || free >= rule.limit * freelyWhileFree) return now;
    return this.#evenly(rule, free, now);
  }

  /** Spreads the free places over the time until the next one returns, so that there is always one soon. */
  #evenly(rule: RateRule, free: number, now: number): number {
    const returns = this.#window.returnsAt(rule, now, 1);
    if (!Number.isFinite(this.#lastPatient) || !Number.isFinite(returns)) return now;
    return (free * this.#lastPatient + returns) / (free + 1);
  }
}
