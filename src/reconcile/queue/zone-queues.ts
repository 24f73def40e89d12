import type { Trigger } from "../../state/run-report.ts";
import type { Clock } from "../../zone/ports.ts";
import type { Zone, ZoneName } from "../../zone/zone.ts";
import { type Priority, type QueueResult, ZoneQueue } from "./zone-queue.ts";

/** By which credentials zones are looked at. */
export interface CredentialPorts {
  /** All that there are. */
  readonly names: readonly string[];
  /** Which of them serves a zone; any other text where none does. */
  readonly of: (zone: Zone) => string;
}

/**
 * The zones that are to be looked at, in a queue for each credential. Where the service has locked one of them out for
 * minutes, or its budget is spent, its zones wait among themselves and keep no worker from those of the others.
 */
export class ZoneQueues {
  /** One for each credential: each wants workers of its own. */
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

  /** Zones that wait; those that wait for a window to open do not count. */
  get size(): number {
    return this.all.reduce((sum, queue) => sum + queue.size, 0);
  }

  /** Zones that are being looked at, and since which moment of the clock's uptime. */
  get running(): ReadonlyMap<ZoneName, number> {
    return new Map(this.all.flatMap((queue) => [...queue.running]));
  }

  /** {@link ZoneQueue.add} in the queue of the zone's credential. */
  add(zone: Zone, priority: Priority, trigger: Trigger, delayMs: number): QueueResult {
    return this.#queueOf(zone).add(zone.name, priority, trigger, delayMs);
  }

  /** Forgets a zone that is no longer declared. */
  remove(zone: ZoneName): void {
    for (const queue of this.all) queue.remove(zone);
  }

  /** {@link ZoneQueue.promoteDue} in all of them. */
  promoteDue(): void {
    for (const queue of this.all) queue.promoteDue();
  }

  /** A zone that has come to another credential stays where it waits or runs: it must never run twice at once. */
  #queueOf(zone: Zone): ZoneQueue {
    const holder = this.all.find((queue) => queue.has(zone.name));
    return holder ?? this.#byCredential.get(this.#credentialOf(zone)) ?? this.#first;
  }
}
