import type { GuardInput, Limits } from "../../plan/guard/guard.ts";
import { plan } from "../../plan/plan.ts";
import { failureIn, type Trigger, type ZoneReport } from "../../state/run-report.ts";
import type { DesiredZone, Mode } from "../../zone/desired-zone.ts";
import type { LiveZone } from "../../zone/live-zone.ts";
import type { Clock, LiveReader, LiveWriter, RequestPriority } from "../../zone/ports.ts";
import type { ZoneName } from "../../zone/zone.ts";
import type { FleetZone } from "../fleet/desired-fleet.ts";
import type { Windows } from "../schedule/windows.ts";
import { applyPlan } from "./apply-while-valid.ts";
import type { StopSignals } from "./apply.ts";
import { BackOff } from "./back-off.ts";
import { Deadline } from "./deadline.ts";
import { endOfHold } from "./end-of-hold.ts";
import type { ImpactLimits } from "./judge-seen.ts";
import { holdsAt, type PlanRequest, planZone } from "./plan-zone.ts";
import { UsedReleases } from "./used-releases.ts";
import { WriteGate } from "./write-gate.ts";
import { type ContentionLimits, ZoneMemory } from "./zone-memory.ts";

/** How zones are run. */
export interface ZoneRunOptions {
  readonly mode: Mode;
  readonly owner: string;
  readonly limits: Limits;
  readonly impact: ImpactLimits;
  readonly contention: ContentionLimits;
  readonly windows: Windows;
}

/** What running a zone needs from outside. */
export interface ZoneRunPorts {
  readonly reader: LiveReader;
  readonly writer: LiveWriter;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** A new name for each run. */
  readonly runId: () => string;
  readonly bug: (error: unknown, zone: string) => void;
}

/** Why a zone is run, and under which revision of the files. */
export interface RunTrigger {
  readonly trigger: Trigger;
  readonly priority: RequestPriority;
  readonly revision: string;
}

/** What a run came to, and what follows from it; `undefined`: nothing before the next occasion. */
export interface ZoneRunResult {
  readonly report: ZoneReport;
  readonly next: NextRun | undefined;
}

/** A look that a zone wants by itself: after a failure, or when what holds its plan is over. */
export interface NextRun {
  readonly reason: "retry" | "due";
  readonly delayMs: number;
}

/** A run that has not ended, by which declaration it goes, and what calls it off. */
interface RunUnderWay {
  readonly digest: string;
  readonly gate: WriteGate;
}

/** What the runs of one worker go by, one after the other. */
interface Lane {
  readonly deadline: Deadline;
  readonly ports: ZoneRunPorts;
}

/** Runs zones one look at a time, and remembers of each what explains the next look. */
export class ZoneRunner {
  #options: ZoneRunOptions;
  readonly #ports: ZoneRunPorts;
  readonly #memories = new Map<ZoneName, ZoneMemory>();
  readonly #failures: BackOff<ZoneName>;
  readonly #releases = new UsedReleases();
  readonly #underWay = new Map<ZoneName, RunUnderWay>();
  /** Those that no run goes by at the moment. */
  readonly #lanes: Lane[] = [];

  constructor(options: ZoneRunOptions, ports: ZoneRunPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#failures = new BackOff(ports.random);
  }

  /** Goes by other options from now on: what they speak against is not sent any more. */
  reconfigure(options: ZoneRunOptions): void {
    this.#options = options;
    this.#releases.keepOnly(options.limits.accept);
    for (const { gate } of this.#underWay.values()) gate.check();
  }

  /** Looks at a zone and carries out what may be carried out. Rejects only when a signal aborts. */
  async run(zone: FleetZone, occasion: RunTrigger, signals: StopSignals): Promise<ZoneRunResult> {
    const { name } = zone.desired.zone;
    using gate = new WriteGate(this.#ports.clock);
    this.#underWay.set(name, { digest: zone.digest, gate });
    const lane = this.#lanes.pop() ?? this.#newLane();
    lane.deadline.begin();
    try {
      const report = await this.#runIn(lane, gate, zone, occasion, signals);
      return { report, next: this.#retryAfter(report) ?? this.#dueAfter(report, zone.desired) };
    } finally {
      this.#underWay.delete(name);
      this.#giveBack(lane);
    }
  }

  #newLane(): Lane {
    const deadline = new Deadline(this.#ports);
    const { reader, writer } = deadline;
    return { deadline, ports: { ...this.#ports, reader, writer } };
  }

  #giveBack(lane: Lane): void {
    lane.deadline.end();
    if (lane.deadline.isOver) lane.deadline[Symbol.dispose]();
    else this.#lanes.push(lane);
  }

  async #runIn(
    { ports }: Lane,
    gate: WriteGate,
    { desired, digest }: FleetZone,
    occasion: RunTrigger,
    signals: StopSignals,
  ): Promise<ZoneReport> {
    const { owner, impact } = this.#options;
    const memory = this.#memoryOf(desired.zone.name);
    const basis = (answers: string): string => `${owner} ${digest} ${answers}`;
    const request: PlanRequest = {
      ...occasion,
      desired,
      owner,
      impact,
      run: this.#ports.runId(),
      guardInput: (now) => this.#guardInput(desired, now),
      settled: (answers) => memory.settled(basis(answers)),
      causeOf: (proposed) => memory.causeOf(proposed, digest),
      otherHolds: (proposed, cause) => memory.otherHolds(proposed, cause, this.#ports.clock.now()),
    };
    const proposal = await planZone(request, ports, signals.stop);
    let { report } = proposal;
    if (report.result === "planned") {
      const { plan: proposed, cause } = report;
      const holdsNow = (now: Date) => holdsAt(request, proposed, cause, now);
      const conditions = { gate, holdsAt: holdsNow, longestAgeMs: memory.longestAgeMs };
      const verify = (after: LiveZone) => plan(desired, after, owner).changes;
      report = await applyPlan(conditions, proposal, verify, ports, signals);
    }
    memory.record(report, digest);
    this.#releases.record(report, this.#options.limits.accept);
    memory.settle(report, basis(proposal.answers));
    return report;
  }

  /** Forgets zones that are no longer declared; of what is no longer declared so, nothing more is sent. */
  keepOnly(declared: ReadonlyMap<ZoneName, FleetZone>): void {
    for (const [name, { digest, gate }] of this.#underWay) {
      if (declared.get(name)?.digest !== digest) gate.close("cancelled");
    }
    this.#failures.keepOnly(declared);
    for (const name of this.#memories.keys()) {
      if (!declared.has(name)) this.#memories.delete(name);
    }
  }

  #guardInput(desired: DesiredZone, now: Date): GuardInput {
    return guardInputOf(desired, { ...this.#options, used: this.#releases.all }, now);
  }

  #memoryOf(zone: ZoneName): ZoneMemory {
    const memory = this.#memories.get(zone) ?? new ZoneMemory(() => this.#options.contention);
    this.#memories.set(zone, memory);
    return memory;
  }

  #retryAfter(report: ZoneReport): NextRun | undefined {
    const wish = retryWish(report);
    if (wish !== undefined) {
      return { reason: "retry", delayMs: this.#failures.add(report.zone, wish) };
    }
    this.#failures.forget(report.zone);
    return undefined;
  }

  #dueAfter(report: ZoneReport, { content }: DesiredZone): NextRun | undefined {
    if (report.result !== "held") return undefined;
    const now = this.#ports.clock.now();
    const end = endOfHold(report.holds, {
      contended: () => this.#memoryOf(report.zone).endOfContention(report.plan, now),
      freeze: () => this.#options.windows.endOfFreeze(now),
      suspend: () => content.suspension?.until,
    });
    if (end === undefined) return undefined;
    return { reason: "due", delayMs: Math.max(0, Number(end) - Number(now)) };
  }
}

type Terms = Pick<ZoneRunOptions, "mode" | "limits" | "windows"> & Pick<GuardInput, "used">;

/** What may be done to a zone at this moment: of the program's mode and the zone's the stricter, and the windows. */
export function guardInputOf(
  { content }: DesiredZone,
  { mode, limits, windows, used }: Terms,
  now: Date,
): GuardInput {
  const stricter = content.mode === "observe" ? "observe" : mode;
  return {
    limits,
    mode: stricter,
    suspension: content.suspension,
    freeze: windows.freezeAt(now),
    used,
    now,
  };
}

/**
 * The least wait before a run is worth repeating by itself; `undefined` where it succeeded, or where only a changed
 * file or the next sweep can help.
 */
function retryWish(report: ZoneReport): number | undefined {
  switch (report.result) {
    case "in_sync":
    case "held":
    case "planned":
      return undefined;
    case "error":
      return report.failure.transient ? report.failure.retryAfterMs : undefined;
    case "applied": {
      const failure = failureIn(report.outcomes);
      if (failure !== undefined) return failure.transient ? failure.retryAfterMs : undefined;
      return report.left.length > 0 ? 0 : undefined;
    }
  }
}
