/** How a request ended, as far as the connection to the service is concerned. */
export type RequestEnd = "answered" | "unreachable" | "aborted" | "unsent";

const failuresToOpen = 5;
const firstOpenMs = 1_000;
const maxOpenMs = 60_000;

/**
 * Protects an unreachable service. After five failures in a row the circuit opens: no request is
 * sent for a second, then a single probe. Each failed probe doubles the time to the next, up to a
 * minute. Any answer closes the circuit.
 */
export class CircuitBreaker {
  #failures = 0;
  #openMs = 0;
  #nextProbeAt = Number.NEGATIVE_INFINITY;
  #isProbing = false;

  /** Whether the service is unreachable and only probed. */
  get isOpen(): boolean {
    return this.#openMs > 0;
  }

  /** When the next request may be sent; infinite while a probe is in flight. */
  get nextRequestAt(): number {
    return this.#isProbing ? Number.POSITIVE_INFINITY : this.#nextProbeAt;
  }

  /** Notes that a request is sent. Returns whether it is a probe. */
  begin(): boolean {
    if (this.isOpen) this.#isProbing = true;
    return this.#isProbing;
  }

  end(requestEnd: RequestEnd, wasProbe: boolean, now: number): void {
    if (wasProbe) this.#isProbing = false;
    if (requestEnd === "unreachable") this.#fail(wasProbe, now);
    if (requestEnd !== "answered") return;
    this.#failures = 0;
    this.#openMs = 0;
    this.#nextProbeAt = Number.NEGATIVE_INFINITY;
  }

  /** Ignores failures of requests that were in flight when the circuit opened. */
  #fail(wasProbe: boolean, now: number): void {
    if (this.isOpen && !wasProbe) return;
    this.#failures += 1;
    if (this.#failures < failuresToOpen) return;
    this.#openMs = Math.min(Math.max(this.#openMs * 2, firstOpenMs), maxOpenMs);
    this.#nextProbeAt = now + this.#openMs;
  }
}
