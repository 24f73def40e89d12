import {
  firstBlock,
  type LinkAnswer,
  mayWrite,
  type WriteFacts,
  type WriteLink,
} from "../../plan/guard/may-write.ts";
import type { SkipReason } from "../../state/run-report.ts";
import type { Clock } from "../../zone/ports.ts";
import { runDeadlineMs } from "./deadline.ts";
import type { PlannedZone } from "./plan-zone.ts";

/** Why writes are cancelled, though the program goes on. */
type CloseReason = Extract<SkipReason, "read_expired" | "cancelled" | "lease_lost">;

/** The abort reason of a gate that has closed, and of the `stop` of all runs when the Lease is lost. */
export class GateClosed extends Error {
  override readonly name = "GateClosed";
  readonly reason: CloseReason;

  constructor(reason: CloseReason) {
    super(reason);
    this.reason = reason;
  }
}

const closeReasons: Readonly<Partial<Record<WriteLink, CloseReason>>> = {
  lease: "lease_lost",
  read: "read_expired",
};

/** Where writes do not wait, a read expires after this time. */
const usualReadAgeMs = 60_000;

/** However long writes wait: a run must not spend its whole deadline on waiting. */
const longestReadAgeMs = runDeadlineMs / 2;

/**
 * How old a read may be when a write that relies on it is sent, in milliseconds. It doubles each time that writes waited
 * for longer: otherwise a tight request budget would be spent on reads alone, for ever.
 *
 * @param expiries how many attempts in a row ended with an expired read.
 */
export function maxReadAgeMs(expiries: number): number {
  return Math.min(usualReadAgeMs * 2 ** expiries, longestReadAgeMs);
}

/**
 * How old a read may be when a write is sent that undoes what others did meanwhile, in milliseconds: a PUT of the whole
 * entry point drops each rule that was added after the read, and the delete of a duplicate policy leaves nothing where its
 * twin was deleted after the read. No request can make these writes conditional (SERVICE.md C.6), so the time between the
 * read and the write is kept as short as a few requests take. If the read is older, the part is read again first.
 */
export const freshReadMs = 5_000;

/** A write rarely waits for longer for the request budget. */
const usualWaitMs = 10_000;

/** The gate checks at this interval and at every whole minute, which is when windows open. */
const checkEveryMs = 5_000;

/** The links of the chain that others answer: why a zone is not written; left out: nothing blocks it. */
export interface OtherLinks {
  /** The fleet is judged first. */
  readonly fleet?: (() => string | undefined) | undefined;
  /** Another process works. */
  readonly lease?: (() => string | undefined) | undefined;
}

/** What the chain was asked about a plan, and the first link that blocks it. */
interface Asked {
  readonly facts: WriteFacts;
  readonly block: LinkAnswer | undefined;
}

/**
 * Every write of a run passes this gate: it asks the chain (may-write.ts), and nobody else does. The gate closes, and
 * thereby cancels what was not sent yet, when a link blocks the zone. A write may wait for minutes for the request budget or
 * a `Retry-After`; meanwhile somebody suspends the zone, a freeze begins, or a person adds a rule that a list read earlier
 * would delete.
 */
export class WriteGate implements Disposable {
  readonly #clock: Clock;
  readonly #maxReadAgeMs: number;
  readonly #links: OtherLinks;
  readonly #closed = new AbortController();
  #stopTimer = (): void => undefined;
  #holdsAt: PlannedZone["holdsAt"] = () => [];
  #readAt = Infinity;

  constructor(clock: Clock, maxAgeMs: number, links: OtherLinks = {}) {
    this.#clock = clock;
    this.#maxReadAgeMs = maxAgeMs;
    this.#links = links;
  }

  /** Aborts with {@link GateClosed}. */
  get signal(): AbortSignal {
    return this.#closed.signal;
  }

  close(reason: CloseReason): void {
    this.#closed.abort(new GateClosed(reason));
  }

  /** Checks the writes of a plan, now and until the gate is disposed. Gives what was found now. */
  watch({ holdsAt }: Pick<PlannedZone, "holdsAt">): Asked {
    this.#holdsAt = holdsAt;
    return this.#checkRepeatedly();
  }

  /** Checks before a write that relies on what was read at a moment of the monotonic clock. */
  checkBeforeWrite(readAt: number): void {
    this.#readAt = readAt;
    this.check();
  }

  /** Whether a read of this moment expires before a write is likely to be sent. */
  expiresSoon(readAt: number): boolean {
    return this.#clock.monotonicMs() - readAt >= this.#maxReadAgeMs - usualWaitMs;
  }

  /** Checks at once: something has changed that a guard depends on. */
  check(): Asked {
    const facts = this.#facts;
    const block = firstBlock(mayWrite(facts));
    if (block !== undefined) this.close(closeReasons[block.link] ?? "cancelled");
    return { facts, block };
  }

  get #facts(): WriteFacts {
    const isExpired = this.#clock.monotonicMs() - this.#readAt >= this.#maxReadAgeMs;
    return {
      holds: this.#holdsAt(this.#clock.now()),
      fleet: this.#links.fleet?.(),
      lease: this.#links.lease?.(),
      read: isExpired ? "the zone was read too long ago" : undefined,
    };
  }

  #checkRepeatedly(): Asked {
    const asked = this.check();
    if (this.signal.aborted) return asked;
    const delayMs = checkEveryMs - (Number(this.#clock.now()) % checkEveryMs);
    this.#stopTimer = this.#clock.alarm(delayMs, () => void this.#checkRepeatedly());
    return asked;
  }

  [Symbol.dispose](): void {
    this.#stopTimer();
  }
}
