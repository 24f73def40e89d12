import type { Subscriber, ZoneStep } from "../state/fleet.ts";

/** Time, from outside. */
export interface EventStreamClock {
  /** Calls `ring` after `ms`, unless what it gives is called before. */
  alarm(ms: number, ring: () => void): () => void;
}

/** Whoever has a page open. */
export interface EventStreamListener {
  /** Something that pages show is not what it was. */
  changed(): void;
  /** Nothing has happened for a while. */
  beat(): void;
}

/** A sweep of thousands of zones is told once a second, not once a zone. */
const pauseMs = 1_000;

/** Proxies cut a connection on which nothing is said. */
const beatMs = 20_000;

/** More open pages than this look for themselves every ten seconds, as all do where there is no connection. */
const mostListeners = 200;

/** Tells open pages that there is something to see. It carries no facts: they look again. */
export class EventStream implements Subscriber {
  readonly #clock: EventStreamClock;
  readonly #listeners = new Set<EventStreamListener>();
  #isPausing = false;
  #isDue = false;
  #stopBeat: (() => void) | undefined;

  constructor(clock: EventStreamClock) {
    this.#clock = clock;
  }

  zone(step: ZoneStep): void {
    if (isVisible(step)) this.#announce();
  }

  load(): void {
    this.#announce();
  }

  gone(): void {
    this.#announce();
  }

  /** Takes a listener in until the result is disposed; `undefined` where there are too many. */
  listen(listener: EventStreamListener): Disposable | undefined {
    if (this.#listeners.size >= mostListeners) return undefined;
    this.#listeners.add(listener);
    this.#stopBeat ??= this.#clock.alarm(beatMs, () => this.#beat());
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(listener);
        if (this.#listeners.size > 0) return;
        this.#stopBeat?.();
        this.#stopBeat = undefined;
      },
    };
  }

  #announce(): void {
    if (this.#isPausing) {
      this.#isDue = true;
      return;
    }
    for (const listener of this.#listeners) listener.changed();
    this.#isPausing = true;
    this.#clock.alarm(pauseMs, () => {
      this.#isPausing = false;
      if (!this.#isDue) return;
      this.#isDue = false;
      this.#announce();
    });
  }

  #beat(): void {
    for (const listener of this.#listeners) listener.beat();
    this.#stopBeat = this.#clock.alarm(beatMs, () => this.#beat());
  }
}

/** A zone that was in sync and still is changes no more than the minute of its last check. */
function isVisible({ before, report, after }: ZoneStep): boolean {
  return (
    report.result === "applied" ||
    before.status !== after.status ||
    JSON.stringify(before.differing) !== JSON.stringify(after.differing)
  );
}
