import { type Clock, type RequestPriority, requestPriorities } from "../../zone/ports.ts";
import { ServiceError } from "../../zone/service-error.ts";
import { CircuitBreaker, type RequestEnd } from "./circuit-breaker.ts";
import type { RateView } from "./rate-headers.ts";
import { RateLimiter, type RateLimiterOptions, type PriorityClass } from "./rate-limiter.ts";

/** The request budget of a credential. */
export interface BudgetOptions extends RateLimiterOptions {
  /** Limit for requests in flight. */
  readonly concurrency: number;
  /** How long a request may wait for the budget. */
  readonly maxWaitMs: number;
}

/** A time in which no request is sent. */
export interface Pause {
  readonly until: Date;
  /** `rate_limited`: the service answered 429. `exhausted`: the request budget is used up. */
  readonly reason: "rate_limited" | "unreachable" | "exhausted";
}

/** A budget at one moment. */
export interface BudgetState {
  /** Requests per window: as configured, or as the service reports if that is less. */
  readonly limit: number;
  /** Requests left, as the service reported last, else as counted. */
  readonly remaining: number;
  /** When more will be left; `undefined` if nothing is used. */
  readonly resetAt: Date | undefined;
  /** Total milliseconds that requests waited for the budget. */
  readonly waitedMs: number;
  /** Requests that wait now. */
  readonly waiting: number;
  /**
   * Until when requests wait at least; `undefined` if none waits, or only for requests in flight.
   */
  readonly pause: Pause | undefined;
  readonly inFlight: number;
  /** Sustainable requests per second. */
  readonly perSecond: number;
  /** Whether the service is unreachable and only probed. */
  readonly isCircuitOpen: boolean;
}

/** Permission to send one request. Call `end` in any case. */
export interface Permit {
  end(requestEnd: RequestEnd, rate: RateView | undefined): void;
}

/** After each such time a waiting request moves up by one priority, so that none starves. */
const agingMs = 60_000;

interface Ranked {
  /** Index of the request's priority. */
  readonly rank: number;
  readonly since: number;
}

interface Waiter extends Ranked {
  readonly grant: (permit: Permit) => void;
  readonly reject: (error: unknown) => void;
}

/** When the next request of each class may be sent. */
type NextRequest = Readonly<Record<PriorityClass, number>>;

/**
 * The request budget of a credential. It keeps every window within the limit, serves high
 * priorities first, sends nothing while the service rate-limits the token (SERVICE.md C.3), and
 * only probes an unreachable service.
 */
export class Budget {
  readonly #options: BudgetOptions;
  readonly #clock: Clock;
  readonly #limiter: RateLimiter;
  readonly #circuit = new CircuitBreaker();
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #waitedMs = 0;
  /** In order of arrival. */
  #waiters: readonly Waiter[] = [];
  #cancelAlarm: () => void = () => undefined;

  constructor(options: BudgetOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#limiter = new RateLimiter(options);
  }

  /** Waits for a permit; rejects when the signal aborts, the wait is too long or a probe fails. */
  async acquire(priority: RequestPriority, signal: AbortSignal): Promise<Permit> {
    signal.throwIfAborted();
    const since = this.#clock.monotonicMs();
    const rank = requestPriorities.indexOf(priority);
    return this.#permitAtOnce(rank, since) ?? this.#wait(rank, since, signal);
  }

  /** The usual case by far: no request waits, and a slot is free. */
  #permitAtOnce(rank: number, since: number): Permit | undefined {
    const now = Math.floor(since);
    const priority = classOf({ rank, since }, now);
    const isFree = this.#waiters.length === 0 && this.#nextRequestAt(priority, now) <= now;
    return isFree ? this.#permit(priority, now) : undefined;
  }

  async #wait(rank: number, since: number, signal: AbortSignal): Promise<Permit> {
    const { promise, resolve, reject } = Promise.withResolvers<Permit>();
    const waiter = { rank, since, grant: resolve, reject };
    const abort = (): void => {
      this.#remove(waiter);
      // The alarm may have been for this waiter alone: it would keep a stopping process alive.
      this.#serveWaiters();
      reject(signal.reason);
    };
    signal.addEventListener("abort", abort, { once: true });
    this.#waiters = [...this.#waiters, waiter];
    this.#serveWaiters();
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", abort);
      this.#waitedMs += this.#clock.monotonicMs() - since;
    }
  }

  /** Sends no request for `ms`, since the service rate-limits the token (429). */
  pauseFor(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.monotonicMs() + ms);
    this.#serveWaiters();
  }

  get state(): BudgetState {
    const now = this.#clock.monotonicMs();
    const { limit, left, resetsAt, perSecond } = this.#limiter.view(now);
    const isPaused = this.#pausedUntil > now;
    const resets = isPaused ? this.#pausedUntil : resetsAt;
    return {
      limit,
      remaining: isPaused ? 0 : left,
      resetAt: Number.isFinite(resets) ? this.#dateOf(resets, now) : undefined,
      pause: this.#pause(now),
      waitedMs: this.#waitedMs,
      waiting: this.#waiters.length,
      inFlight: this.#limiter.inFlight,
      perSecond,
      isCircuitOpen: this.#circuit.isOpen,
    };
  }

  #pause(now: number): Pause | undefined {
    if (this.#pausedUntil > now) {
      return { until: this.#dateOf(this.#pausedUntil, now), reason: "rate_limited" };
    }
    const next = this.#nextRequest(now);
    const at = Math.min(...this.#waiters.map((waiter) => next[classOf(waiter, now)]));
    if (at <= now || !Number.isFinite(at)) return undefined;
    const reason = this.#circuit.isOpen ? "unreachable" : "exhausted";
    return { until: this.#dateOf(at, now), reason };
  }

  #dateOf(uptime: number, now: number): Date {
    return new Date(this.#clock.now().getTime() + uptime - now);
  }

  /** Grants permits to all waiters whose turn it is, and sets the alarm for the next. */
  #serveWaiters(): void {
    this.#cancelAlarm();
    if (this.#waiters.length === 0) return;
    // Whole milliseconds, starts rounded down and ends rounded up: rounding must not open a window
    // early.
    const now = Math.floor(this.#clock.monotonicMs());
    let next = this.#nextRequest(now);
    for (let first = this.#first(next, now); first !== undefined; first = this.#first(next, now)) {
      this.#remove(first);
      first.grant(this.#permit(classOf(first, now), now));
      next = this.#nextRequest(now);
    }
    this.#rejectOverdue(next, now);
    this.#setAlarm(next, now);
  }

  #first(next: NextRequest, now: number): Waiter | undefined {
    const [first, ...others] = this.#waiters.filter((waiter) => next[classOf(waiter, now)] <= now);
    if (first === undefined) return undefined;
    return others.reduce((a, b) => (agedRank(b, now) < agedRank(a, now) ? b : a), first);
  }

  #nextRequest(now: number): NextRequest {
    return { high: this.#nextRequestAt("high", now), low: this.#nextRequestAt("low", now) };
  }

  #nextRequestAt(priority: PriorityClass, now: number): number {
    if (this.#limiter.inFlight >= this.#options.concurrency) return Number.POSITIVE_INFINITY;
    const allowedAt = this.#limiter.nextRequestAt(priority, now);
    return Math.max(allowedAt, this.#pausedUntil, this.#circuit.nextRequestAt);
  }

  #permit(priority: PriorityClass, now: number): Permit {
    this.#limiter.begin(priority, now);
    const isProbe = this.#circuit.begin();
    let ended = false;
    return {
      end: (requestEnd, rate) => {
        if (ended) return;
        ended = true;
        const at = Math.ceil(this.#clock.monotonicMs());
        if (requestEnd === "unsent") this.#limiter.cancel();
        else this.#limiter.end(at, rate);
        this.#circuit.end(requestEnd, isProbe, at);
        if (isProbe && requestEnd === "unreachable") this.#rejectAll(at);
        this.#serveWaiters();
      },
    };
  }

  /** A failed probe fails all waiting requests. */
  #rejectAll(now: number): void {
    for (const waiter of this.#waiters) {
      waiter.reject(unreachableError(this.#circuit.nextRequestAt - now));
    }
    this.#waiters = [];
  }

  #rejectOverdue(next: NextRequest, now: number): void {
    for (const waiter of this.#waiters) {
      const at = next[classOf(waiter, now)];
      const waitMs = Number.isFinite(at) ? at - now : 0;
      const maxMs = waiter.since + this.#options.maxWaitMs - now;
      if (maxMs > 0 && waitMs <= maxMs) continue;
      this.#remove(waiter);
      waiter.reject(this.#circuit.isOpen ? unreachableError(waitMs) : exhaustedError(waitMs));
    }
  }

  #setAlarm(next: NextRequest, now: number): void {
    const [oldest] = this.#waiters;
    if (oldest === undefined) return;
    const turns = this.#waiters.map((waiter) => next[classOf(waiter, now)]);
    const at = Math.min(...turns, oldest.since + this.#options.maxWaitMs, now + agingMs);
    this.#cancelAlarm = this.#clock.alarm(Math.max(1, Math.ceil(at - now)), () => {
      this.#serveWaiters();
    });
  }

  #remove(waiter: Waiter): void {
    this.#waiters = this.#waiters.filter((other) => other !== waiter);
  }
}

/** Index of a request's priority after aging; the lowest goes first. */
function agedRank({ rank, since }: Ranked, now: number): number {
  // `now` is rounded down, and so may be before `since`.
  return Math.max(0, rank - Math.trunc((now - since) / agingMs));
}

function classOf(request: Ranked, now: number): PriorityClass {
  return agedRank(request, now) <= requestPriorities.indexOf("changed") ? "high" : "low";
}

function unreachableError(retryAfterMs: number): ServiceError {
  const message = `the service is unreachable; zonewarden tries again in ${seconds(retryAfterMs)}: check api.base_url and the network`;
  return new ServiceError("API_UNREACHABLE", message, {
    fault: "reset",
    transient: true,
    retryAfterMs,
  });
}

function exhaustedError(retryAfterMs: number): ServiceError {
  const message = `the request budget is exhausted for the next ${seconds(retryAfterMs)}: wait, or raise the budget if the service allows more`;
  return new ServiceError("API_BUDGET", message, { transient: true, retryAfterMs });
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}
