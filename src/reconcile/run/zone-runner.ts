import type { DriftAuthors } from "../../audit/drift-authors.ts";
import type { Limits } from "../../plan/guard/guard.ts";
import { isReleased } from "../../plan/guard/release.ts";
import type { Ownership } from "../../plan/ownership.ts";
import type { Plan } from "../../plan/plan.ts";
import type { ZoneReport } from "../../state/run-report.ts";
import type { DesiredZone } from "../../zone/desired-zone.ts";
import type { LiveZone } from "../../zone/live-zone.ts";
import type { KnownAnswers } from "../../zone/ports.ts";
import type { StopSignals } from "../../zone/signals.ts";
import type { ZoneName } from "../../zone/zone.ts";
import {
  declaredDigests,
  digestOf,
  type FleetZone,
  inForceDigest,
} from "../fleet/desired-fleet.ts";
import type { FleetRound } from "../fleet/fleet-round.ts";
import type { Rollout } from "../fleet/rollout.ts";
import { adoptedAfter } from "./adopted-rules.ts";
import { applyPlan, isTooOld, type WritePorts } from "./apply.ts";
import { comparedContent } from "./as-held.ts";
import { Deadline } from "./deadline.ts";
import { LastApplied } from "./last-applied.ts";
import { BackOff, endOfHolds, type NextRun, retryDelayMs } from "./next-run.ts";
import {
  type GuardRules,
  guardZone,
  type ImpactLimits,
  type PlannedZone,
  type PlanPorts,
  type PlanRequest,
  planZone,
  type RunContext,
} from "./plan-zone.ts";
import type { RunStore } from "./run-store.ts";
import { WriteGate } from "./write-gate.ts";
import { UsedReleases, type ContentionLimits, ZoneMemory } from "./zone-memory.ts";

/*
 * One run of one zone:
 *
 *   1. read      Read the parts of the live state that the zone declares.                     planZone
 *   2. plan      Plan the changes from the live to the desired state.                         planZone
 *   3. guard     Ask the guards: hold the plan and end here, or go on.                        planZone
 *   4. apply     Send the writes through the write gate, which asks before each write         applyPlan
 *                whether the zone may be written (may-write.ts).
 *   5. verify    Plan again on the state that the answers show: nothing must be left to do.   applyPlan
 *   6. remember  Remember what the next run needs, and schedule it: a retry after a failure,  ZoneRunner
 *                a run when a hold ends.
 *
 * `zonewarden apply` takes steps 1 to 3 for all zones before it writes (planZone, applyReviewed). `apply --plan` compares the
 * plan of a file with that of step 2, and sends what both have (planSaved, applyPlan). Neither takes step 6.
 */

/** How zones are run. */
export interface ZoneRunOptions extends Omit<GuardRules, "used"> {
  readonly owner: string;
  /** Whether a run takes ownership of all declared resources. */
  readonly adopt: boolean;
  readonly impact: ImpactLimits;
  readonly contention: ContentionLimits;
  /** Whether rules are read in each run, or only if the listing shows another version of them. */
  readonly rulesetVersions: "trust" | "read";
}

export interface ZoneRunPorts extends PlanPorts, WritePorts {
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly store: RunStore;
  /** Why this process must not write; omitted: it works alone. */
  readonly lease?: (() => string | undefined) | undefined;
  /** `undefined`: nobody says who made drift. */
  readonly authors?: DriftAuthors | undefined;
}

/** The result of a run; `next` is `undefined` if the zone waits for a trigger from outside. */
export interface ZoneRunResult {
  readonly report: ZoneReport;
  readonly next: NextRun | undefined;
}

/** What the fleet as a whole says of a zone, beside the guards of the zone (fleet-round.ts, rollout.ts). */
export type FleetPermit = Pick<FleetRound, "waitOf" | "holdsOf" | "countWrite"> & {
  readonly decide: Rollout["decide"];
  /** Zones that may stay as a held revision declares them. */
  readonly staying: Pick<FleetRound["staying"], "mayStay" | "forget">;
};

/** A larger fleet takes longer to plan than a read may be old; its zones are read again. */
const maxKept = 100;

/** Runs one zone at a time for each worker, and remembers of each zone what the next run needs. */
export class ZoneRunner {
  #options: ZoneRunOptions;
  readonly #ports: ZoneRunPorts;
  readonly #fleet: FleetPermit;
  readonly #memories = new Map<ZoneName, ZoneMemory>();
  readonly #applied: LastApplied;
  readonly #backOff: BackOff<ZoneName>;
  readonly #releases: UsedReleases;
  readonly #contention = (): ContentionLimits => this.#options.contention;
  /** The digest of the declaration of each run in progress, and the gate that its writes pass. */
  readonly #inProgress = new Map<ZoneName, { readonly digest: string; readonly gate: WriteGate }>();
  /** Deadlines of ended runs, which the next ones use. */
  readonly #idleDeadlines: Deadline[] = [];
  /** Plans that were not permitted yet, each with the digest of its declaration. */
  readonly #kept = new Map<ZoneName, { readonly digest: string; readonly planned: PlannedZone }>();

  constructor(options: ZoneRunOptions, ports: ZoneRunPorts, fleet: FleetPermit) {
    this.#options = options;
    this.#ports = ports;
    this.#fleet = fleet;
    this.#applied = new LastApplied(ports.store);
    this.#backOff = new BackOff(ports.random);
    this.#releases = new UsedReleases(ports.store);
    this.#releases.keepOnly(options.limits.accept);
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
      const zone = declared.get(name);
      if (zone === undefined || inForceDigest(zone) !== digest) gate.close("cancelled");
    }
    this.#backOff.keepOnly(declared);
    this.#applied.keepOnly(declared);
    this.#ports.authors?.keepOnly(declared);
    for (const name of this.#memories.keys()) {
      if (!declared.has(name)) this.#memories.delete(name);
    }
  }

  /** Runs a zone through all steps. Rejects only when a signal aborts. */
  async run(zone: FleetZone, context: RunContext, signals: StopSignals): Promise<ZoneRunResult> {
    const { name } = zone.desired.zone;
    const memory = this.#memoryOf(name);
    const { clock, lease } = this.#ports;
    const fleet = (): string | undefined => this.#fleet.waitOf(zone);
    using gate = new WriteGate(clock, memory.maxReadAgeMs, { fleet, lease });
    this.#inProgress.set(name, { digest: inForceDigest(zone), gate });
    const deadline = this.#idleDeadlines.pop() ?? new Deadline(this.#ports);
    const { reader, writer } = deadline;
    const ports = { ...this.#ports, reader, writer };
    deadline.begin();
    try {
      const basisOf = this.#basisOf(zone);
      const request = this.#requestOf(zone, context, memory, basisOf);
      // 1. read, 2. plan, 3. guard
      const planned = this.#takeKept(zone) ?? (await planZone(request, ports, signals.stop));
      if (planned.compared !== undefined) this.#fleet.decide(zone, planned.compared);
      // 4. apply, 5. verify
      const { desired } = zone;
      const content = comparedContent(planned.staysAs, desired);
      const comparedZone = { desired: { ...desired, content }, digest: digestOf(content) };
      const scoreRule = planned.live?.scoreRule;
      let written = planned.live;
      const hooks = {
        beforeFirstWrite: (plan: Plan): void => {
          this.#fleet.countWrite(zone, plan);
          this.#applied.writing(planned.report, comparedZone, scoreRule);
        },
        afterWrites: (live: LiveZone): void => {
          written = live;
        },
      };
      const report = await applyPlan(planned, gate, { ...ports, ...hooks }, signals);
      // A fleet that is judged within seconds is read once.
      if (report.result === "planned" && this.#kept.size < maxKept) {
        this.#kept.set(name, { digest: inForceDigest(zone), planned });
      }
      // 6. remember, schedule the next run
      memory.record(report, basisOf(planned.digest), this.#knownFrom(planned));
      this.#applied.record(report, comparedZone, scoreRule);
      this.#recordAdopted(report, comparedZone.desired);
      const isRead = report.result !== "error";
      if (isRead && planned.staysAs === undefined) this.#fleet.staying.forget(name);
      this.#ports.authors?.record(report, planned.live, written);
      this.#releases.record(report, this.#options.limits.accept);
      return { report, next: this.#nextRun(report, desired, memory) };
    } finally {
      this.#inProgress.delete(name);
      deadline.end();
      if (deadline.isOver) deadline[Symbol.dispose]();
      else this.#idleDeadlines.push(deadline);
    }
  }

  /** Takes the kept plan of a zone, where it may be written now and is not too old. */
  #takeKept(zone: FleetZone): PlannedZone | undefined {
    const { name } = zone.desired.zone;
    const kept = this.#kept.get(name);
    this.#kept.delete(name);
    const isUsable =
      kept?.digest === inForceDigest(zone) && !isTooOld(kept.planned, this.#ports.clock);
    return isUsable ? kept.planned : undefined;
  }

  /** The zone was named as changed: its rules are read in full, whatever their versions are. */
  distrustVersions(zone: ZoneName): void {
    this.#memories.get(zone)?.distrustVersions(this.#ports.clock.monotonicMs());
  }

  /** A listing costs as much as one list: it saves nothing where only one is declared. */
  #knownFrom({ report, digest, rules }: PlannedZone): KnownAnswers | undefined {
    if (this.#options.rulesetVersions === "read" || report.result !== "in_sync") return undefined;
    const read = rules?.();
    return read !== undefined && read.entrypoints.size > 1 ? { digest, rules: read } : undefined;
  }

  #requestOf(
    zone: FleetZone,
    context: RunContext,
    memory: ZoneMemory,
    basisOf: (digest: string) => string,
  ): PlanRequest {
    const { desired, held, wave } = zone;
    const { owner, impact } = this.#options;
    const ownership = this.#ownershipOf(desired.zone.name);
    const isAsked = wave?.isDecided === false;
    const nowMs = this.#ports.clock.monotonicMs();
    return {
      ...context,
      desired,
      owner,
      impact,
      ownership,
      quotas: this.#limits.quota,
      // What a new declaration changes is found once, also where nothing else has changed.
      unchangedPlan: (digest) => (isAsked ? undefined : memory.unchangedPlan(basisOf(digest))),
      known: isAsked ? undefined : memory.knownAnswers(basisOf, nowMs),
      waiting: wave?.content,
      heldRevision: held && {
        held,
        mayStay: (setBack) =>
          this.#applied.knows(desired, setBack) &&
          this.#fleet.staying.mayStay(zone, setBack.changes),
      },
      explain: (plan, live, staysAs) => {
        if (staysAs !== undefined) this.#applied.found(plan.zone.name, staysAs, live?.scoreRule);
        const explained = this.#applied.explain(plan, comparedContent(staysAs, desired));
        return this.#ports.authors?.explain(explained, live) ?? explained;
      },
      holdsAt: (plan, now) => {
        const rules = { ...this.#options, limits: this.#limits, used: this.#releases.all };
        const own = guardZone(plan, desired, rules, now);
        const holds = [...own, ...memory.contentionHolds(plan, now)];
        const { accept } = this.#limits;
        const isJudged = holds.length > 0 || isReleased(plan, { accept, used: rules.used });
        return isJudged ? holds : this.#fleet.holdsOf(zone, plan);
      },
    };
  }

  /** A release whose use cannot be written is not used: after a restart it would release the plan again. */
  get #limits(): Limits {
    const { limits } = this.#options;
    return this.#ports.store.isWritable ? limits : { ...limits, accept: [] };
  }

  /** All that a plan follows from, by the digest of the answers. */
  #basisOf(zone: FleetZone): (answers: string) => string {
    const { owner } = this.#options;
    const { adopt, rules } = this.#ownershipOf(zone.desired.zone.name);
    const ownership = JSON.stringify(rules);
    const declared = declaredDigests(zone).join(" ");
    return (answers) => `${owner} ${adopt} ${declared} ${answers} ${ownership}`;
  }

  #ownershipOf(zone: ZoneName): Ownership {
    return { adopt: this.#options.adopt, rules: this.#ports.store.adopted(zone) };
  }

  #recordAdopted(report: ZoneReport, desired: DesiredZone): void {
    const ownership = this.#ownershipOf(report.zone);
    const rules = adoptedAfter(report, desired, this.#options.mode, ownership);
    if (rules !== ownership.rules) this.#ports.store.setAdopted(report.zone, rules);
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
    const known = this.#memories.get(zone);
    if (known !== undefined) return known;
    const memory = new ZoneMemory(zone, this.#contention, this.#ports.store);
    this.#memories.set(zone, memory);
    return memory;
  }
}
