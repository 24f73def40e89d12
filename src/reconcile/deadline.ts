import { joinSignals } from "./join-signals.ts";
import type { Clock, LiveReader, LiveWriter } from "./ports.ts";

/** What a run uses the service through. */
export interface RunPorts {
  readonly reader: LiveReader;
  readonly writer: LiveWriter;
  readonly clock: Clock;
}

/** A reader and a writer that give up once the run that they belong to has taken too long. */
export interface Deadline extends Disposable {
  readonly reader: LiveReader;
  readonly writer: LiveWriter;
}

/**
 * So long a run of one zone may take. Its requests have limits of their own, waiting for the budget and for a
 * `Retry-After` included; this bounds their sum, so that no zone keeps a worker for hours.
 */
export const runDeadlineMs = 1_800_000;

/** A run that goes on after this is stuck: it does not even give up when it is told to. */
export const stuckAfterMs: number = runDeadlineMs + 60_000;

/** Starts the time of a run. What is asked after its end fails; what is under way then is given up. */
export function startDeadline({ reader, writer, clock }: RunPorts, ms = runDeadlineMs): Deadline {
  const over = new AbortController();
  const callOff = clock.alarm(ms, () => over.abort());
  const within = async <T>(
    failureCode: DeadlineCode,
    signal: AbortSignal,
    request: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    if (over.signal.aborted) throw new RunTooLong("API_DEADLINE", ms);
    using own = joinSignals(signal, over.signal);
    try {
      return await request(own.signal);
    } catch (error) {
      signal.throwIfAborted();
      throw isOver(over) ? new RunTooLong(failureCode, ms) : error;
    }
  };
  return {
    reader: {
      readAnswers: (zone, wanted, urgency, signal) =>
        within("API_DEADLINE", signal, (own) => reader.readAnswers(zone, wanted, urgency, own)),
      readScripts: (zone, urgency, signal) =>
        within("API_DEADLINE", signal, (own) => reader.readScripts(zone, urgency, own)),
    },
    writer: {
      write: async (live, write, signal, stop) => {
        using ownStop = joinSignals(stop, over.signal);
        return await within("API_UNKNOWN_OUTCOME", signal, (own) =>
          writer.write(live, write, own, ownStop.signal),
        );
      },
    },
    [Symbol.dispose]: callOff,
  };
}

function isOver({ signal }: AbortController): boolean {
  return signal.aborted;
}

type DeadlineCode = "API_DEADLINE" | "API_UNKNOWN_OUTCOME";

/** Read as a failure of the service: something of it took too long. */
class RunTooLong extends Error {
  override readonly name = "RunTooLong";
  readonly code: DeadlineCode;
  readonly transient = true;
  readonly ray = "";
  readonly retryAfterMs = 0;

  constructor(code: DeadlineCode, ms: number) {
    super(
      `the run took longer than ${Math.round(ms / 60_000)} min and was given up: it is tried again; look for a spent budget or a slow service`,
    );
    this.code = code;
  }
}
