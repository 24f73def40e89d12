import type { Clock } from "../../zone/ports.ts";
import { requestPriorities, type RequestPriority } from "../../zone/ports.ts";
import { ServiceError } from "../../zone/service-error.ts";
import { Circuit, type Passage } from "../request/circuit.ts";
import type { RateView } from "./rate-headers.ts";
import { RateLimiter, type RateLimiterOptions, type Tier } from "./rate-limiter.ts";

/** How much a credential may ask of the service, and how long its requests wait for that. */
export interface BudgetOptions extends RateLimiterOptions {
  /** Requests under way at once. */
  readonly concurrency: number;
  /** Longest time that a request waits for its turn. */
  readonly patienceMs: number;
}

/** A time in which nobody is let through. */
export interface Pause {
  readonly until: Date;
  /** `locked`: the service answered 429. */
  readonly reason: "locked" | "unreachable" | "spent";
}

/** A budget at one moment. */
export interface BudgetState {
  /** Requests that the service grants in a window: as configured, or fewer where it says so itself. */
  readonly limit: number;
  /** Requests left of it, as the service said last, else as we count. */
  readonly remaining: number;
  /** When there will be more; `undefined` where nothing is used. */
  readonly resetAt: Date | undefined;
  /** Milliseconds that requests have spent waiting for their turn, summed up. */
  readonly throttledMs: number;
  /** Requests that wait at this moment. */
  readonly waiting: number;
  /** Until when those who wait do so at least; `undefined` where nobody does, or for requests under way alone. */
  readonly pause: Pause | undefined;
  /** Requests that are sent and not answered. */
  readonly underWay: number;
  /** Requests a second that we can keep up. */
  readonly perSecond: number;
  /** Whether the service is out of reach and only probed. */
  readonly isBroken: boolean;
}

/** Leave to send one request; its end must be told, whatever came of it. */
export interface Permit {
  end(passage: Passage, rate: RateView | undefined): void;
}

/** A request that has waited so long counts as one of the class before its own. */
const ageingMs = 60_000;

/** Position of a request's class when it came, and when that was. */
interface Rank {
  readonly rank: number;
  readonly since: number;
}

interface Waiter extends Rank {
  readonly grant: (permit: Permit) => void;
  readonly refuse: (error: unknown) => void;
}

/** Moments from which a request of each tier may go. */
type Openings = Readonly<Record<Tier, number>>;

/**
 * Gives the requests of a credential their turn: never more than the limit in any window, the urgent first, none
 * while the service has locked the token (SERVICE.md C.3), and single probes while it is out of reach.
 */
export class Budget {
  readonly #options: BudgetOptions;
  readonly #clock: Clock;
  readonly #allowance: RateLimiter;
  readonly #circuit = new Circuit();
  #closedUntil = Number.NEGATIVE_INFINITY;
  #throttledMs = 0;
  /** In the order in which they came. */
  #waiters: readonly Waiter[] = [];
  #callOff: () => void = () => undefined;

  constructor(options: BudgetOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#allowance = new RateLimiter(options);
  }

  /** Waits for leave to send; rejects when the signal aborts, patience ends or a probe finds nobody. */
  async acquire(priority: RequestPriority, signal: AbortSignal): Promise<Permit> {
    signal.throwIfAborted();
    const since = this.#clock.monotonicMs();
    const rank = requestPriorities.indexOf(priority);
    return this.#permitAtOnce(rank, since) ?? this.#wait(rank, since, signal);
  }

  /** The usual case by far: nobody waits, and there is room. */
  #permitAtOnce(rank: number, since: number): Permit | undefined {
    const now = Math.floor(since);
    const tier = tierOf({ rank, since }, now);
    const isOpen = this.#waiters.length === 0 && this.#opensAt(tier, now) <= now;
    return isOpen ? this.#permit(tier, now) : undefined;
  }

  async #wait(rank: number, since: number, signal: AbortSignal): Promise<Permit> {
    const { promise, resolve, reject } = Promise.withResolvers<Permit>();
    const waiter = { rank, since, grant: resolve, refuse: reject };
    const giveUp = (): void => {
      this.#dismiss(waiter);
      reject(signal.reason);
    };
    signal.addEventListener("abort", giveUp, { once: true });
    this.#waiters = [...this.#waiters, waiter];
    this.#pump();
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", giveUp);
      this.#throttledMs += this.#clock.monotonicMs() - since;
    }
  }

  /** Lets nothing through for `ms`: the service has locked the token (429). */
  close(ms: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, this.#clock.monotonicMs() + ms);
    this.#pump();
  }

  get state(): BudgetState {
    const now = this.#clock.monotonicMs();
    const { limit, left, resetsAt, perSecond } = this.#allowance.view(now);
    const resets = this.#closedUntil > now ? this.#closedUntil : resetsAt;
    const isAhead = resets > now && Number.isFinite(resets);
    return {
      limit,
      remaining: this.#closedUntil > now ? 0 : left,
      resetAt: isAhead ? this.#dateOf(resets, now) : undefined,
      pause: this.#pause(now),
      throttledMs: this.#throttledMs,
      waiting: this.#waiters.length,
      underWay: this.#allowance.underWay,
      perSecond,
      isBroken: this.#circuit.isBroken,
    };
  }

  #pause(now: number): Pause | undefined {
    if (this.#closedUntil > now) {
      return { until: this.#dateOf(this.#closedUntil, now), reason: "locked" };
    }
    const open = this.#open(now);
    const at = Math.min(...this.#waiters.map((waiter) => open[tierOf(waiter, now)]));
    if (at <= now || !Number.isFinite(at)) return undefined;
    const reason = this.#circuit.isBroken ? "unreachable" : "spent";
    return { until: this.#dateOf(at, now), reason };
  }

  #dateOf(moment: number, now: number): Date {
    return new Date(this.#clock.now().getTime() + moment - now);
  }

  /** Gives everyone their turn whose turn it is, and sets the alarm for the next. */
  #pump(): void {
    this.#callOff();
    if (this.#waiters.length === 0) return;
    // Whole milliseconds, a turn rounded down and an end rounded up: no sum of fractions may open a window early.
    const now = Math.floor(this.#clock.monotonicMs());
    let open = this.#open(now);
    for (let next = this.#next(open, now); next !== undefined; next = this.#next(open, now)) {
      this.#dismiss(next);
      next.grant(this.#permit(tierOf(next, now), now));
      open = this.#open(now);
    }
    this.#refuseTheTired(open, now);
    this.#setAlarm(open, now);
  }

  #next(open: Openings, now: number): Waiter | undefined {
    if (Math.min(open.urgent, open.patient) > now) return undefined;
    const [first, ...others] = this.#waiters.filter((waiter) => open[tierOf(waiter, now)] <= now);
    if (first === undefined) return undefined;
    return others.reduce((a, b) => (classOf(b, now) < classOf(a, now) ? b : a), first);
  }

  #open(now: number): Openings {
    return { urgent: this.#opensAt("urgent", now), patient: this.#opensAt("patient", now) };
  }

  #opensAt(tier: Tier, now: number): number {
    if (this.#allowance.underWay >= this.#options.concurrency) return Number.POSITIVE_INFINITY;
    const allowed = this.#allowance.opensAt(tier, now);
    return Math.max(allowed, this.#closedUntil, this.#circuit.opensAt);
  }

  #permit(tier: Tier, now: number): Permit {
    this.#allowance.begin(tier, now);
    const isProbe = this.#circuit.begin();
    let ended = false;
    return {
      end: (passage, rate) => {
        if (ended) return;
        ended = true;
        const at = Math.ceil(this.#clock.monotonicMs());
        if (passage === "unsent") this.#allowance.cancel();
        else this.#allowance.end(at, rate);
        this.#circuit.end(passage, isProbe, at);
        if (isProbe && passage === "unreachable") this.#refuseAll(at);
        this.#pump();
      },
    };
  }

  /** A probe that found nobody speaks for all who wait. */
  #refuseAll(now: number): void {
    for (const waiter of this.#waiters) waiter.refuse(outOfReach(this.#circuit.opensAt - now));
    this.#waiters = [];
  }

  #refuseTheTired(open: Openings, now: number): void {
    for (const waiter of this.#waiters) {
      const opens = open[tierOf(waiter, now)];
      const wait = Number.isFinite(opens) ? Math.max(opens - now, 0) : 0;
      const patience = waiter.since + this.#options.patienceMs - now;
      if (patience > 0 && wait <= patience) continue;
      this.#dismiss(waiter);
      waiter.refuse(this.#circuit.isBroken ? outOfReach(wait) : noRoom(wait));
    }
  }

  #setAlarm(open: Openings, now: number): void {
    const [oldest] = this.#waiters;
    if (oldest === undefined) return;
    const turns = this.#waiters.map((waiter) => open[tierOf(waiter, now)]);
    const at = Math.min(...turns, oldest.since + this.#options.patienceMs, now + ageingMs);
    this.#callOff = this.#clock.alarm(Math.max(1, Math.ceil(at - now)), () => {
      this.#pump();
    });
  }

  #dismiss(waiter: Waiter): void {
    this.#waiters = this.#waiters.filter((other) => other !== waiter);
  }
}

/** Position of a request's class, smaller is more urgent; waiting moves it forward, so that nothing starves. */
function classOf({ rank, since }: Rank, now: number): number {
  // `now` is rounded down: a request that has just come is not younger than that.
  return Math.max(0, rank - Math.floor(Math.max(0, now - since) / ageingMs));
}

function tierOf(waiter: Rank, now: number): Tier {
  return classOf(waiter, now) <= requestPriorities.indexOf("changed") ? "urgent" : "patient";
}

function outOfReach(retryAfterMs: number): ServiceError {
  const message = `the service is out of reach and only probed: the next try is in ${seconds(retryAfterMs)}; check its address and the way to it`;
  return new ServiceError("API_UNREACHABLE", message, {
    fault: "reset",
    transient: true,
    retryAfterMs,
  });
}

function noRoom(retryAfterMs: number): ServiceError {
  const message = `the request budget has no room for the next ${seconds(retryAfterMs)}: wait, or raise the budget where the service allows more`;
  return new ServiceError("API_BUDGET", message, { transient: true, retryAfterMs });
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}
