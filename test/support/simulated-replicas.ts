import { Elector, type Stance } from "../../src/cluster/elector.ts";
import { type HeldLease, writeLimitMs } from "../../src/cluster/held-lease.ts";
import type { LeaseStore } from "../../src/cluster/lease.ts";
import { Replicas } from "../../src/cluster/replicas.ts";
import { ShardElection } from "../../src/cluster/shard-election.ts";
import type { SimulatedClock } from "./clock.ts";
import { silent, SimulatedLease, SimulatedMachine, timing } from "./simulated-cluster.ts";

/** A bug that a test plants: the simulation must notice it. */
export type PlantedBug =
  /** A Lease is written whatever others wrote since it was read. */
  | "ignores versions"
  /** Whether it may write is left to a timer. */
  | "asks no clock"
  /** A Lease is given back while a write is on its way. */
  | "gives back too early"
  /** Whom the shard is assigned to takes it, whoever holds it. */
  | "believes the assignment"
  /** A Lease counts as silent before its holder stops writing. */
  | "waits too short"
  /** Credentials are shared with replicas that have other credentials. */
  | "ignores set-ups"
  /** A shard that is assigned to another replica is kept. */
  | "keeps what it has"
  /** The others are not seen. */
  | "sees only itself"
  /** Replicas that are silent still count. */
  | "counts the dead"
  /** A replica that ends stays on the record. */
  | "never leaves";

/** A write, from the moment at which it is sent to the last at which it may arrive. */
export interface SimulatedWrite {
  readonly shard: string;
  readonly by: string;
  /** Of its credentials: a zone may be in one shard with some, and in another with others. */
  readonly setUp: string;
  readonly from: number;
  to: number;
}

const limitMs = writeLimitMs(timing);

/** The Leases of a simulated cluster, and all writes of its replicas. */
export class SimulatedShards {
  readonly clock: SimulatedClock;
  readonly random: () => number;
  readonly record: SimulatedLease;
  readonly leases: ReadonlyMap<string, SimulatedLease>;
  readonly writes: SimulatedWrite[] = [];
  readonly bug: PlantedBug | undefined;

  constructor(
    clock: SimulatedClock,
    random: () => number,
    shards: readonly string[],
    bug?: PlantedBug,
  ) {
    this.clock = clock;
    this.random = random;
    this.bug = bug;
    this.record = new SimulatedLease(clock);
    this.leases = new Map(shards.map((shard) => [shard, new SimulatedLease(clock)]));
  }

  get shards(): readonly string[] {
    return [...this.leases.keys()];
  }

  /** Writes that begin while one of another replica to the same zones may still arrive. */
  get overlapping(): readonly string[] {
    return this.writes.flatMap(({ shard, by, setUp, from, to }, nth) => {
      const later = this.writes.slice(nth + 1);
      const end = later.findIndex((each) => each.from >= to);
      const other = (end < 0 ? later : later.slice(0, end)).find(
        (each) => each.by !== by && (each.shard === shard || each.setUp !== setUp),
      );
      return other === undefined
        ? []
        : [`${shard}: ${by} ${from}–${to}, ${other.by} ${other.from}`];
    });
  }

  /** How many shards each holder has. */
  get spread(): ReadonlyMap<string, number> {
    const holders = [...this.leases.values()].map(({ current }) => current?.holder ?? "");
    return new Map(
      [...Map.groupBy(holders, (holder) => holder)].map(([name, all]) => [name, all.length]),
    );
  }
}

/** A shard as a replica of the simulation works on it. */
class SimulatedShard {
  readonly lease: string;
  readonly elector: Elector;
  surplus = new AbortController();

  constructor(lease: string, elector: Elector) {
    this.lease = lease;
    this.elector = elector;
  }

  get isBusy(): boolean {
    return this.elector.isBusy;
  }

  get view(): Elector["view"] {
    return this.elector.view;
  }

  giveUp(): void {
    this.surplus.abort();
  }
}

/** A replica of the simulation: the real election and the real Leases, on a network and a clock that fail. */
export class SimulatedReplica extends SimulatedMachine {
  readonly name: string;
  /** It ended, or was killed. */
  isGone = false;
  readonly #world: SimulatedShards;
  readonly #setUp: string;
  readonly #replicas: Replicas;
  readonly #election: ShardElection;
  readonly #shards: readonly SimulatedShard[];
  readonly #stop = new AbortController();
  readonly #ended = new AbortController();

  constructor(name: string, world: SimulatedShards, setUp = "one") {
    super(world.clock, world.random);
    this.name = name;
    this.#world = world;
    this.#setUp = setUp;
    const { clock } = this;
    const { random } = world;
    const ports = {
      leases: this.storeOf(world.record),
      clock,
      random,
      isFirst: () =>
        Promise.resolve([...world.leases.values()].every(({ taken }) => taken.length === 0)),
      holdsShards: () => this.#election.holdsShards,
      watched: () => this.#election.reconsider(),
    };
    const told = world.bug === "ignores set-ups" ? "one" : setUp;
    const own = { identity: name, installation: "ours", setUp: told };
    const silence = world.bug === "counts the dead" ? { ...timing, durationMs: 1e9 } : timing;
    this.#replicas = new Replicas({ ...own, timing: silence }, ports);
    const replicas = world.bug === "sees only itself" ? this.#alone() : this.#replicas;
    this.#election = new ShardElection({ identity: name, timing, clock, random, replicas });
    this.#shards = world.shards.map((shard) => this.#shardOf(shard));
    this.#election.begin(this.#shards);
  }

  /** Takes part until it is told to leave. */
  async live(): Promise<void> {
    const running = this.#replicas.run(silent, this.#ended.signal);
    await Promise.all(this.#shards.map((shard) => this.#workOn(shard)));
    this.#ended.abort();
    await running;
    if (this.#world.bug !== "never leaves") await this.#replicas.remove();
  }

  /** Ends as with SIGTERM. */
  leave(): void {
    this.isGone = true;
    if (this.#world.bug !== "never leaves") this.#replicas.leave();
    this.#stop.abort();
  }

  /** Ends as with SIGKILL: it is paused for ever. */
  kill(): void {
    this.isGone = true;
    this.isPaused = true;
  }

  #alone(): Pick<Replicas, "members" | "isCurrent" | "mustYield"> {
    return { members: [this.name], isCurrent: true, mustYield: false };
  }

  #shardOf(shard: string): SimulatedShard {
    const { clock } = this;
    const { bug, random, leases } = this.#world;
    const lease = leases.get(shard);
    if (lease === undefined) throw new Error(`there is no shard ${shard}`);
    const elector = new Elector(
      { identity: this.name, installation: "ours", timing },
      {
        leases: this.#brokenStore(this.storeOf(lease), shard),
        clock,
        random,
        observer: silent,
        stance: this.#stanceOf(shard),
        isFirst: () => Promise.resolve(lease.taken.length === 0),
      },
    );
    const created = new SimulatedShard(shard, elector);
    if (bug === "keeps what it has") created.giveUp = () => undefined;
    return created;
  }

  #stanceOf(shard: string): Stance {
    return this.#election.stanceOf(shard);
  }

  #brokenStore(store: LeaseStore, shard: string): LeaseStore {
    const { bug, leases } = this.#world;
    const lease = leases.get(shard);
    if (bug === "ignores versions") {
      return {
        ...store,
        update: (known, claim, timeoutMs) =>
          store.update(
            { ...known, version: lease?.current?.version ?? known.version },
            claim,
            timeoutMs,
          ),
      };
    }
    if (bug === "believes the assignment" || bug === "waits too short") {
      const isTaken = (): boolean =>
        bug === "believes the assignment" && this.#stanceOf(shard).isWanted();
      return {
        ...store,
        read: async (timeoutMs) => {
          const seen = await store.read(timeoutMs);
          if (seen === undefined || seen.holder === this.name) return seen;
          return isTaken()
            ? { ...seen, holder: "" }
            : { ...seen, durationMs: bug === "waits too short" ? 3_000 : seen.durationMs };
        },
      };
    }
    return store;
  }

  /** Stands for a shard, writes while it holds it, and stands again. */
  async #workOn(shard: SimulatedShard): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        const held = await shard.elector.acquire(this.#stop.signal);
        shard.surplus = new AbortController();
        const isEarly = this.#world.bug === "gives back too early";
        const work = this.#writeRepeatedly(shard, held);
        const ended = [abortOf(shard.surplus.signal), abortOf(this.#stop.signal)];
        await Promise.race(isEarly ? [work, ...ended] : [work]);
        await held[Symbol.asyncDispose]();
        await work;
      } catch {
        // It was stopped while it waited: the loop ends.
      }
    }
  }

  async #writeRepeatedly(shard: SimulatedShard, held: HeldLease): Promise<void> {
    const { random, bug } = this.#world;
    const isEnded = (): boolean => shard.surplus.signal.aborted || this.#stop.signal.aborted;
    while (!isEnded()) {
      const mayWrite = bug === "asks no clock" ? !held.signal.aborted : shard.elector.mayWrite();
      if (!mayWrite) return;
      await this.#write(shard.lease);
      await this.clock.sleep(random() * 500, never);
    }
  }

  /** A write is sent in the moment in which the fence is asked, and ends within the limit. */
  async #write(shard: string): Promise<void> {
    const { writes, random } = this.#world;
    const from = this.monotonicMs;
    const write = { shard, by: this.name, setUp: this.#setUp, from, to: from + limitMs };
    writes.push(write);
    await this.clock.sleep(random() * limitMs, never);
    // It is answered: where the process was not paused meanwhile, it did not take the whole time.
    write.to = Math.min(write.to, this.monotonicMs);
  }
}

const never = new AbortController().signal;

function abortOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
