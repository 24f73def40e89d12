import { AuditFeed } from "../../src/audit/audit-feed.ts";
import type { AuditFeedStatus, JudgedTokenUse } from "../../src/state/audit-status.ts";
import type { AuditEntry, AuditRead, AuditWindow, SentWrite } from "../../src/zone/audit-entry.ts";
import type { DesiredZone } from "../../src/zone/desired-zone.ts";
import type { Zone } from "../../src/zone/zone.ts";
import { auditEntry, idOf } from "./audit-entries.ts";
import { SimulatedClock } from "./clock.ts";

export const minuteMs = 60_000;

/** A feed over a log that a test writes, on a clock that the test moves. */
export class Followed implements AsyncDisposable {
  readonly clock = new SimulatedClock();
  readonly woken: string[] = [];
  readonly noted: string[] = [];
  readonly states: string[] = [];
  readonly warnings: number[] = [];
  /** Errors of the program, with the zones that they concern. */
  readonly bugs: { readonly error: unknown; readonly zone: string }[] = [];
  readonly reads: (AuditWindow & { readonly zones: readonly Zone[] })[] = [];
  log: AuditEntry[] = [];
  sent: SentWrite[] = [];
  earlierRays: readonly string[] = [];
  /** Path and zone of the uses of our tokens elsewhere. */
  readonly uses: string[] = [];
  readonly usesForOthers: JudgedTokenUse[] = [];
  readonly possible: number[] = [];
  more: Omit<AuditRead, "entries"> = { malformed: 0, isCut: false };
  failure: Error | undefined;
  latencyMs = 0;
  /** What a read does at its end, though it was given up. */
  closing = (): Promise<void> => Promise.resolve();
  /** The account that has the failure and the latency; `undefined`: all have. */
  account: string | undefined;
  readonly feed: AuditFeed;
  readonly #stop = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  /** @param isOn whether logs are followed at first. */
  constructor(isOn = true) {
    const options = isOn ? { everyMs: minuteMs, overlapMs: 10 * minuteMs } : undefined;
    this.feed = new AuditFeed(options, {
      source: {
        isOwnToken: (id) => id === "our-token" || id === "our-other-token",
        credentialOf: () => "main",
        sentWrites: () => ({ writes: this.sent, completeSince: new Date(0) }),
        isDenied: ({ code }) => code === "API_FORBIDDEN",
        read: async (zones, window, signal) => {
          this.reads.push({ zones, ...window });
          const isMeant = [undefined, zones[0]?.accountId].includes(this.account);
          try {
            await this.clock.sleep(isMeant ? this.latencyMs : 0, signal);
            if (isMeant && this.failure !== undefined) throw this.failure;
            return { entries: this.log, ...this.more };
          } finally {
            await this.closing();
          }
        },
      },
      clock: this.clock,
      note: (zone, entries) => this.noted.push(`${zone} ${entries.map(({ id }) => id).join(" ")}`),
      wake: (zone) => this.woken.push(zone),
      changed: ({ state }) => this.states.push(state),
      isEarlierRay: (ray) => this.earlierRays.includes(ray),
      usedElsewhere: (uses) => this.uses.push(...uses.map(({ path, zone }) => `${path} ${zone}`)),
      usedForOthers: (uses) => this.usesForOthers.push(...uses),
      possiblyOwn: (count) => this.possible.push(count),
      malformed: (count) => this.warnings.push(count),
      bug: (error, zone) => this.bugs.push({ error, zone }),
    });
  }

  start(...zones: readonly DesiredZone[]): void {
    this.feed.declare(zones);
    this.#ended = this.feed.runUntil(this.#stop.signal);
  }

  /** Starts, and lets the first reads happen. */
  async begin(...zones: readonly DesiredZone[]): Promise<void> {
    this.start(...zones);
    await this.clock.advance(0);
  }

  takeWoken(): readonly string[] {
    return this.woken.splice(0);
  }

  get status(): AuditFeedStatus {
    return this.feed.status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }
}

/** An entry about a zone, with ids that end with these numbers. */
export function edit(number: number, zone: number, changes: Partial<AuditEntry> = {}): AuditEntry {
  return auditEntry({ id: `entry-${number}`, zoneId: idOf(zone), ...changes });
}
