import type { Trigger } from "../../state/run-report.ts";
import type { ZoneName } from "../../zone/zone.ts";

/** Why all zones are reconciled. A file change reconciles only those that it touches. */
export type SweepTrigger = Exclude<Trigger, "file">;

/** What changes the fleet beside a sweep, in the order in which it is taken. */
const otherTypes = [
  "files_changed",
  "listing_arrived",
  "round_judged",
  "rollout_commanded",
] as const;

/** What changes the fleet. */
type FleetEvent =
  | { readonly type: "sweep_due"; readonly trigger: SweepTrigger }
  | { readonly type: (typeof otherTypes)[number] };

/**
 * Events that wait to be handled. They carry no data, so that events of one type are one event, however many arrive while
 * another is handled.
 */
export class EventQueue {
  readonly #sweeps = new Set<SweepTrigger>();
  readonly #others = new Set<(typeof otherTypes)[number]>();
  #notify: () => void = () => undefined;

  add(event: FleetEvent): void {
    if (event.type === "sweep_due") this.#sweeps.add(event.trigger);
    else this.#others.add(event.type);
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
      stop.addEventListener("abort", this.#notify);
      await promise;
      stop.removeEventListener("abort", this.#notify);
    }
  }

  /** Takes a listing that has arrived; gives whether there was one. */
  takeListing(): boolean {
    return this.#others.delete("listing_arrived");
  }

  /** A sweep loads the files anyway. What somebody requested takes precedence over the schedule. */
  #take(): FleetEvent | undefined {
    const [trigger] = [...this.#sweeps].toSorted((a, b) => rank(a) - rank(b));
    if (trigger !== undefined) {
      this.#sweeps.clear();
      this.#others.delete("files_changed");
      return { type: "sweep_due", trigger };
    }
    const type = otherTypes.find((each) => this.#others.delete(each));
    return type && { type };
  }
}

function rank(trigger: SweepTrigger): number {
  return trigger === "schedule" ? 1 : 0;
}

/** Sweeps with shorter gaps are not spread: a schedule of seconds expects results within seconds. */
const shortestSpreadGapMs = 60_000;

/** The rest of the gap is left to retries and to a late sweep. */
const shareOfTheGap = 0.8;

/** A nightly sweep must end in the night. */
const longestSpreadMs = 900_000;

/**
 * The time over which the runs of a scheduled sweep are spread, in milliseconds. A whole fleet at once would take the whole
 * rate limit of its token at once, and leave people and other tools to wait.
 *
 * @param next when the next sweep is due; `undefined` if none is scheduled.
 */
export function spreadMs(now: Date, next: Date | undefined): number {
  const gap = next === undefined ? 0 : Number(next) - Number(now);
  return gap < shortestSpreadGapMs ? 0 : Math.min(gap * shareOfTheGap, longestSpreadMs);
}

/** The sweep that is due, the zones that the current one has left, and whether a scheduled sweep waits for its end. */
export class Sweep {
  readonly #overdue: () => void;
  readonly #left = new Set<ZoneName>();
  #due: SweepTrigger | undefined;
  #isOverdue = false;

  /** @param overdue is called when a sweep has ended for whose end a scheduled sweep waits. */
  constructor(overdue: () => void) {
    this.#overdue = overdue;
  }

  /** The trigger of the sweep that begins with the next zone listing. */
  get due(): SweepTrigger | undefined {
    return this.#due;
  }

  /**
   * Marks a sweep as due; gives `false` for a scheduled one that must wait for the end of the sweep before it.
   *
   * @param isListing whether a listing is in progress, which the sweep that is due waits for.
   */
  markDue(trigger: SweepTrigger, isListing: boolean): boolean {
    const isInProgress = this.#left.size > 0 || (isListing && this.#due !== undefined);
    if (trigger === "schedule" && isInProgress) {
      this.#isOverdue = true;
      return false;
    }
    // A sweep that somebody requested is not spread over the gap of the schedule.
    if (trigger !== "schedule" || this.#due === undefined) this.#due = trigger;
    return true;
  }

  /** Begins the sweep that is due. It includes what the one before has left. */
  begin(zones: Iterable<ZoneName>): void {
    this.#due = undefined;
    for (const zone of zones) this.#left.add(zone);
    // If every zone waits after a failure, the sweep has ended already.
    this.#endIfComplete();
  }

  /** A zone was run, for whatever reason, or is no longer declared. */
  complete(zone: ZoneName): void {
    if (this.#left.delete(zone)) this.#endIfComplete();
  }

  #endIfComplete(): void {
    if (this.#left.size > 0 || !this.#isOverdue) return;
    this.#isOverdue = false;
    this.#overdue();
  }
}
