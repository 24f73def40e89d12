import { recordTiming, writeLimitMs } from "../../src/cluster/held-lease.ts";
import type { SimulatedClock } from "./clock.ts";
import {
  SimulatedLease,
  type SimulatedMachine,
  SimulatedProcess,
  timing,
} from "./simulated-cluster.ts";

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
  | "never leaves"
  /** What the record says of it does not restrict when it writes. */
  | "asks no record"
  /** A record that was made anew counts at once. */
  | "trusts a new record";

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
const never = new AbortController().signal;

/** The Leases of a simulated cluster, and all writes of its replicas. */
export class SimulatedShards {
  readonly clock: SimulatedClock;
  readonly random: () => number;
  readonly record: SimulatedLease;
  readonly leases: ReadonlyMap<string, SimulatedLease>;
  readonly writes: SimulatedWrite[] = [];
  readonly bug: PlantedBug | undefined;
  /** Whether the namespace shows that there are replicas. */
  isMarked = false;

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

  /** Whether it did not show that before. */
  mark(): boolean {
    const isFirst = !this.isMarked;
    this.isMarked = true;
    return isFirst;
  }

  /** A write is sent in the moment in which the fence is asked, and ends within the limit. */
  async write(
    machine: SimulatedMachine,
    what: Pick<SimulatedWrite, "shard" | "by" | "setUp">,
  ): Promise<void> {
    const from = machine.monotonicMs;
    const write = { ...what, from, to: from + limitMs };
    this.writes.push(write);
    await machine.clock.sleep(this.random() * limitMs, never);
    // It is answered: where the process was not paused meanwhile, it did not take the whole time.
    write.to = Math.min(write.to, machine.monotonicMs);
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

/** A process of the simulation that works on all zones without shards, until somebody wants it to end. */
export class SimulatedSolo extends SimulatedProcess {
  readonly name: string;
  isGone = false;
  readonly #world: SimulatedShards;
  readonly #stop = new AbortController();

  constructor(name: string, world: SimulatedShards) {
    const { clock, record, random } = world;
    const { durationMs } = recordTiming(timing);
    super(name, clock, record, random, { isFirst: async () => !world.isMarked }, durationMs);
    this.name = name;
    this.#world = world;
  }

  async live(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        await using _held = await this.elector.acquire(this.#stop.signal);
        this.#world.mark();
        while (!this.isGone && this.elector.mayWrite()) {
          await this.#world.write(this, { shard: "", by: this.name, setUp: "none" });
          await this.clock.sleep(this.#world.random() * 500, never);
        }
      } catch {
        // It was stopped while it waited: the loop ends.
      }
    }
  }

  /** Ends as with SIGTERM. */
  leave(): void {
    this.isGone = true;
    this.#stop.abort();
  }

  /** Ends as with SIGKILL: it is paused for ever. */
  kill(): void {
    this.isGone = true;
    this.isPaused = true;
  }
}
