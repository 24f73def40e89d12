import { Elector, type Stance } from "../../src/cluster/elector.ts";
import type { HeldLease } from "../../src/cluster/held-lease.ts";
import type { LeaseStore } from "../../src/cluster/lease.ts";
import { Replicas } from "../../src/cluster/replicas.ts";
import { ShardElection } from "../../src/cluster/shard-election.ts";
import { silent, SimulatedMachine, timing } from "./simulated-cluster.ts";
import type { SimulatedShards } from "./simulated-shards.ts";

const never = new AbortController().signal;

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
  readonly #mayHold: () => boolean;
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
      isFirst: () => Promise.resolve(world.mark() || world.bug === "trusts a new record"),
      holdsShards: () => this.#election.holdsShards,
      watched: () => this.#election.reconsider(),
    };
    const told = world.bug === "ignores set-ups" ? "one" : setUp;
    const own = { identity: name, installation: "ours", setUp: told };
    const silence = world.bug === "counts the dead" ? { ...timing, durationMs: 1e9 } : timing;
    this.#replicas = new Replicas({ ...own, timing: silence }, ports);
    const replicas = world.bug === "sees only itself" ? this.#alone() : this.#replicas;
    this.#election = new ShardElection({ identity: name, timing, clock, random, replicas });
    const { bug } = world;
    this.#mayHold = () => bug === "asks no record" || replicas.mayHold;
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

  #alone(): Pick<Replicas, "members" | "isCurrent" | "mustYield" | "mayHold"> {
    return { members: [this.name], isCurrent: true, mustYield: false, mayHold: true };
  }

  #shardOf(shard: string): SimulatedShard {
    const { clock } = this;
    const { bug, random, leases } = this.#world;
    const lease = leases.get(shard);
    if (lease === undefined) throw new Error(`there is no shard ${shard}`);
    const elector = new Elector(
      { identity: this.name, installation: "ours", timing, quietMs: timing.durationMs },
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
    return { ...this.#election.stanceOf(shard), mayHold: this.#mayHold };
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

  #write(shard: string): Promise<void> {
    return this.#world.write(this, { shard, by: this.name, setUp: this.#setUp });
  }
}

function abortOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
