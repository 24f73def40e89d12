import type { Clock, LiveReader, LiveWriter } from "../../zone/ports.ts";
import { ServiceError, type ServiceErrorCode } from "../../zone/service-error.ts";
import { isAborted, joinSignals, type JoinedSignal } from "../../zone/signals.ts";

/** What a run reads and writes with. */
export interface RunPorts {
  readonly reader: LiveReader;
  readonly writer: LiveWriter;
  readonly clock: Clock;
}

/**
 * The deadline of a run. Each request has a limit of its own, which includes the waits for the request budget and for a
 * `Retry-After`; the deadline limits their sum, so that no zone occupies a worker for hours.
 */
export const runDeadlineMs = 1_800_000;

/** A run that is still in progress after this is stuck: aborting its requests did not end it. */
export const stuckAfterMs: number = runDeadlineMs + 60_000;

/**
 * A reader and a writer with a deadline: when it passes, requests in flight are aborted, and later ones fail.
 *
 * The runs of a worker use them one after the other, and share the joined signal as long as none exceeds the deadline: a
 * sweep of thousands of zones would spend a tenth of its time on creating signals that never abort.
 */
export class Deadline implements Disposable {
  readonly reader: LiveReader;
  readonly writer: LiveWriter;
  readonly #clock: Clock;
  readonly #over = new AbortController();
  #cancelAlarm = (): void => undefined;
  #reading: { readonly of: AbortSignal; readonly joined: JoinedSignal } | undefined;

  constructor({ reader, writer, clock }: RunPorts) {
    this.#clock = clock;
    this.reader = {
      readAnswers: (zone, wanted, priority, signal, known) =>
        this.#read(signal, (own) => reader.readAnswers(zone, wanted, priority, own, known)),
      readScripts: (zone, priority, signal) =>
        this.#read(signal, (own) => reader.readScripts(zone, priority, own)),
    };
    this.writer = {
      write: async (live, write, signal, stop, beforeAttempt) => {
        using own = joinSignals(signal, this.#over.signal);
        using ownStop = joinSignals(stop, this.#over.signal);
        return await this.#within("API_UNKNOWN_OUTCOME", signal, () =>
          writer.write(live, write, own.signal, ownStop.signal, beforeAttempt),
        );
      },
    };
  }

  /** Whether a run exceeded the deadline: this object cannot be used again. */
  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  begin(): void {
    this.#cancelAlarm = this.#clock.alarm(runDeadlineMs, () => this.#over.abort());
  }

  end(): void {
    this.#cancelAlarm();
  }

  [Symbol.dispose](): void {
    this.end();
    this.#reading?.joined[Symbol.dispose]();
  }

  #read<T>(signal: AbortSignal, request: (own: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#reading?.of !== signal) {
      this.#reading?.joined[Symbol.dispose]();
      this.#reading = { of: signal, joined: joinSignals(signal, this.#over.signal) };
    }
    const own = this.#reading.joined.signal;
    return this.#within("API_DEADLINE", signal, () => request(own));
  }

  async #within<T>(
    failureCode: DeadlineCode,
    signal: AbortSignal,
    request: () => Promise<T>,
  ): Promise<T> {
    if (this.isOver) throw runTooLong("API_DEADLINE");
    try {
      return await request();
    } catch (error) {
      signal.throwIfAborted();
      throw isAborted(this.#over.signal) ? runTooLong(failureCode) : error;
    }
  }
}

type DeadlineCode = Extract<ServiceErrorCode, "API_DEADLINE" | "API_UNKNOWN_OUTCOME">;

function runTooLong(code: DeadlineCode): ServiceError {
  const minutes = Math.round(runDeadlineMs / 60_000);
  const message = `the run exceeded its deadline of ${minutes} min and was aborted; it is retried. Check for an exhausted request budget or a slow service`;
  return new ServiceError(code, message, { transient: true });
}
