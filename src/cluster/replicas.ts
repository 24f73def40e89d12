import type { ElectionObserver } from "./elector.ts";
import { type LeaseClock, type LeaseTiming, requestTimeoutMs } from "./held-lease.ts";
import type { Claim, Lease, LeaseStore } from "./lease.ts";
import { ReplicaMemory } from "./replica-memory.ts";
import {
  type Coordinator,
  type ReplicaEntry,
  type ReplicaRecord,
  replicasIn,
  replicasKey,
  replicasText,
  sharing,
  successorOf,
  yields,
} from "./replica-record.ts";

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
  /** Whether no process ever held a shard. */
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
 */
export class Replicas {
  readonly #options: ReplicaOptions;
  readonly #ports: ReplicaPorts;
  readonly #memory: ReplicaMemory;
  #lease: Lease | undefined;
  /** The holder and when it renewed, and since when both are the same by this process's own clock. */
  #holder = { value: "", since: -Infinity };
  /** Until then, by the monotonic clock, replicas may work of which a new Lease says nothing. */
  #quietUntil = -Infinity;
  /** When the Lease was last read or written, by the monotonic clock. */
  #watchedAt = -Infinity;
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
    this.#options = options;
    this.#ports = ports;
    this.#memory = new ReplicaMemory(options.identity, options.timing.durationMs);
  }

  /** The Lease as it was last seen. */
  get seen(): Lease | undefined {
    return this.#lease;
  }

  /** Why the Lease cannot be read or written now. */
  get failure(): string | undefined {
    return this.#failure?.message;
  }

  /** Whether what is known is recent enough to take a shard, or to give one up. */
  get isCurrent(): boolean {
    const { clock } = this.#ports;
    return clock.monotonicMs() - this.#watchedAt < this.#options.timing.renewDeadlineMs;
  }

  /** The replicas that share the shards, this one among them; none while this one may hold no shard. */
  get members(): readonly string[] {
    const { identity, setUp } = this.#options;
    const live = this.#live;
    // What the Lease says of this replica is what the others know of it.
    const isQuiet = this.#ports.clock.monotonicMs() < this.#quietUntil;
    const isKnown = live.get(identity)?.stands === true && !this.#isLeaving && !isQuiet;
    return isKnown && !this.#mustYield(live) ? sharing(live, setUp) : [];
  }

  /** Whether this process gives up all shards. */
  get mustYield(): boolean {
    return this.#mustYield(this.#live);
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
        if (lease === undefined || this.#isForeign) return;
        // The entry stays until it is silent: the others must not take it for one that somebody removed.
        this.#beat += 1;
        const entry = { ...this.#own(), stands: false, leaves: true };
        const left = this.#recorded.set(identity, entry);
        const holder =
          lease.holder === identity ? successorOf(left, this.#options.setUp) : lease.holder;
        const claim = this.#claim(lease, holder, left);
        if ((await this.#write(lease, claim)) !== undefined) return;
      }
    });
  }

  async #round(): Promise<void> {
    const { leases, watched } = this.#ports;
    await this.#attempt(async () => {
      const lease = await leases.read(requestTimeoutMs(this.#options.timing));
      this.#see(lease);
      if (lease !== undefined && this.#isForeign) this.#tellForeign(lease);
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

  /** Whether another installation holds the Lease: nothing is shared with it. */
  get #isForeign(): boolean {
    return !this.#isOurs && !this.#coordinator(this.#live).isGone;
  }

  get #isOurs(): boolean {
    const { holder = "", installation = "" } = this.#lease ?? {};
    return holder === "" || installation === this.#options.installation;
  }

  #tellForeign(lease: Lease): void {
    if (this.#foreign !== lease.installation) this.#observer?.foreign(lease);
    this.#foreign = lease.installation;
  }

  /** What the Lease says of the replicas of this installation. */
  get #record(): ReplicaRecord {
    return this.#isOurs ? replicasIn(this.#lease?.annotations[replicasKey]) : new Map();
  }

  #see(lease: Lease | undefined): void {
    const now = this.#ports.clock.monotonicMs();
    this.#lease = lease;
    this.#watchedAt = now;
    this.#memory.see(this.#record, now);
    const held = `${lease?.holder} ${lease?.renewed}`;
    if (held !== this.#holder.value) this.#holder = { value: held, since: now };
  }

  /** The replicas that are not silent. */
  get #live(): ReplicaRecord {
    return this.#memory.live(this.#watchedAt);
  }

  /** Those of which the Lease still says something: what somebody removed is not written again. */
  get #recorded(): Map<string, ReplicaEntry> {
    const record = this.#record;
    return new Map([...this.#live].filter(([name]) => record.has(name)));
  }

  #coordinator(live: ReplicaRecord): Coordinator {
    const { holder = "", durationMs } = this.#lease ?? {};
    const entry = live.get(holder);
    const silentMs = this.#watchedAt - this.#holder.since;
    const isSilent =
      this.#record.has(holder) || silentMs >= (durationMs ?? this.#options.timing.durationMs);
    return { entry, isGone: entry === undefined && (holder === "" || isSilent) };
  }

  #mustYield(live: ReplicaRecord): boolean {
    return yields(this.#options.setUp, this.#coordinator(live));
  }

  #isWriteDue(): boolean {
    const { timing, identity } = this.#options;
    const own = this.#live.get(identity);
    const hasChanged = own?.stands !== this.#own().stands || own.leaves !== this.#isLeaving;
    const isLate = this.#ports.clock.monotonicMs() - this.#wroteAt >= timing.retryMs;
    return hasChanged || isLate || this.#coordinator(this.#live).isGone;
  }

  #own(): ReplicaEntry {
    const { setUp } = this.#options;
    // Whoever must yield says so only when it holds nothing any more.
    const stands = !this.#mustYield(this.#live) || this.#ports.holdsShards();
    return { beat: this.#beat, setUp, stands, leaves: this.#isLeaving };
  }

  /** Where somebody else wrote meanwhile, the next round writes. */
  async #beatIn(lease: Lease | undefined): Promise<void> {
    const { clock } = this.#ports;
    const { identity, timing } = this.#options;
    this.#beat += 1;
    if (lease === undefined && !(await this.#ports.isFirst())) {
      // Somebody removed the Lease. Noted before it is sent: the answer may be lost.
      this.#quietUntil = clock.monotonicMs() + timing.durationMs;
    }
    const replicas = this.#recorded.set(identity, this.#own());
    const holder = this.#coordinator(this.#live).isGone ? identity : (lease?.holder ?? identity);
    const claim = this.#claim(lease, holder, replicas);
    const written = await this.#write(lease, claim);
    if (written === undefined) return this.#beatSoon();
    this.#wroteAt = clock.monotonicMs();
    this.#see(written);
  }

  #claim(lease: Lease | undefined, holder: string, replicas: ReplicaRecord): Claim {
    const { installation, timing } = this.#options;
    const isReplica = holder === "" || replicas.has(holder);
    const isNew = holder !== "" && holder !== lease?.holder;
    const now = this.#ports.clock.now();
    return {
      holder,
      installation,
      annotations: { [replicasKey]: replicasText(replicas) },
      transitions: (lease?.transitions ?? 0) + Number(isNew && lease !== undefined),
      durationMs: isReplica ? timing.durationMs : (lease?.durationMs ?? timing.durationMs),
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
