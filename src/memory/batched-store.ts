import { errorOf } from "../syntax/error-code.ts";
import type { OpenResult, StateStore, StoreStatus } from "./state-store.ts";

/** One change: the text of a key, `null` if it is removed. */
export type KeyChange = readonly [key: string, text: string | null];

export type StateEntries = ReadonlyMap<string, string>;

/** Where a store keeps its entries. */
export interface StateMedium extends AsyncDisposable {
  /**
   * Stores changes as a whole; `entries` have them already. Resolves with the milliseconds to gather further changes, and
   * rejects if nothing can be written now.
   */
  store(changes: readonly KeyChange[], entries: StateEntries): Promise<number>;
  /** See {@link StateStore}. Omitted: something else tells. */
  readonly isHeld?: () => Promise<boolean>;
}

/** What a batched store needs from outside. */
export interface BatchPorts {
  readonly clock: {
    now(): Date;
    /** Calls back once after `ms` milliseconds; the result calls it off. */
    alarm(ms: number, run: () => void): () => void;
  };
  /** Writing began to fail. What could not be written stays in memory and is tried again. */
  readonly onFailure: (error: Error) => void;
  readonly onRecovery: () => void;
}

/** How often a failed write is tried again. */
const retryMs = 5_000;

/** Keeps its entries in memory, gathers changes, and stores them one batch at a time. */
export class BatchedStore implements StateStore {
  readonly opened: OpenResult;
  readonly #medium: StateMedium;
  readonly #entries: Map<string, string>;
  readonly #ports: BatchPorts;
  #waitMs: number;
  #pending = new Map<string, string | null>();
  #work: Promise<boolean> | undefined;
  #cancelTimer: (() => void) | undefined;
  #status: StoreStatus = { status: "ok" };

  /** @param gatherMs how long changes are gathered before the first batch. */
  constructor(
    medium: StateMedium,
    { opened, entries }: { readonly opened: OpenResult; readonly entries: Map<string, string> },
    gatherMs: number,
    ports: BatchPorts,
  ) {
    this.#medium = medium;
    this.opened = opened;
    this.#entries = entries;
    this.#waitMs = gatherMs;
    this.#ports = ports;
  }

  get status(): StoreStatus {
    return this.#status;
  }

  /** What is not known to be stored. */
  get unstored(): readonly KeyChange[] {
    return [...this.#pending];
  }

  get(key: string): string | undefined {
    return this.#entries.get(key);
  }

  keys(prefix: string): readonly string[] {
    return [...this.#entries.keys()].filter((key) => key.startsWith(prefix));
  }

  set(key: string, text: string | undefined): void {
    if (this.#entries.get(key) === text) return;
    if (text === undefined) this.#entries.delete(key);
    else this.#entries.set(key, text);
    this.#pending.set(key, text ?? null);
    // What comes while a batch is written waits as long as that batch tells.
    if (this.#work === undefined) this.#writeLater();
  }

  async flush(): Promise<boolean> {
    // What is being written now may not hold what was set last.
    await this.#work;
    this.#cancel();
    return this.#write();
  }

  isHeld(): Promise<boolean> {
    return this.#medium.isHeld?.() ?? Promise.resolve(true);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush();
    this.#cancel();
    await this.#medium[Symbol.asyncDispose]();
  }

  #writeLater(): void {
    this.#cancelTimer ??= this.#ports.clock.alarm(this.#waitMs, () => {
      this.#cancelTimer = undefined;
      void this.#write();
    });
  }

  #cancel(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #write(): Promise<boolean> {
    this.#work ??= this.#writePending().finally(() => {
      this.#work = undefined;
      if (this.#pending.size > 0) this.#writeLater();
    });
    return this.#work;
  }

  async #writePending(): Promise<boolean> {
    if (this.#pending.size === 0) return true;
    const batch = this.#pending;
    this.#pending = new Map();
    try {
      this.#waitMs = await this.#medium.store([...batch], this.#entries);
      if (this.#status.status === "failing") this.#ports.onRecovery();
      this.#status = { status: "ok" };
      return true;
    } catch (error) {
      this.#pending = new Map([...batch, ...this.#pending]);
      this.#waitMs = retryMs;
      this.#fail(errorOf(error));
      return false;
    }
  }

  #fail(error: Error): void {
    if (this.#status.status === "failing") return;
    this.#status = { status: "failing", since: this.#ports.clock.now(), error };
    this.#ports.onFailure(error);
  }
}
