import type { Trigger, ZoneReport } from "../state/run-report.ts";
import type { ZoneName } from "../zone/zone.ts";
import { ActiveRevision, type Loaded } from "./fleet/active-revision.ts";
import {
  type DesiredFleet,
  type DesiredSource,
  type DesiredState,
  isSweep,
  missingReport,
  namesOf,
} from "./fleet/desired-fleet.ts";
import type { FleetLimits } from "./fleet/fleet-guard.ts";
import type { DirectoryPorts } from "./fleet/zone-directory.ts";
import { ZoneDirectory } from "./fleet/zone-directory.ts";
import { spreadMs, Sweep } from "./queue/sweep.ts";
import type { QueueEntry, ZoneQueue } from "./queue/zone-queue.ts";
import { type CredentialPorts, ZoneQueues } from "./queue/zone-queues.ts";
import type { ZoneRunOptions, ZoneRunPorts } from "./run/zone-runner.ts";
import { ZoneRunner } from "./run/zone-runner.ts";
import { loopUntil, type StopSignals } from "./signals.ts";

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
  readonly #inForce: ActiveRevision;
  readonly #sweep = new Sweep(() => this.wake("schedule"));
  readonly #woken = new Set<Trigger>();
  #wakeUp = Promise.withResolvers<void>();
  #state: DesiredState | undefined;
  /** What the files said when they were last read in full and usable. */
  #base: DesiredState | undefined;
  /** Content for which the zones were listed last: a name that nobody has is not asked for again and again. */
  #listedFor: string | undefined;

  constructor(options: ReconcilerOptions, ports: ReconcilerPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#runner = new ZoneRunner(options, ports);
    this.#queues = new ZoneQueues(ports.credentials, ports.clock);
    this.#inForce = new ActiveRevision(ports.desired.select);
    this.#directory = new ZoneDirectory(ports, () => this.#wakeUp.resolve());
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
    this.#woken.add(trigger);
    this.#wakeUp.resolve();
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

  async #refreshWhenWoken(stop: AbortSignal): Promise<void> {
    stop.addEventListener("abort", () => this.#wakeUp.resolve(), { once: true });
    const refreshOnce = async (): Promise<void> => {
      await this.#wakeUp.promise;
      const wakes = new Set(this.#woken);
      this.#woken.clear();
      this.#wakeUp = Promise.withResolvers();
      stop.throwIfAborted();
      if (wakes.size > 0 || this.#directory.hasNews) await this.#refresh(wakes, stop);
    };
    await loopUntil(stop, refreshOnce, this.#ports.bug);
  }

  async #refresh(wakes: ReadonlySet<Trigger>, stop: AbortSignal): Promise<void> {
    const sweep = this.#owe(wakes);
    // The files are read while the service answers.
    if (sweep !== undefined) this.#directory.ask(sweep !== "schedule", stop);
    const known = wakes.size === 0 ? this.#state : undefined;
    const state = known ?? (await this.#read(sweep !== undefined, stop));
    this.#state = state;
    if (state.usable) this.#base = state;
    this.#putInForce(state);
    if (sweep !== undefined) this.#listedFor = state.hash;
    else this.#askForNewNames(state, stop);
  }

  /** What the files say; where their changes wait for a sweep, what they said before with what is wrong in them now. */
  async #read(isSweepDue: boolean, stop: AbortSignal): Promise<DesiredState> {
    const state = await this.#ports.desired.load(stop);
    const base = this.#base;
    if (base === undefined || isSweepDue || this.#options.onChange) return state;
    return { ...base, diagnostics: state.diagnostics, usable: state.usable };
  }

  /** What asks for a sweep that is owed from now on; a scheduled one may have to wait for the end of the one before. */
  #owe(wakes: ReadonlySet<Trigger>): Trigger | undefined {
    const sweeps = [...wakes].filter(isSweep);
    const sweep = sweeps.find((trigger) => trigger !== "schedule") ?? sweeps[0];
    if (sweep === undefined) return undefined;
    if (this.#sweep.owe(sweep, this.#directory.isAsking)) return sweep;
    this.#ports.overlapped();
    return undefined;
  }

  #putInForce(state: DesiredState): void {
    const isListed = this.#directory.takeNews();
    const { known } = this.#directory;
    const before = this.#inForce.fleet;
    this.#ports.loaded(this.#inForce.adopt(state, known, this.#options.fleetLimits));
    const sweep = isListed ? this.#sweep.owed : undefined;
    const swept = this.#enqueue(before, sweep);
    // A listing that fails sweeps the zones that are known; while there are none, the sweep stays owed.
    if (sweep !== undefined && known !== undefined) this.#sweep.begin(swept);
    this.#forgetDropped(before);
    if (isListed) this.#reportMissing(sweep ?? "file");
  }

  #askForNewNames({ documents, hash }: DesiredState, stop: AbortSignal): void {
    if (hash === this.#listedFor) return;
    const seen = new Set(this.#directory.known?.zones.map(({ name }) => name));
    if (namesOf(documents).every((name) => seen.has(name))) return;
    this.#listedFor = hash;
    this.#directory.ask(false, stop);
  }

  /** Queues what changed, and in a sweep everything; gives the zones that are looked at for that. */
  #enqueue({ zones: before }: DesiredFleet, sweep: Trigger | undefined): readonly ZoneName[] {
    const { zones } = this.#inForce.fleet;
    const { clock, nextSweep } = this.#ports;
    const spread = sweep === "schedule" ? spreadMs(clock.now(), nextSweep()) : 0;
    const queued: ZoneName[] = [];
    for (const [nth, [name, { desired, digest }]] of [...zones].entries()) {
      const { zone } = desired;
      const known = before.get(name);
      const isEdited = known === undefined ? sweep === undefined : known.digest !== digest;
      if (isEdited) {
        this.#queues.add(zone, "changed", "file", 0);
        queued.push(name);
      } else if (sweep !== undefined) {
        const verdict = this.#queues.add(zone, "sweep", sweep, (spread * nth) / zones.size);
        if (verdict === "queued") queued.push(name);
      }
    }
    return queued;
  }

  #forgetDropped(before: DesiredFleet): void {
    const { zones } = this.#inForce.fleet;
    for (const name of before.zones.keys()) {
      if (zones.has(name)) continue;
      this.#queues.remove(name);
      this.#sweep.settle(name);
    }
    this.#runner.keepOnly(zones);
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
        this.#sweep.settle(entry.zone);
      });
    };
    await loopUntil(signals.stop, lookAtNext, this.#ports.bug);
  }

  async #runEntry({ zone, priority, trigger }: QueueEntry, signals: StopSignals): Promise<void> {
    const declared = this.#inForce.fleet.zones.get(zone);
    if (declared === undefined) return;
    const occasion = {
      trigger,
      priority: priority === "changed" || priority === "due" ? "changed" : "sweep",
      revision: this.#inForce.revision,
    } as const;
    const { report, next } = await this.#runner.run(declared, occasion, signals);
    this.#ports.report(report);
    if (next !== undefined) {
      this.#queues.add(declared.desired.zone, next.reason, next.reason, next.delayMs);
    }
  }
}
