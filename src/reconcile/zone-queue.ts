import type { Trigger } from "../report/run-report.ts";
import type { ZoneName } from "../zone/zone.ts";
import type { Clock } from "./ports.ts";

/** Why a zone is in the queue, most urgent first. */
export const priorities = ["changed", "retry", "sweep"] as const;

/** One of {@link priorities}. */
export type Priority = (typeof priorities)[number];

/** A zone that is to be looked at. */
export interface QueueEntry {
  readonly zone: ZoneName;
  readonly priority: Priority;
  readonly trigger: Trigger;
  /** Milliseconds since the epoch. */
  readonly addedAt: number;
  /** Not to be looked at before this moment. */
  readonly dueAt: number;
}

/** A wait so long lifts an entry by one priority, so that nothing starves. */
const ageingMs = 120_000;

/**
 * Zones that are to be looked at: each at most once, and none that is being looked at now. A zone that is added
 * during its run comes out once more after it.
 */
export class ZoneQueue {
  readonly #clock: Clock;
  readonly #waiting = new Map<ZoneName, QueueEntry>();
  readonly #running = new Set<ZoneName>();
  #changed = Promise.withResolvers<void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Zones that wait, running ones that are to run again included. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Zones that are being looked at. */
  get running(): readonly ZoneName[] {
    return [...this.#running];
  }

  /** Adds a zone, or makes the entry it has more urgent and due earlier. */
  add(zone: ZoneName, priority: Priority, trigger: Trigger, delayMs: number): void {
    const now = Number(this.#clock.now());
    const added = { zone, priority, trigger, addedAt: now, dueAt: now + delayMs };
    const known = this.#waiting.get(zone);
    this.#waiting.set(zone, known === undefined ? added : merged(known, added));
    this.#wakeTakers();
  }

  /** Forgets a zone that is no longer declared. */
  remove(zone: ZoneName): void {
    this.#waiting.delete(zone);
  }

  /** Waits for the next zone that is due, and holds it back from others until {@link done}. Rejects when the signal aborts. */
  async take(signal: AbortSignal): Promise<QueueEntry> {
    for (;;) {
      signal.throwIfAborted();
      const now = Number(this.#clock.now());
      const idle = [...this.#waiting.values()].filter(({ zone }) => !this.#running.has(zone));
      const due = idle.filter(({ dueAt }) => dueAt <= now);
      const best = mostUrgent(due, now);
      if (best !== undefined) {
        this.#waiting.delete(best.zone);
        this.#running.add(best.zone);
        return best;
      }
      await this.#nextChance(idle, now, signal);
    }
  }

  /** Says that a zone's run is over. */
  done(zone: ZoneName): void {
    this.#running.delete(zone);
    this.#wakeTakers();
  }

  async #nextChance(idle: readonly QueueEntry[], now: number, signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const waiting = AbortSignal.any([signal, ended.signal]);
    const earliest = Math.min(...idle.map(({ dueAt }) => dueAt));
    const due = this.#clock
      .sleep(Math.min(earliest - now, longestSleepMs), waiting)
      .catch(() => undefined);
    await Promise.race([this.#changed.promise, due]);
    ended.abort();
  }

  #wakeTakers(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

const longestSleepMs = 3_600_000;

function mostUrgent(entries: readonly QueueEntry[], now: number): QueueEntry | undefined {
  let best: QueueEntry | undefined;
  for (const entry of entries) {
    const order = best === undefined ? -1 : rank(entry, now) - rank(best, now);
    if (best === undefined || order < 0 || (order === 0 && entry.addedAt < best.addedAt)) {
      best = entry;
    }
  }
  return best;
}

function rank({ priority, dueAt }: QueueEntry, now: number): number {
  return priorities.indexOf(priority) - Math.floor((now - dueAt) / ageingMs);
}

/** Both wishes in one entry; what is more urgent says why. */
function merged(known: QueueEntry, added: QueueEntry): QueueEntry {
  const isMoreUrgent = priorities.indexOf(added.priority) < priorities.indexOf(known.priority);
  const { priority, trigger } = isMoreUrgent ? added : known;
  return { ...known, priority, trigger, dueAt: Math.min(known.dueAt, added.dueAt) };
}
