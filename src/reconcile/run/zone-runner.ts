import type { GuardInput, Limits } from "../../plan/guard/guard.ts";
import type { ZoneReport } from "../../state/run-report.ts";
import type { DesiredZone, Mode } from "../../zone/desired-zone.ts";
import type { ZoneName } from "../../zone/zone.ts";
import type { FleetZone } from "../fleet/desired-fleet.ts";
import type { Windows } from "../schedule/windows.ts";
import type { StopSignals } from "../signals.ts";
import { applyPlan, type WritePorts } from "./apply.ts";
import { BackOff } from "./back-off.ts";
import { Deadline } from "./deadline.ts";
import { endOfHolds, type NextRun, retryDelayMs } from "./next-run.ts";
import {
  type ImpactLimits,
  type PlanPorts,
  type PlanRequest,
  planZone,
  type RunTrigger,
} from "./plan-zone.ts";
import { UsedReleases } from "./used-releases.ts";
import { WriteGate } from "./write-gate.ts";
import { type ContentionLimits, ZoneMemory } from "./zone-memory.ts";

/*
 * One run of one zone, step by step:
 *
 *   1. read      the live state of the parts that are declared          planZone
 *   2. plan      the changes from the live to the desired state         planZone
 *   3. guard     the plan: a guard holds it, or it may be applied       planZone
 *   4. apply     its writes through the write gate, which asks the      applyPlan
 *                guards and the age of the read again before each
 *   5. verify    from the answers what is left to do                    applyPlan
 *   6. remember  the result, and schedule the next run                  ZoneRunner
 *
 * `apply` takes steps 1 to 3 for all zones first (planZone), then steps 4 and 5 (applyReviewed). `apply --plan` takes the
 * plan of step 2 from a file (planSaved, applyPlan). A command remembers nothing.
 */

/** How zones are run. */
export interface ZoneRunOptions {
  readonly mode: Mode;
  readonly owner: string;
  readonly limits: Limits;
  readonly impact: ImpactLimits;
  readonly contention: ContentionLimits;
  readonly windows: Windows;
}

export interface ZoneRunPorts extends PlanPorts, WritePorts {
  /** From 0 up to 1. */
  readonly random: () => number;
}

/** The result of a run; `next` is `undefined` where the zone waits for a trigger from outside. */
export interface ZoneRunResult {
  readonly report: ZoneReport;
  readonly next: NextRun | undefined;
}

/** The declaration of a run in progress, and the gate that its writes pass. */
interface RunInProgress {
  readonly digest: string;
  readonly gate: WriteGate;
}

/** What a worker keeps from one run to the next. */
interface WorkerContext {
  readonly deadline: Deadline;
  readonly ports: ZoneRunPorts;
}

/** Runs one zone at a time for each worker, and remembers of each zone what the next run needs. */
export class ZoneRunner {
  #options: ZoneRunOptions;
  readonly #ports: ZoneRunPorts;
  readonly #memories = new Map<ZoneName, ZoneMemory>();
  readonly #backOff: BackOff<ZoneName>;
  readonly #releases = new UsedReleases();
  readonly #inProgress = new Map<ZoneName, RunInProgress>();
  readonly #idleWorkers: WorkerContext[] = [];

  constructor(options: ZoneRunOptions, ports: ZoneRunPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#backOff = new BackOff(ports.random);
  }

  /** Uses other options from now on: writes that they hold are cancelled. */
  reconfigure(options: ZoneRunOptions): void {
    this.#options = options;
    this.#releases.keepOnly(options.limits.accept);
    for (const { gate } of this.#inProgress.values()) gate.check();
  }

  /** Forgets zones that are no longer declared, and cancels the writes of each declaration that has changed. */
  keepOnly(declared: ReadonlyMap<ZoneName, FleetZone>): void {
    for (const [name, { digest, gate }] of this.#inProgress) {
      if (declared.get(name)?.digest !== digest) gate.close("cancelled");
    }
    this.#backOff.keepOnly(declared);
    for (const name of this.#memories.keys()) {
      if (!declared.has(name)) this.#memories.delete(name);
    }
  }

  /** Runs a zone through all steps. Rejects only when a signal aborts. */
  async run(zone: FleetZone, trigger: RunTrigger, signals: StopSignals): Promise<ZoneRunResult> {
    const { name } = zone.desired.zone;
    const memory = this.#memoryOf(name);
    const worker = this.#idleWorkers.pop() ?? this.#newWorker();
    using gate = new WriteGate(this.#ports.clock, memory.maxReadAgeMs);
    this.#inProgress.set(name, { digest: zone.digest, gate });
    worker.deadline.begin();
    try {
      const request = this.#requestOf(zone, trigger, memory);
      const planned = await planZone(request, worker.ports, signals.stop);
      const report = await applyPlan(planned, gate, worker.ports, signals);
      memory.record(report, zone.digest, this.#basisOf(zone, planned.digest));
      this.#releases.record(report, this.#options.limits.accept);
      return { report, next: this.#nextRun(report, zone.desired, memory) };
    } finally {
      this.#inProgress.delete(name);
      this.#release(worker);
    }
  }

  #requestOf(zone: FleetZone, trigger: RunTrigger, memory: ZoneMemory): PlanRequest {
    const { desired, digest } = zone;
    const { owner, impact } = this.#options;
    return {
      ...trigger,
      desired,
      owner,
      impact,
      guardInput: (now) =>
        guardInputOf(desired, { ...this.#options, used: this.#releases.all }, now),
      unchangedPlan: (answers) => memory.unchangedPlan(this.#basisOf(zone, answers)),
      causeOf: (plan) => memory.causeOf(plan, digest),
      otherHolds: (plan, cause, now) => memory.contentionHolds(plan, cause, now),
    };
  }

  /** All that a plan follows from. */
  #basisOf({ digest }: FleetZone, answers: string): string {
    return `${this.#options.owner} ${digest} ${answers}`;
  }

  #nextRun(report: ZoneReport, { content }: DesiredZone, memory: ZoneMemory): NextRun | undefined {
    const leastMs = retryDelayMs(report);
    if (leastMs !== undefined) {
      return { reason: "retry", delayMs: this.#backOff.add(report.zone, leastMs) };
    }
    this.#backOff.forget(report.zone);
    if (report.result !== "held") return undefined;
    const now = this.#ports.clock.now();
    const end = endOfHolds(report.holds, {
      contended: () => memory.endOfContention(report.plan, now),
      freeze: () => this.#options.windows.endOfFreeze(now),
      suspend: () => content.suspension?.until,
    });
    if (end === undefined) return undefined;
    return { reason: "due", delayMs: Math.max(0, Number(end) - Number(now)) };
  }

  #memoryOf(zone: ZoneName): ZoneMemory {
    const memory = this.#memories.get(zone) ?? new ZoneMemory(() => this.#options.contention);
    this.#memories.set(zone, memory);
    return memory;
  }

  #newWorker(): WorkerContext {
    const deadline = new Deadline(this.#ports);
    const { reader, writer } = deadline;
    return { deadline, ports: { ...this.#ports, reader, writer } };
  }

  #release(worker: WorkerContext): void {
    worker.deadline.end();
    if (worker.deadline.isOver) worker.deadline[Symbol.dispose]();
    else this.#idleWorkers.push(worker);
  }
}

/** What the guards go by: the stricter mode of program and zone, the limits, and the window of the moment. */
export function guardInputOf(
  { content }: DesiredZone,
  {
    mode,
    limits,
    windows,
    used,
  }: Pick<ZoneRunOptions, "mode" | "limits" | "windows"> & Pick<GuardInput, "used">,
  now: Date,
): GuardInput {
  return {
    limits,
    mode: content.mode === "observe" ? "observe" : mode,
    suspension: content.suspension,
    freeze: windows.freezeAt(now),
    used,
    now,
  };
}
