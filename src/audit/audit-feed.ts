import {
  type AuditFeedState,
  auditFeedStates,
  type AuditFeedStatus,
  type JudgedTokenUse,
  type TokenUse,
} from "../state/audit-status.ts";
import type { ZoneReport } from "../state/run-report.ts";
import {
  type AuditEntry,
  type AuditRead,
  type AuditWindow,
  oldestFirst,
  type OwnWrites,
} from "../zone/audit-entry.ts";
import type { DesiredZone } from "../zone/desired-zone.ts";
import type { Clock } from "../zone/ports.ts";
import { ServiceError } from "../zone/service-error.ts";
import { isAborted } from "../zone/signals.ts";
import type { Zone, ZoneName } from "../zone/zone.ts";
import { afterRead, nextWindow, type ReadUpTo } from "./audit-window.ts";
import { type FormerTerm, type Origin, OwnEntries } from "./own-entries.ts";
import { SeenEntries } from "./seen-entries.ts";
import { TokenUses } from "./token-uses.ts";
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
  /** The name of the credential of a token of ours; "" if it is not one credential. */
  credentialOf(tokenId: string): string;
  /** What this process wrote. */
  sentWrites(): OwnWrites;
  /** Whether an error says that no token may read the log, rather than that a read failed. */
  isDenied(error: ServiceError): boolean;
}

export interface AuditFeedPorts {
  readonly source: AuditSource;
  readonly clock: Clock;
  /**
   * Called once for each zone that new entries of a read touch, with those entries in the order of their times: before the
   * zone is woken, and also if all of them are of our own writes.
   */
  readonly note: (zone: ZoneName, entries: readonly AuditEntry[]) => void;
  /** Called once for each zone that new entries of others touch. */
  readonly wake: (zone: ZoneName) => void;
  /** Whether an id is of a request that a process before this one sent. */
  readonly isEarlierRay: (ray: string) => boolean;
  /** What the process before passed on; left out: nothing. */
  readonly former?: FormerTerm | undefined;
  /** Called for new uses of our tokens elsewhere, before their zones are woken. */
  readonly usedElsewhere: (uses: readonly TokenUse[]) => void;
  /** Called for uses that concern no declared zone: no run tells more of them. */
  readonly usedForOthers: (uses: readonly JudgedTokenUse[]) => void;
  /** Called with the number of new entries of our tokens of which nobody knows whether they are ours. */
  readonly possiblyOwn: (count: number) => void;
  /** Called when the state of the feed changes. */
  readonly changed: (status: AuditFeedStatus) => void;
  /** Called once, for the first entries that cannot be understood. */
  readonly malformed: (count: number, accountId: string) => void;
  readonly bug: (error: unknown, zone: string) => void;
}

/** A token rarely gains a permission. */
const deniedEveryMs = 3_600_000;

/** The longest wait after a 429, unless the service asks for more. */
const longestBackOffMs = 600_000;

/** Uses of our tokens elsewhere that are remembered, so that they count as those of others; of a flood, the newest. */
const maxUses = 10_000;

/** Writes and ids that a process passes on to the next; of more, the newest. */
const maxPassedOn = 1_000;

/** Entries of an account of which later reads decide whether they are ours. */
const maxUndecided = 1_000;

/** What is followed of an account. */
interface Account {
  readonly id: string;
  readonly seen: SeenEntries;
  /** Entries of our tokens of which a later read decides whether they are ours. */
  undecided: readonly AuditEntry[];
  readonly stop: AbortController;
  zones: readonly Zone[];
  declared: DeclaredZones;
  /** `undefined` before the first read. */
  state: AuditFeedState | undefined;
  reason: string;
  /** Reads in a row that the service answered with 429. */
  rateLimited: number;
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
  readonly #ownEntries: OwnEntries;
  readonly #uses = new TokenUses();
  /** Ids of entries of our tokens that are not ours. */
  readonly #elsewhere = new Set<string>();
  readonly #entries = { woke: 0, own: 0, unrelated: 0, malformed: 0 };
  #declared: readonly DesiredZone[] = [];
  /** `undefined` until every account was read once. */
  #state: AuditFeedState | undefined;
  #since: Date;
  readonly #beganAt: Date;
  #stoppedAt: Date | undefined;
  /** `undefined` until the feed works. */
  #stop: AbortSignal | undefined;

  /** @param options `undefined`: no log is followed. */
  constructor(options: AuditFeedOptions | undefined, ports: AuditFeedPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#since = ports.clock.now();
    this.#beganAt = this.#since;
    this.#ownEntries = new OwnEntries(this.#beganAt, ports.isEarlierRay, ports.former);
    for (const id of ports.former?.elsewhere ?? []) this.#elsewhere.add(id);
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
    const entries = { ...this.#entries, ...this.#uses.counts };
    const { latest: usedElsewhere, latestOf: usedElsewhereOf } = this.#uses;
    const uses = { usedElsewhere, usedElsewhereOf };
    return { state, since: this.#since, accounts, entries, reason, ...uses };
  }

  /** What the next process has to know of this one, once this one has ended. */
  get term(): FormerTerm {
    const { writes, completeSince } = this.#ports.source.sentWrites();
    const kept = writes.slice(-maxPassedOn);
    const keptSince = kept.length < writes.length ? Number(kept[0]?.sentAt) : 0;
    const since = new Date(Math.max(Number(this.#beganAt), Number(completeSince), keptSince));
    const elsewhere = [...this.#elsewhere].slice(-maxPassedOn);
    return { since, until: this.#stoppedAt ?? since, writes: kept, elsewhere };
  }

  /** Whether zonewarden made an entry, or may have made it. */
  isOwn({ id, actor }: AuditEntry): boolean {
    return this.#ports.source.isOwnToken(actor.tokenId) && !this.#elsewhere.has(id);
  }

  /** What the run of a zone tells about uses of our tokens elsewhere. */
  usesJudgedBy(report: ZoneReport): readonly JudgedTokenUse[] {
    return this.#uses.judgedBy(report);
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
    this.#uses.keepOnly(new Set(zones.map(({ zone }) => zone.name)));
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
    stop.addEventListener("abort", () => {
      this.#stoppedAt = this.#ports.clock.now();
      ended.resolve();
    });
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
      undecided: [],
      stop: new AbortController(),
      state: undefined,
      reason: "",
      rateLimited: 0,
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
      let failure: unknown;
      try {
        await this.#read(account, options, signal);
      } catch (error) {
        if (isAborted(signal)) return;
        failure = error;
        this.#noteFailure(account, error);
        if (!(error instanceof ServiceError)) bug(error, "");
      }
      const waitMs = waitAfter(account, failure, options);
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
    this.#wakeTouched(oldestFirst(found.entries), account);
    if (isCut) this.#note(account, "lagging", "there are more entries than one read takes");
    else if (clock.monotonicMs() - startedAt > 2 * everyMs) {
      this.#note(account, "lagging", "reads wait for the request budget");
    } else this.#note(account, "following", "");
  }

  #wakeTouched(entries: readonly AuditEntry[], account: Account): void {
    const { declared } = account;
    const toWake = this.#judgeOwn(entries, account);
    const touched = new Map<ZoneName, AuditEntry[]>();
    const woken = new Set<ZoneName>();
    for (const entry of entries) {
      const zones = touchedZones(entry, declared);
      const result = this.#resultOf(entry, zones);
      if (result !== undefined) this.#entries[result] += 1;
      for (const zone of zones) {
        const known = touched.get(zone);
        if (known === undefined) touched.set(zone, [entry]);
        else known.push(entry);
        if (result === "woke") woken.add(zone);
      }
    }
    for (const entry of toWake) for (const zone of touchedZones(entry, declared)) woken.add(zone);
    for (const [zone, found] of touched) this.#ports.note(zone, found);
    for (const zone of woken) this.#ports.wake(zone);
  }

  /** Tells which entries of our tokens are not ours; gives those whose zones have to be read. */
  #judgeOwn(entries: readonly AuditEntry[], account: Account): readonly AuditEntry[] {
    const { clock, source, usedElsewhere, usedForOthers, possiblyOwn } = this.#ports;
    const [now, known] = [clock.now(), new Set(account.undecided)];
    const asked = [...account.undecided, ...entries.filter((entry) => this.#isJudged(entry))];
    const origins = this.#ownEntries.judge(asked, source.sentWrites(), now);
    const having = (origin: Origin): readonly AuditEntry[] =>
      [...origins].filter((each) => each[1] === origin).map(([entry]) => entry);
    account.undecided = having("later").slice(-maxUndecided);
    const left = new Set([...having("elsewhere"), ...account.undecided]);
    this.#entries.own += asked.filter((entry) => !left.has(entry)).length;
    const possible = having("possible").length;
    if (possible > 0) possiblyOwn(possible);
    const elsewhere = having("elsewhere");
    const uses: TokenUse[] = [];
    const others: JudgedTokenUse[] = [];
    for (const entry of elsewhere) {
      this.#noteElsewhere(entry.id);
      const zones = touchedZones(entry, account.declared);
      for (const zone of zones.length === 0 ? [undefined] : zones) {
        const use = this.#useOf(entry, zone);
        uses.push(use);
        const judged = this.#uses.add(use, zone, now);
        if (judged !== undefined) others.push(judged);
      }
    }
    if (uses.length > 0) usedElsewhere(uses);
    if (others.length > 0) usedForOthers(others);
    return [...elsewhere, ...account.undecided.filter((entry) => !known.has(entry))];
  }

  #isJudged({ id, actor: { tokenId } }: AuditEntry): boolean {
    const { source } = this.#ports;
    if (!source.isOwnToken(tokenId) || this.#elsewhere.has(id)) return false;
    return source.credentialOf(tokenId) !== "";
  }

  #useOf({ at, actor, method, path, ray }: AuditEntry, zone: ZoneName | undefined): TokenUse {
    const credential = this.#ports.source.credentialOf(actor.tokenId);
    return { at, credential, zone: zone ?? "", method, path, ray };
  }

  #noteElsewhere(id: string): void {
    this.#elsewhere.add(id);
    for (const oldest of this.#elsewhere) {
      if (this.#elsewhere.size <= maxUses) break;
      this.#elsewhere.delete(oldest);
    }
  }

  /** `undefined`: an entry of a token of ours, which is counted when it is known whether we wrote it. */
  #resultOf(
    entry: AuditEntry,
    zones: readonly ZoneName[],
  ): "woke" | "own" | "unrelated" | undefined {
    const { source } = this.#ports;
    const { tokenId } = entry.actor;
    // A token of several credentials is not judged.
    if (source.isOwnToken(tokenId)) return source.credentialOf(tokenId) === "" ? "own" : undefined;
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
    const states = new Set(this.#accounts.values().map(({ state }) => state));
    // An account that lags matters more than one that never was readable.
    const worst = auditFeedStates.findLast((state) => states.has(state));
    if (this.#options === undefined) this.#changeState("off");
    else if (worst !== undefined && !states.has(undefined)) this.#changeState(worst);
  }

  #changeState(state: AuditFeedState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#since = this.#ports.clock.now();
    this.#ports.changed(this.status);
  }
}

/** How long to wait after a read of an account; counts the 429s in a row. */
function waitAfter(account: Account, failure: unknown, { everyMs }: AuditFeedOptions): number {
  const isRateLimited = failure instanceof ServiceError && failure.code === "API_RATE_LIMITED";
  account.rateLimited = isRateLimited ? account.rateLimited + 1 : 0;
  if (isRateLimited) {
    const backOffMs = Math.min(everyMs * 2 ** account.rateLimited, longestBackOffMs);
    return Math.max(everyMs, backOffMs, failure.retryAfterMs);
  }
  return account.state === "denied" ? Math.max(everyMs, deniedEveryMs) : everyMs;
}
