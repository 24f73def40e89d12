import {
  elapsedMs,
  type LeaseClock,
  type LeaseMoment,
  type LeaseTiming,
  recordTiming,
} from "./held-lease.ts";

/**
 * Until when a replica may hold shards: as long as what it wrote last into the record of the replicas keeps all others
 * away that have other credentials. Counted as for a Lease: from the moment before the write was sent.
 */
export class SharePermit {
  readonly #clock: LeaseClock;
  readonly #timing: LeaseTiming;
  #writtenAt: LeaseMoment = { monotonicMs: -Infinity, bootMs: -Infinity };

  constructor(clock: LeaseClock, timing: LeaseTiming) {
    this.#clock = clock;
    this.#timing = timing;
  }

  /** Whether a write that begins now ends before replicas with other credentials may begin. */
  get isValid(): boolean {
    return elapsedMs(this.#clock, this.#writtenAt) < recordTiming(this.#timing).renewDeadlineMs;
  }

  /** The record that was sent at this moment says that this replica shares the shards. */
  renew(sentAt: LeaseMoment): void {
    this.#writtenAt = sentAt;
  }
}
