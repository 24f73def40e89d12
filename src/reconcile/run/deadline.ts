import type { Clock, LiveReader, LiveWriter } from "../../zone/ports.ts";
import { ServiceError, type ServiceErrorCode } from "../../zone/service-error.ts";
import { isAborted, joinSignals, type JoinedSignal } from "../signals.ts";

/** What a run uses the service through. */
export interface RunPorts {
  readonly reader: LiveReader;
  readonly writer: LiveWriter;
  readonly clock: Clock;
}

/**
 * So long a run of one zone may take. Its requests have limits of their own, waiting for the budget and for a
 * `Retry-After` included; this bounds their sum, so that no zone keeps a worker for hours.
 */
export const runDeadlineMs = 1_800_000;

/** A run that goes on after this is stuck: it does not even give up when it is told to. */
export const stuckAfterMs: number = runDeadlineMs + 60_000;

/**
 * A reader and a writer that give up once the run that uses them has taken too long: what is asked after its end fails,
 * what is under way then is given up.
 *
 * Runs use them one after the other. As long as none of them takes too long, nothing is set up anew for the next: a
 * sweep of thousands of zones would spend a tenth of its time on signals that never abort.
 */
export class Deadline implements Disposable {
  readonly reader: LiveReader;
  readonly writer: LiveWriter;
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #over = new AbortController();
  #callOff = (): void => undefined;
  #reading: { readonly of: AbortSignal; readonly joined: JoinedSignal } | undefined;

  constructor({ reader, writer, clock }: RunPorts, ms = runDeadlineMs) {
    this.#clock = clock;
    this.#ms = ms;
    this.reader = {
      readAnswers: (zone, wanted, priority, signal) =>
        this.#read(signal, (own) => reader.readAnswers(zone, wanted, priority, own)),
      readScripts: (zone, priority, signal) =>
        this.#read(signal, (own) => reader.readScripts(zone, priority, own)),
    };
    this.writer = {
      write: async (live, write, signal, stop) => {
        using own = joinSignals(signal, this.#over.signal);
        using ownStop = joinSignals(stop, this.#over.signal);
        return await this.#within("API_UNKNOWN_OUTCOME", signal, () =>
          writer.write(live, write, own.signal, ownStop.signal),
        );
      },
    };
  }

  /** Whether a run has taken too long: there is no use for this one any more. */
  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** The time of a run begins. */
  begin(): void {
    this.#callOff = this.#clock.alarm(this.#ms, () => this.#over.abort());
  }

  /** The run has ended. */
  end(): void {
    this.#callOff();
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
    if (this.isOver) throw runTooLong("API_DEADLINE", this.#ms);
    try {
      return await request();
    } catch (error) {
      signal.throwIfAborted();
      throw isAborted(this.#over.signal) ? runTooLong(failureCode, this.#ms) : error;
    }
  }
}

type DeadlineCode = Extract<ServiceErrorCode, "API_DEADLINE" | "API_UNKNOWN_OUTCOME">;

/** The error of a request that was aborted since its run took too long. */
function runTooLong(code: DeadlineCode, ms: number): ServiceError {
  const message = `the run took longer than ${Math.round(ms / 60_000)} min and was given up: it is tried again; look for a spent budget or a slow service`;
  return new ServiceError(code, message, { transient: true });
}
