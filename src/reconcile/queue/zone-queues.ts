import type { Trigger } from "../../state/run-report.ts";
import type { Clock } from "../../zone/ports.ts";
import type { Zone, ZoneName } from "../../zone/zone.ts";
import { type Priority, type QueueResult, ZoneQueue } from "./zone-queue.ts";

export interface CredentialPorts {
  /** The names of all credentials. */
  readonly names: readonly string[];
  /** The name of the credential that serves a zone; any other text where none does. */
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
    return this.all.reduce((sum, queue) => sum + queue.size, 0);
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
