import type { SkipReason } from "../../state/run-report.ts";
import type { Clock } from "../../zone/ports.ts";

/** Why a write that was not sent is called off, though the program goes on. */
export type GateReason = Extract<SkipReason, "read_expired" | "cancelled">;

/** What was not sent no longer rests on what is so. */
export class GateClosed extends Error {
  override readonly name = "Superseded";
  readonly reason: GateReason;

  constructor(why: GateReason) {
    super();
    this.reason = why;
  }
}

/** Why writes are to be called off at a moment; `undefined`: they are not. */
type Question = (now: Date) => GateReason | undefined;

/** Asked so often, and at every whole minute: that is when windows open. */
const beatMs = 5_000;

/**
 * Calls off what a run has not sent yet. A write may wait for minutes, for the budget or a `Retry-After`; meanwhile
 * somebody suspends the zone, a freeze begins, or a person adds a rule that the list read before would delete again.
 */
export class WriteGate implements Disposable {
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  #callOff = (): void => undefined;
  #question: Question = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Aborts with {@link GateClosed}. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  close(why: GateReason): void {
    this.#controller.abort(new GateClosed(why));
  }

  /** Pulls itself, now or later, as soon as there is an answer to the question. */
  watch(question: Question): void {
    this.#question = question;
    this.#beat();
  }

  /** Asks at once, not only at the next beat: something that the answer goes by has changed. */
  check(): void {
    const why = this.#question(this.#clock.now());
    if (why !== undefined) this.close(why);
  }

  #beat(): void {
    this.check();
    if (this.signal.aborted) return;
    const untilBeat = beatMs - (Number(this.#clock.now()) % beatMs);
    this.#callOff = this.#clock.alarm(untilBeat, () => this.#beat());
  }

  /** Asks no longer. */
  [Symbol.dispose](): void {
    this.#callOff();
  }
}
