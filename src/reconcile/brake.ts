import type { Clock } from "./ports.ts";

/** Why what was not sent is called off though the program goes on: it no longer rests on what is so. */
export class Superseded extends Error {
  override readonly name = "Superseded";
}

/** Asked so often, and at every whole minute: that is when windows open. */
const beatMs = 5_000;

/**
 * Calls off what a run has not sent yet. A write may wait for minutes, for the budget or a `Retry-After`; meanwhile
 * somebody suspends the zone, a freeze begins, or a person adds a rule that the list read before would delete again.
 */
export class Brake implements Disposable {
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  #callOff = (): void => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Aborts with {@link Superseded}. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  pull(): void {
    this.#controller.abort(new Superseded());
  }

  /** Pulls itself, now or later, as soon as `isOutdated`. */
  watch(isOutdated: (now: Date) => boolean): void {
    const now = this.#clock.now();
    if (isOutdated(now)) {
      this.pull();
      return;
    }
    const untilBeat = beatMs - (Number(now) % beatMs);
    this.#callOff = this.#clock.alarm(untilBeat, () => this.watch(isOutdated));
  }

  /** Asks no longer. */
  [Symbol.dispose](): void {
    this.#callOff();
  }
}
