/** How a request ended, as far as the way to the service is concerned. */
export type Passage = "answered" | "unreachable" | "abandoned" | "unsent";

const failuresToOpen = 5;
const firstRestMs = 1_000;
const longestPauseMs = 60_000;

/**
 * Spares a dead service: after five failures in a row it lets nobody through for a second, then one request as a
 * probe, and rests twice as long after each probe that fails. Any answer at all closes it again.
 */
export class Circuit {
  #failures = 0;
  #restMs = 0;
  #opensAt = Number.NEGATIVE_INFINITY;
  #probing = false;

  /** The moment from which a request may go; infinite while a probe is under way. */
  get opensAt(): number {
    return this.#probing ? Number.POSITIVE_INFINITY : this.#opensAt;
  }

  /** Whether the service is being probed only. */
  get isBroken(): boolean {
    return this.#restMs > 0;
  }

  /** Notes that a request goes, and says whether it is the probe. */
  begin(): boolean {
    if (this.isBroken) this.#probing = true;
    return this.#probing;
  }

  /** Notes how a request ended that `begin` let through. */
  end(passage: Passage, wasProbe: boolean, now: number): void {
    if (wasProbe) this.#probing = false;
    switch (passage) {
      case "answered":
        this.#failures = 0;
        this.#restMs = 0;
        this.#opensAt = Number.NEGATIVE_INFINITY;
        return;
      case "unreachable":
        this.#fail(wasProbe, now);
        return;
      case "abandoned":
      case "unsent":
    }
  }

  /** Failures of requests that were under way when it broke say nothing new. */
  #fail(wasProbe: boolean, now: number): void {
    if (this.isBroken && !wasProbe) return;
    this.#failures += 1;
    if (this.#failures < failuresToOpen) return;
    this.#restMs = Math.min(Math.max(this.#restMs * 2, firstRestMs), longestPauseMs);
    this.#opensAt = now + this.#restMs;
  }
}
