import { isDeepStrictEqual } from "node:util";

import { isFullyKnown } from "../plan/cause/applied-zone.ts";
import type { RolloutAnswer, RolloutCommand } from "../state/asked-of-rollout.ts";
import type { WaveStatus } from "../state/load-report.ts";
import type { GatedZone, GateJudgement } from "../state/rollout-gate.ts";
import { type Asker, askerText, type RolloutTurn } from "../state/rollout-turn.ts";
import type { Trigger, ZoneReport } from "../state/run-report.ts";
import type { DesiredState } from "../zone/desired-state.ts";
import { isAborted, loopUntil, type StopSignals } from "../zone/signals.ts";
import type { RolloutSettings } from "../zone/wave.ts";
import { type KnownZones, type ZoneName, zoneName } from "../zone/zone.ts";
import { ActiveRevision, type Loaded, type ReportedLoad } from "./fleet/active-revision.ts";
import {
  declaredDigests,
  type DesiredFleet,
  type DesiredSource,
  type FleetZone,
  missingReport,
  namesOf,
} from "./fleet/desired-fleet.ts";
import type { FleetLimits } from "./fleet/fleet-guard.ts";
import { FleetPast } from "./fleet/fleet-past.ts";
import { FleetRound } from "./fleet/fleet-round.ts";
import { commandTurns, Rollout } from "./fleet/rollout.ts";
import { type DirectoryPorts, ZoneDirectory } from "./fleet/zone-directory.ts";
import { EventQueue, type SweepTrigger, spreadMs, Sweep } from "./queue/events.ts";
import { type QueueEntry, type CredentialPorts, ZoneQueues } from "./queue/zone-queue.ts";
import {
  ZoneRunner,
  type ZoneRunOptions,
  type ZoneRunPorts,
  type ZoneRunResult,
} from "./run/zone-runner.ts";
import type { Schedule } from "./schedule/schedule.ts";
import { commandSteps, whyNot } from "./steps/command-steps.ts";
import { Steps, type StepsPorts } from "./steps/steps.ts";

export interface ReconcilerOptions extends ZoneRunOptions {
  /** How many zones of one credential are run at the same time. */
  readonly concurrency: number;
  readonly fleetLimits: FleetLimits;
  /** Left out: a revision reaches all zones at once. */
  readonly rollout?: RolloutSettings | undefined;
  /** Whether a file change takes effect at once, or in the next sweep. */
  readonly onChange: boolean;
}

export interface ReconcilerPorts extends ZoneRunPorts, DirectoryPorts {
  readonly desired: DesiredSource;
  readonly credentials: CredentialPorts;
  readonly schedule: Pick<Schedule, "nextRun">;
  readonly report: (report: ZoneReport) => void;
  readonly loaded: (loaded: ReportedLoad) => void;
  /** A scheduled sweep was due during another; it begins when that one ends. */
  readonly overlapped: () => void;
  /** Left out: an object with steps stays at the one at which it is live. */
  readonly steps?: StepsPorts | undefined;
}

interface AskedCommand {
  readonly command: RolloutCommand;
  readonly revision: string;
  readonly asker: Asker;
  readonly resolve: (answer: RolloutAnswer | Promise<RolloutAnswer>) => void;
}

/**
 * The daemon's loop: a machine with eight events, each handled by one function.
 *
 *   event             from            handler            what it does
 *   files changed     filesChanged    #onFilesChanged    loads the files, activates them, queues the zones that changed
 *   sweep due         requestSweep    #onSweepDue        lists the zones and loads the files; begins when both have arrived
 *   listing arrived   ZoneDirectory   #onListingArrived  finds the declared zones in it, begins the sweep that is due
 *   zone requested    requestZone     requestZone        queues one zone before those of a sweep
 *   zone touched      the audit feed  wakeZone           queues one zone before those of a sweep
 *   round judged      FleetRound,     #onRoundJudged     reports what the fleet guard holds, queues what it releases,
 *                     Rollout, Steps                     lets zones go whose wave begins, and objects to their next step
 *   rollout commanded a person        #onCommanded       pauses, resumes, promotes or aborts the rollout
 *   run ended         a worker        #onRunEnded        reports, queues the next run of the zone, tells those who judge rounds
 *
 * All but those of one zone change the fleet: they wait in the EventQueue and are handled one at a time. Workers take zones from the
 * ZoneQueues and run them (zone-runner.ts); no zone is run twice at once.
 */
export class Reconciler {
  #options: ReconcilerOptions;
  readonly #ports: ReconcilerPorts;
  readonly #events = new EventQueue();
  readonly #directory: ZoneDirectory;
  readonly #active: ActiveRevision;
  readonly #round: FleetRound;
  readonly #rollout: Rollout;
  /** Brings objects from step to step; `undefined`: nobody does. */
  readonly steps: Steps | undefined;
  /** What people asked of the rollout, and who waits for the answer. */
  readonly #commands: AskedCommand[] = [];
  /** What people asked of steps since the last load. */
  #stepTurns: readonly RolloutTurn[] = [];
  /** Ends the wait for the next wave. */
  #cancelWave = (): void => undefined;
  readonly #sweep = new Sweep(() => this.requestSweep("schedule"));
  readonly #queues: ZoneQueues;
  readonly #runner: ZoneRunner;
  /** Hash of the files for which the zones were listed last: an unknown name is looked up once. */
  #listedHash: string | undefined;

  constructor(options: ReconcilerOptions, ports: ReconcilerPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#directory = new ZoneDirectory(ports, () => this.#events.add({ type: "listing_arrived" }));
    const past = new FleetPast(ports.store, ports.clock);
    const judgementChanged = (): void => this.#events.add({ type: "round_judged" });
    this.#queues = new ZoneQueues(ports.credentials, ports.clock);
    const isKnown = (zone: ZoneName): boolean => isFullyKnown(ports.store.applied(zone));
    const { clock } = ports;
    this.#rollout = new Rollout(options.rollout, {
      clock,
      past,
      halts: ports.store,
      isKnown,
      changed: judgementChanged,
    });
    this.steps =
      ports.steps &&
      new Steps(options.mode, ports.steps, {
        past,
        waveOf: (zone) => this.#rollout.stepWaveOf(zone),
        changed: judgementChanged,
      });
    this.#round = new FleetRound(options, past, isKnown, judgementChanged);
    const { select } = ports.desired;
    this.#active = new ActiveRevision(select, past, this.#round, this.#rollout, this.steps);
    this.#runner = new ZoneRunner(options, ports, {
      waitOf: (zone) => this.#round.waitOf(zone) ?? this.#rollout.waitOf(zone),
      holdsOf: (zone, plan) => [
        ...this.#rollout.holdsOf(zone, plan),
        ...this.#round.holdsOf(zone, plan),
      ],
      countWrite: (zone, plan) => {
        this.#round.countWrite(zone, plan);
      },
      decide: (zone, compared) => {
        this.#rollout.decide(zone, compared);
      },
      staying: this.#round.staying,
    });
  }

  /** How many zones wait for a run. Zones that wait for a hold to end do not count. */
  get waiting(): number {
    return this.#queues.size;
  }

  /** Zones that are being run, and since which moment of the monotonic clock. */
  get running(): ReadonlyMap<ZoneName, number> {
    return this.#queues.running;
  }

  /** Why a zone is not written before it is judged; `undefined`: it was judged, or is not known. */
  waitOf(name: string): string | undefined {
    const zone = this.#zoneNamed(name);
    return zone && this.#round.waitOf(zone);
  }

  /** Uses other options for the next runs; only the number of workers stays. Holds may end earlier: held zones run again. */
  reconfigure(options: ReconcilerOptions): void {
    this.#options = options;
    this.#runner.reconfigure(options);
    this.#round.reconfigure(options);
    this.steps?.reconfigure(options.mode);
    this.#queues.promoteDue();
  }

  /** The zones of which measurements decide whether the next wave may begin; see {@link Rollout}. */
  get gated(): readonly GatedZone[] {
    return this.#rollout.gated;
  }

  /** Takes in what the measurements say of {@link gated} zones. */
  judgeGate(judgements: ReadonlyMap<ZoneName, GateJudgement>): void {
    this.#rollout.judge(judgements);
  }

  filesChanged(): void {
    this.#events.add({ type: "files_changed" });
  }

  requestSweep(trigger: SweepTrigger): void {
    this.#events.add({ type: "sweep_due", trigger });
  }

  /** Queues one zone before those of a sweep. A zone that is not known needs a sweep. */
  requestZone(name: string, trigger: SweepTrigger): void {
    const zone = this.#zoneNamed(name);
    if (zone === undefined) this.requestSweep(trigger);
    else this.#queues.add(zone.desired.zone, "changed", trigger, 0);
  }

  /**
   * Queues a zone that somebody may have changed, at the urgency of a change, and reads it in full. Ignores zones that are not
   * known.
   */
  wakeZone(name: ZoneName): void {
    this.#runner.distrustVersions(name);
    const zone = this.#active.fleet.zones.get(name)?.desired.zone;
    if (zone !== undefined) this.#queues.add(zone, "changed", "audit", 0);
  }

  /**
   * Does what a person asks of the rollout, in turn with all else that changes the fleet. Resolves when the load was reported
   * that it leads to, or the steps of the zones are others.
   *
   * @param revision the revision, its commit or its hash that is meant; "": that which is active.
   */
  commandRollout(command: RolloutCommand, revision: string, asker: Asker): Promise<RolloutAnswer> {
    const { promise, resolve } = Promise.withResolvers<RolloutAnswer>();
    this.#commands.push({ command, revision, asker, resolve });
    this.#events.add({ type: "rollout_commanded" });
    return promise;
  }

  /** Where each zone of each wave is; `undefined`: there is no rollout. */
  get waves(): readonly WaveStatus[] | undefined {
    return this.#rollout.waves;
  }

  #zoneNamed(text: string): FleetZone | undefined {
    const name = zoneName(text);
    return name && this.#active.fleet.zones.get(name);
  }

  /** Works until `stop` aborts, and ends when the runs in progress have ended. Rejects only if the revision before cannot be restored. */
  async runUntil(signals: StopSignals): Promise<void> {
    const run = (entry: QueueEntry): Promise<void> => this.#run(entry, signals);
    const workers = this.#queues.all.flatMap((queue) =>
      Array.from({ length: this.#options.concurrency }, () =>
        queue.work(run, this.#ports.bug, signals.stop),
      ),
    );
    try {
      await Promise.all([
        this.#restore(signals.stop),
        this.steps?.runUntil(signals.stop),
        ...workers,
      ]);
    } finally {
      this.#cancelWave();
      for (const { resolve } of this.#commands.splice(0)) resolve({ result: "not_listed" });
    }
  }

  /** A daemon that knows what was active before its start compares the files with that. */
  async #restore(stop: AbortSignal): Promise<void> {
    const stored = await this.#ports.desired.restore(stop).catch((error: unknown) => {
      if (!isAborted(stop)) throw error;
    });
    if (stored !== undefined) {
      this.#active.restore(stored.state, stored.earlier);
      this.#round.restore(stored.round);
      if (stored.rollout !== undefined) this.#rollout.restore(stored.rollout);
    }
    await this.#handleEvents(stop);
  }

  async #handleEvents(stop: AbortSignal): Promise<void> {
    const handleNext = async (): Promise<void> => {
      const event = await this.#events.next(stop);
      if (event.type === "files_changed") await this.#onFilesChanged(stop);
      else if (event.type === "sweep_due") await this.#onSweepDue(event.trigger, stop);
      else if (event.type === "listing_arrived") await this.#onListingArrived(stop);
      else if (event.type === "round_judged") this.#onRoundJudged();
      else this.#onCommanded();
    };
    await loopUntil(stop, handleNext, this.#ports.bug);
  }

  /** Where changes wait for a sweep, only the diagnostics of the files take effect. */
  async #onFilesChanged(stop: AbortSignal): Promise<void> {
    const { latestUsable: before } = this.#active;
    const loaded = await this.#ports.desired.load(stop);
    const { diagnostics, usable } = loaded;
    const isImmediate = before === undefined || this.#options.onChange;
    const state = isImmediate ? loaded : { ...before, diagnostics, usable };
    this.#activate(state, this.#events.takeListing());
    this.#listUnknownNames(state, stop);
  }

  /** The sweep begins when its files and its listing have both arrived, in either order. */
  async #onSweepDue(trigger: SweepTrigger, stop: AbortSignal): Promise<void> {
    if (!this.#sweep.markDue(trigger, this.#directory.isListing)) {
      this.#ports.overlapped();
      await this.#onFilesChanged(stop);
      return;
    }
    this.#directory.list(trigger !== "schedule", stop);
    const state = await this.#ports.desired.load(stop);
    this.#activate(state, this.#events.takeListing());
    this.#listedHash = state.hash;
  }

  async #onListingArrived(stop: AbortSignal): Promise<void> {
    this.#activate(this.#active.latest ?? (await this.#ports.desired.load(stop)), true);
  }

  #onRoundJudged(): void {
    const { latest } = this.#active;
    if (latest !== undefined) this.#activate(latest, this.#events.takeListing());
  }

  #onCommanded(): void {
    const answered = this.#commands.splice(0).map((asked) => {
      const answer = this.#isActive(asked.revision)
        ? this.#command(asked)
        : ({ result: "other_revision", active: this.#active.active.revision } as const);
      return { ...asked, answer };
    });
    const isOther = answered.some(({ answer }) => "result" in answer && answer.result === "done");
    if (isOther) this.#onRoundJudged();
    for (const { resolve, answer } of answered) resolve(answer);
  }

  /** `promote` lets a zone go that waits for its wave; all else that names zones is for their steps. */
  #command({ command, asker }: AskedCommand): RolloutAnswer | Promise<RolloutAnswer> {
    const { name, zones, key } = command;
    const mayBeOfWaves = name === "promote" && key === undefined;
    const waiting = new Set(this.#rollout.waves?.flatMap((wave) => wave.waiting));
    const isOfWaves = (zone: ZoneName): boolean => mayBeOfWaves && waiting.has(zone);
    const ofWaves = zones.filter(isOfWaves);
    if (ofWaves.length === zones.length) return this.#rollout.command(command, asker);
    const ofSteps = { ...command, zones: zones.filter((zone) => !isOfWaves(zone)) };
    const why = whyNot(this.steps, ofSteps);
    // The rollout says why it lets no zone go.
    if (mayBeOfWaves && why?.result === "no_steps") {
      return this.#rollout.command({ name, zones: [...ofWaves, ...why.zones] }, asker);
    }
    if (why !== undefined) return why;
    const answer = ofWaves.length > 0 && this.#rollout.command({ name, zones: ofWaves }, asker);
    if (answer !== false && answer.result !== "done") return answer;
    return this.#commandSteps(ofSteps, asker, ofWaves);
  }

  /** @param ofWaves zones that were let go with the same command. */
  async #commandSteps(
    command: RolloutCommand,
    asker: Asker,
    ofWaves: readonly ZoneName[],
  ): Promise<RolloutAnswer> {
    const answer = await commandSteps(this.steps, { ...command, by: askerText(asker) });
    this.#events.add({ type: "round_judged" });
    if (answer.result !== "done") return answer;
    const turn = { turn: commandTurns[command.name], stepsOf: answer.zones, ...asker };
    this.#stepTurns = [...this.#stepTurns, turn];
    return { ...answer, zones: [...ofWaves, ...answer.zones] };
  }

  #isActive(text: string): boolean {
    const { revision, commit, hash } = this.#active.active;
    return text === "" || [revision, commit, hash].includes(text);
  }

  /** Makes the files active, as far as the fleet guard allows, and queues the zones that changed or that a sweep is due for. */
  #activate(state: DesiredState, isNewListing: boolean): void {
    const { known } = this.#directory;
    const before = this.#active.fleet;
    const isAllListed = known !== undefined && known.unlisted.length === 0;
    const loaded = this.#round.declare(this.#activateOrReject(state, known), isAllListed);
    const rollout = this.#rollout.view();
    const turns = [...rollout.turns, ...this.#stepTurns];
    this.#stepTurns = [];
    this.#ports.loaded({ ...loaded, rollout: { ...rollout, turns } });
    this.#waitForWave();
    const sweep = isNewListing ? this.#sweep.due : undefined;
    const queued = this.#queueZones(before, sweep);
    // If a listing fails, the sweep covers the zones that are known; while none are known, it stays due.
    if (sweep !== undefined && known !== undefined) this.#sweep.begin(queued);
    for (const [name, trigger] of this.#round.takeReleased()) {
      const zone = this.#active.fleet.zones.get(name)?.desired.zone;
      if (zone !== undefined) {
        this.#queues.add(zone, trigger === "due" ? "due" : "changed", trigger, 0);
      }
    }
    this.#forgetDropped(before);
    if (isNewListing) this.#reportMissing(sweep ?? "file");
  }

  #waitForWave(): void {
    this.#cancelWave();
    const { soakLeftMs } = this.#rollout;
    if (soakLeftMs === undefined) return;
    this.#cancelWave = this.#ports.clock.alarm(soakLeftMs, () => {
      this.#events.add({ type: "round_judged" });
    });
  }

  /** An exception rejects the revision, so that it shows wherever loads are reported. */
  #activateOrReject(state: DesiredState, known: KnownZones | undefined): Loaded {
    try {
      return this.#active.activate(state, known, (candidate) => this.#round.judge(candidate));
    } catch (error) {
      this.#ports.bug(error, "");
      return this.#active.reject(state, error);
    }
  }

  /** Queues the zones that changed, and in a sweep all; gives those that are run now. */
  #queueZones(
    { zones: before }: DesiredFleet,
    sweep: SweepTrigger | undefined,
  ): readonly ZoneName[] {
    const { zones } = this.#active.fleet;
    const { clock, schedule } = this.#ports;
    const spread = sweep === "schedule" ? spreadMs(clock.now(), schedule.nextRun()) : 0;
    const queued: ZoneName[] = [];
    for (const [nth, [name, declared]] of [...zones].entries()) {
      const { zone } = declared.desired;
      const known = before.get(name);
      const isNew = known === undefined && sweep === undefined;
      if (isNew || (known !== undefined && this.#hasChanged(known, declared))) {
        this.#queues.add(zone, "changed", "file", 0);
        queued.push(name);
      } else if (sweep !== undefined) {
        const result = this.#queues.add(zone, "sweep", sweep, (spread * nth) / zones.size);
        if (result === "queued") queued.push(name);
      }
    }
    return queued;
  }

  /** Whether a zone has another declaration, or stays as a revision declares it that is not held any more. */
  #hasChanged(before: FleetZone, zone: FleetZone): boolean {
    const { desired, digest, held } = zone;
    const isStaying = this.#round.staying.has(desired.zone.name);
    return (
      before.digest !== digest ||
      !isDeepStrictEqual(declaredDigests(before), declaredDigests(zone)) ||
      before.desired.isRestored !== desired.isRestored ||
      (isStaying && before.held?.digest !== held?.digest)
    );
  }

  #forgetDropped(before: DesiredFleet): void {
    const { zones } = this.#active.fleet;
    for (const name of before.zones.keys()) {
      if (zones.has(name)) continue;
      this.#queues.remove(name);
      this.#sweep.complete(name);
    }
    this.#runner.keepOnly(zones);
    this.#round.staying.keepOnly(zones);
  }

  /** A declared zone that the service does not list is not an empty zone: it is reported as an error. */
  #reportMissing(trigger: Trigger): void {
    const { clock, report, runId } = this.#ports;
    const now = clock.now();
    for (const [zone, reason] of this.#active.fleet.missing) {
      const { revision, commit } = this.#active.revisionOf(zone);
      const run = { run: runId(), trigger, revision, commit, now };
      report(missingReport(zone, reason ?? this.#directory.failure, run));
    }
  }

  /** Lists the zones where the files name one that is not known. */
  #listUnknownNames({ documents, hash }: DesiredState, stop: AbortSignal): void {
    if (hash === this.#listedHash) return;
    const known = new Set(this.#directory.known?.zones.map(({ name }) => name));
    if (namesOf(documents).every((name) => known.has(name))) return;
    this.#listedHash = hash;
    this.#directory.list(false, stop);
  }

  async #run({ zone, priority, trigger }: QueueEntry, signals: StopSignals): Promise<void> {
    try {
      const declared = this.#active.fleet.zones.get(zone);
      if (declared === undefined) return;
      const isUrgent = priority === "changed" || priority === "due";
      const { revision, commit } = this.#active.revisionOf(zone);
      const run = { trigger, priority: isUrgent ? "changed" : "sweep", revision, commit } as const;
      const result = await this.#runner.run(declared, run, signals);
      this.#onRunEnded(declared, result);
    } finally {
      this.#sweep.complete(zone);
    }
  }

  #onRunEnded(zone: FleetZone, { report, next }: ZoneRunResult): void {
    this.#ports.report(report);
    if (next !== undefined) {
      this.#queues.add(zone.desired.zone, next.reason, next.reason, next.delayMs);
    }
    this.#round.record(zone, report);
    this.#rollout.record(zone, report);
    this.steps?.record(zone, report);
  }
}
