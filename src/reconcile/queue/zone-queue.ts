import type { Trigger } from "../../state/run-report.ts";
import type { Clock } from "../../zone/ports.ts";
import type { ZoneName } from "../../zone/zone.ts";
import { joinSignals, loopUntil } from "../signals.ts";
import { Heap } from "./heap.ts";

/** Why a zone is in the queue, most urgent first; `due`: what held its plan ends at a moment that is known. */
const priorities = ["due", "changed", "retry", "sweep"] as const;

/** One of {@link priorities}. */
export type Priority = (typeof priorities)[number];

/** What became of a wish; `held-back`: a scheduled sweep does not look at a zone that waits after a failure. */
export type QueueResult = "queued" | "held-back";

/** A zone that is to be looked at. */
export interface QueueEntry {
  readonly zone: ZoneName;
  readonly priority: Priority;
  readonly trigger: Trigger;
  /** Not to be looked at before this moment of the clock's uptime. */
  readonly dueAt: number;
}

/**
 * Each so many takes, of the less urgent priorities the zone goes that has been due longest: nothing starves. It is
 * counted in takes and not in time: a sweep of thousands of zones waits for hours, and must not bar the way of a change
 * meanwhile.
 */
const turnOfTheOldest = 5;

/** Entries that were replaced stay in the heaps until they come up; beyond so many, the heaps are cleared of them. */
const mostReplaced = 1_000;

/** An entry in the order of its priority. */
interface Waiting extends QueueEntry {
  /** Counts up: who came first goes first. */
  readonly order: number;
}

/**
 * Zones that are to be looked at: each at most once, and none that is being looked at now. A zone that is added
 * during its run comes out once more after it.
 */
export class ZoneQueue {
  readonly #clock: Clock;
  readonly #waiting = new Map<ZoneName, Waiting>();
  readonly #running = new Map<ZoneName, number>();
  readonly #heaps = priorities.map(() => new Heap(isBefore));
  /** What cuts the naps of those short who wait for a zone. */
  readonly #naps = new Set<AbortController>();
  #order = 0;
  #takes = 0;
  /** Why the zone was in the queue that was taken last. */
  #last: Priority | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Zones that wait, running ones that are to run again included; not those whose writes are not due yet. */
  get size(): number {
    const now = this.#clock.uptime();
    const isWaiting = ({ priority, dueAt }: Waiting): boolean => priority !== "due" || dueAt <= now;
    return this.#waiting.values().filter(isWaiting).toArray().length;
  }

  /** Zones that are being looked at, and since which moment of the clock's uptime. */
  get running(): ReadonlyMap<ZoneName, number> {
    return this.#running;
  }

  /** Whether a zone waits or is being looked at. */
  has(zone: ZoneName): boolean {
    return this.#waiting.has(zone) || this.#running.has(zone);
  }

  /** Adds a zone, or joins what is wished for with the entry that it has ({@link merged}). */
  add(zone: ZoneName, priority: Priority, trigger: Trigger, delayMs: number): QueueResult {
    const added = { zone, priority, trigger, dueAt: this.#clock.uptime() + delayMs };
    const known = this.#waiting.get(zone);
    const { entry, verdict } = known === undefined ? queued(added) : merged(known, added);
    if (entry === known) return verdict;
    this.#order += 1;
    const waiting = { ...entry, order: this.#order };
    this.#waiting.set(zone, waiting);
    if (!this.#running.has(zone)) this.#enqueue(waiting);
    return verdict;
  }

  /** Has every zone looked at now whose writes would be due later. */
  promoteDue(): void {
    const later = this.#waiting.values().filter(({ priority }) => priority === "due");
    for (const { zone, priority, trigger } of later.toArray()) this.add(zone, priority, trigger, 0);
  }

  /** Forgets a zone that is no longer declared. */
  remove(zone: ZoneName): void {
    this.#waiting.delete(zone);
  }

  /** Takes zones and runs them, one after the other, until `stop` aborts. */
  async work(
    run: (entry: QueueEntry) => Promise<void>,
    bug: (error: unknown, zone: string) => void,
    stop: AbortSignal,
  ): Promise<void> {
    const runNext = async (): Promise<void> => {
      const entry = await this.take(stop);
      await run(entry).finally(() => this.done(entry.zone));
    };
    await loopUntil(stop, runNext, bug);
  }

  /** Waits for the next zone that is due, and holds it back from others until {@link done}. Rejects when the signal aborts. */
  async take(signal: AbortSignal): Promise<QueueEntry> {
    for (;;) {
      signal.throwIfAborted();
      const now = this.#clock.uptime();
      const firsts = this.#heaps.flatMap((heap) => this.#firstOf(heap) ?? []);
      const next = this.#nextOf(firsts.filter(({ dueAt }) => dueAt <= now));
      if (next !== undefined) {
        this.#last = next.priority;
        this.#waiting.delete(next.zone);
        this.#running.set(next.zone, now);
        return next;
      }
      await this.#nap(Math.min(...firsts.map(({ dueAt }) => dueAt)) - now, signal);
    }
  }

  /** Says that a zone's run is over. */
  done(zone: ZoneName): void {
    this.#running.delete(zone);
    const again = this.#waiting.get(zone);
    if (again !== undefined) this.#enqueue(again);
  }

  #enqueue(waiting: Waiting): void {
    const heap = this.#heaps[priorities.indexOf(waiting.priority)];
    heap?.add(waiting);
    if (heap !== undefined && heap.size > this.#waiting.size + mostReplaced) {
      heap.keepOnly((entry) => this.#isWaiting(entry));
    }
    for (const nap of this.#naps) nap.abort();
    this.#naps.clear();
  }

  #firstOf(heap: Heap<Waiting>): Waiting | undefined {
    while (heap.first !== undefined && !this.#isWaiting(heap.first)) heap.removeFirst();
    return heap.first;
  }

  /** An entry that was replaced, removed, or taken and added again during its run is another one by now. */
  #isWaiting(entry: Waiting): boolean {
    return this.#waiting.get(entry.zone) === entry;
  }

  /**
   * Of the first of each priority that may go now, given in that order. A window that opens makes hundreds due at one
   * moment: a zone whose files changed then goes in turns with them.
   */
  #nextOf(firsts: readonly Waiting[]): Waiting | undefined {
    const [first, ...others] = firsts;
    if (first === undefined) return undefined;
    this.#takes += 1;
    const isTurnOfTheOldest = this.#takes % turnOfTheOldest === 0;
    if (isTurnOfTheOldest) return others.toSorted((a, b) => a.dueAt - b.dueAt)[0] ?? first;
    const [second] = others;
    return this.#last === "due" && second?.priority === "changed" ? second : first;
  }

  async #nap(ms: number, signal: AbortSignal): Promise<void> {
    const nap = new AbortController();
    using either = joinSignals(signal, nap.signal);
    this.#naps.add(nap);
    try {
      await this.#clock.sleep(Math.min(ms, longestNapMs), either.signal);
    } catch {
      // Something was added, or the caller gave up: both are asked for next.
    } finally {
      this.#naps.delete(nap);
    }
  }
}

const longestNapMs = 3_600_000;

function isBefore(a: Waiting, b: Waiting): boolean {
  return a.dueAt === b.dueAt ? a.order < b.order : a.dueAt < b.dueAt;
}

/** The entry that a zone has from now on, and what became of the wish that was added. */
interface Merged {
  readonly entry: QueueEntry;
  readonly verdict: QueueResult;
}

function queued(entry: QueueEntry): Merged {
  return { entry, verdict: "queued" };
}

/**
 * Both wishes in one entry, the known one where nothing is added to it; what is more urgent says why. Writes that are
 * due later hasten nothing: what comes before them finds them still held, and has them queued anew.
 */
function merged(known: QueueEntry, added: QueueEntry): Merged {
  if (known.priority === "due" || added.priority === "due") {
    return queued(added.dueAt < known.dueAt ? added : known);
  }
  if (isHeldBack(added, known)) return { entry: known, verdict: "held-back" };
  if (isHeldBack(known, added)) return queued(added);
  const isMoreUrgent = priorities.indexOf(added.priority) < priorities.indexOf(known.priority);
  if (!isMoreUrgent && added.dueAt >= known.dueAt) return queued(known);
  const { zone, priority, trigger } = isMoreUrgent ? added : known;
  return queued({ zone, priority, trigger, dueAt: Math.min(known.dueAt, added.dueAt) });
}

/** On a schedule that is shorter than the wait after a failure, a zone would be asked at every tick of it. */
function isHeldBack(sweep: QueueEntry, retry: QueueEntry): boolean {
  return retry.priority === "retry" && sweep.priority === "sweep" && sweep.trigger === "schedule";
}
