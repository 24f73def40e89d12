import type { Clock } from "../zone/ports.ts";
import type { Claim, ClaimResult, Lease, LeaseStore } from "./lease.ts";

/** How long a Lease is held, by the rules of client-go. */
export interface LeaseTiming {
  /** After this time without a renewal, others may take the Lease. */
  readonly durationMs: number;
  /** After this time without a renewal, the holder stops writing. */
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
}

/** Gives all times from how long a Lease is valid: 15 s gives the 10 s and 2 s that client-go has by default. */
export function leaseTiming(durationMs: number): LeaseTiming {
  return { durationMs, renewDeadlineMs: (durationMs * 2) / 3, retryMs: (durationMs * 2) / 15 };
}

/**
 * How long one write may take. A holder stops at the renew deadline, so a write that begins at the last moment still ends
 * before others can take the Lease.
 */
export function writeLimitMs({ durationMs, renewDeadlineMs }: LeaseTiming): number {
  return durationMs - renewDeadlineMs;
}

/** No single request may cost the Lease. */
export function requestTimeoutMs({ renewDeadlineMs }: LeaseTiming): number {
  return Math.max(1_000, renewDeadlineMs / 2);
}

/** Two clocks that nobody sets. */
export interface LeaseClock extends Clock {
  /** Milliseconds since the machine started, the time included in which it was suspended. */
  sinceBootMs(): number;
}

/** Why a Lease was lost. */
export type LossReason =
  /** It could not be renewed in time. */
  | "not_renewed"
  /** Somebody else holds it. */
  | "taken"
  /** It was removed. */
  | "removed";

/** One conflict is the chance of two writers; a second one right after it is a failure. */
export const conflictText = "two writes in a row conflicted with those of somebody else";

/** The abort reason of the signal of a lost Lease; its message is the reason of the loss. */
class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

/** What holding a Lease needs. */
export interface HoldPorts {
  readonly leases: LeaseStore;
  readonly clock: LeaseClock;
  readonly timing: LeaseTiming;
  /** The claim with which this process goes on holding the Lease. */
  readonly claim: (transitions: number) => Claim;
  readonly identity: string;
  /** A renewal failed, and is tried again. */
  readonly failed: (error: unknown) => void;
  readonly renewed: (lease: Lease) => void;
}

/**
 * A Lease that this process holds. It renews itself until it is lost or disposed.
 *
 * Its validity counts from the moment before its last renewal was sent. A process that was paused finds that the time is
 * over before it does anything else: {@link isHeld} asks the clock, and waits for no timer.
 */
export class HeldLease implements AsyncDisposable {
  readonly #ports: HoldPorts;
  readonly #lost = new AbortController();
  #lease: Lease;
  /** When the last successful renewal was sent. */
  #sentAt: LeaseMoment;
  #isEnded = false;
  #cancelDeadline: () => void = () => undefined;
  #wait = new AbortController();
  readonly #renewing: Promise<void>;

  constructor(lease: Lease, sentAt: LeaseMoment, ports: HoldPorts) {
    this.#ports = ports;
    this.#lease = lease;
    this.#sentAt = sentAt;
    this.#watchDeadline();
    this.#renewing = this.#renewRepeatedly();
  }

  /** Aborts with a {@link LeaseLost}. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** Whether a write that begins now ends before somebody else can take the Lease. */
  get isHeld(): boolean {
    return !this.#isEnded && this.#elapsedMs() < this.#ports.timing.renewDeadlineMs;
  }

  /** Loses the Lease if its time is over; gives whether it goes on. */
  goesOn(): boolean {
    if (!this.isHeld) this.#lose("not_renewed");
    return this.isHeld;
  }

  /** Stops renewing, and leaves the Lease to run out. */
  async abandon(): Promise<void> {
    this.#end();
    await this.#renewing;
  }

  /**
   * Stops renewing, and gives the Lease back where it is still held: others need not wait for its end. The work must be
   * over.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    const isHeld = this.goesOn();
    this.#end();
    await this.#renewing;
    if (isHeld) await this.#giveBack();
  }

  #elapsedMs(): number {
    return elapsedMs(this.#ports.clock, this.#sentAt);
  }

  /** Rings at the deadline that is known now; a renewal meanwhile has it ring again at the next one. */
  #watchDeadline(): void {
    const leftMs = this.#ports.timing.renewDeadlineMs - this.#elapsedMs();
    this.#cancelDeadline = this.#ports.clock.alarm(Math.max(0, leftMs), () => {
      if (this.goesOn()) this.#watchDeadline();
    });
  }

  async #renewRepeatedly(): Promise<void> {
    const { clock, timing } = this.#ports;
    while (!this.#isEnded) {
      try {
        await clock.sleep(timing.retryMs, this.#wait.signal);
      } catch {
        return;
      }
      if (this.goesOn()) await this.#renew();
    }
  }

  async #renew(): Promise<void> {
    try {
      const sentAt = momentOf(this.#ports.clock);
      const written = await this.#write(this.#lease, this.#claim());
      if (written.result === "written") this.#hold(written.lease, sentAt);
      else await this.#renewAfterConflict();
    } catch (error) {
      // An answer that comes after the deadline changes nothing.
      if (this.goesOn()) this.#ports.failed(error);
    }
  }

  /** Somebody wrote the Lease: whoever changed only what is not ours does not end our hold. */
  async #renewAfterConflict(): Promise<void> {
    const { leases, timing, identity, clock } = this.#ports;
    const lease = await leases.read(requestTimeoutMs(timing));
    if (lease === undefined) return this.#lose("removed");
    if (lease.holder !== identity) return this.#lose("taken");
    const sentAt = momentOf(clock);
    const written = await this.#write(lease, this.#claim());
    if (written.result === "conflict") throw new Error(conflictText);
    this.#hold(written.lease, sentAt);
  }

  #claim(): Claim {
    return this.#ports.claim(this.#lease.transitions);
  }

  #write(lease: Lease, claim: Claim): Promise<ClaimResult> {
    return this.#ports.leases.update(lease, claim, requestTimeoutMs(this.#ports.timing));
  }

  #hold(lease: Lease, sentAt: LeaseMoment): void {
    this.#lease = lease;
    // A renewal that is answered after the deadline does not revive what was lost.
    if (!this.goesOn()) return;
    this.#sentAt = sentAt;
    this.#ports.renewed(lease);
  }

  #lose(reason: LossReason): void {
    if (this.#isEnded) return;
    this.#end();
    this.#lost.abort(new LeaseLost(reason));
  }

  #end(): void {
    this.#isEnded = true;
    this.#cancelDeadline();
    this.#wait.abort();
  }

  async #giveBack(): Promise<void> {
    const { leases, timing, identity } = this.#ports;
    const claim = { ...this.#claim(), holder: "", releasedBy: identity, durationMs: 1_000 };
    try {
      const { result } = await this.#write(this.#lease, claim);
      if (result === "written") return;
      const lease = await leases.read(requestTimeoutMs(timing));
      if (lease?.holder === identity) await this.#write(lease, claim);
    } catch (error) {
      this.#ports.failed(error);
    }
  }
}

/** A moment by both clocks. */
export interface LeaseMoment {
  readonly monotonicMs: number;
  readonly bootMs: number;
}

/** The moment now. */
export function momentOf(clock: LeaseClock): LeaseMoment {
  return { monotonicMs: clock.monotonicMs(), bootMs: clock.sinceBootMs() };
}

/** How long ago a moment was, by the clock that counted more: one of them may stand still while the machine sleeps. */
function elapsedMs(clock: LeaseClock, since: LeaseMoment): number {
  const now = momentOf(clock);
  return Math.max(now.monotonicMs - since.monotonicMs, now.bootMs - since.bootMs);
}
