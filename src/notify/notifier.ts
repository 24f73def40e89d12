import type { Subscriber, ZoneStep } from "../state/fleet.ts";
import type { LoadReport } from "../state/load-report.ts";
import type { ZoneState } from "../state/zone-state.ts";
import {
  notificationOf,
  notificationOfRemoval,
  notificationOfRemovals,
  notificationOfLoad,
  notificationOfTokenUses,
  type Notification,
} from "./notification.ts";
import { Outbox, type OutboxPorts, type Sink } from "./outbox.ts";

/** How long {@link Notifier} waits for its queues when the program stops. */
export const graceMs: number = 5_000;

/** Sends notifications about runs and loads to all sinks. No run waits for it. */
export class Notifier implements Subscriber, AsyncDisposable {
  readonly #outboxes: readonly Outbox[];
  #load: LoadReport | undefined;

  constructor(sinks: readonly Sink[], ports: OutboxPorts) {
    this.#outboxes = sinks.map((sink) => new Outbox(sink, ports));
  }

  zone(step: ZoneStep): void {
    this.#notifyOf(step.after, notificationOf(step));
    this.#notifyOf(step.after, notificationOfTokenUses(step.tokenUses ?? [], step.report));
  }

  load(load: LoadReport): void {
    this.notify(notificationOfLoad(load, this.#load));
    this.#load = load;
  }

  gone(zones: readonly ZoneState[], load: LoadReport): void {
    for (const zone of zones) this.#notifyOf(zone, notificationOfRemoval(zone, load));
    const [first, ...others] = zones;
    const removals = notificationOfRemovals(zones, load);
    if (first !== undefined && others.length === 0) this.#notifyOf(first, removals);
    else this.notify(removals);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#outboxes.map((outbox) => outbox.close(graceMs)));
  }

  #notifyOf({ declared: { labels } }: ZoneState, notification: Notification | undefined): void {
    this.notify(notification && { ...notification, labels });
  }

  /** Sends a notification, if there is one. */
  notify(notification: Notification | undefined): void {
    if (notification === undefined) return;
    for (const outbox of this.#outboxes) outbox.add(notification);
  }
}
