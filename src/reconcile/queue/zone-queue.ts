import TinyQueue from "tinyqueue";

import type { Trigger } from "../../state/run-report.ts";
import { sum } from "../../syntax/sum.ts";
import type { Clock } from "../../zone/ports.ts";
import { joinSignals, loopUntil } from "../../zone/signals.ts";
import type { Zone, ZoneName } from "../../zone/zone.ts";

/** Why a zone is in the queue, most urgent first; `due`: the hold of its plan ends at a known moment. */
const priorities = ["due", "changed", "retry", "sweep"] as const;

export type Priority = (typeof priorities)[number];

/** The result of adding a zone; `held-back`: a scheduled sweep does not cut the back-off of a failed zone short. */
export type QueueResult = "queued" | "held-back";

/** A zone that waits for its run. */
export interface QueueEntry {
  readonly zone: ZoneName;
  readonly priority: Priority;
  readonly trigger: Trigger;
  /** The earliest moment of its run, by the monotonic clock. */
  readonly dueAt: number;
}

/**
 * At every fifth take, the zone of a lower priority runs that has been due longest, so that nothing starves. Takes are
 * counted and not time: a sweep of thousands of zones waits for hours, and must not delay a change meanwhile.
 */
const turnOfTheOldest = 5;

/** Replaced entries stay in the heaps until they come up; with more of them than this, the heaps are rebuilt. */
const maxReplaced = 1_000;

const longestWaitMs = 3_600_000;

interface Waiting extends QueueEntry {
  /** Counts up: entries that are due at the same moment run in the order in which they were added. */
  readonly order: number;
}

type Heap = TinyQueue<Waiting>;

function heapOf(entries: Waiting[]): Heap {
  return new TinyQueue(entries, (a, b) => a.dueAt - b.dueAt || a.order - b.order);
}

/**
 * Zones that wait for a run: each at most once, and none that is being run. A zone that is added during its run comes out
 * once more after it.
 */
export class ZoneQueue {
  readonly #clock: Clock;
  readonly #waiting = new Map<ZoneName, Waiting>();
  readonly #running = new Map<ZoneName, number>();
  /** One for each priority. */
  readonly #heaps: Heap[] = priorities.map(() => heapOf([]));
  /** The waits of workers for a zone that is due. */
  readonly #waits = new Set<AbortController>();
  #order = 0;
  #takes = 0;
  /** The priority of the last take. */
  #last: Priority | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many zones wait, those included that are being run and run again. Zones with a hold that has not ended do not count. */
  get size(): number {
    const now = this.#clock.monotonicMs();
    const isWaiting = ({ priority, dueAt }: Waiting): boolean => priority !== "due" || dueAt <= now;
    return this.#waiting.values().filter(isWaiting).toArray().length;
  }

  /** Zones that are being run, and since which moment of the monotonic clock. */
  get running(): ReadonlyMap<ZoneName, number> {
    return this.#running;
  }

  /** Whether a zone waits or is being run. */
  has(zone: ZoneName): boolean {
    return this.#waiting.has(zone) || this.#running.has(zone);
  }

  /** Adds a zone, or merges the request into the entry that it has ({@link merged}). */
  add(zone: ZoneName, priority: Priority, trigger: Trigger, delayMs: number): QueueResult {
    const added = { zone, priority, trigger, dueAt: this.#clock.monotonicMs() + delayMs };
    const known = this.#waiting.get(zone);
    if (known !== undefined && isHeldBack(added, known)) return "held-back";
    const entry = known === undefined ? added : merged(known, added);
    if (entry === known) return "queued";
    this.#order += 1;
    const waiting = { ...entry, order: this.#order };
    this.#waiting.set(zone, waiting);
    if (!this.#running.has(zone)) this.#enqueue(waiting);
    return "queued";
  }

  /** Makes every zone due now whose hold would end later. */
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

  /** Waits for a zone that is due, and withholds it from other workers until {@link done}. Rejects when `stop` aborts. */
  async take(stop: AbortSignal): Promise<QueueEntry> {
    for (;;) {
      stop.throwIfAborted();
      const now = this.#clock.monotonicMs();
      const firsts = this.#heaps.flatMap((heap) => this.#firstOf(heap) ?? []);
      const next = this.#choose(firsts.filter(({ dueAt }) => dueAt <= now));
      if (next !== undefined) {
        this.#last = next.priority;
        this.#waiting.delete(next.zone);
        this.#running.set(next.zone, now);
        return next;
      }
      await this.#wait(Math.min(...firsts.map(({ dueAt }) => dueAt)) - now, stop);
    }
  }

  done(zone: ZoneName): void {
    this.#running.delete(zone);
    const again = this.#waiting.get(zone);
    if (again !== undefined) this.#enqueue(again);
  }

  #enqueue(waiting: Waiting): void {
    const index = priorities.indexOf(waiting.priority);
    const heap = this.#heaps[index];
    heap?.push(waiting);
    if (heap !== undefined && heap.length > this.#waiting.size + maxReplaced) {
      this.#heaps[index] = heapOf(heap.data.filter((entry) => this.#isCurrent(entry)));
    }
    for (const wait of this.#waits) wait.abort();
    this.#waits.clear();
  }

  #firstOf(heap: Heap): Waiting | undefined {
    for (let first = heap.peek(); first !== undefined; first = heap.peek()) {
      if (this.#isCurrent(first)) return first;
      heap.pop();
    }
    return undefined;
  }

  /** Whether an entry was neither replaced nor removed, nor taken and added again. */
  #isCurrent(entry: Waiting): boolean {
    return this.#waiting.get(entry.zone) === entry;
  }

  /**
   * Chooses among the first entry of each priority, given in that order. A window that opens makes hundreds of zones due at
   * one moment: a changed zone then takes turns with them.
   */
  #choose(firsts: readonly Waiting[]): Waiting | undefined {
    const [first, ...others] = firsts;
    if (first === undefined) return undefined;
    this.#takes += 1;
    const isTurnOfTheOldest = this.#takes % turnOfTheOldest === 0;
    if (isTurnOfTheOldest) return others.toSorted((a, b) => a.dueAt - b.dueAt)[0] ?? first;
    const [second] = others;
    return this.#last === "due" && second?.priority === "changed" ? second : first;
  }

  async #wait(ms: number, stop: AbortSignal): Promise<void> {
    const wait = new AbortController();
    using either = joinSignals(stop, wait.signal);
    this.#waits.add(wait);
    try {
      await this.#clock.sleep(Math.min(ms, longestWaitMs), either.signal);
    } catch {
      // A zone was added, or `stop` has aborted: `take` checks both.
    } finally {
      this.#waits.delete(wait);
    }
  }
}

/**
 * Merges two requests for a zone: the earlier moment, and the trigger of the more urgent. Gives the known entry itself where
 * nothing changes. An entry that is due when a hold ends is replaced by an earlier one: its run finds the plan still held
 * and queues the zone again.
 */
function merged(known: QueueEntry, added: QueueEntry): QueueEntry {
  if (known.priority === "due" || added.priority === "due") {
    return added.dueAt < known.dueAt ? added : known;
  }
  if (isHeldBack(known, added)) return added;
  const isMoreUrgent = priorities.indexOf(added.priority) < priorities.indexOf(known.priority);
  if (!isMoreUrgent && added.dueAt >= known.dueAt) return known;
  const { zone, priority, trigger } = isMoreUrgent ? added : known;
  return { zone, priority, trigger, dueAt: Math.min(known.dueAt, added.dueAt) };
}

/** If the schedule is shorter than the back-off of a failed zone, the zone waits for the end of its back-off. */
function isHeldBack(sweep: QueueEntry, retry: QueueEntry): boolean {
  return retry.priority === "retry" && sweep.priority === "sweep" && sweep.trigger === "schedule";
}

export interface CredentialPorts {
  /** The names of all credentials. */
  readonly names: readonly string[];
  /** The name of the credential that serves a zone; any other text if none does. */
  readonly of: (zone: Zone) => string;
}

/**
 * A queue for each credential, each with workers of its own: where the service limits one credential for minutes, its
 * zones do not delay those of the others.
 */
export class ZoneQueues {
  readonly all: readonly ZoneQueue[];
  readonly #byCredential: ReadonlyMap<string, ZoneQueue>;
  readonly #first: ZoneQueue;
  readonly #credentialOf: (zone: Zone) => string;

  constructor({ names, of }: CredentialPorts, clock: Clock) {
    this.#first = new ZoneQueue(clock);
    const others = names.slice(1).map((name) => [name, new ZoneQueue(clock)] as const);
    this.#byCredential = new Map([[names[0] ?? "", this.#first], ...others]);
    this.all = [...this.#byCredential.values()];
    this.#credentialOf = of;
  }

  get size(): number {
    return sum(this.all.map((queue) => queue.size));
  }

  get running(): ReadonlyMap<ZoneName, number> {
    return new Map(this.all.flatMap((queue) => [...queue.running]));
  }

  add(zone: Zone, priority: Priority, trigger: Trigger, delayMs: number): QueueResult {
    return this.#queueOf(zone).add(zone.name, priority, trigger, delayMs);
  }

  remove(zone: ZoneName): void {
    for (const queue of this.all) queue.remove(zone);
  }

  promoteDue(): void {
    for (const queue of this.all) queue.promoteDue();
  }

  /** A zone that moves to another credential stays in the queue where it waits or is being run: it must never run twice at once. */
  #queueOf(zone: Zone): ZoneQueue {
    const holder = this.all.find((queue) => queue.has(zone.name));
    return holder ?? this.#byCredential.get(this.#credentialOf(zone)) ?? this.#first;
  }
}
