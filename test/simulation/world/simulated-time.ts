import type { Clock } from "../../../src/zone/ports.ts";

/** Someone who waits until a moment, and on whose behalf. */
interface Sleeper {
  readonly at: number;
  readonly owner: object;
  readonly wake: () => void;
}

/** How many calls of {@link settle} wait now. */
let waiting = 0;

/** Lets everything run that needs no time to pass. */
export async function settle(): Promise<void> {
  waiting += 1;
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  waiting -= 1;
}

/** Settles until nobody waits for a turn of the event loop any more, as a load of files does between two files. */
export async function settleAll(): Promise<void> {
  do await settle();
  while (isAnyWaiting());
}

function isAnyWaiting(): boolean {
  const immediates = process.getActiveResourcesInfo().filter((name) => name === "Immediate");
  return immediates.length > waiting;
}

/**
 * The time of a simulation. It stands still until it is told to go on, and wakes sleepers in the order of their moments.
 * Each process has a clock of its own on it, so that a process that is killed never wakes again.
 */
export class SimulatedTime {
  #elapsed = 0;
  readonly #start = Date.parse("2026-11-20T12:00:00Z");
  #stepped = 0;
  /** By moment, then in the order in which they came. */
  readonly #sleepers: Sleeper[] = [];
  /** Work that takes no time of the simulation, but more than one turn of the event loop. */
  #held: Promise<unknown> = Promise.resolve();
  readonly #turns: () => Promise<void>;

  /** @param turns what runs on before time goes on: one turn of the event loop, or all that somebody waits for. */
  constructor(turns: typeof settle = settle) {
    this.#turns = turns;
  }

  /** Milliseconds since the simulation began. */
  get elapsed(): number {
    return this.#elapsed;
  }

  /** The clock of the service, which nobody sets. */
  readonly serviceClock = { now: (): Date => new Date(this.#start + this.#elapsed) };

  /** The time on the wall, which somebody may have set. */
  get wall(): Date {
    return new Date(this.#start + this.#stepped + this.#elapsed);
  }

  /** Sets the clock on the wall; who sleeps sleeps as long as before. */
  step(ms: number): void {
    this.#stepped += ms;
  }

  /** Calls `wake` after `ms`, unless the result is called before or the owner is dropped. */
  after(ms: number, owner: object, wake: () => void): () => void {
    const sleeper = { at: this.#elapsed + Math.max(0, ms), owner, wake };
    let index = this.#sleepers.length;
    while (index > 0 && (this.#sleepers[index - 1]?.at ?? 0) > sleeper.at) index -= 1;
    this.#sleepers.splice(index, 0, sleeper);
    return () => {
      const at = this.#sleepers.indexOf(sleeper);
      if (at >= 0) this.#sleepers.splice(at, 1);
    };
  }

  /** Time stands still until this work is done. */
  hold(work: Promise<unknown>): void {
    this.#held = Promise.all([this.#held, work]);
  }

  /** How many of an owner sleep. */
  sleepersOf(owner: object): number {
    return this.#sleepers.filter((sleeper) => sleeper.owner === owner).length;
  }

  /** Nobody of this owner wakes any more. */
  drop(owner: object): void {
    const kept = this.#sleepers.filter((sleeper) => sleeper.owner !== owner);
    this.#sleepers.splice(0, this.#sleepers.length, ...kept);
  }

  /** Lets `ms` pass, or less where `isEnough` says so; whoever wakes runs on before time goes on. */
  async advance(ms: number, isEnough: () => boolean = () => false): Promise<void> {
    const end = this.#elapsed + ms;
    await this.#rest();
    for (let next = this.#sleepers[0]; next !== undefined; next = this.#sleepers[0]) {
      if (next.at > end) break;
      if (isEnough()) return;
      this.#sleepers.shift();
      this.#elapsed = next.at;
      next.wake();
      await this.#rest();
    }
    if (!isEnough()) this.#elapsed = end;
  }

  async #rest(): Promise<void> {
    await this.#turns();
    let held: Promise<unknown>;
    do {
      held = this.#held;
      await held;
    } while (held !== this.#held);
  }

  /** The clock of one process. */
  clockOf(owner: object): Clock {
    return {
      now: () => this.wall,
      monotonicMs: () => this.#elapsed,
      alarm: (ms, ring) => this.after(ms, owner, ring),
      sleep: async (ms, signal) => {
        signal.throwIfAborted();
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        const giveUp = (): void => reject(signal.reason);
        const cancel = this.after(ms, owner, resolve);
        signal.addEventListener("abort", giveUp, { once: true });
        try {
          await promise;
        } finally {
          cancel();
          signal.removeEventListener("abort", giveUp);
        }
      },
    };
  }
}
