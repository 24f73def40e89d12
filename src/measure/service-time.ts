import { hourMs } from "../syntax/time-units.ts";
import type { Clock } from "../zone/ports.ts";
import { ServiceError } from "../zone/service-error.ts";

/** What time it is for the service: that of its last answer, and what has passed since by the monotonic clock. */
export class ServiceTime {
  readonly #clock: Clock;
  #last: { readonly at: number; readonly monotonicMs: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isKnown(): boolean {
    return this.#last !== undefined;
  }

  /** Milliseconds since 1970; by the clock on the wall before the first answer. */
  now(): number {
    if (this.#last === undefined) return this.#clock.now().getTime();
    return this.#last.at + this.#clock.monotonicMs() - this.#last.monotonicMs;
  }

  /**
   * Notes the date of an answer.
   *
   * @throws {ServiceError} if both the time that is known of the service and the clock on the wall contradict: the answer may
   *   tell of a time that is not over.
   */
  note(date: Date): void {
    const at = date.getTime();
    const known = [this.now(), this.#clock.now().getTime()];
    if (this.isKnown && known.every((time) => Math.abs(time - at) > hourMs)) {
      const message = `an answer is dated ${date.toISOString()}, which is not the time`;
      throw new ServiceError("API_MALFORMED", message);
    }
    this.#last = { at, monotonicMs: this.#clock.monotonicMs() };
  }
}
