import { openConfigMapStore } from "../memory/config-maps/config-map-store.ts";
import type { StateStore } from "../memory/state-store.ts";
import type { WriteFence } from "../zone/ports.ts";
import { checkAccess } from "./check-access.ts";
import { configMapsOf } from "./config-maps.ts";
import { type ElectionObserver, Elector, type LeaseView, pageKey } from "./elector.ts";
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
  /** Where this process shows its status page; "": the others are not told. */
  readonly page: string;
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
const objectLabels = {
  "app.kubernetes.io/name": "zonewarden",
  "app.kubernetes.io/part-of": "zonewarden",
  "app.kubernetes.io/managed-by": "zonewarden",
};

/** Several processes of which one works at a time, the holder of a Lease: this process as one of them. */
export class Cluster implements AsyncDisposable {
  readonly #options: ClusterOptions;
  readonly #kube: KubeClient;
  readonly #ports: Pick<ClusterPorts, "clock" | "random">;
  #elector: Elector | undefined;

  constructor(
    options: ClusterOptions,
    kube: KubeClient,
    ports: Pick<ClusterPorts, "clock" | "random">,
  ) {
    this.#options = options;
    this.#kube = kube;
    this.#ports = ports;
  }

  /** Name of the Lease. */
  get lease(): string {
    return this.#options.lease;
  }

  /** The name of this process in the Lease. */
  get identity(): string {
    return this.#options.identity;
  }

  /** Name of the ConfigMap with the head of the state. */
  get stateName(): string {
    return `${this.lease}-state`;
  }

  /** Whether this process may write; before it stands for the Lease, it may not. */
  get fence(): WriteFence {
    return {
      isHeld: () => this.#elector?.isHeld ?? false,
      endIfOver: () => this.#elector?.endIfOver(),
      limitMs: writeLimitMs(leaseTiming(this.#options.leaseDurationMs)),
    };
  }

  /** What was last known of the Lease. */
  get view(): LeaseView {
    return this.#elector?.view ?? unknown;
  }

  /** Waits until this process holds the Lease. Dispose the result before the next call. Rejects when `stop` aborts. */
  async acquire(observer: ElectionObserver, stop: AbortSignal): Promise<HeldLease> {
    this.#elector ??= this.#stand(observer);
    return this.#elector.acquire(stop);
  }

  /** Opens the state. Only the holder of the Lease may. Rejects if it cannot be read now. */
  openState(observer: StateObserver): Promise<StateStore> {
    const { owner, service, identity } = this.#options;
    const isHeld = (): boolean => this.fence.isHeld();
    return openConfigMapStore(this.stateName, {
      maps: configMapsOf(this.#kube, objectLabels),
      clock: this.#ports.clock,
      writer: { owner, service, identity, isHeld },
      ...observer,
    });
  }

  /** What this process may not read of the Lease and the state, one sentence each. Writes nothing. */
  checkAccess(): Promise<readonly string[]> {
    return checkAccess(this.#kube, this.lease, this.stateName);
  }

  /** Writes Events about the ConfigMap of the state: `kubectl describe configmap` shows them. */
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

  #stand(observer: ElectionObserver): Elector {
    const { lease, owner, service, identity, page, leaseDurationMs } = this.#options;
    const candidate = {
      identity,
      installation: `${owner} at ${service}`,
      timing: leaseTiming(leaseDurationMs),
      annotations: { [pageKey]: page },
    };
    const leases = leaseStore(lease, this.#kube);
    const isFirst = (): Promise<boolean> => this.#isFirst();
    return new Elector(candidate, { ...this.#ports, leases, observer, isFirst });
  }

  /** Whether no process ever held the Lease: there is no state. */
  async #isFirst(): Promise<boolean> {
    try {
      const maps = configMapsOf(this.#kube, objectLabels);
      return (await maps.read(this.stateName)) === undefined;
    } catch {
      // Without permission for the state: what is not known is not taken for nothing.
      return false;
    }
  }

  async #subject(): Promise<EventSubject | undefined> {
    const name = this.stateName;
    const found = await configMapsOf(this.#kube, objectLabels).read(name);
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
 * @throws {NoClusterAccess} if there is no access to one.
 */
export async function joinCluster(options: ClusterOptions, ports: ClusterPorts): Promise<Cluster> {
  const { clock, random } = ports;
  const access = await findAccess(options.kubeconfig, ports);
  return new Cluster(options, createKubeClient(access, clock), { clock, random });
}

const unknown: LeaseView = {
  isHeld: false,
  holder: "",
  transitions: 0,
  page: "",
  failure: undefined,
};
