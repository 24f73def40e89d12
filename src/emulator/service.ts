import { Faults } from "./control/faults.ts";
import type { Dialect } from "./http/endpoint.ts";
import { RateLimiter } from "./http/service-rate-limiter.ts";
import type { StateFile } from "./seed/state-file.ts";
import type { Owner, State } from "./state.ts";
import { Store } from "./store.ts";

/** What a service takes from outside. */
interface ServicePorts {
  readonly dialect: Dialect;
  readonly clock: { now(): Date };
  readonly random: () => number;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly stateFile: StateFile | undefined;
  /** The state of the seed at a moment. */
  readonly fresh: (now: Date) => State;
}

/** Everything that one emulator holds over time. */
export class Service {
  readonly ports: ServicePorts;
  readonly journal = new Journal();
  readonly faults = new Faults();
  readonly limiter = new RateLimiter();
  #store: Store;

  constructor(ports: ServicePorts, state: State) {
    this.ports = ports;
    this.#store = new Store(state, ports.clock);
  }

  get store(): Store {
    return this.#store;
  }

  /** Stores what a request made, and resolves when it cannot be lost any more. */
  async commit(next: Owner): Promise<void> {
    this.#store.replace(next);
    await this.saved();
  }

  /** Brings the state to the disk, where there is a file for it. */
  async saved(): Promise<void> {
    await this.ports.stateFile?.save(() => this.#store.state());
  }

  /** Goes back to the seed. */
  reset(): void {
    this.#store = new Store(this.ports.fresh(this.ports.clock.now()), this.ports.clock);
    this.journal.clear();
    this.faults.clear();
    this.limiter.clear();
  }
}

/** One request that the emulator saw. */
export interface JournalEntry {
  readonly number: number;
  readonly at: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Status of the answer; 0 where the connection was cut instead. */
  readonly status: number;
  /** Name of the credential, "" where there was none that is known. */
  readonly credential: string;
  readonly ray: string;
}

const mostEntries = 10_000;

/** Remembers the newest requests to the service. */
export class Journal {
  #entries: JournalEntry[] = [];
  #number = 0;

  record(entry: Omit<JournalEntry, "number">): void {
    this.#number += 1;
    this.#entries.push({ number: this.#number, ...entry });
    if (this.#entries.length >= 2 * mostEntries) this.#entries = this.#entries.slice(-mostEntries);
  }

  /** Oldest first. */
  entries(): readonly JournalEntry[] {
    return this.#entries.slice(-mostEntries);
  }

  clear(): void {
    this.#entries = [];
  }
}
