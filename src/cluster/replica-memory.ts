import type { Lease } from "./lease.ts";
import {
  type Coordinator,
  type KnownReplicas,
  noRecord,
  recordIn,
  recordKey,
  type ReplicaEntry,
  type ReplicaRecord,
} from "./replica-record.ts";

interface Remembered {
  readonly entry: ReplicaEntry;
  /** Since when its beat is the same, by this process's own clock. */
  readonly since: number;
}

/** Whose memory it is. */
export interface ReplicaMemoryOptions {
  readonly identity: string;
  readonly installation: string;
  /** Who is silent for so long does not count. */
  readonly durationMs: number;
}

/**
 * What one replica has seen of the Lease in which all of them are. Who ends says so; an entry that is gone without that was
 * removed by somebody else, and its replica may still work: it counts until it could hold nothing any more.
 */
export class ReplicaMemory {
  readonly #options: ReplicaMemoryOptions;
  readonly #known = new Map<string, Remembered>();
  #lease: Lease | undefined;
  /** When the Lease was last read or written. */
  #watchedAt = -Infinity;
  #record = noRecord;
  /** Since when it is the same record, and not one that was made after it. */
  #recordSince = -Infinity;
  /** The holder and when it renewed, and since when both are the same. */
  #holder = { value: "", since: -Infinity };

  constructor(options: ReplicaMemoryOptions) {
    this.#options = options;
  }

  /** Takes in the Lease as it was read or written at a moment of the monotonic clock. */
  see(lease: Lease | undefined, now: number): void {
    this.#lease = lease;
    this.#watchedAt = now;
    const record = this.#isOurs ? recordIn(lease?.annotations[recordKey]) : noRecord;
    if (record.id !== this.#record.id) this.#recordSince = now;
    this.#record = record;
    this.#remember(record.replicas, now);
    const held = `${lease?.holder} ${lease?.renewed}`;
    if (held !== this.#holder.value) this.#holder = { value: held, since: now };
  }

  /** The Lease as it was last seen. */
  get lease(): Lease | undefined {
    return this.#lease;
  }

  get watchedAt(): number {
    return this.#watchedAt;
  }

  /** What the Lease says of the replicas of this installation. */
  get record(): ReplicaRecord {
    return this.#record;
  }

  /** Whether whoever wrote only an earlier record than this one has stopped. */
  get isSettled(): boolean {
    const seenMs = this.#watchedAt - this.#recordSince;
    return this.#record.id !== "" && seenMs >= this.#options.durationMs;
  }

  /** The replicas that are not silent. What the record says of this process counts however old it is. */
  get live(): KnownReplicas {
    const { identity, durationMs } = this.#options;
    const isLive = ([name, { since }]: readonly [string, Remembered]): boolean =>
      name === identity || this.#watchedAt - since < durationMs;
    return new Map([...this.#known].filter(isLive).map(([name, { entry }]) => [name, entry]));
  }

  /** Those of which the Lease still says something: what somebody removed is not written again. */
  get recorded(): Map<string, ReplicaEntry> {
    return new Map([...this.live].filter(([name]) => this.#record.replicas.has(name)));
  }

  get coordinator(): Coordinator {
    const { holder = "", durationMs = this.#options.durationMs } = this.#lease ?? {};
    const entry = this.live.get(holder);
    const silentMs = this.#watchedAt - this.#holder.since;
    const isSilent = this.#record.replicas.has(holder) || silentMs >= durationMs;
    return { entry, isGone: entry === undefined && (holder === "" || isSilent) };
  }

  /** Whether another installation holds the Lease: nothing is shared with it. */
  get isForeign(): boolean {
    return !this.#isOurs && !this.coordinator.isGone;
  }

  get #isOurs(): boolean {
    const { holder = "", installation = "" } = this.#lease ?? {};
    return holder === "" || installation === this.#options.installation;
  }

  #remember(replicas: KnownReplicas, now: number): void {
    const { identity, durationMs } = this.#options;
    for (const [name, entry] of replicas) {
      const known = this.#known.get(name);
      const since = known?.entry.beat === entry.beat ? known.since : now;
      this.#known.set(name, { entry, since });
    }
    for (const [name, { entry, since }] of this.#known) {
      const isOver = entry.leaves || name === identity || now - since >= durationMs;
      if (isOver && !replicas.has(name)) this.#known.delete(name);
    }
  }
}
