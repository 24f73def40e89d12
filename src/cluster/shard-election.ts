import { assignShards } from "./assign-shards.ts";
import type { Stance } from "./elector.ts";
import type { LeaseClock, LeaseTiming } from "./held-lease.ts";
import type { Replicas } from "./replicas.ts";

/** A shard as the election sees it. */
interface ElectedShard {
  /** Name of its Lease. */
  readonly lease: string;
  readonly isBusy: boolean;
  readonly view: { readonly isHeld: boolean; readonly holder: string };
  giveUp(): void;
}

export interface ShardElectionPorts {
  readonly identity: string;
  readonly timing: LeaseTiming;
  readonly clock: LeaseClock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly replicas: Pick<Replicas, "members" | "isCurrent" | "mustYield" | "mayHold">;
}

/**
 * Decides which Leases this process stands for, from what it knows of the replicas and of the holders. A wrong decision
 * costs time and no more: whether a process may write is decided by the Lease of the shard and by the record of the replicas.
 */
export class ShardElection {
  readonly #ports: ShardElectionPorts;
  #shards: readonly ElectedShard[] = [];
  #assigned: ReadonlyMap<string, string> = new Map();
  readonly #waits = new Map<string, () => void>();

  constructor(ports: ShardElectionPorts) {
    this.#ports = ports;
  }

  /** Takes the shards whose stances it gave. */
  begin(shards: readonly ElectedShard[]): void {
    this.#shards = shards;
  }

  /** Whether this process holds a shard, may hold one in a moment, or is not done with one. */
  get holdsShards(): boolean {
    return this.#shards.some(({ isBusy }) => isBusy);
  }

  /** Assigns the shards anew: has those given up that are another's, and looks at once at those that are now wanted. */
  reconsider(): void {
    const { identity, replicas } = this.#ports;
    if (!replicas.isCurrent) return;
    this.#assign();
    for (const shard of this.#shards) {
      const owner = this.#assigned.get(shard.lease);
      const isAnothers = owner !== undefined && owner !== identity;
      if (shard.view.isHeld && (isAnothers || replicas.mustYield)) shard.giveUp();
      if (!shard.isBusy && owner === identity) this.#waits.get(shard.lease)?.();
    }
  }

  stanceOf(lease: string): Stance {
    return {
      isWanted: () => this.#isWanted(lease),
      mayHold: () => this.#ports.replicas.mayHold,
      pause: (stop) => this.#pause(lease, stop),
    };
  }

  #isWanted(lease: string): boolean {
    const { identity, replicas } = this.#ports;
    if (this.#assigned.get(lease) !== identity || !replicas.isCurrent) return false;
    // What the replicas say now counts, and not what they said when the shards were assigned.
    return replicas.members.includes(identity);
  }

  #assign(): void {
    const { members } = this.#ports.replicas;
    const holders = new Map(this.#shards.map(({ lease, view }) => [lease, view.holder]));
    this.#assigned = assignShards({ members, holders });
  }

  /** A shard that another replica is about to give back is looked at more often. */
  async #pause(lease: string, stop: AbortSignal): Promise<void> {
    const { clock, timing, random, identity } = this.#ports;
    stop.throwIfAborted();
    const isAwaited = this.#assigned.get(lease) === identity;
    const ms = (isAwaited ? timing.retryMs / 4 : timing.retryMs) * (1 + random() / 5);
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = clock.alarm(ms, resolve);
    this.#waits.set(lease, resolve);
    const wake = (): void => resolve();
    stop.addEventListener("abort", wake, { once: true });
    await promise;
    stop.removeEventListener("abort", wake);
    cancel();
    this.#waits.delete(lease);
    stop.throwIfAborted();
  }
}
