import { Protections } from "./analytics/protections.ts";
import { type TrueHour, trueHour } from "./analytics/true-hour.ts";
import { AuditLog } from "./audit/audit-log.ts";
import { Faults } from "./control/faults.ts";
import type { Dialect } from "./http/api-endpoint.ts";
import { RequestQuota } from "./http/request-quota.ts";
import type { StateFile } from "./seed/state-file.ts";
import { afterEvents } from "./seed/zone-events.ts";
import type { EmulatedZone, Owner, State } from "./state.ts";
import { Store } from "./store.ts";

/** What the emulator needs from its host. */
export interface HostPorts {
  readonly dialect: Dialect;
  /** Whether it accepts names and arguments in expressions that its tables do not have. */
  readonly lenientExpressions?: boolean;
  readonly clock: { now(): Date };
  /** From 0 up to 1, for request ids. */
  readonly random: () => number;
  /** Waits for the latency fault; an abort ends the wait. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

interface ServicePorts extends HostPorts {
  readonly stateFile: StateFile | undefined;
  readonly seededAt: (now: Date) => State;
}

/** Everything that changes while one emulator runs. */
export class EmulatedService {
  readonly ports: ServicePorts;
  readonly journal = new Journal();
  readonly audit = new AuditLog();
  readonly protections: Protections;
  readonly faults = new Faults();
  readonly quota = new RequestQuota();
  /** Of queries of the analytics. */
  readonly queries = new RequestQuota();
  #store: Store;
  #nextEventAt: number;

  constructor(ports: ServicePorts, state: State) {
    this.ports = ports;
    this.#store = storeOf(state, ports);
    this.protections = new Protections(state.protections);
    this.#nextEventAt = nextEventIn(this.#store);
  }

  get store(): Store {
    return this.#store;
  }

  /**
   * Lets happen what the seed has up to now. After a crash it happens again, at the same moments.
   */
  catchUp(): void {
    const now = this.#store.now().getTime();
    if (now < this.#nextEventAt) return;
    for (const zone of this.#store.zones()) {
      const next = afterEvents(zone, now);
      if (next !== zone) this.#store.replace(next);
    }
    this.#nextEventAt = nextEventIn(this.#store);
  }

  /** The exact counts of the hour of a zone that `at` is in, in milliseconds since 1970, or of a part of it. */
  trueHour(zone: EmulatedZone, at: number, lengthMs?: number): TrueHour {
    return trueHour(zone, this.protections.of(zone), at, this.#store.now().getTime(), lengthMs);
  }

  /** A new id of a request. */
  newRay(): string {
    const part = (): string => Math.floor(this.ports.random() * 0x10000).toString(16);
    const parts = Array.from({ length: 4 }, () => part().padStart(4, "0"));
    return `${parts.join("")}-EMU`;
  }

  /** Stores a zone or account, and resolves when it is durable. */
  async commit(next: Owner): Promise<void> {
    if (next.level === "zone") {
      this.protections.change(this.#store.zone(next.id), next, this.#store.now());
    }
    this.#store.replace(next);
    await this.save();
  }

  /** Writes the state file, if there is one. */
  async save(): Promise<void> {
    await this.ports.stateFile?.save(() => ({
      ...this.#store.state(),
      protections: this.protections.changed(),
    }));
  }

  reset(): void {
    const { clock, seededAt } = this.ports;
    this.#store = storeOf(seededAt(clock.now()), this.ports);
    this.#nextEventAt = nextEventIn(this.#store);
    this.journal.clear();
    this.audit.clear();
    this.protections.clear();
    this.faults.clear();
    this.quota.clear();
    this.queries.clear();
  }
}

function storeOf(state: State, { clock, lenientExpressions = false }: ServicePorts): Store {
  return new Store(state, clock, lenientExpressions);
}

function nextEventIn(store: Store): number {
  return store
    .zones()
    .reduce((next, { events = [] }) => Math.min(next, events[0]?.at ?? Infinity), Infinity);
}

export interface JournalEntry {
  readonly number: number;
  readonly at: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Status of the response; 0 if the connection was closed without one. */
  readonly status: number;
  /** Name of the credential, "" if there was none that is known. */
  readonly credential: string;
  readonly ray: string;
}

const maxEntries = 10_000;

class Journal {
  #entries: JournalEntry[] = [];
  #number = 0;

  record(entry: Omit<JournalEntry, "number">): void {
    this.#number += 1;
    this.#entries.push({ number: this.#number, ...entry });
    if (this.#entries.length >= 2 * maxEntries) this.#entries = this.#entries.slice(-maxEntries);
  }

  /** Oldest first. */
  entries(): readonly JournalEntry[] {
    return this.#entries.slice(-maxEntries);
  }

  clear(): void {
    this.#entries = [];
  }
}
