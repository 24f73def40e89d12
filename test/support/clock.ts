/** Someone who sleeps until a moment. */
interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** Lets everything run that needs no time to pass: promises first, then what the event loop has ready. */
async function settle(): Promise<false> {
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
  return false;
}

/** A clock that stands still until it is told to go on. Sleepers wake in the order of their moments. */
export class SimulatedClock {
  #start: number;
  #elapsed = 0;
  #sleepers: readonly Sleeper[] = [];

  constructor(start = new Date("2026-11-20T12:00:00Z")) {
    this.#start = start.getTime();
  }

  now(): Date {
    return new Date(this.#start + this.#elapsed);
  }

  monotonicMs(): number {
    return this.#elapsed;
  }

  /** Sets the clock on the wall; who sleeps sleeps as long as before. */
  step(ms: number): void {
    this.#start += ms;
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sleeper = this.#enqueue(ms, resolve);
    const giveUp = (): void => {
      this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
      reject(signal.reason);
    };
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  alarm(ms: number, ring: () => void): () => void {
    const sleeper = this.#enqueue(ms, ring);
    return () => {
      this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
    };
  }

  /** How many sleep, alarms included. */
  get sleeping(): number {
    return this.#sleepers.length;
  }

  /** Lets `ms` pass; whoever sleeps meanwhile wakes at its own moment and runs on before time goes on. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsed + ms;
    await settle();
    for (
      let next = this.#sleepers[0];
      next !== undefined && next.at <= end;
      next = this.#sleepers[0]
    ) {
      await this.#wakeFirst(next);
    }
    this.#elapsed = end;
    await settle();
  }

  /** Lets `ms` pass at once: whoever sleeps meanwhile wakes at the end, and finds how late it is. */
  async jump(ms: number): Promise<void> {
    this.#elapsed += ms;
    await this.advance(0);
  }

  /**
   * Lets time pass, from sleeper to sleeper, until `work` is done, and gives what it gave. Where real sockets take
   * part, `isQuiet` says whether none of them is on its way: time stands still until then.
   */
  async run<T>(work: Promise<T>, isQuiet: () => boolean = () => true): Promise<T> {
    const done = work.then(
      () => true,
      () => true,
    );
    while (!(await Promise.race([done, settle()]))) {
      const next = this.#sleepers[0];
      if (next !== undefined && isQuiet()) await this.#wakeFirst(next);
    }
    return work;
  }

  #enqueue(ms: number, wake: () => void): Sleeper {
    const sleeper = { at: this.#elapsed + Math.max(0, ms), wake };
    const after = this.#sleepers.findLastIndex(({ at }) => at <= sleeper.at) + 1;
    this.#sleepers = this.#sleepers.toSpliced(after, 0, sleeper);
    return sleeper;
  }

  async #wakeFirst(first: Sleeper): Promise<void> {
    this.#sleepers = this.#sleepers.slice(1);
    this.#elapsed = Math.max(this.#elapsed, first.at);
    first.wake();
    await settle();
  }
}
