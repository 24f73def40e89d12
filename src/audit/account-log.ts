import type { AuditFeedState } from "../state/audit-status.ts";
import {
  type AuditEntry,
  type AuditRead,
  type AuditWindow,
  oldestFirst,
  type OwnWrites,
} from "../zone/audit-entry.ts";
import type { Clock } from "../zone/ports.ts";
import { ServiceError } from "../zone/service-error.ts";
import { isAborted } from "../zone/signals.ts";
import type { Zone } from "../zone/zone.ts";
import { afterRead, nextWindow, type ReadUpTo } from "./audit-window.ts";
import { SeenEntries } from "./seen-entries.ts";

export interface AuditFeedOptions {
  /** From one read of an account's log to the next. */
  readonly everyMs: number;
  /** How late an entry may come and still be seen. */
  readonly overlapMs: number;
}

/** Reads audit logs. It cannot write. */
export interface AuditSource {
  /** Reads the log of the account to which all the zones belong. */
  read(zones: readonly Zone[], window: AuditWindow, signal: AbortSignal): Promise<AuditRead>;
  /** Whether a token is ours; "": no token is. */
  isOwnToken(id: string): boolean;
  /** The name of the credential of a token of ours; "" if it is not one credential. */
  credentialOf(tokenId: string): string;
  /** What this process wrote. */
  sentWrites(): OwnWrites;
  /** Whether an error says that no token may read the log, rather than that a read failed. */
  isDenied(error: ServiceError): boolean;
}

/** A token rarely gains a permission. */
const deniedEveryMs = 3_600_000;

/** The longest wait after a 429, unless the service asks for more. */
const longestBackOffMs = 600_000;

interface AccountLogPorts {
  readonly source: Pick<AuditSource, "read" | "isDenied">;
  readonly clock: Clock;
  /** `undefined`: no log is followed any more. */
  readonly options: () => AuditFeedOptions | undefined;
  /**
   * Called after each read, with the entries that were not seen before, oldest first, and the number of those that cannot
   * be understood.
   */
  readonly found: (entries: readonly AuditEntry[], malformed: number) => void;
  /** Called when the state may have changed. */
  readonly changed: () => void;
  readonly bug: (error: unknown, zone: string) => void;
}

/** The audit log of one account, read again and again, at longer intervals while it cannot be read. */
export class AccountLog {
  zones: readonly Zone[];
  readonly #ports: AccountLogPorts;
  readonly #seen = new SeenEntries();
  readonly #stop = new AbortController();
  #state: AuditFeedState | undefined;
  #reason = "";
  /** Reads in a row that the service answered with 429. */
  #rateLimited = 0;
  #readUpTo: ReadUpTo;
  /** No read left out entries since then, or had some that cannot be understood. */
  #completeSince: Date;

  constructor(zones: readonly Zone[], ports: AccountLogPorts) {
    this.zones = zones;
    this.#ports = ports;
    const now = ports.clock.now();
    this.#readUpTo = { readAt: now, newest: undefined };
    this.#completeSince = now;
  }

  /** `undefined` before the first read. */
  get state(): AuditFeedState | undefined {
    return this.#state;
  }

  /** Why it lags, or cannot be read; "" otherwise. */
  get reason(): string {
    return this.#reason;
  }

  /** Whether no entry since a moment is known to be missing. */
  isCompleteSince(moment: Date): boolean {
    return this.#state === "following" && this.#completeSince <= moment;
  }

  stop(reason: unknown): void {
    this.#stop.abort(reason);
  }

  /** Reads the log, whatever happens, until it is stopped, or no log is followed any more. Never rejects. */
  async follow(): Promise<void> {
    const { clock, bug, options: current } = this.#ports;
    const { signal } = this.#stop;
    for (let options = current(); options !== undefined; options = current()) {
      if (isAborted(signal)) return;
      let failure: unknown;
      try {
        await this.#read(options, signal);
      } catch (error) {
        if (isAborted(signal)) return;
        failure = error;
        this.#noteFailure(error);
        if (!(error instanceof ServiceError)) bug(error, "");
      }
      await clock.sleep(this.#waitAfter(failure, options), signal).catch(() => undefined);
    }
  }

  async #read({ everyMs, overlapMs }: AuditFeedOptions, signal: AbortSignal): Promise<void> {
    const { clock, source } = this.#ports;
    const now = clock.now();
    const startedAt = clock.monotonicMs();
    const window = nextWindow(now, this.#readUpTo, overlapMs);
    const { entries, malformed, isCut } = await source.read(this.zones, window, signal);
    signal.throwIfAborted();
    const found = this.#seen.add(entries);
    const unknown = malformed + found.contradictory;
    // After a long time without a read, what came first is not asked for.
    const isSkipped = window.since > this.#readUpTo.readAt;
    if (isCut || isSkipped || unknown > 0) this.#completeSince = now;
    this.#readUpTo = afterRead(this.#readUpTo, now, found.entries);
    this.#ports.found(oldestFirst(found.entries), unknown);
    if (isCut) this.#note("lagging", "there are more entries than one read takes");
    else if (clock.monotonicMs() - startedAt > 2 * everyMs) {
      this.#note("lagging", "reads wait for the request budget");
    } else this.#note("following", "");
  }

  #noteFailure(error: unknown): void {
    const isDenied = error instanceof ServiceError && this.#ports.source.isDenied(error);
    const reason = error instanceof Error ? error.message : "unknown reason";
    this.#note(isDenied ? "denied" : "lagging", reason);
  }

  #note(state: AuditFeedState, reason: string): void {
    this.#state = state;
    this.#reason = reason;
    this.#ports.changed();
  }

  /** How long to wait after a read; counts the 429s in a row. */
  #waitAfter(failure: unknown, { everyMs }: AuditFeedOptions): number {
    const isRateLimited = failure instanceof ServiceError && failure.code === "API_RATE_LIMITED";
    this.#rateLimited = isRateLimited ? this.#rateLimited + 1 : 0;
    if (isRateLimited) {
      const backOffMs = Math.min(everyMs * 2 ** this.#rateLimited, longestBackOffMs);
      return Math.max(everyMs, backOffMs, failure.retryAfterMs);
    }
    return this.#state === "denied" ? Math.max(everyMs, deniedEveryMs) : everyMs;
  }
}
