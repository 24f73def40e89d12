import type { WriteFence } from "../zone/ports.ts";
import { type ElectionObserver, Elector, type LeaseView } from "./elector.ts";
import { type HeldLease, type LeaseClock, leaseTiming, writeLimitMs } from "./held-lease.ts";
import type { LeaseStore } from "./lease.ts";

/** What a process has to know to take part in an election. */
export interface ElectionOptions {
  /** Name of the Lease, for messages and metrics. */
  readonly lease: string;
  readonly leaseDurationMs: number;
  /** Whose zones it manages, and where. */
  readonly owner: string;
  readonly service: string;
  /** Another one for each process. */
  readonly identity: string;
  /** Where this process shows its status page; "": the others are not told. */
  readonly page: string;
}

/** What an election needs from outside. */
export interface ElectionPorts {
  readonly leases: LeaseStore;
  readonly clock: LeaseClock;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/** Several processes of which one works at a time, the holder of a Lease: this process as one of them. */
export class Election {
  readonly #options: ElectionOptions;
  readonly #ports: ElectionPorts;
  #elector: Elector | undefined;

  constructor(options: ElectionOptions, ports: ElectionPorts) {
    this.#options = options;
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

  #stand(observer: ElectionObserver): Elector {
    const { owner, service, identity, page, leaseDurationMs } = this.#options;
    const candidate = {
      identity,
      installation: `${owner} at ${service}`,
      timing: leaseTiming(leaseDurationMs),
      page,
    };
    return new Elector(candidate, { ...this.#ports, observer });
  }
}

const unknown: LeaseView = {
  isHeld: false,
  holder: "",
  transitions: 0,
  page: "",
  failure: undefined,
};
