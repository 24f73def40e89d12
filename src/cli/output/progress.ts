import type { Pause } from "../../api/budget/budget.ts";
import { type Host, notesOf, type TextStream } from "../../host/host.ts";
import { durationText } from "../../render/format.ts";
import type { RequestFact, RequestObserver, RetryFact } from "../../zone/service-request.ts";
import { every } from "../../zone/signals.ts";

/** Moves to the beginning of the line and clears it. */
const erase = "\r\u{1b}[2K";

/** A line on a terminal that is overwritten again and again and erased in the end. Prints nothing elsewhere. */
class StatusLine {
  readonly #stream: TextStream;
  #isShown = false;

  constructor(stream: TextStream) {
    this.#stream = stream;
  }

  show(text: string): void {
    if (!this.#stream.isTTY) return;
    this.#stream.write(`${erase}${text}`);
    this.#isShown = true;
  }

  clear(): void {
    if (this.#isShown) this.#stream.write(erase);
    this.#isShown = false;
  }
}

/** With more steps than this, the time that is left is worth telling. */
export const longTotal = 20;

/** Of so many steps on, their pace tells when the rest will be done. */
const estimatedFrom = 5;

/** How often a log gets a line. */
const lineEveryMs = 30_000;

/**
 * Shows how many of several steps are done, and of many also about how long the rest will take: on a terminal in a line that
 * is erased in the end, elsewhere in a line every half minute. A single step is not worth a line.
 */
export function startProgress(
  label: string,
  total: number,
  host: Pick<Host, "stderr" | "notes" | "clock">,
): Disposable & { readonly step: () => void } {
  const { clock } = host;
  const notes = notesOf(host);
  const line = new StatusLine(notes);
  const begin = clock.monotonicMs();
  let nextLine = begin + lineEveryMs;
  let done = 0;
  const draw = (): void => {
    if (total < 2) return;
    const elapsed = clock.monotonicMs() - begin;
    const text = `${label} ${done}/${total}${timeLeft(done, total, elapsed)}`;
    line.show(text);
    if (notes.isTTY || total <= longTotal || done === total || begin + elapsed < nextLine) return;
    notes.write(`${text}\n`);
    nextLine = begin + elapsed + lineEveryMs;
  };
  draw();
  return {
    step: () => {
      done += 1;
      draw();
    },
    [Symbol.dispose]: () => line.clear(),
  };
}

/** About how long the other steps will take, if that is a second or more. */
function timeLeft(done: number, total: number, elapsedMs: number): string {
  if (total <= longTotal || done < estimatedFrom) return "";
  const left = (elapsedMs / done) * (total - done);
  return left < 1_000 ? "" : `, about ${durationText(left)} left`;
}

/** Shows on a terminal how much of a long list has been read. */
export function startReading(
  label: string,
  stream: TextStream,
): Disposable & { readonly report: (read: number, total: number | undefined) => void } {
  const line = new StatusLine(stream);
  return {
    report: (read, total) => {
      line.show(`${label} ${read}${total === undefined ? "" : `/${total}`}`);
    },
    [Symbol.dispose]: () => line.clear(),
  };
}

/** A shorter wait is not reported. */
const minReportedMs = 3_000;

const pollMs = 1_000;

interface PausableCredential {
  readonly state: { readonly name: string; readonly pause: Pause | undefined };
}

/** Reports on stderr why a command waits: on a terminal in a line that is erased afterwards, elsewhere in a line per wait. */
export class WaitLines implements RequestObserver {
  readonly #host: Pick<Host, "stderr" | "notes" | "clock">;
  readonly #line: StatusLine;
  /** The end of the last reported wait, by credential: a wait is reported once. */
  readonly #reported = new Map<string, number>();

  constructor(host: Pick<Host, "stderr" | "notes" | "clock">) {
    this.#host = host;
    this.#line = new StatusLine(notesOf(host));
  }

  /** The first request after a wait shows that it is over. */
  request(_fact?: RequestFact): void {
    this.#line.clear();
  }

  retry({ method, endpoint, code, waitMs }: RetryFact): void {
    // A rate limit is reported as the pause of its credential.
    if (code === 429 || waitMs < minReportedMs) return;
    this.#write(`waiting ${durationText(waitMs)}: ${method} ${endpoint} is retried (${code})`);
  }

  /** Checks the credentials every second until it is disposed. */
  watch(credentials: readonly PausableCredential[]): Disposable {
    const polling = every(pollMs, () => this.#reportPauses(credentials), this.#host.clock);
    return {
      [Symbol.dispose]: () => {
        polling[Symbol.dispose]();
        this.#line.clear();
      },
    };
  }

  #reportPauses(credentials: readonly PausableCredential[]): void {
    const now = Number(this.#host.clock.now());
    const paused = credentials.flatMap(({ state: { name, pause } }) =>
      pause === undefined ? [] : [{ name, ...pause }],
    );
    if (paused.length === 0) this.#line.clear();
    for (const { name, until, reason } of paused) {
      const isNew = Math.abs(Number(until) - (this.#reported.get(name) ?? 0)) > pollMs;
      if (!isNew || Number(until) - now < minReportedMs) continue;
      this.#reported.set(name, Number(until));
      const time = `${until.toISOString().slice(11, 19)} UTC`;
      this.#write(`waiting until ${time}: ${reasons[reason](name)}`);
    }
  }

  #write(line: string): void {
    const notes = notesOf(this.#host);
    if (notes.isTTY) this.#line.show(line);
    else notes.write(`${line}\n`);
  }
}

const reasons: Readonly<Record<Pause["reason"], (credential: string) => string>> = {
  exhausted: (name) => `the request budget of the credential ${name} is exhausted`,
  rate_limited: (name) => `the service rate limits the credential ${name} (429)`,
  unreachable: () => "the service is unreachable; one request at a time probes it",
};
