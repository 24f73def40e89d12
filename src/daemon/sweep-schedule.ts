import {
  type Schedule,
  type ScheduleListener,
  type ScheduleOptions,
  startSchedule,
} from "../reconcile/schedule/schedule.ts";

/** A schedule that can be exchanged for another while the program runs. */
export class SweepSchedule implements Disposable {
  readonly #listener: ScheduleListener;
  #options: ScheduleOptions;
  #schedule: Schedule;

  constructor(options: ScheduleOptions, listener: ScheduleListener) {
    this.#listener = listener;
    this.#options = options;
    this.#schedule = startSchedule(options, listener);
  }

  /** As it was asked for last. */
  get options(): ScheduleOptions {
    return this.#options;
  }

  /** Longest gap between the coming sweeps, in milliseconds. */
  get longestGapMs(): number {
    return this.#schedule.intervalSeconds * 1_000;
  }

  /** The next moment at which a sweep is due; `undefined` where there is none. */
  nextRun(): Date | undefined {
    return this.#schedule.nextRun();
  }

  /** Goes by another schedule from now on. */
  exchange(options: ScheduleOptions): void {
    this.#schedule[Symbol.dispose]();
    this.#options = options;
    this.#schedule = startSchedule(options, this.#listener);
  }

  [Symbol.dispose](): void {
    this.#schedule[Symbol.dispose]();
  }
}
