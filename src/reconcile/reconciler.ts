import type { Refusal } from "../plan/refusal.ts";
import { failureOf, isServiceError } from "../report/failure.ts";
import type { LoadResult } from "../report/load-report.ts";
import type { Failure, Trigger, ZoneReport } from "../report/run-report.ts";
import type { Problem } from "../zone/problem.ts";
import type { Zone, ZoneName } from "../zone/zone.ts";
import { backoffMs, zoneBackoff } from "./backoff.ts";
import type { StopSignals } from "./carry-out.ts";
import type { DeclaredFleet, DesiredSource, DesiredState, Listing } from "./declared-fleet.ts";
import { declaredFleet, isSweep, joinListings, missingReport, namesOf } from "./declared-fleet.ts";
import type { FleetLimits } from "./fleet-guard.ts";
import { compareFleets } from "./fleet-guard.ts";
import type { QueueEntry } from "./zone-queue.ts";
import { ZoneQueue } from "./zone-queue.ts";
import type { ZoneRunOptions, ZoneRunPorts } from "./zone-runner.ts";
import { ZoneRunner } from "./zone-runner.ts";

/** What the daemon does, beside how it runs each zone. */
export interface ReconcilerOptions extends ZoneRunOptions {
  /** Zones that are looked at side by side. */
  readonly concurrency: number;
  readonly fleetLimits: FleetLimits;
}

/** What one reading of the files came to. */
export interface Loaded {
  readonly result: LoadResult;
  readonly state: DesiredState;
  readonly problems: readonly Problem[];
  /** The fleet in force after it. */
  readonly fleet: DeclaredFleet;
  readonly refusal: Refusal | undefined;
}

/** What the daemon needs from outside, and whom it tells. */
export interface ReconcilerPorts extends ZoneRunPorts {
  readonly desired: DesiredSource;
  readonly listZones: (signal: AbortSignal) => Promise<Listing>;
  readonly report: (report: ZoneReport) => void;
  readonly loaded: (loaded: Loaded) => void;
  /** The zone listing failed; the next try is in so many milliseconds. */
  readonly unlisted: (failure: Failure, retryMs: number) => void;
}

const emptyFleet: DeclaredFleet = { zones: new Map(), problems: [], missing: [] };

/**
 * Turns any number of wake-ups into looks at zones.
 *
 * A wake-up carries no facts, only the wish to look again: however many arrive while the files are being read, they
 * are read once more, not once each. The unit of work is the zone: each is proposed and carried out by itself, and
 * never twice at once.
 */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #ports: ReconcilerPorts;
  readonly #runner: ZoneRunner;
  readonly #queue: ZoneQueue;
  readonly #woken = new Set<Trigger>();
  #wakeUp = Promise.withResolvers<void>();
  #fleet = emptyFleet;
  #revision = "";
  #hash: string | undefined;
  #listed: readonly Zone[] = [];
  /** The sweep that a failed listing has put off. */
  #owed: Trigger | undefined;
  #failures = 0;

  constructor(options: ReconcilerOptions, ports: ReconcilerPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#runner = new ZoneRunner(options, ports);
    this.#queue = new ZoneQueue(ports.clock);
  }

  /** Zones that wait to be looked at. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Zones that are being looked at now. */
  get running(): readonly ZoneName[] {
    return this.#queue.running;
  }

  /** Asks to look again: at every zone, or after a file change at those that it touches. */
  wake(trigger: Trigger): void {
    this.#woken.add(trigger);
    this.#wakeUp.resolve();
  }

  /** Works until `stop` aborts; ends when the looks under way have ended. Never rejects for what the world does. */
  async runUntil(signals: StopSignals): Promise<void> {
    const workers = Array.from({ length: this.#options.concurrency }, () => this.#work(signals));
    await Promise.all([this.#refreshWhenWoken(signals.stop), ...workers]);
  }

  async #refreshWhenWoken(stop: AbortSignal): Promise<void> {
    const stopped = new Promise<void>((resolve) => {
      stop.addEventListener("abort", () => resolve(), { once: true });
    });
    while (!stop.aborted) {
      await Promise.race([stopped, this.#wakeUp.promise]);
      const triggers = [...this.#woken];
      this.#woken.clear();
      this.#wakeUp = Promise.withResolvers();
      try {
        await this.#refresh(triggers, stop);
      } catch (error) {
        this.#tellUnlessStopped(error, stop);
      }
    }
  }

  async #refresh(triggers: readonly Trigger[], stop: AbortSignal): Promise<void> {
    const state = await this.#ports.desired.load(stop);
    const sweep = triggers.find(isSweep) ?? this.#owed;
    const failure = await this.#list(sweep !== undefined || this.#hasUnlisted(state), stop);
    this.#owed = failure === undefined ? undefined : sweep;

    const before = this.#fleet;
    const loaded = this.#adopt(state);
    this.#ports.loaded(loaded);
    this.#enqueue(before, sweep);
    this.#reportMissing(sweep ?? "file", failure);
  }

  /** Reads the zone listing anew where that is wished; gives what it failed with. What was known before stays known. */
  async #list(isWished: boolean, stop: AbortSignal): Promise<Failure | undefined> {
    if (!isWished) return undefined;
    try {
      this.#listed = joinListings(this.#listed, await this.#ports.listZones(stop));
      this.#failures = 0;
      return undefined;
    } catch (error) {
      stop.throwIfAborted();
      if (!isServiceError(error)) this.#ports.bug(error, "");
      const failure = failureOf(error);
      this.#failures += 1;
      const wait = backoffMs(this.#failures, this.#ports.random(), zoneBackoff);
      const retryMs = Math.max(wait, failure.retryAfterMs);
      this.#ports.unlisted(failure, retryMs);
      void this.#wakeAfter(retryMs, stop);
      return failure;
    }
  }

  async #wakeAfter(ms: number, stop: AbortSignal): Promise<void> {
    try {
      await this.#ports.clock.sleep(ms, stop);
      this.wake("retry");
    } catch {
      // Only the end of the program cuts a sleep short.
    }
  }

  #hasUnlisted({ documents }: DesiredState): boolean {
    const seen = new Set(this.#listed.map(({ name }) => name));
    return this.#hash === undefined || namesOf(documents).some((name) => !seen.has(name));
  }

  /** Puts what the files say in force, unless the step from the revision before is too wide to take unasked. */
  #adopt(state: DesiredState): Loaded {
    const { fleetLimits } = this.#options;
    const next = declaredFleet(this.#ports.desired.select, state, this.#listed);
    const isNew = state.hash !== this.#hash;
    const refusal = isNew
      ? compareFleets(digests(this.#fleet), digests(next), state.revision, fleetLimits)
      : undefined;
    const problems = next.problems;
    if (refusal !== undefined) {
      return { result: "refused", state, problems, fleet: this.#fleet, refusal };
    }
    this.#fleet = next;
    this.#revision = state.revision;
    this.#hash = state.hash;
    const isBroken = state.problems.some(({ severity }) => severity === "error");
    const result = isBroken ? "invalid" : isNew ? "applied" : "unchanged";
    return { result, state, problems, fleet: next, refusal: undefined };
  }

  /** Queues what changed, and in a sweep everything; forgets what is no longer declared. */
  #enqueue(before: DeclaredFleet, sweep: Trigger | undefined): void {
    const { zones } = this.#fleet;
    for (const [name, { digest }] of zones) {
      const known = before.zones.get(name);
      if (known !== undefined && known.digest !== digest) {
        this.#queue.add(name, "changed", "file", 0);
      } else if (sweep !== undefined) this.#queue.add(name, "sweep", sweep, 0);
      else if (known === undefined) this.#queue.add(name, "changed", "file", 0);
    }
    for (const name of before.zones.keys()) {
      if (!zones.has(name)) this.#queue.remove(name);
    }
    this.#runner.keepOnly(new Set(zones.keys()));
  }

  /** A declared zone that the listing does not show is not an empty one: it is told as unreadable. */
  #reportMissing(trigger: Trigger, failure: Failure | undefined): void {
    const { clock, report, runId } = this.#ports;
    const now = clock.now();
    for (const zone of this.#fleet.missing) {
      const occasion = { run: runId(), trigger, revision: this.#revision, now };
      report(missingReport(zone, failure, occasion));
    }
  }

  async #work(signals: StopSignals): Promise<void> {
    while (!signals.stop.aborted) {
      try {
        const entry = await this.#queue.take(signals.stop);
        await this.#runEntry(entry, signals).finally(() => this.#queue.done(entry.zone));
      } catch (error) {
        this.#tellUnlessStopped(error, signals.stop);
      }
    }
  }

  #tellUnlessStopped(error: unknown, stop: AbortSignal): void {
    if (!stop.aborted) this.#ports.bug(error, "");
  }

  async #runEntry({ zone, priority, trigger }: QueueEntry, signals: StopSignals): Promise<void> {
    const declared = this.#fleet.zones.get(zone);
    if (declared === undefined) return;
    const urgency = priority === "changed" ? "changed" : "sweep";
    const occasion = { trigger, urgency, revision: this.#revision } as const;
    const { report, retryMs } = await this.#runner.run(declared, occasion, signals);
    this.#ports.report(report);
    if (retryMs !== undefined) this.#queue.add(zone, "retry", "retry", retryMs);
  }
}

function digests({ zones }: DeclaredFleet): ReadonlyMap<ZoneName, string> {
  return new Map([...zones].map(([name, { digest }]) => [name, digest]));
}
