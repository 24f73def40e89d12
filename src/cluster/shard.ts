import type { StateStore } from "../store/state-store.ts";
import type { WriteFence } from "../zone/ports.ts";
import { openConfigMapStore } from "./config-map-store.ts";
import { configMapsOf } from "./config-maps.ts";
import { type ElectionObserver, Elector, type LeaseView, pageKey, type Stance } from "./elector.ts";
import { type HeldLease, type LeaseClock, type LeaseTiming, writeLimitMs } from "./held-lease.ts";
import type { KubeClient } from "./kube-client.ts";
import { leaseStore } from "./lease.ts";

/** A Lease for which this process stands, and what its holder works on. */
export interface ShardOptions {
  /** Name of the Lease. */
  readonly lease: string;
  /** Whose zones the holder works on; `undefined`: all zones. */
  readonly credential: string | undefined;
  readonly identity: string;
  /** Whose zones they are, and where: a state of others is not used. */
  readonly owner: string;
  readonly service: string;
  /** Where this process shows its status page; "": it is not told. */
  readonly page: string;
  readonly timing: LeaseTiming;
  readonly quietMs: number;
}

export interface ShardPorts {
  readonly kube: KubeClient;
  readonly clock: LeaseClock;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Omitted: it takes the Lease whenever it is free. */
  readonly stance?: Stance;
}

/** Told whether the state can be written. */
export interface StateObserver {
  readonly onFailure: (error: Error) => void;
  readonly onRecovery: () => void;
}

/** Labels of the objects that the program makes itself. */
export const objectLabels = {
  "app.kubernetes.io/name": "zonewarden",
  "app.kubernetes.io/part-of": "zonewarden",
  "app.kubernetes.io/managed-by": "zonewarden",
};

/** Name of the ConfigMap with the head of the state that belongs to a Lease. */
export function stateNameOf(lease: string): string {
  return `${lease}-state`;
}

/** A part of the zones that one process writes at a time: all, or those of one credential. */
export class Shard {
  /** Name of its Lease. */
  readonly lease: string;
  readonly identity: string;
  readonly credential: string | undefined;
  readonly #options: ShardOptions;
  readonly #ports: ShardPorts;
  #elector: Elector | undefined;
  #surplus = new AbortController();

  constructor(options: ShardOptions, ports: ShardPorts) {
    this.lease = options.lease;
    this.identity = options.identity;
    this.credential = options.credential;
    this.#options = options;
    this.#ports = ports;
  }

  /** Whether this process may write; before it stands for the Lease, it may not. */
  get fence(): WriteFence {
    return {
      mayWrite: () => this.#elector?.mayWrite() ?? false,
      limitMs: writeLimitMs(this.#options.timing),
    };
  }

  /** What was last known of the Lease. */
  get view(): LeaseView {
    return this.#elector?.view ?? unknown;
  }

  /** Whether this process holds the Lease, may hold it in a moment, or held it and is not done. */
  get isBusy(): boolean {
    return this.#elector?.isBusy ?? false;
  }

  /** Name of the ConfigMap with the head of the state. */
  get stateName(): string {
    return stateNameOf(this.lease);
  }

  /** Aborts when the Lease that is held should be given to another process. */
  get surplus(): AbortSignal {
    return this.#surplus.signal;
  }

  /** Has the Lease given to another process. */
  giveUp(): void {
    this.#surplus.abort();
  }

  /** Waits until this process holds the Lease. Dispose the result before the next call. Rejects when `stop` aborts. */
  async acquire(observer: ElectionObserver, stop: AbortSignal): Promise<HeldLease> {
    this.#elector ??= this.#stand(observer);
    const held = await this.#elector.acquire(stop);
    this.#surplus = new AbortController();
    return held;
  }

  /** Opens the state. Only the holder of the Lease may. Rejects where it cannot be read now. */
  openState(observer: StateObserver): Promise<StateStore> {
    const { owner, service, identity } = this.#options;
    const mayWrite = (): boolean => this.fence.mayWrite();
    return openConfigMapStore(this.stateName, {
      maps: configMapsOf(this.#ports.kube, objectLabels),
      clock: this.#ports.clock,
      writer: { owner, service, identity, mayWrite },
      ...observer,
    });
  }

  #stand(observer: ElectionObserver): Elector {
    const { lease, owner, service, identity, page, timing, quietMs } = this.#options;
    const { kube, ...ports } = this.#ports;
    const installation = `${owner} at ${service}`;
    const annotations = { [pageKey]: page };
    const candidate = { identity, installation, timing, quietMs, annotations };
    const leases = leaseStore(lease, kube);
    return new Elector(candidate, { ...ports, leases, observer, isFirst: () => this.isFirst() });
  }

  /** Whether no process ever held it: there is no state. */
  async isFirst(): Promise<boolean> {
    try {
      const maps = configMapsOf(this.#ports.kube, objectLabels);
      return (await maps.read(this.stateName)) === undefined;
    } catch {
      // Without permission for the state: what is not known is not taken for nothing.
      return false;
    }
  }
}

const unknown: LeaseView = {
  isHeld: false,
  holder: "",
  transitions: 0,
  page: "",
  failure: undefined,
};
