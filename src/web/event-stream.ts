import type { Subscriber, ZoneStep } from "../state/fleet.ts";

export interface EventStreamClock {
  /** Calls `ring` after `ms`, unless the returned function is called before. */
  alarm(ms: number, ring: () => void): () => void;
}

/** Sends text to an open page, in the format of server-sent events. */
type SendText = (text: string) => void;

/** A sweep of thousands of zones sends one event a second, not one for each zone. */
const pauseMs = 1_000;

/** Proxies close idle connections. */
const keepAliveMs = 20_000;

/** Further pages poll every ten seconds, as all do without a connection. */
const maxListeners = 200;

/** Tells open pages that something changed, until it is disposed. Events carry no data: pages reload themselves. */
export class EventStream implements Subscriber, Disposable {
  readonly #clock: EventStreamClock;
  readonly #listeners = new Set<SendText>();
  /** Ends the pause after an event; `undefined`: there is none. */
  #endPause: (() => void) | undefined;
  #isDue = false;
  #stopKeepAlive: (() => void) | undefined;

  constructor(clock: EventStreamClock) {
    this.#clock = clock;
  }

  zone(step: ZoneStep): void {
    if (isVisible(step)) this.#notify();
  }

  load(): void {
    this.#notify();
  }

  gone(): void {
    this.#notify();
  }

  /** Sends events to a page until the result is disposed; `undefined` if there are too many. */
  listen(send: SendText): Disposable | undefined {
    if (this.#listeners.size >= maxListeners) return undefined;
    this.#listeners.add(send);
    this.#stopKeepAlive ??= this.#clock.alarm(keepAliveMs, () => this.#keepAlive());
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(send);
        if (this.#listeners.size > 0) return;
        this.#stopKeepAlive?.();
        this.#stopKeepAlive = undefined;
      },
    };
  }

  [Symbol.dispose](): void {
    this.#endPause?.();
    this.#stopKeepAlive?.();
  }

  #notify(): void {
    if (this.#endPause !== undefined) {
      this.#isDue = true;
      return;
    }
    for (const send of this.#listeners) send("event: changed\ndata:\n\n");
    this.#endPause = this.#clock.alarm(pauseMs, () => {
      this.#endPause = undefined;
      if (!this.#isDue) return;
      this.#isDue = false;
      this.#notify();
    });
  }

  #keepAlive(): void {
    for (const send of this.#listeners) send(":\n\n");
    this.#stopKeepAlive = this.#clock.alarm(keepAliveMs, () => this.#keepAlive());
  }
}

/** Whether a run changes what pages show, apart from the time of the last run. */
function isVisible({ before, report, after }: ZoneStep): boolean {
  return (
    report.result === "applied" ||
    before.status !== after.status ||
    JSON.stringify(before.differing) !== JSON.stringify(after.differing)
  );
}
