import type { StateStore } from "../store/state-store.ts";
import { coerceObject, coerceText } from "../syntax/json.ts";
import type { WriteFence } from "../zone/ports.ts";
import { checkAccess } from "./check-access.ts";
import { openConfigMapStore } from "./config-map-store.ts";
import { configMapsOf } from "./config-maps.ts";
import { type ElectionObserver, Elector, type LeaseView } from "./elector.ts";
import { EventRecorder, type EventSubject } from "./event-recorder.ts";
import { type HeldLease, type LeaseClock, leaseTiming, writeLimitMs } from "./held-lease.ts";
import { type AccessPorts, findAccess } from "./kube-access.ts";
import { createKubeClient, type KubeClient } from "./kube-client.ts";
import { leaseStore } from "./lease.ts";

/** What a process has to know to take part in an election. */
export interface ClusterOptions {
  /** Name of the Lease. */
  readonly lease: string;
  readonly leaseDurationMs: number;
  /** `undefined`: the cluster in which the process runs. */
  readonly kubeconfig: string | undefined;
  /** Whose zones it manages, and where: a state of others is not used. */
  readonly owner: string;
  readonly service: string;
  /** Another one for each process. */
  readonly identity: string;
}

/** What an election needs from outside. */
export interface ClusterPorts extends AccessPorts {
  readonly clock: LeaseClock;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/** Told whether the state can be written. */
export interface StateObserver {
  readonly onFailure: (error: Error) => void;
  readonly onRecovery: () => void;
}

/** Labels of the objects that the program makes itself. */
const labels = {
  "app.kubernetes.io/name": "zonewarden",
  "app.kubernetes.io/part-of": "zonewarden",
  "app.kubernetes.io/managed-by": "zonewarden",
};

/** One Lease, for which this process stands, and the state that its holder keeps. */
export class Cluster implements AsyncDisposable {
  /** Name of the Lease. */
  readonly lease: string;
  readonly identity: string;
  readonly #options: ClusterOptions;
  readonly #kube: KubeClient;
  readonly #ports: ClusterPorts;
  #elector: Elector | undefined;

  constructor(options: ClusterOptions, kube: KubeClient, ports: ClusterPorts) {
    this.lease = options.lease;
    this.identity = options.identity;
    this.#options = options;
    this.#kube = kube;
    this.#ports = ports;
  }

  /** Whether this process may write; before it stands for the Lease, it may not. */
  get fence(): WriteFence {
    return {
      mayWrite: () => this.#elector?.mayWrite() ?? false,
      limitMs: writeLimitMs(leaseTiming(this.#options.leaseDurationMs)),
    };
  }

  /** What was last known of the Lease. */
  get view(): LeaseView {
    return this.#elector?.view ?? { isHeld: false, holder: "", transitions: 0, failure: undefined };
  }

  /** Waits until this process holds the Lease. Dispose the result before the next call. Rejects when `stop` aborts. */
  acquire(observer: ElectionObserver, stop: AbortSignal): Promise<HeldLease> {
    this.#elector ??= this.#stand(observer);
    return this.#elector.acquire(stop);
  }

  /** Opens the state. Only the holder of the Lease may. Rejects where it cannot be read now. */
  openState(observer: StateObserver): Promise<StateStore> {
    const { owner, service, identity } = this.#options;
    const mayWrite = (): boolean => this.fence.mayWrite();
    return openConfigMapStore(this.#stateName, {
      maps: configMapsOf(this.#kube, labels),
      clock: this.#ports.clock,
      writer: { owner, service, identity, mayWrite },
      ...observer,
    });
  }

  /** What this process may not read of the Lease and the state, one sentence each. Writes nothing. */
  checkAccess(): Promise<readonly string[]> {
    return checkAccess(this.#kube, this.lease, this.#stateName);
  }

  get #stateName(): string {
    return `${this.lease}-state`;
  }

  /** Writes Events about the Lease: `kubectl describe lease` shows them. */
  startEvents(uniqueId: () => string, failed: (error: Error) => void): EventRecorder {
    return new EventRecorder({
      kube: this.#kube,
      clock: this.#ports.clock,
      uniqueId,
      instance: this.identity,
      subject: () => this.#subject(),
      failed,
    });
  }

  #subject(): EventSubject | undefined {
    const { metadata } = this.#elector?.seen?.object ?? {};
    const uid = coerceText(coerceObject(metadata)["uid"]);
    if (uid === "") return undefined;
    return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", name: this.lease, uid };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#kube[Symbol.asyncDispose]();
  }

  #stand(observer: ElectionObserver): Elector {
    const { lease, leaseDurationMs, owner, service, identity } = this.#options;
    const { clock, random } = this.#ports;
    const timing = leaseTiming(leaseDurationMs);
    const installation = `${owner} at ${service}`;
    const leases = leaseStore(lease, this.#kube);
    const isFirst = async (): Promise<boolean> => {
      try {
        return (await configMapsOf(this.#kube, labels).read(this.#stateName)) === undefined;
      } catch {
        // Without permission for the state: what is not known is not taken for nothing.
        return false;
      }
    };
    const candidate = { identity, installation, timing };
    return new Elector(candidate, { leases, clock, random, observer, isFirst });
  }
}

/**
 * Finds the cluster; sends nothing yet.
 *
 * @throws {NoClusterAccess} where there is no access to one.
 */
export async function joinCluster(options: ClusterOptions, ports: ClusterPorts): Promise<Cluster> {
  const access = await findAccess(options.kubeconfig, ports);
  return new Cluster(options, createKubeClient(access, ports.clock), ports);
}
