import type { Pause } from "../../api/budget/budget.ts";
import { type Host, notesOf } from "../../host/host.ts";
import { durationText } from "../../render/format.ts";
import type { RequestObserver, RetryFact } from "../../zone/service-request.ts";
import { every } from "../../zone/signals.ts";
import { StatusLine } from "./progress.ts";

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
  request(): void {
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
