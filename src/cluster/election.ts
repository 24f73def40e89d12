import { errorOf } from "../syntax/error-code.ts";
import type { WriteFence } from "../zone/ports.ts";
import {
  conflictText,
  HeldLease,
  type HoldPorts,
  type LeaseClock,
  type LeaseTiming,
  leaseTiming,
  momentOf,
  requestTimeoutMs,
  writeLimitMs,
} from "./held-lease.ts";
import type { Claim, ClaimResult, Lease, LeaseStore } from "./lease.ts";

/** What a process has to know to take part in an election. */
export interface ElectionOptions {
  /** Name of the Lease, for messages and metrics. */
  readonly lease: string;
  readonly leaseDurationMs: number;
  /** Whose zones it manages, and where. */
  readonly owner: string;
  readonly service: string;
  /** A new one for each process: a container that starts again is another candidate. */
  readonly identity: string;
  /** Where this process shows its status page; "": the others are not told. */
  readonly page: string;
}

/** No configuration has a longer Lease: one that says so must not keep all processes waiting for ever. */
const longestLeaseMs = 300_000;

/** Told what happens to a Lease. */
export interface ElectionObserver {
  /** The Lease could not be read or written; once until it can. */
  failed(error: Error): void;
  recovered(): void;
  /** Another process holds the Lease; once for each. */
  leads(holder: string): void;
  /** The Lease is not free; at each attempt. */
  waits?(): void;
  /** Another installation holds the Lease; once for each. */
  foreign(lease: Lease): void;
}

/** What an election needs from outside. */
export interface ElectionPorts {
  readonly leases: LeaseStore;
  readonly clock: LeaseClock;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/** What was last known of a Lease. */
export interface LeaseView {
  /** Whether this process holds it. */
  readonly isHeld: boolean;
  /** Whether another process of this installation holds it, and has not fallen silent. */
  readonly isLed: boolean;
  /** Its holder; "": nobody, or not known. */
  readonly holder: string;
  readonly transitions: number;
  /** Where its holder shows its status page; "": not known. */
  readonly page: string;
  /** Why it cannot be read or written now. */
  readonly failure: string | undefined;
}

/** A Lease, and when this version of it was first seen, by the monotonic clock. */
interface SeenLease {
  readonly lease: Lease;
  readonly sinceMs: number;
}

/**
 * How much longer than the retry a candidate may wait, so that candidates do not ask together. client-go waits up to 1.2
 * times longer; with less, the zones of a holder that ends have another one within three seconds.
 */
const jitter = 0.2;

/**
 * Several processes of which one works at a time, the holder of a Lease: this process as one of them. It stands for the Lease
 * by the rules of client-go. Whether the Lease of another holder is over is judged by this process's own clock alone: since
 * when it has seen the same version of it. The times in a Lease are never compared.
 */
export class Election {
  readonly #options: ElectionOptions;
  readonly #ports: ElectionPorts;
  readonly #timing: LeaseTiming;
  #storeId = "";
  #observer: ElectionObserver | undefined;
  #held: HeldLease | undefined;
  #seen: SeenLease | undefined;
  /** Until then, by the monotonic clock, the holder of a Lease that was removed may write. */
  #quietUntil = -Infinity;
  /** Whether the last write conflicted with that of somebody else, who does not hold the Lease. */
  #isInConflict = false;
  #failure: Error | undefined;
  /** The holder of whom the observer was told. */
  #announced: string | undefined;

  constructor(options: ElectionOptions, ports: ElectionPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#timing = leaseTiming(options.leaseDurationMs);
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
      isHeld: () => this.#held?.isHeld ?? false,
      endIfOver: () => void this.#held?.goesOn(),
      limitMs: writeLimitMs(this.#timing),
    };
  }

  /** What was last known of the Lease. */
  get view(): LeaseView {
    const lease = this.#seen?.lease;
    return {
      isHeld: this.fence.isHeld(),
      isLed: this.#isLed,
      holder: lease?.holder ?? "",
      transitions: lease?.transitions ?? 0,
      page: lease === undefined ? "" : pageIn(lease),
      failure: this.#failure?.message,
    };
  }

  /**
   * Waits until this process holds the Lease. Dispose the result before the next call. Rejects when `stop` aborts.
   *
   * @param storeId what the store of this process has as no other one: installations may have the same owner and service.
   */
  async acquire(
    storeId: string,
    observer: ElectionObserver,
    stop: AbortSignal,
  ): Promise<HeldLease> {
    this.#storeId = storeId;
    this.#observer = observer;
    for (;;) {
      stop.throwIfAborted();
      try {
        const held = await this.#try(stop);
        if (held !== undefined) {
          this.#held = held;
          return held;
        }
        this.#recover();
        observer.waits?.();
      } catch (error) {
        this.#fail(error);
      }
      const { clock, random } = this.#ports;
      const { retryMs } = this.#timing;
      await clock.sleep(retryMs + random() * jitter * retryMs, stop);
    }
  }

  async #try(stop: AbortSignal): Promise<HeldLease | undefined> {
    const { leases } = this.#ports;
    const { identity } = this.#options;
    const timeoutMs = requestTimeoutMs(this.#timing);
    const lease = await leases.read(timeoutMs);
    if (lease === undefined) {
      this.#seen = undefined;
      return this.#create(stop);
    }
    if (!this.#isFree(this.#see(lease))) {
      this.#isInConflict = false;
      return undefined;
    }
    const transitions = lease.transitions + Number(lease.holder !== identity);
    const held = await this.#take(transitions, (claim) => leases.update(lease, claim, timeoutMs));
    return this.#afterQuiet(held, stop);
  }

  /** Creates the Lease. Somebody may have removed the one before, and its holder may not have noticed. */
  async #create(stop: AbortSignal): Promise<HeldLease | undefined> {
    const { leases, clock } = this.#ports;
    // Noted before it is sent: if the answer is lost, the Lease is this process's nevertheless.
    this.#quietUntil = clock.monotonicMs() + this.#timing.durationMs;
    const timeoutMs = requestTimeoutMs(this.#timing);
    const held = await this.#take(0, (claim) => leases.create(claim, timeoutMs));
    return this.#afterQuiet(held, stop);
  }

  /**
   * Holds a Lease, and works only when the time of the holder of one that was removed is over. Where that is interrupted, the
   * Lease is not given back: the next holder would not know that it has to wait.
   */
  async #afterQuiet(
    held: HeldLease | undefined,
    stop: AbortSignal,
  ): Promise<HeldLease | undefined> {
    const { clock } = this.#ports;
    const waitMs = this.#quietUntil - clock.monotonicMs();
    if (held === undefined || waitMs <= 0) return held;
    try {
      await clock.sleep(waitMs, AbortSignal.any([stop, held.signal]));
      if (held.isHeld) return held;
    } catch {
      // Stopped, or lost.
    }
    await held.abandon();
    return undefined;
  }

  async #take(
    transitions: number,
    write: (claim: Claim) => Promise<ClaimResult>,
  ): Promise<HeldLease | undefined> {
    const { clock } = this.#ports;
    const claim = this.#claim(transitions, clock.now());
    const sentAt = momentOf(clock);
    const written = await write(claim);
    if (written.result === "conflict") {
      if (this.#isInConflict) throw new Error(conflictText);
      this.#isInConflict = true;
      return undefined;
    }
    this.#isInConflict = false;
    this.#recover();
    this.#see(written.lease);
    return new HeldLease(written.lease, sentAt, this.#holdPorts());
  }

  /**
   * Whether the holder gave a Lease back itself, or nobody wrote it for the whole time that the last holder may have. A
   * holder that somebody else cleared or replaced may still write.
   */
  #isFree({ lease: { holder, releasedBy, durationMs }, sinceMs }: SeenLease): boolean {
    if (holder === "" && releasedBy !== "") return true;
    const silentMs = this.#ports.clock.monotonicMs() - sinceMs;
    const ofHolderMs = Math.min(durationMs ?? 0, longestLeaseMs);
    return silentMs >= Math.max(ofHolderMs, this.#timing.durationMs);
  }

  #see(lease: Lease): SeenLease {
    const known = this.#seen;
    const isSame = known?.lease.version === lease.version;
    const seen = { lease, sinceMs: isSame ? known.sinceMs : this.#ports.clock.monotonicMs() };
    this.#seen = seen;
    if (lease.holder !== "") this.#tellHolder(lease);
    return seen;
  }

  #tellHolder(lease: Lease): void {
    const { holder } = lease;
    if (holder === this.#announced) return;
    this.#announced = holder;
    if (holder === this.#options.identity) return;
    if (this.#isOwn(lease)) this.#observer?.leads(holder);
    else this.#observer?.foreign(lease);
  }

  get #isLed(): boolean {
    const seen = this.#seen;
    if (seen === undefined) return false;
    const isOther = !["", this.#options.identity].includes(seen.lease.holder);
    return isOther && this.#isOwn(seen.lease) && !this.#isFree(seen);
  }

  /** Whether the holder is of this installation. An older program does not name its store. */
  #isOwn({ installation }: Lease): boolean {
    return [this.#installation, this.#ownerAndService].includes(installation);
  }

  get #ownerAndService(): string {
    return `${this.#options.owner} at ${this.#options.service}`;
  }

  /** Which installation this process is of, as the Lease names it. */
  get #installation(): string {
    const store = this.#storeId === "" ? "" : `, store ${this.#storeId}`;
    return `${this.#ownerAndService}${store}`;
  }

  #holdPorts(): HoldPorts {
    const { leases, clock } = this.#ports;
    return {
      leases,
      clock,
      timing: this.#timing,
      identity: this.#options.identity,
      claim: (transitions) => this.#claim(transitions, undefined),
      failed: (error) => this.#fail(error),
      renewed: (lease) => {
        this.#recover();
        this.#see(lease);
      },
    };
  }

  #claim(transitions: number, acquiredAt: Date | undefined): Claim {
    const { identity, page } = this.#options;
    const { durationMs } = this.#timing;
    const now = this.#ports.clock.now();
    const holder = { holder: identity, installation: this.#installation, page, releasedBy: "" };
    return { ...holder, durationMs, transitions, acquiredAt, now };
  }

  #fail(error: unknown): void {
    const failure = errorOf(error);
    const isNew = this.#failure === undefined || codeOf(failure) !== codeOf(this.#failure);
    this.#failure = failure;
    if (isNew) this.#observer?.failed(failure);
  }

  #recover(): void {
    if (this.#failure === undefined) return;
    this.#failure = undefined;
    this.#observer?.recovered();
  }
}

/** What others write is a link for people: nothing but an address of a page. */
function pageIn({ page }: Lease): string {
  const protocol = URL.parse(page)?.protocol;
  return protocol === "http:" || protocol === "https:" ? page : "";
}

/** Messages of one outage differ: refused, reset, no answer. What the other side answered has a status or a SQLSTATE. */
function codeOf(error: Error): unknown {
  if ("status" in error) return error.status;
  return "code" in error ? String(error.code).slice(0, 2) : undefined;
}
