import type { Pause } from "../../api/budget/budget.ts";
import type { Host } from "../../host/host.ts";
import { every } from "../../host/timers.ts";
import { durationText } from "../../render/format.ts";
import type { RequestObserver, RetryFact } from "../../zone/service-request.ts";
import { StatusLine } from "./status-line.ts";

/** A wait that is over sooner is not worth a line. */
const shortestTold = 3_000;

const lookMs = 1_000;

/** A credential, as far as it says why a command stands still. */
interface Waiting {
  readonly state: { readonly name: string; readonly pause: Pause | undefined };
}

/**
 * Says on stderr why a command stands still: on a terminal in a line that is gone afterwards, elsewhere in one line for
 * each wait.
 */
export class WaitLines implements RequestObserver {
  readonly #host: Pick<Host, "stderr" | "clock">;
  readonly #line: StatusLine;
  /** Ends of the waits told last, by credential: one wait is one line. */
  readonly #told = new Map<string, number>();

  constructor(host: Pick<Host, "stderr" | "clock">) {
    this.#host = host;
    this.#line = new StatusLine(host.stderr);
  }

  /** A wait is over with the first request after it. */
  request(): void {
    this.#line.clear();
  }

  retry({ method, endpoint, code, waitMs }: RetryFact): void {
    // A lock of the token is told of its credential.
    if (code === 429 || waitMs < shortestTold) return;
    this.#write(`waiting ${durationText(waitMs)}: ${method} ${endpoint} is tried again (${code})`);
  }

  /** Looks at credentials every second until it is disposed. */
  watch(credentials: readonly Waiting[]): Disposable {
    const looking = every(lookMs, () => this.#look(credentials), this.#host.clock);
    return {
      [Symbol.dispose]: () => {
        looking[Symbol.dispose]();
        this.#line.clear();
      },
    };
  }

  #look(credentials: readonly Waiting[]): void {
    const now = Number(this.#host.clock.now());
    const paused = credentials.flatMap(({ state: { name, pause } }) =>
      pause === undefined ? [] : [{ name, ...pause }],
    );
    if (paused.length === 0) this.#line.clear();
    for (const { name, until, reason } of paused) {
      const isNew = Math.abs(Number(until) - (this.#told.get(name) ?? 0)) > lookMs;
      if (!isNew || Number(until) - now < shortestTold) continue;
      this.#told.set(name, Number(until));
      const time = `${until.toISOString().slice(11, 19)} UTC`;
      this.#write(`waiting until ${time}: ${reasons[reason](name)}`);
    }
  }

  #write(line: string): void {
    const { stderr } = this.#host;
    if (stderr.isTTY) this.#line.show(line);
    else stderr.write(`${line}\n`);
  }
}

const reasons: Readonly<Record<Pause["reason"], (credential: string) => string>> = {
  spent: (name) => `the request budget of the credential ${name} is spent`,
  locked: (name) => `the service lets the credential ${name} send nothing until then (429)`,
  unreachable: () => "the service is out of reach and only probed",
};
