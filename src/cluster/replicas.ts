import type { ElectionObserver } from "./elector.ts";
import {
  type LeaseClock,
  type LeaseTiming,
  momentOf,
  recordTiming,
  requestTimeoutMs,
} from "./held-lease.ts";
import type { Claim, Lease, LeaseStore } from "./lease.ts";
import { ReplicaMemory } from "./replica-memory.ts";
import {
  isKeptOut,
  recordKey,
  recordText,
  type ReplicaEntry,
  type ReplicaRecord,
  sharing,
  yields,
} from "./replica-record.ts";
import { SharePermit } from "./share-permit.ts";

/** Who takes part. */
export interface ReplicaOptions {
  readonly identity: string;
  readonly installation: string;
  /** Of its credentials: replicas that differ in it share no shards. */
  readonly setUp: string;
  readonly timing: LeaseTiming;
}

export interface ReplicaPorts {
  readonly leases: LeaseStore;
  readonly clock: LeaseClock;
  /** From 0 up to 1. */
  readonly random: () => number;
  /**
   * Makes sure that the namespace shows that there are replicas. Whether nothing showed it before: then no process ever
   * held a shard. Says so to one process, once. Rejects where it cannot be made.
   */
  readonly isFirst: () => Promise<boolean>;
  /** Whether this process holds a shard, or may hold one in a moment. */
  readonly holdsShards: () => boolean;
  /** Called after each reading of the Lease. */
  readonly watched: () => void;
}

/**
 * The replicas that share the shards. Each counts up its beat in one Lease; who does so no more is silent, and after the
 * duration of a Lease it does not count. The holder of that Lease decides nothing: it keeps out processes that work
 * without shards, and says with which credentials the replicas work.
 *
 * A replica may hold shards only for a time after a write of its own that was based on a record with every replica that may,
 * and with none among them that has other credentials. A record that was made anew is such a one when whoever wrote only
 * the record before must have stopped.
 */
export class Replicas {
  readonly #options: ReplicaOptions;
  readonly #ports: ReplicaPorts;
  readonly #memory: ReplicaMemory;
  readonly #permit: SharePermit;
  /** The record that this process made, and of which it did not yet ask whether it is the first. */
  #made = "";
  /** The record that is the first. */
  #first = "";
  #wroteAt = -Infinity;
  #beat = 0;
  #isLeaving = false;
  #failure: Error | undefined;
  /** The other installation of which the observer was told. */
  #foreign = "";
  #observer: ElectionObserver | undefined;
  #wake: () => void = () => undefined;
  #isWoken = false;

  constructor(options: ReplicaOptions, ports: ReplicaPorts) {
    const { identity, installation, timing } = options;
    this.#options = options;
    this.#ports = ports;
    this.#memory = new ReplicaMemory({ identity, installation, timing });
    this.#permit = new SharePermit(ports.clock, timing);
  }

  /** Why the Lease cannot be read or written now. */
  get failure(): string | undefined {
    return this.#failure?.message;
  }

  /** Whether what is known is recent enough to take a shard, or to give one up. */
  get isCurrent(): boolean {
    const { clock } = this.#ports;
    return clock.monotonicMs() - this.#memory.watchedAt < this.#options.timing.renewDeadlineMs;
  }

  /** The replicas that share the shards, this one among them; none while this one may hold no shard. */
  get members(): readonly string[] {
    const { identity, setUp } = this.#options;
    const { live } = this.#memory;
    // What the Lease says of this replica is what the others know of it.
    const isKnown = live.get(identity)?.shares === true && !this.#isLeaving && this.mayHold;
    return isKnown && !this.mustYield ? sharing(live, setUp) : [];
  }

  /** Whether this process may hold shards now. */
  get mayHold(): boolean {
    return this.#permit.isValid;
  }

  /** Whether this process gives up all shards. */
  get mustYield(): boolean {
    return yields(this.#options.setUp, this.#memory.coordinator);
  }

  /** Beats and looks until `stop` aborts. */
  async run(observer: ElectionObserver, stop: AbortSignal): Promise<void> {
    this.#observer = observer;
    const { random } = this.#ports;
    const { retryMs } = this.#options.timing;
    stop.addEventListener("abort", () => this.#beatSoon(), { once: true });
    while (!isAborted(stop)) {
      await this.#round();
      await this.#pause((retryMs / 2) * (1 + random() / 5));
    }
  }

  /** Tells the others at once that this process ends: its shards are theirs as soon as it gives them back. */
  leave(): void {
    this.#isLeaving = true;
    this.#beatSoon();
  }

  /** Says that this process has ended. It holds no shard any more. */
  async remove(): Promise<void> {
    this.#isLeaving = true;
    await this.#attempt(async () => {
      const { leases } = this.#ports;
      const { timing, identity } = this.#options;
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const lease = await leases.read(requestTimeoutMs(timing));
        this.#see(lease);
        if (lease === undefined || this.#memory.isForeign) return;
        // The entry stays until it is silent: the others must not take it for one that somebody removed.
        this.#beat += 1;
        const entry = { ...this.#own(false), stands: false, shares: false, leaves: true };
        const left = this.#memory.recorded.set(identity, entry);
        const holder = lease.holder === identity ? this.#memory.successorOf(entry) : lease.holder;
        const claim = this.#claim(lease, holder, { ...this.#memory.record, replicas: left });
        if ((await this.#write(lease, claim)) !== undefined) return;
      }
    });
  }

  async #round(): Promise<void> {
    const { leases, watched } = this.#ports;
    await this.#attempt(async () => {
      const lease = await leases.read(requestTimeoutMs(this.#options.timing));
      this.#see(lease);
      if (lease !== undefined && this.#memory.isForeign) this.#tellForeign(lease);
      else if (this.#isWriteDue()) await this.#beatIn(lease);
    });
    watched();
  }

  async #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#ports.clock.alarm(ms, resolve);
    this.#wake = resolve;
    if (this.#isWoken) resolve();
    await promise;
    cancel();
    this.#isWoken = false;
  }

  #beatSoon(): void {
    this.#isWoken = true;
    this.#wake();
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      if (this.#failure !== undefined) this.#observer?.recovered();
      this.#failure = undefined;
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      if (this.#failure === undefined) this.#observer?.failed(failure);
      this.#failure = failure;
    }
  }

  #tellForeign(lease: Lease): void {
    if (this.#foreign !== lease.installation) this.#observer?.foreign(lease);
    this.#foreign = lease.installation;
  }

  #see(lease: Lease | undefined): void {
    this.#memory.see(lease, this.#ports.clock.monotonicMs());
  }

  #isWriteDue(): boolean {
    const { timing, identity } = this.#options;
    const { live, record, coordinator } = this.#memory;
    const known = live.get(identity);
    const own = this.#own(record.isComplete);
    const hasChanged =
      known?.stands !== own.stands || known.shares !== own.shares || known.leaves !== own.leaves;
    const isLate = this.#ports.clock.monotonicMs() - this.#wroteAt >= timing.retryMs;
    return hasChanged || isLate || coordinator.isGone || record.id === this.#made;
  }

  /** What this process says of itself in a record. */
  #own(isComplete: boolean): ReplicaEntry {
    const { setUp } = this.#options;
    // Whoever must yield says so only when it holds nothing any more.
    const stands = !this.mustYield || this.#ports.holdsShards();
    // Who may hold shards now may go on: nobody with other credentials can have begun, whom the record does not show.
    const isSafe = isComplete || this.mayHold;
    const shares = isSafe && !this.mustYield && !isKeptOut(this.#memory.present, setUp);
    return { beat: this.#beat, setUp, stands, shares, leaves: this.#isLeaving };
  }

  /** Where somebody else wrote meanwhile, the next round writes. */
  async #beatIn(lease: Lease | undefined): Promise<void> {
    const { clock } = this.#ports;
    const { identity } = this.#options;
    this.#beat += 1;
    const made = `${identity} ${this.#beat}`;
    const { id } = this.#memory.record;
    if (id === "") this.#made = made;
    const isComplete = await this.#completes();
    const entry = this.#own(isComplete);
    const replicas = this.#memory.recorded.set(identity, entry);
    const holder = this.#memory.coordinator.isGone ? identity : (lease?.holder ?? identity);
    const claim = this.#claim(lease, holder, { id: id || made, isComplete, replicas });
    const sentAt = momentOf(clock);
    const written = await this.#write(lease, claim);
    if (written === undefined) return this.#beatSoon();
    if (entry.shares) this.#permit.renew(sentAt);
    this.#wroteAt = clock.monotonicMs();
    this.#see(written);
    // Whether it is the first is asked when it is there: one that somebody removes meanwhile is not completed.
    if (id === "") this.#beatSoon();
  }

  /** Whether all who may hold shards are in the record. */
  async #completes(): Promise<boolean> {
    const { record, isSettled } = this.#memory;
    if (record.isComplete || record.id === "") return record.isComplete;
    const isMade = record.id === this.#made;
    if (isMade || isSettled) {
      const isFirst = await this.#ports.isFirst();
      if (isFirst && isMade) this.#first = record.id;
      this.#made = "";
    }
    return isSettled || record.id === this.#first;
  }

  #claim(lease: Lease | undefined, holder: string, record: ReplicaRecord): Claim {
    const { installation, timing } = this.#options;
    const { durationMs } = recordTiming(timing);
    const isReplica = holder === "" || record.replicas.has(holder);
    const isNew = holder !== "" && holder !== lease?.holder;
    const now = this.#ports.clock.now();
    return {
      holder,
      installation,
      annotations: { [recordKey]: recordText(record) },
      transitions: (lease?.transitions ?? 0) + Number(isNew && lease !== undefined),
      durationMs: isReplica ? durationMs : (lease?.durationMs ?? durationMs),
      acquiredAt: isNew ? now : undefined,
      // The holder of another kind renews it itself: its silence must be seen.
      now: isReplica ? now : undefined,
    };
  }

  /** `undefined` where somebody else wrote meanwhile. */
  async #write(lease: Lease | undefined, claim: Claim): Promise<Lease | undefined> {
    const { leases } = this.#ports;
    const timeoutMs = requestTimeoutMs(this.#options.timing);
    const written =
      lease === undefined
        ? await leases.create(claim, timeoutMs)
        : await leases.update(lease, claim, timeoutMs);
    return written.result === "written" ? written.lease : undefined;
  }
}

/** Reads a signal again: the compiler assumes that it keeps its value across an `await`. */
function isAborted({ aborted }: AbortSignal): boolean {
  return aborted;
}
