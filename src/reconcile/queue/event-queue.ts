import type { Trigger } from "../../state/run-report.ts";

/** Why all zones are reconciled. A file change reconciles only those that it touches. */
export type SweepTrigger = Exclude<Trigger, "file">;

/** What changes the fleet. */
export type FleetEvent =
  | { readonly type: "files_changed" }
  | { readonly type: "sweep_due"; readonly trigger: SweepTrigger }
  | { readonly type: "listing_arrived" };

/**
 * Events that wait to be handled. They carry no data, so that events of one type are one event, however many arrive while
 * another is handled.
 */
export class EventQueue {
  readonly #sweeps = new Set<SweepTrigger>();
  #haveFilesChanged = false;
  #hasListingArrived = false;
  #notify: () => void = () => undefined;

  add(event: FleetEvent): void {
    if (event.type === "sweep_due") this.#sweeps.add(event.trigger);
    else if (event.type === "files_changed") this.#haveFilesChanged = true;
    else this.#hasListingArrived = true;
    this.#notify();
  }

  /** Waits for an event and takes it. Rejects when `stop` aborts. */
  async next(stop: AbortSignal): Promise<FleetEvent> {
    for (;;) {
      stop.throwIfAborted();
      const event = this.#take();
      if (event !== undefined) return event;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#notify = resolve;
      stop.addEventListener("abort", this.#notify, { once: true });
      await promise;
      stop.removeEventListener("abort", this.#notify);
    }
  }

  /** Takes a listing that has arrived; gives whether there was one. */
  takeListing(): boolean {
    const hasArrived = this.#hasListingArrived;
    this.#hasListingArrived = false;
    return hasArrived;
  }

  /** A sweep loads the files anyway. What somebody requested takes precedence over the schedule. */
  #take(): FleetEvent | undefined {
    const [trigger] = [...this.#sweeps].toSorted((a, b) => rank(a) - rank(b));
    if (trigger !== undefined) {
      this.#sweeps.clear();
      this.#haveFilesChanged = false;
      return { type: "sweep_due", trigger };
    }
    if (this.#haveFilesChanged) {
      this.#haveFilesChanged = false;
      return { type: "files_changed" };
    }
    return this.takeListing() ? { type: "listing_arrived" } : undefined;
  }
}

function rank(trigger: SweepTrigger): number {
  return trigger === "schedule" ? 1 : 0;
}
