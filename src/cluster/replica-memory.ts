import type { ReplicaEntry, ReplicaRecord } from "./replica-record.ts";

interface Remembered {
  readonly entry: ReplicaEntry;
  /** Since when its beat is the same, by this process's own clock. */
  readonly since: number;
}

/**
 * The replicas that one of them has seen. Who ends says so; an entry that is gone without that was removed by somebody
 * else, and its replica may still work: it counts until it could hold nothing any more.
 */
export class ReplicaMemory {
  readonly #identity: string;
  readonly #durationMs: number;
  readonly #known = new Map<string, Remembered>();

  /** @param durationMs who is silent for so long does not count. */
  constructor(identity: string, durationMs: number) {
    this.#identity = identity;
    this.#durationMs = durationMs;
  }

  /** Takes in the record as it was read at a moment. */
  see(record: ReplicaRecord, now: number): void {
    for (const [name, entry] of record) {
      const known = this.#known.get(name);
      const since = known?.entry.beat === entry.beat ? known.since : now;
      this.#known.set(name, { entry, since });
    }
    for (const [name, { entry, since }] of this.#known) {
      const isOver = entry.leaves || name === this.#identity || now - since >= this.#durationMs;
      if (isOver && !record.has(name)) this.#known.delete(name);
    }
  }

  /** The replicas that are not silent at a moment. What the record says of this process counts however old it is. */
  live(now: number): ReplicaRecord {
    const isLive = ([name, { since }]: readonly [string, Remembered]): boolean =>
      name === this.#identity || now - since < this.#durationMs;
    return new Map([...this.#known].filter(isLive).map(([name, { entry }]) => [name, entry]));
  }
}
