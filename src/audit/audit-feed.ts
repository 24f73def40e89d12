import {
  type AuditFeedState,
  auditFeedStates,
  type AuditFeedStatus,
  type JudgedTokenUse,
} from "../state/audit-status.ts";
import type { ZoneReport } from "../state/run-report.ts";
import type { AuditEntry } from "../zone/audit-entry.ts";
import type { DesiredZone } from "../zone/desired-zone.ts";
import type { Clock } from "../zone/ports.ts";
import type { ZoneName } from "../zone/zone.ts";
import { AccountLog, type AuditFeedOptions, type AuditSource } from "./account-log.ts";
import type { FormerTerm } from "./own-entries.ts";
import { type OwnTokenPorts, OwnTokens } from "./own-tokens.ts";
import { type DeclaredZones, declaredZones, touchedZones } from "./touched-zones.ts";

export interface AuditFeedPorts extends OwnTokenPorts {
  readonly source: AuditSource;
  readonly clock: Clock;
  /**
   * Called once for each zone that new entries of a read touch, with those entries in the order of their times: before the
   * zone is woken, and also if all of them are of our own writes.
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

/** An account with declared zones. */
interface Account {
  readonly log: AccountLog;
  declared: DeclaredZones;
  /** Entries of our tokens of which a later read decides whether they are ours. */
  undecided: readonly AuditEntry[];
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
  readonly #tokens: OwnTokens;
  readonly #entries = { woke: 0, own: 0, unrelated: 0, malformed: 0 };
  #declared: readonly DesiredZone[] = [];
  /** `undefined` until every account was read once. */
  #state: AuditFeedState | undefined;
  #since: Date;
  #stoppedAt: Date | undefined;
  /** `undefined` until the feed works. */
  #stop: AbortSignal | undefined;

  /** @param options `undefined`: no log is followed. */
  constructor(options: AuditFeedOptions | undefined, ports: AuditFeedPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#since = ports.clock.now();
    this.#tokens = new OwnTokens(ports);
    if (options === undefined) this.#state = "off";
  }

  get status(): AuditFeedStatus {
    const accounts = { off: 0, following: 0, denied: 0, lagging: 0 };
    let reason = "";
    for (const { log } of this.#accounts.values()) {
      accounts[log.state ?? "lagging"] += 1;
      if (reason === "") reason = log.reason;
    }
    if (this.#options === undefined) {
      accounts.off = new Set(this.#declared.map(({ zone }) => zone.accountId)).size;
    }
    const state = this.#state ?? "lagging";
    const { counts, latest: usedElsewhere, latestOf: usedElsewhereOf } = this.#tokens.uses;
    const entries = { ...this.#entries, ...counts };
    return { state, since: this.#since, accounts, entries, reason, usedElsewhere, usedElsewhereOf };
  }

  /** What the next process has to know of this one, once this one has ended. */
  get term(): FormerTerm {
    return this.#tokens.termUntil(this.#stoppedAt);
  }

  /** Whether zonewarden made an entry, or may have made it. */
  isOwn(entry: AuditEntry): boolean {
    return this.#tokens.isOwn(entry);
  }

  /** What the run of a zone tells about uses of our tokens elsewhere. */
  usesJudgedBy(report: ZoneReport): readonly JudgedTokenUse[] {
    return this.#tokens.uses.judgedBy(report);
  }

  /** Whether no entry of an account since a moment is known to be missing. Entries can be lost or late nevertheless. */
  isCompleteSince(accountId: string, moment: Date): boolean {
    return this.#accounts.get(accountId)?.log.isCompleteSince(moment) === true;
  }

  /** Follows the accounts of the declared zones, and no others. */
  declare(zones: readonly DesiredZone[]): void {
    this.#declared = zones;
    const followed = this.#options === undefined ? [] : zones;
    const groups = Map.groupBy(followed, ({ zone }) => zone.accountId);
    for (const [id, { log }] of this.#accounts) {
      if (groups.has(id)) continue;
      log.stop(new Error("the audit log of the account is not followed any more"));
      this.#accounts.delete(id);
    }
    for (const [id, group] of groups) if (id !== "") this.#declareAccount(id, group);
    this.#tokens.uses.keepOnly(new Set(zones.map(({ zone }) => zone.name)));
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
    for (const { log } of this.#accounts.values()) this.#follow(log);
    await ended.promise;
    for (const { log } of this.#accounts.values()) log.stop(stop.reason);
    await Promise.all(this.#loops);
  }

  #declareAccount(id: string, group: readonly DesiredZone[]): void {
    const zones = group.map(({ zone }) => zone);
    const declared = declaredZones(group);
    const known = this.#accounts.get(id);
    if (known !== undefined) {
      known.log.zones = zones;
      known.declared = declared;
      return;
    }
    const log = new AccountLog(zones, {
      ...this.#ports,
      options: () => this.#options,
      found: (entries, malformed) => {
        this.#noteMalformed(malformed, id);
        this.#wakeTouched(entries, account);
      },
      changed: () => this.#noteState(),
    });
    const account: Account = { log, declared, undecided: [] };
    this.#accounts.set(id, account);
    if (this.#stop?.aborted === false) this.#follow(log);
  }

  #follow(log: AccountLog): void {
    const following = log.follow().finally(() => this.#loops.delete(following));
    this.#loops.add(following);
  }

  #wakeTouched(entries: readonly AuditEntry[], account: Account): void {
    const { declared } = account;
    const { undecided, own, toRead } = this.#tokens.judge(entries, account.undecided, declared);
    account.undecided = undecided;
    this.#entries.own += own;
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
    for (const entry of toRead) for (const zone of touchedZones(entry, declared)) woken.add(zone);
    for (const [zone, found] of touched) this.#ports.note(zone, found);
    for (const zone of woken) this.#ports.wake(zone);
  }

  /** `undefined`: an entry of a token of ours, which is counted when it is known whether we wrote it. */
  #resultOf(
    { actor: { tokenId } }: AuditEntry,
    zones: readonly ZoneName[],
  ): "woke" | "own" | "unrelated" | undefined {
    const { source } = this.#ports;
    // A token of several credentials is not judged.
    if (source.isOwnToken(tokenId)) return source.credentialOf(tokenId) === "" ? "own" : undefined;
    return zones.length > 0 ? "woke" : "unrelated";
  }

  #noteMalformed(count: number, accountId: string): void {
    const isFirst = count > 0 && this.#entries.malformed === 0;
    this.#entries.malformed += count;
    if (isFirst) this.#ports.malformed(count, accountId);
  }

  #noteState(): void {
    const states = new Set(this.#accounts.values().map(({ log }) => log.state));
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
