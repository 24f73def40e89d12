import {
  type AuditEntryResult,
  type AuditFeedState,
  type AuditFeedStatus,
  worstState,
} from "../../state/audit-status.ts";
import {
  type AuditEntry,
  type AuditRead,
  type AuditWindow,
  oldestFirst,
} from "../../zone/audit-entry.ts";
import type { DesiredZone } from "../../zone/desired-zone.ts";
import type { Clock } from "../../zone/ports.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Zone, ZoneName } from "../../zone/zone.ts";
import { isAborted } from "../signals.ts";
import { afterRead, nextWindow, type ReadUpTo } from "./audit-window.ts";
import { SeenEntries } from "./seen-entries.ts";
import { type DeclaredZones, declaredZones, touchedZones } from "./touched-zones.ts";

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
  /** Whether an error says that no token may read the log, rather than that a read failed. */
  isDenied(error: ServiceError): boolean;
}

export interface AuditFeedPorts {
  readonly source: AuditSource;
  readonly clock: Clock;
  /**
   * Called once for each zone that new entries of a read touch, with those entries in the order of their times: before the
   * zone is woken, and also where all of them are of our own writes.
   */
  readonly note: (zone: ZoneName, entries: readonly AuditEntry[]) => void;
  /** Called once for each zone that new entries of others touch. */
  readonly wake: (zone: ZoneName) => void;
  /** Called when the state of the feed changes. */
  readonly changed: (status: AuditFeedStatus) => void;
  /** Called once, for the first entries that cannot be understood. */
  readonly malformed: (count: number, accountId: string) => void;
  readonly bug: (error: unknown, zone: string) => void;
}

/** A token rarely gains a permission. */
const deniedEveryMs = 3_600_000;

/** What is followed of an account. */
interface Account {
  readonly id: string;
  readonly seen: SeenEntries;
  readonly stop: AbortController;
  zones: readonly Zone[];
  declared: DeclaredZones;
  /** `undefined` before the first read. */
  state: AuditFeedState | undefined;
  reason: string;
  readUpTo: ReadUpTo;
  /** No read left out entries since then, or had some that cannot be understood. */
  completeSince: Date;
}

/**
 * Follows the audit logs of the accounts with declared zones, and wakes the zones that entries touch. It says nothing
 * about the live state, and does not find everything: entries can be late, lost or cut. The sweep stays the truth.
 */
export class AuditFeed {
  /** `undefined`: no log is followed. */
  #options: AuditFeedOptions | undefined;
  readonly #ports: AuditFeedPorts;
  readonly #accounts = new Map<string, Account>();
  readonly #loops = new Set<Promise<void>>();
  readonly #entries = { woke: 0, own: 0, unrelated: 0, malformed: 0 };
  #declared: readonly DesiredZone[] = [];
  /** `undefined` until every account was read once. */
  #state: AuditFeedState | undefined;
  #since: Date;
  /** `undefined` until the feed works. */
  #stop: AbortSignal | undefined;

  /** @param options `undefined`: no log is followed. */
  constructor(options: AuditFeedOptions | undefined, ports: AuditFeedPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#since = ports.clock.now();
    if (options === undefined) this.#state = "off";
  }

  get status(): AuditFeedStatus {
    const accounts = { off: 0, following: 0, denied: 0, lagging: 0 };
    let reason = "";
    for (const account of this.#accounts.values()) {
      accounts[account.state ?? "lagging"] += 1;
      if (reason === "") reason = account.reason;
    }
    if (this.#options === undefined) {
      accounts.off = new Set(this.#declared.map(({ zone }) => zone.accountId)).size;
    }
    const state = this.#state ?? "lagging";
    return { state, since: this.#since, accounts, entries: { ...this.#entries }, reason };
  }

  /** Whether no entry of an account since a moment is known to be missing. Entries can be lost or late nevertheless. */
  isCompleteSince(accountId: string, moment: Date): boolean {
    const account = this.#accounts.get(accountId);
    return account?.state === "following" && account.completeSince <= moment;
  }

  /** Follows the accounts of the declared zones, and no others. */
  declare(zones: readonly DesiredZone[]): void {
    this.#declared = zones;
    const followed = this.#options === undefined ? [] : zones;
    const groups = Map.groupBy(followed, ({ zone }) => zone.accountId);
    for (const [id, account] of this.#accounts) {
      if (groups.has(id)) continue;
      account.stop.abort(new Error("the audit log of the account is not followed any more"));
      this.#accounts.delete(id);
    }
    for (const [id, group] of groups) if (id !== "") this.#declareAccount(id, group);
    this.#noteState();
  }

  /** Follows with other options from the next reads on, or not at all. */
  reconfigure(options: AuditFeedOptions | undefined): void {
    if (this.#options === undefined && options !== undefined) this.#state = undefined;
    this.#options = options;
    this.declare(this.#declared);
  }

  /** Works until `stop` aborts. Never rejects. */
  async runUntil(stop: AbortSignal): Promise<void> {
    this.#stop = stop;
    const ended = Promise.withResolvers<void>();
    stop.addEventListener("abort", () => ended.resolve());
    if (stop.aborted) return;
    for (const account of this.#accounts.values()) this.#follow(account);
    await ended.promise;
    for (const account of this.#accounts.values()) account.stop.abort(stop.reason);
    await Promise.all(this.#loops);
  }

  #declareAccount(id: string, group: readonly DesiredZone[]): void {
    const zones = group.map(({ zone }) => zone);
    const declared = declaredZones(group);
    const known = this.#accounts.get(id);
    if (known !== undefined) {
      known.zones = zones;
      known.declared = declared;
      return;
    }
    const now = this.#ports.clock.now();
    const account: Account = {
      id,
      zones,
      declared,
      seen: new SeenEntries(),
      stop: new AbortController(),
      state: undefined,
      reason: "",
      readUpTo: { readAt: now, newest: undefined },
      completeSince: now,
    };
    this.#accounts.set(id, account);
    if (this.#stop?.aborted === false) this.#follow(account);
  }

  #follow(account: Account): void {
    const following = this.#followUntil(account, account.stop.signal).finally(() => {
      this.#loops.delete(following);
    });
    this.#loops.add(following);
  }

  /** Reads the log of an account again and again, whatever happens, until the signal aborts. */
  async #followUntil(account: Account, signal: AbortSignal): Promise<void> {
    const { clock, bug } = this.#ports;
    for (let options = this.#options; options !== undefined; options = this.#options) {
      if (isAborted(signal)) return;
      try {
        await this.#read(account, options, signal);
      } catch (error) {
        if (isAborted(signal)) return;
        this.#noteFailure(account, error);
        if (!(error instanceof ServiceError)) bug(error, "");
      }
      const { everyMs } = options;
      const waitMs = account.state === "denied" ? Math.max(everyMs, deniedEveryMs) : everyMs;
      await clock.sleep(waitMs, signal).catch(() => undefined);
    }
  }

  async #read(
    account: Account,
    { everyMs, overlapMs }: AuditFeedOptions,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, source } = this.#ports;
    const now = clock.now();
    const startedAt = clock.monotonicMs();
    const window = nextWindow(now, account.readUpTo, overlapMs);
    const { entries, malformed, isCut } = await source.read(account.zones, window, signal);
    signal.throwIfAborted();
    const found = account.seen.add(entries);
    const unknown = malformed + found.contradictory;
    // After a long time without a read, what came first is not asked for.
    const isSkipped = window.since > account.readUpTo.readAt;
    if (isCut || isSkipped || unknown > 0) account.completeSince = now;
    account.readUpTo = afterRead(account.readUpTo, now, found.entries);
    this.#noteMalformed(unknown, account.id);
    this.#wakeTouched(found.entries, account.declared);
    if (isCut) this.#note(account, "lagging", "there are more entries than one read takes");
    else if (clock.monotonicMs() - startedAt > 2 * everyMs) {
      this.#note(account, "lagging", "reads wait for the request budget");
    } else this.#note(account, "following", "");
  }

  #wakeTouched(entries: readonly AuditEntry[], declared: DeclaredZones): void {
    const touched = new Map<ZoneName, AuditEntry[]>();
    const woken = new Set<ZoneName>();
    for (const entry of oldestFirst(entries)) {
      const zones = touchedZones(entry, declared);
      const result = this.#resultOf(entry, zones);
      this.#entries[result] += 1;
      for (const zone of zones) {
        const known = touched.get(zone);
        if (known === undefined) touched.set(zone, [entry]);
        else known.push(entry);
        if (result === "woke") woken.add(zone);
      }
    }
    for (const [zone, found] of touched) this.#ports.note(zone, found);
    for (const zone of woken) this.#ports.wake(zone);
  }

  #resultOf({ actor: { tokenId } }: AuditEntry, zones: readonly ZoneName[]): AuditEntryResult {
    if (this.#ports.source.isOwnToken(tokenId)) return "own";
    return zones.length > 0 ? "woke" : "unrelated";
  }

  #noteMalformed(count: number, accountId: string): void {
    const isFirst = count > 0 && this.#entries.malformed === 0;
    this.#entries.malformed += count;
    if (isFirst) this.#ports.malformed(count, accountId);
  }

  #noteFailure(account: Account, error: unknown): void {
    const isDenied = error instanceof ServiceError && this.#ports.source.isDenied(error);
    const reason = error instanceof Error ? error.message : "unknown reason";
    this.#note(account, isDenied ? "denied" : "lagging", reason);
  }

  #note(account: Account, state: AuditFeedState, reason: string): void {
    account.state = state;
    account.reason = reason;
    this.#noteState();
  }

  #noteState(): void {
    const states = [...this.#accounts.values()].map(({ state }) => state);
    const known = states.filter((state) => state !== undefined);
    if (this.#options === undefined) this.#changeState("off");
    else if (known.length > 0 && known.length === states.length) {
      this.#changeState(worstState(known));
    }
  }

  #changeState(state: AuditFeedState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#since = this.#ports.clock.now();
    this.#ports.changed(this.status);
  }
}
