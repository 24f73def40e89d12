import type { Trigger, ZoneReport } from "../report/run-report.ts";
import type { ZoneName } from "../zone/zone.ts";
import type { StopSignals } from "./carry-out.ts";
import type { DeclaredFleet, DesiredSource, DesiredState } from "./declared-fleet.ts";
import { isSweep, missingReport, namesOf } from "./declared-fleet.ts";
import type { FleetLimits } from "./fleet-guard.ts";
import { FleetInForce, type Loaded } from "./fleet-in-force.ts";
import { keepOn } from "./keep-on.ts";
import { spreadMs, Sweep } from "./sweep.ts";
import type { DirectoryPorts } from "./zone-directory.ts";
import { ZoneDirectory } from "./zone-directory.ts";
import type { QueueEntry, ZoneQueue } from "./zone-queue.ts";
import { type CredentialPorts, ZoneQueues } from "./zone-queues.ts";
import type { ZoneRunOptions, ZoneRunPorts } from "./zone-runner.ts";
import { ZoneRunner } from "./zone-runner.ts";

/** What the daemon does, beside how it runs each zone. */
export interface ReconcilerOptions extends ZoneRunOptions {
  /** Zones of one credential that are looked at side by side. */
  readonly concurrency: number;
  readonly fleetLimits: FleetLimits;
  /** Whether a change of the files is acted on at once, or in the next sweep. */
  readonly onChange: boolean;
}

/** What the daemon needs from outside, and whom it tells. */
export interface ReconcilerPorts extends ZoneRunPorts, DirectoryPorts {
  readonly desired: DesiredSource;
  readonly credentials: CredentialPorts;
  /** When the next scheduled sweep begins; `undefined` where none is planned. */
  readonly nextSweep: () => Date | undefined;
  readonly report: (report: ZoneReport) => void;
  readonly loaded: (loaded: Loaded) => void;
  /** A scheduled sweep was due while the one before was under way; it begins when that one has ended. */
  readonly overlapped: () => void;
}

/** What makes the loop turn: somebody asked, or the service answered which zones there are. */
type Wake = Trigger | "listed";

/**
 * Turns any number of wake-ups into looks at zones.
 *
 * A wake-up carries no facts, only the wish to look again: however many arrive while the files are being read, they
 * are read once more, not once each. The unit of work is the zone: each is proposed and carried out by itself, and
 * never twice at once.
 */
export class Reconciler {
  #options: ReconcilerOptions;
  readonly #ports: ReconcilerPorts;
  readonly #runner: ZoneRunner;
  readonly #queues: ZoneQueues;
  readonly #directory: ZoneDirectory;
  readonly #inForce: FleetInForce;
  readonly #sweep = new Sweep();
  readonly #woken = new Set<Wake>();
  #wakeUp = Promise.withResolvers<void>();
  #state: DesiredState | undefined;
  /** Content for which the zones were listed last: a name that nobody has is not asked for again and again. */
  #listedFor: string | undefined;
  /** The sweep that waits for the zone listing. */
  #owed: Trigger | undefined;
  /** A scheduled sweep waits for the end of the one before. */
  #isLate = false;

  constructor(options: ReconcilerOptions, ports: ReconcilerPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#runner = new ZoneRunner(options, ports);
    this.#queues = new ZoneQueues(ports.credentials, ports.clock);
    this.#inForce = new FleetInForce(ports.desired.select);
    this.#directory = new ZoneDirectory(ports, () => this.#wakeFor("listed"));
  }

  /** Zones that wait to be looked at; those that wait for a window to open do not count. */
  get waiting(): number {
    return this.#queues.size;
  }

  /** Zones that are being looked at now, and since which moment of the clock's uptime. */
  get running(): ReadonlyMap<ZoneName, number> {
    return this.#queues.running;
  }

  /**
   * Goes by other options from the next look on; only the number of workers stays. What holds plans for a while may be
   * over sooner by them, so these zones are looked at again.
   */
  reconfigure(options: ReconcilerOptions): void {
    this.#options = options;
    this.#runner.reconfigure(options);
    this.#queues.hastenDue();
  }

  /** Asks to look again: at every zone, or after a file change at those that it touches. */
  wake(trigger: Trigger): void {
    this.#wakeFor(trigger);
  }

  /** Asks to look at one zone, before those that wait for a sweep; one that the service does not list needs a sweep. */
  wakeZone(name: string, trigger: Trigger): void {
    const declared = [...this.#inForce.fleet.zones.values()].find(
      ({ desired }) => desired.zone.name === name,
    );
    if (declared === undefined) this.wake(trigger);
    else this.#queues.add(declared.desired.zone, "changed", trigger, 0);
  }

  /** Works until `stop` aborts; ends when the looks under way have ended. Never rejects for what the world does. */
  async runUntil(signals: StopSignals): Promise<void> {
    const workers = this.#queues.all.flatMap((queue) =>
      Array.from({ length: this.#options.concurrency }, () => this.#work(queue, signals)),
    );
    await Promise.all([this.#refreshWhenWoken(signals.stop), ...workers]);
  }

  #wakeFor(wake: Wake): void {
    this.#woken.add(wake);
    this.#wakeUp.resolve();
  }

  async #refreshWhenWoken(stop: AbortSignal): Promise<void> {
    stop.addEventListener("abort", () => this.#wakeUp.resolve(), { once: true });
    const refreshOnce = async (): Promise<void> => {
      await this.#wakeUp.promise;
      const wakes = new Set(this.#woken);
      this.#woken.clear();
      this.#wakeUp = Promise.withResolvers();
      stop.throwIfAborted();
      if (wakes.size > 0) await this.#refresh(wakes, stop);
    };
    await keepOn(refreshOnce, this.#ports.bug, stop);
  }

  async #refresh(wakes: ReadonlySet<Wake>, stop: AbortSignal): Promise<void> {
    const isSweepDue = this.#owe(wakes);
    // The files are read while the service answers.
    if (isSweepDue) this.#directory.ask(stop);
    const isOnlyListed = wakes.has("listed") && wakes.size === 1;
    const known = isOnlyListed ? this.#state : undefined;
    const state = known ?? (await this.#read(isSweepDue, stop));
    this.#state = state;
    // The service may have answered meanwhile.
    const isListed = wakes.has("listed") || this.#woken.delete("listed");

    const before = this.#inForce.fleet;
    const { fleetLimits } = this.#options;
    this.#ports.loaded(this.#inForce.adopt(state, this.#directory.known, fleetLimits));
    const sweep = isListed ? this.#owed : undefined;
    // A listing that fails sweeps the zones that are known; while there are none, the sweep stays owed.
    if (isListed && this.#directory.known !== undefined) this.#owed = undefined;
    this.#enqueue(before, sweep);
    if (isListed) this.#reportMissing(sweep ?? "file");
    if (isSweepDue) this.#listedFor = state.hash;
    else this.#askForNewNames(state, stop);
  }

  /** What the files say; where their changes wait for a sweep, what they said before with what is wrong in them now. */
  async #read(isSweepDue: boolean, stop: AbortSignal): Promise<DesiredState> {
    const state = await this.#ports.desired.load(stop);
    const before = this.#state;
    if (before === undefined || isSweepDue || this.#options.onChange) return state;
    return { ...before, problems: state.problems };
  }

  /** Notes a sweep that is asked for, and says whether one is; a scheduled one does not overlap with the one before. */
  #owe(wakes: ReadonlySet<Wake>): boolean {
    const sweeps = [...wakes].filter((wake) => wake !== "listed").filter(isSweep);
    const [sweep] = sweeps.toSorted((a, b) => Number(a === "schedule") - Number(b === "schedule"));
    if (sweep === undefined) return false;
    // A listing that no sweep has asked for is none under way: the sweep joins it.
    const isListing = this.#directory.isAsking && this.#owed !== undefined;
    const isUnderWay = this.#sweep.isUnderWay || isListing;
    if (sweep === "schedule" && isUnderWay) {
      this.#isLate = true;
      this.#ports.overlapped();
      return false;
    }
    this.#owed = sweep;
    return true;
  }

  #askForNewNames({ documents, hash }: DesiredState, stop: AbortSignal): void {
    if (hash === this.#listedFor) return;
    const seen = new Set(this.#directory.known?.zones.map(({ name }) => name));
    if (namesOf(documents).every((name) => seen.has(name))) return;
    this.#listedFor = hash;
    this.#directory.ask(stop);
  }

  /** Queues what changed, and in a sweep everything; forgets what is no longer declared. */
  #enqueue(before: DeclaredFleet, sweep: Trigger | undefined): void {
    const { zones } = this.#inForce.fleet;
    const { clock, nextSweep } = this.#ports;
    const spread = sweep === "schedule" ? spreadMs(clock.now(), nextSweep()) : 0;
    const swept: ZoneName[] = [];
    let nth = 0;
    for (const [name, { desired, digest }] of zones) {
      const known = before.zones.get(name);
      if (known !== undefined && known.digest !== digest) {
        this.#queues.add(desired.zone, "changed", "file", 0);
        swept.push(name);
      } else if (sweep !== undefined) {
        const delayMs = (spread * nth) / zones.size;
        if (this.#queues.add(desired.zone, "sweep", sweep, delayMs)) swept.push(name);
      } else if (known === undefined) this.#queues.add(desired.zone, "changed", "file", 0);
      nth += 1;
    }
    if (sweep !== undefined) this.#sweep.begin(swept);
    for (const name of before.zones.keys()) {
      if (!zones.has(name)) this.#forget(name);
    }
    this.#runner.keepOnly(zones);
  }

  #forget(zone: ZoneName): void {
    this.#queues.remove(zone);
    this.#settle(zone);
  }

  /** Where the sweep ends with this zone and the next is late, that one begins. */
  #settle(zone: ZoneName): void {
    if (!this.#sweep.settle(zone) || !this.#isLate) return;
    this.#isLate = false;
    this.wake("schedule");
  }

  /** A declared zone that the listing does not show is not an empty one: it is told as unreadable. */
  #reportMissing(trigger: Trigger): void {
    const { clock, report, runId } = this.#ports;
    const now = clock.now();
    for (const [zone, reason] of this.#inForce.fleet.missing) {
      const occasion = { run: runId(), trigger, revision: this.#inForce.revision, now };
      report(missingReport(zone, reason ?? this.#directory.failure, occasion));
    }
  }

  async #work(queue: ZoneQueue, signals: StopSignals): Promise<void> {
    const lookAtNext = async (): Promise<void> => {
      const entry = await queue.take(signals.stop);
      await this.#runEntry(entry, signals).finally(() => {
        queue.done(entry.zone);
        this.#settle(entry.zone);
      });
    };
    await keepOn(lookAtNext, this.#ports.bug, signals.stop);
  }

  async #runEntry({ zone, priority, trigger }: QueueEntry, signals: StopSignals): Promise<void> {
    const declared = this.#inForce.fleet.zones.get(zone);
    if (declared === undefined) return;
    const urgency = priority === "changed" || priority === "due" ? "changed" : "sweep";
    const occasion = { trigger, urgency, revision: this.#inForce.revision } as const;
    const { report, next } = await this.#runner.run(declared, occasion, signals);
    this.#ports.report(report);
    if (next !== undefined) {
      this.#queues.add(declared.desired.zone, next.why, next.why, next.delayMs);
    }
  }
}
