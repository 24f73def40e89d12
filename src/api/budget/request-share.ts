import type { Clock } from "../../zone/ports.ts";

/** The share of a request budget that one kind of reads may use, unless it is told: 2 %. */
const smallShare = 0.02;

/**
 * A line of its own in the request budget of a credential: at most a share of the requests of a
 * window, and at least one. A small share need not wait for sweeps: it is too little to delay them.
 */
export class RequestShare {
  readonly #clock: Clock;
  readonly #windowMs: number;
  readonly #perSecond: () => number;
  readonly #share: number;
  /** When its requests were sent, in ascending order. */
  #sent: readonly number[] = [];

  /** @param perSecond requests that the whole budget sustains now. */
  constructor(windowMs: number, perSecond: () => number, clock: Clock, share = smallShare) {
    this.#share = share;
    this.#windowMs = windowMs;
    this.#perSecond = perSecond;
    this.#clock = clock;
  }

  /** Waits for the turn of one more request, and counts it. Rejects when the signal aborts. */
  async take(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const now = this.#clock.monotonicMs();
      this.#sent = this.#sent.filter((at) => at > now - this.#windowMs);
      const free = this.#limit - this.#sent.length;
      if (free > 0) {
        this.#sent = [...this.#sent, now];
        return;
      }
      const oldest = this.#sent.at(-this.#limit) ?? now;
      await this.#clock.sleep(Math.max(1, Math.ceil(oldest + this.#windowMs - now)), signal);
    }
  }

  /** Counts requests that were sent without waiting: retries. */
  note(requests: number): void {
    const now = this.#clock.monotonicMs();
    this.#sent = [...this.#sent, ...Array.from({ length: requests }, () => now)];
  }

  get #limit(): number {
    return Math.max(1, Math.floor((this.#perSecond() * this.#windowMs * this.#share) / 1_000));
  }
}
