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
  #isOutdated: (now: Date) => boolean = () => false;

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
    this.#isOutdated = isOutdated;
    this.#beat();
  }

  /** Asks at once, not only at the next beat: something that the answer goes by has changed. */
  ask(): void {
    if (this.#isOutdated(this.#clock.now())) this.pull();
  }

  #beat(): void {
    this.ask();
    if (this.signal.aborted) return;
    const untilBeat = beatMs - (Number(this.#clock.now()) % beatMs);
    this.#callOff = this.#clock.alarm(untilBeat, () => this.#beat());
  }

  /** Asks no longer. */
  [Symbol.dispose](): void {
    this.#callOff();
  }
}
