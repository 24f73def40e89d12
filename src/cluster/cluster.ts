import type { WriteFence } from "../zone/ports.ts";
import { checkAccess } from "./check-access.ts";
import { configMapsOf } from "./config-maps.ts";
import type { ElectionObserver } from "./elector.ts";
import { EventRecorder, type EventSubject } from "./event-recorder.ts";
import { type LeaseClock, leaseTiming, recordTiming } from "./held-lease.ts";
import { type AccessPorts, findAccess } from "./kube-access.ts";
import { createKubeClient, type KubeClient } from "./kube-client.ts";
import { leaseStore } from "./lease.ts";
import { Replicas } from "./replicas.ts";
import { ShardElection } from "./shard-election.ts";
import { objectLabels, Shard, stateNameOf } from "./shard.ts";
import { makeState } from "./state-maps.ts";

/** What a process has to know to take part in an election. */
export interface ClusterOptions {
  /** Name of the Lease. */
  readonly lease: string;
  /** The credentials of which each is a shard; `undefined`: one process works on all zones. */
  readonly credentials: readonly string[] | undefined;
  /** Says what the credentials are: processes that differ in it share no shards. */
  readonly setUp: string;
  readonly leaseDurationMs: number;
  /** `undefined`: the cluster in which the process runs. */
  readonly kubeconfig: string | undefined;
  /** Whose zones it manages, and where: a state of others is not used. */
  readonly owner: string;
  readonly service: string;
  /** Another one for each process. */
  readonly identity: string;
  /** Where this process shows its status page; "": the others are not told. */
  readonly page: string;
}

/** What an election needs from outside. */
export interface ClusterPorts extends AccessPorts {
  readonly clock: LeaseClock;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/** The Leases of an installation, and what decides for which of them this process stands. */
interface Election {
  /** One for all zones, or one for each credential. */
  readonly shards: readonly Shard[];
  /** `undefined`: there is one Lease, for which every process stands. */
  readonly replicas: Replicas | undefined;
}

/** The processes that share the zones, as one of them. */
export class Cluster implements AsyncDisposable {
  readonly #options: ClusterOptions;
  readonly #kube: KubeClient;
  readonly #clock: LeaseClock;
  readonly #election: Election;

  constructor(options: ClusterOptions, kube: KubeClient, clock: LeaseClock, election: Election) {
    this.#options = options;
    this.#kube = kube;
    this.#clock = clock;
    this.#election = election;
  }

  /** Name of the Lease; with shards, that of the replicas. */
  get lease(): string {
    return this.#options.lease;
  }

  get identity(): string {
    return this.#options.identity;
  }

  get shards(): readonly Shard[] {
    return this.#election.shards;
  }

  /** Why the Lease of the replicas cannot be read or written now. */
  get failure(): string | undefined {
    return this.#election.replicas?.failure;
  }

  /** Whether this process may write with a credential. */
  fenceOf(credential: string): WriteFence | undefined {
    const shard = this.shards.find((each) => [credential, undefined].includes(each.credential));
    return shard?.fence;
  }

  /**
   * Takes part until the result is disposed; this process then holds no shard any more. When `stop` aborts, the others
   * prepare to take its shards.
   */
  takePart(observer: ElectionObserver, stop: AbortSignal): AsyncDisposable {
    const { replicas } = this.#election;
    const ended = new AbortController();
    const running = replicas?.run(observer, ended.signal);
    stop.addEventListener("abort", () => replicas?.leave(), { once: true });
    return {
      [Symbol.asyncDispose]: async () => {
        ended.abort();
        await running;
        await replicas?.remove();
      },
    };
  }

  /** What this process may not read of the Leases and the state, one sentence each. Writes nothing. */
  checkAccess(): Promise<readonly string[]> {
    const leases = [this.lease, ...this.shards.map(({ lease }) => lease)];
    const states = [stateNameOf(this.lease), ...this.shards.map(({ stateName }) => stateName)];
    return checkAccess(this.#kube, [...new Set(leases)], [...new Set(states)]);
  }

  /** Writes Events about the ConfigMap of the state: `kubectl describe configmap` shows them. */
  startEvents(uniqueId: () => string, failed: (error: Error) => void): EventRecorder {
    return new EventRecorder({
      kube: this.#kube,
      clock: this.#clock,
      uniqueId,
      instance: this.identity,
      subject: () => this.#subject(),
      failed,
    });
  }

  /** With shards nobody writes a state of all zones, and whoever finds that the ConfigMap is missing makes it. */
  async #subject(): Promise<EventSubject | undefined> {
    const name = stateNameOf(this.lease);
    const maps = configMapsOf(this.#kube, objectLabels);
    let found = await maps.read(name);
    if (found === undefined && this.#election.replicas !== undefined) {
      await makeState(name, maps, this.#options);
      found = await maps.read(name);
    }
    if (found === undefined) return undefined;
    return { apiVersion: "v1", kind: "ConfigMap", name, uid: found.uid };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#kube[Symbol.asyncDispose]();
  }
}

/**
 * Finds the cluster; sends nothing yet.
 *
 * @throws {NoClusterAccess} where there is no access to one.
 */
export async function joinCluster(options: ClusterOptions, ports: ClusterPorts): Promise<Cluster> {
  const access = await findAccess(options.kubeconfig, ports);
  const kube = createKubeClient(access, ports.clock);
  return new Cluster(options, kube, ports.clock, electionOf(options, kube, ports));
}

function electionOf(options: ClusterOptions, kube: KubeClient, ports: ClusterPorts): Election {
  const { credentials, lease, identity, owner, service, setUp } = options;
  const { clock, random } = ports;
  const timing = leaseTiming(options.leaseDurationMs);
  const shared = { ...options, timing, quietMs: timing.durationMs };
  if (credentials === undefined) {
    // Whoever removed the Lease may have removed that of processes with shards.
    const quietMs = recordTiming(timing).durationMs;
    const all = new Shard({ ...shared, quietMs, credential: undefined }, { kube, clock, random });
    return { shards: [all], replicas: undefined };
  }
  const maps = configMapsOf(kube, objectLabels);
  const replicas: Replicas = new Replicas(
    { identity, installation: `${owner} at ${service}`, setUp, timing },
    {
      leases: leaseStore(lease, kube),
      clock,
      random,
      isFirst: async () => {
        const isMade = await makeState(stateNameOf(lease), maps, { owner, service });
        const firsts = await Promise.all(shards.map((shard) => shard.isFirst()));
        return isMade && !firsts.includes(false);
      },
      holdsShards: () => election.holdsShards,
      watched: () => election.reconsider(),
    },
  );
  const election = new ShardElection({ identity, timing, clock, random, replicas });
  const shards: readonly Shard[] = credentials.map((credential) => {
    const name = `${lease}.${credential}`;
    const stance = election.stanceOf(name);
    return new Shard({ ...shared, lease: name, credential }, { kube, clock, random, stance });
  });
  election.begin(shards);
  return { shards, replicas };
}
