import { describe, it } from "vitest";

import { Budget } from "../../src/api/budget/budget.ts";
import { RequestShare } from "../../src/api/budget/request-share.ts";
import { AuditFeed } from "../../src/audit/audit-feed.ts";
import { DriftAuthors } from "../../src/audit/drift-authors.ts";
import { seededRandom } from "../../src/emulator/control/faults.ts";
import { Reconciler } from "../../src/reconcile/reconciler.ts";
import type { ZoneReport } from "../../src/state/run-report.ts";
import type { AuditEntry } from "../../src/zone/audit-entry.ts";
import type { ZoneDocument } from "../../src/zone/desired-zone.ts";
import type { LiveZone } from "../../src/zone/live-zone.ts";
import type { RequestPriority } from "../../src/zone/ports.ts";
import { auditEntry, idOf, zoneWithId } from "../support/audit-entries.ts";
import { SimulatedClock } from "../support/clock.ts";
import { declared, desiredZone, liveZone, readAllAt } from "../support/model.ts";
import { mostIn, quantile } from "../support/quantile.ts";
import { MemoryRunStore, noAuthors } from "../support/run-store.ts";
import { selectByName } from "../support/select-by-name.ts";
import { defaultOptions, oneCredential } from "../support/world.ts";

const count = 5_000;
const edits = 500;
const dayMs = 24 * 3_600_000;
const minuteMs = 60_000;
/** How long after a write the audit log has its entry. */
const lagMs = 30_000;
const [limit, windowMs] = [1_200, 300_000];
const latencyMs = 150;

const zones = Array.from({ length: count }, (_, index) =>
  zoneWithId(`zone-${index}.example`, index + 1),
);
const content = desiredZone({
  settings: [{ name: "enabled", value: true }],
  policies: declared([]),
  rules: { managed_rules: declared([]) },
}).content;

const others = { use_cloudflare_reporting_endpoint: true, use_connection_url_path: false };

/** What a day came to. */
interface Day {
  /** From each edit to the first request that corrects it, in ascending order. */
  readonly delays: readonly number[];
  readonly requests: number;
  readonly auditReads: number;
  /** The most requests in a window of the service. */
  readonly most: number;
  readonly named: number;
}

/** A service with 5,000 zones behind one token, which is changed by hand 500 times a day. */
class SimulatedDay {
  readonly #clock = new SimulatedClock();
  readonly #stop = new AbortController();
  readonly #budget = new Budget(
    { limit, windowMs, reserve: 0.2, concurrency: 8, maxWaitMs: 1e9 },
    this.#clock,
  );
  readonly #share = new RequestShare(windowMs, () => this.#budget.state.perSecond, this.#clock);
  readonly #off = new Map<string, number>();
  readonly #log: { readonly entry: AuditEntry; readonly visibleAt: number }[] = [];
  readonly #sentAt: number[] = [];
  readonly #delays: number[] = [];
  #auditReads = 0;
  #named = 0;

  async run(isFollowed: boolean): Promise<Day> {
    const clock = this.#clock;
    const authors = new DriftAuthors(
      clock,
      { isOwn: () => false, isCompleteSince: (...since) => feed.isCompleteSince(...since) },
      () => "full",
      noAuthors,
    );
    const reconciler = this.#reconciler(authors);
    const feed: AuditFeed = new AuditFeed(
      isFollowed ? { everyMs: minuteMs, overlapMs: 10 * minuteMs } : undefined,
      {
        source: {
          read: (_zones, window, signal) => this.#readLog(window, signal),
          isOwnToken: () => false,
          credentialOf: () => "",
          sentWrites: () => ({ writes: [], completeSince: new Date(0) }),
          isDenied: () => false,
        },
        clock,
        note: (zone, entries) => authors.note(zone, entries),
        wake: (zone) => reconciler.wakeZone(zone),
        changed: () => undefined,
        malformed: () => undefined,
        isEarlierRay: () => false,
        usedElsewhere: () => undefined,
        usedForOthers: () => undefined,
        possiblyOwn: () => undefined,
        bug: fail,
      },
    );
    feed.declare(zones);
    const { signal } = this.#stop;
    const running = Promise.all([
      reconciler.runUntil({ stop: signal, abort: signal }),
      feed.runUntil(signal),
      this.#schedule(reconciler),
      this.#edit(),
    ]);
    await clock.run(clock.sleep(dayMs + 3 * 3_600_000, signal));
    this.#stop.abort();
    await clock.run(running);
    return {
      delays: this.#delays.toSorted((a, b) => a - b),
      requests: this.#sentAt.length,
      auditReads: this.#auditReads,
      most: mostIn(this.#sentAt, windowMs),
      named: this.#named,
    };
  }

  /** Sweeps follow each other: one takes longer than the schedule's quarter of an hour. */
  async #schedule(reconciler: Reconciler): Promise<void> {
    reconciler.requestSweep("startup");
    for (;;) {
      if (!(await this.#pass(15 * minuteMs))) return;
      reconciler.requestSweep("schedule");
    }
  }

  /** Weakens zones at random times of the day. */
  async #edit(): Promise<void> {
    const random = seededRandom(20_261_122);
    // The first sweep has ended by then.
    const times = Array.from({ length: edits }, () => 2 * 3_600_000 + random() * dayMs).toSorted(
      (a, b) => a - b,
    );
    for (const [nth, time] of times.entries()) {
      const waitMs = time - this.#clock.monotonicMs();
      if (!(await this.#pass(waitMs))) return;
      const index = Math.floor(random() * count);
      const id = idOf(index + 1);
      if (this.#off.has(id)) continue;
      const now = this.#clock.monotonicMs();
      this.#off.set(id, now);
      const path = `/zones/${id}/page_shield`;
      const wrote = { kind: "setting", verb: "update", id: "", values: undefined } as const;
      const entry = auditEntry({
        id: `entry-${nth}`,
        at: this.#clock.now(),
        zoneId: id,
        path,
        wrote,
      });
      this.#log.push({ entry, visibleAt: now + lagMs });
    }
  }

  /** Lets time pass; `false`: the day is over. */
  async #pass(ms: number): Promise<boolean> {
    await this.#clock.sleep(ms, this.#stop.signal).catch(() => undefined);
    return !this.#stop.signal.aborted;
  }

  async #request<T>(priority: RequestPriority, signal: AbortSignal, answer: () => T): Promise<T> {
    const permit = await this.#budget.acquire(priority, signal);
    try {
      this.#sentAt.push(this.#clock.monotonicMs());
      await this.#clock.sleep(latencyMs, signal);
      return answer();
    } finally {
      permit.end("answered", undefined);
    }
  }

  async #readLog(window: { readonly since: Date }, signal: AbortSignal) {
    await this.#share.take(signal);
    this.#auditReads += 1;
    return this.#request("changed", signal, () => {
      const now = this.#clock.monotonicMs();
      const visible = this.#log.filter(
        ({ entry, visibleAt }) => visibleAt <= now && entry.at >= window.since,
      );
      return {
        entries: visible.map(({ entry }) => entry).toReversed(),
        malformed: 0,
        isCut: false,
      };
    });
  }

  #live(zone: LiveZone["zone"]): LiveZone {
    const settings = { ...others, enabled: !this.#off.has(zone.id) };
    return liveZone({
      zone,
      settings,
      policies: [],
      entrypoints: { managed_rules: { state: "absent" } },
    });
  }

  #reconciler(authors: DriftAuthors): Reconciler {
    const clock = this.#clock;
    let run = 0;
    return new Reconciler(
      {
        ...defaultOptions,
        concurrency: 8,
        limits: { ...defaultOptions.limits, maxUpdateShare: 1 },
      },
      {
        desired: {
          load: () =>
            Promise.resolve({
              documents,
              diagnostics: [],
              usable: true,
              revision: "r1",
              hash: "r1",
              declaredHash: "r1",
            }),
          restore: () => Promise.resolve(undefined),
          select: selectByName,
        },
        credentials: oneCredential,
        listZones: () => Promise.resolve({ zones: zones.map(({ zone }) => zone), failed: [] }),
        reader: {
          readAnswers: async (zone, _parts, priority, signal) => {
            const sentAt = readAllAt(clock.monotonicMs());
            const parts = await Promise.all(
              ["settings", "policies", "rules"].map(() =>
                this.#request(priority, signal, () => this.#live(zone)),
              ),
            );
            const [live = this.#live(zone)] = parts;
            return { readAt: sentAt, digest: `${live.settings?.enabled}`, live: () => live };
          },
          readScripts: () => Promise.resolve([]),
        },
        writer: {
          write: async (live, _write, signal) => {
            const since = this.#off.get(live.zone.id);
            const readAt = clock.monotonicMs();
            return this.#request("write", signal, () => {
              if (since !== undefined) this.#delays.push(readAt - since);
              this.#off.delete(live.zone.id);
              const after = this.#live(live.zone);
              return {
                live: after,
                readAt,
                shows: "part",
                ray: "ray",
                interleaved: false,
              } as const;
            });
          },
        },
        clock,
        random: () => 0.5,
        store: new MemoryRunStore(),
        runId: () => `run-${(run += 1)}`,
        report: (report) => {
          this.#named += namedIn(report);
        },
        loaded: () => undefined,
        schedule: { nextRun: () => undefined },
        overlapped: () => undefined,
        unlisted: fail,
        bug: fail,
        authors,
      },
    );
  }
}

const documents = zones.map(({ zone }): ZoneDocument => ({
  target: { by: "name", name: zone.name },
  content,
  place: { file: "zones.yaml", line: 1, column: 1 },
}));

function fail(error: unknown): void {
  throw new Error("a fault of the program", { cause: error });
}

function namedIn(report: ZoneReport): number {
  if (report.result !== "applied") return 0;
  return report.plan.changes.filter(({ authors = [] }) => authors.length > 0).length;
}

function told(name: string, { delays, requests, auditReads, named }: Day): string {
  const [half, most] = [0.5, 0.95].map(
    (share) => `${Math.round(quantile(delays, share) / 1_000)} s`,
  );
  return `${name}: ${delays.length} edits corrected after ${half} (p50), ${most} (p95); ${requests} requests, ${auditReads} of the log; ${named} named\n`;
}

describe("a day of 5,000 zones behind one token, with 500 edits by hand", () => {
  it("corrects them within two minutes with the audit log, and after the better part of an hour without", async ({
    expect,
  }) => {
    const without = await new SimulatedDay().run(false);
    process.stdout.write(told("without", without));
    const followed = await new SimulatedDay().run(true);
    process.stdout.write(told("with the log", followed));
    for (const { most } of [without, followed]) expect(most).toBeLessThanOrEqual(limit);
    expect(followed.delays.length).toBeGreaterThan(0.95 * edits);
    expect(quantile(followed.delays, 0.95)).toBeLessThanOrEqual(2 * minuteMs);
    expect(quantile(without.delays, 0.95)).toBeGreaterThan(30 * minuteMs);
    expect(followed.auditReads / followed.requests).toBeLessThan(0.02);
  });
});
