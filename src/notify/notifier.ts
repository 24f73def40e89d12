import type { Subscriber, ZoneStep } from "../state/fleet.ts";
import type { LoadReport } from "../state/load-report.ts";
import type { ZoneState } from "../state/zone-state.ts";
import { noticeOf, noticeOfDeparture, noticeOfLoad, type Notification } from "./notification.ts";
import { Outbox, type OutboxPorts, type Sink } from "./outbox.ts";

/** What is under way at the end of the program may take so long. */
export const graceMs: number = 5_000;

/** Tells every sink what runs and files have to tell. No run ever waits for it. */
export class Notifier implements Subscriber, AsyncDisposable {
  readonly #outboxes: readonly Outbox[];
  #load: LoadReport | undefined;

  constructor(sinks: readonly Sink[], ports: OutboxPorts) {
    this.#outboxes = sinks.map((sink) => new Outbox(sink, ports));
  }

  zone(step: ZoneStep): void {
    this.#tell(noticeOf(step));
  }

  load(load: LoadReport): void {
    this.#tell(noticeOfLoad(load, this.#load));
    this.#load = load;
  }

  gone(before: ZoneState, load: LoadReport): void {
    this.#tell(noticeOfDeparture(before, load));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#outboxes.map((outbox) => outbox.close(graceMs)));
  }

  #tell(notice: Notification | undefined): void {
    if (notice === undefined) return;
    for (const outbox of this.#outboxes) outbox.add(notice);
  }
}
