import { type LeaseTiming, recordTiming } from "./held-lease.ts";
import type { Lease } from "./lease.ts";
import {
  type Coordinator,
  type KnownReplicas,
  noRecord,
  recordIn,
  recordKey,
  type ReplicaEntry,
  type ReplicaRecord,
  successorOf,
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
  readonly timing: LeaseTiming;
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
    return this.#record.id !== "" && seenMs >= this.#keepMs;
  }

  /** The replicas that are not silent: they share the shards. What the record says of this process counts always. */
  get live(): KnownReplicas {
    return this.#knownFor(this.#options.timing.durationMs);
  }

  /** The replicas that may hold shards for all that is known, silent ones too. */
  get present(): KnownReplicas {
    return this.#knownFor(this.#keepMs);
  }

  /**
   * Those of which the Lease still says something: what somebody removed is not written again. Of one that is silent, it
   * says that it shares no shards, so that a replica that has just started does not wait for it. It says otherwise itself.
   */
  get recorded(): Map<string, ReplicaEntry> {
    const { live, present } = this;
    const recorded = [...present].filter(([name]) => this.#record.replicas.has(name));
    return new Map(
      recorded.map(([name, entry]) => [name, live.has(name) ? entry : { ...entry, shares: false }]),
    );
  }

  get coordinator(): Coordinator {
    const { holder = "", durationMs = this.#keepMs } = this.#lease ?? {};
    const entry = this.present.get(holder);
    const silentMs = this.#watchedAt - this.#holder.since;
    const isSilent = this.#record.replicas.has(holder) || silentMs >= durationMs;
    return { entry, isGone: entry === undefined && (holder === "" || isSilent) };
  }

  /** Who holds the Lease when this process has ended. Where others may work of which it knows nothing, it is not free. */
  successorOf(own: ReplicaEntry): string {
    const { identity } = this.#options;
    const others = [this.live, this.present];
    const next = others.map((known) =>
      successorOf(new Map([...known, [identity, own]]), own.setUp),
    );
    return next.find((name) => name !== "") ?? (this.#record.isComplete ? "" : identity);
  }

  /** Whether another installation holds the Lease: nothing is shared with it. */
  get isForeign(): boolean {
    return !this.#isOurs && !this.coordinator.isGone;
  }

  get #isOurs(): boolean {
    const { holder = "", installation = "" } = this.#lease ?? {};
    return holder === "" || installation === this.#options.installation;
  }

  /** Who is silent for so long holds no shard any more. */
  get #keepMs(): number {
    return recordTiming(this.#options.timing).durationMs;
  }

  #knownFor(ms: number): KnownReplicas {
    const isKnown = ([name, { since }]: readonly [string, Remembered]): boolean =>
      name === this.#options.identity || this.#watchedAt - since < ms;
    return new Map([...this.#known].filter(isKnown).map(([name, { entry }]) => [name, entry]));
  }

  #remember(replicas: KnownReplicas, now: number): void {
    const { identity } = this.#options;
    for (const [name, entry] of replicas) {
      const known = this.#known.get(name);
      const since = known?.entry.beat === entry.beat ? known.since : now;
      this.#known.set(name, { entry, since });
    }
    for (const [name, { entry, since }] of this.#known) {
      const isOver = entry.leaves || name === identity || now - since >= this.#keepMs;
      if (isOver && !replicas.has(name)) this.#known.delete(name);
    }
  }
}
