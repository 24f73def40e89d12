import type { Hold } from "../../plan/guard/hold.ts";
import type { Plan } from "../../plan/plan.ts";
import type { ZoneReport } from "../../state/run-report.ts";
import type { Mode } from "../../zone/desired-zone.ts";
import type { ZoneName } from "../../zone/zone.ts";
import type { JudgedLoad, Loaded } from "./active-revision.ts";
import {
  declaredNames,
  declaredIn,
  type DesiredFleet,
  type FleetZone,
  inForceDigest,
  noFleet,
  type RoundProgress,
} from "./desired-fleet.ts";
import {
  type Candidate,
  type FleetChange,
  fleetChange,
  fleetGuard,
  type FleetHold,
  fleetHold,
  type FleetLimits,
  maxWeakenedOf,
  type RevisionJudgement,
  weakeningBy,
  weakeningHold,
} from "./fleet-guard.ts";
import { type FleetPast, type WeakeningCause, weakeningCauses } from "./fleet-past.ts";
import { PlannedZones } from "./planned-zones.ts";
import { StayingZones } from "./staying-zones.ts";

interface RoundOptions {
  readonly mode: Mode;
  readonly fleetLimits: FleetLimits;
}

/** What the files declare now, and whether every credential has listed its zones. */
interface Active {
  /** What releases them. */
  readonly declaredHash: string;
  readonly fleet: DesiredFleet;
  readonly isAllListed: boolean;
}

/**
 * Lets the fleet guard judge what a revision does to the zones before any of them is written: the zones are planned against
 * their live state, and judged together once all are planned or have failed. All other zones go on.
 *
 * - A new revision is judged by the zones that it declares otherwise, and the active one stays until then.
 * - In the first round, if it is not known what was applied before, there is no other revision: all zones are judged,
 *   and also as a share of the fleet. The round is over when every zone was judged.
 *
 * A zone that cannot be read does not stop the others. In the first round, it is judged when it is planned, together with
 * what was let pass before. Later, it is counted when it is written, as are corrections that weaken a zone which somebody
 * strengthened by hand: one too many is held alone.
 */
export class FleetRound {
  #options: RoundOptions;
  /** Zones that may stay as a held revision declares them. */
  readonly staying: StayingZones;
  readonly #past: FleetPast;
  readonly #isKnown: (zone: ZoneName) => boolean;
  readonly #judgementChanged: () => void;
  #active: Active | undefined;
  /** The revision that is being judged, and the plans of its zones. */
  #judged: (Candidate & { readonly plans: PlannedZones }) | undefined;
  /** The first round. */
  #first: RoundProgress = { phase: "planning", passed: 0, judgesKnown: false };
  /** Whether the process before this one judged plans, and wrote what is known. */
  #wasOpen = false;
  /** What holds the first round. */
  #hold: FleetHold | undefined;
  /** The plans of the first round, and its zones that may be written. */
  #plans = new PlannedZones();
  readonly #settled = new Set<ZoneName>();
  /** Zones of revisions that waited for no plan, until a run shows what is done to them. */
  readonly #unseen = new Set<ZoneName>();
  /** Zones that may be written now, and why they are run again. */
  readonly #released = new Map<ZoneName, "due" | "file">();

  /**
   * @param isKnown whether it is remembered what was applied to a zone.
   * @param judgementChanged is called after a run or a change of the options may have changed the judgement.
   */
  constructor(
    options: RoundOptions,
    past: FleetPast,
    isKnown: (zone: ZoneName) => boolean,
    judgementChanged: () => void,
  ) {
    this.#options = options;
    this.#past = past;
    this.staying = new StayingZones(past, () => this.#maxWeakened);
    this.#isKnown = isKnown;
    this.#judgementChanged = judgementChanged;
  }

  /** Goes on where the process before this one was. */
  restore(progress: RoundProgress): void {
    this.#first = progress;
    this.#wasOpen = progress.phase === "open" && !progress.judgesKnown;
  }

  reconfigure(options: RoundOptions): void {
    this.#options = options;
    this.#judgeFirstAndTell();
    if (this.#judged !== undefined) this.#judgementChanged();
  }

  /** Whether nothing was written yet, and the plans of all zones are judged. */
  get #isFirst(): boolean {
    return this.#first.phase === "planning" && this.#options.mode === "enforce";
  }

  /** Judges a revision before it becomes active: by its files, then by the plans of its zones. */
  judge(candidate: Candidate): RevisionJudgement {
    const { fleetLimits } = this.#options;
    const hold = fleetGuard(candidate, this.#isFirst ? withAnyShare(fleetLimits) : fleetLimits);
    if (hold !== undefined) return { result: "held", hold };
    return this.#isFirst ? { result: "passed" } : this.#judgeByPlans(candidate);
  }

  #judgeByPlans(candidate: Candidate): RevisionJudgement {
    const { mode, fleetLimits: limits } = this.#options;
    const { revision, zones, declared } = candidate;
    const { declaredHash: hash } = revision;
    const isSame = this.#judged?.revision.declaredHash === hash;
    const plans = (isSame ? this.#judged?.plans : undefined) ?? new PlannedZones();
    this.#judged = { ...candidate, plans };
    if (mode === "observe" || limits.accept.includes(hash)) return this.#pass(zones);
    if (this.#weakened.union(zones).size <= maxWeakenedOf(limits, declared)) {
      for (const name of zones.keys()) this.#unseen.add(name);
      return this.#pass(zones);
    }
    plans.declare(zones);
    if (!plans.isComplete) return { result: "planning" };
    const change = { changing: plans.changing, hash, declared };
    const hold = this.#judgePlans(`revision ${revision.revision}`, change, withAnyShare(limits));
    return hold === undefined ? this.#pass(zones) : { result: "held", hold };
  }

  #pass(zones: Candidate["zones"]): RevisionJudgement {
    for (const name of zones.keys()) this.#released.set(name, "file");
    this.#judged = undefined;
    return { result: "passed" };
  }

  /** Zones that revisions weakened within an hour, or may have weakened. */
  get #weakened(): ReadonlySet<ZoneName> {
    return new Set([...this.#past.weakened("revision").keys(), ...this.#unseen]);
  }

  /** Gives what holds plans, together with what was weakened before. What the limits let pass counts from now on. */
  #judgePlans(
    what: string,
    change: Omit<FleetChange, "weakened">,
    limits: FleetLimits,
  ): FleetHold | undefined {
    const { changing } = change;
    const judgement = fleetChange({ ...change, weakened: this.#weakened }, limits);
    if (judgement.result === "held") {
      return fleetHold(what, judgement, new Set(changing.map(({ zone }) => zone)));
    }
    if (judgement.result === "passed") {
      const weakened = changing.filter(({ weakens }) => weakens).map(({ zone }) => zone);
      this.#past.addWeakened("revision", weakened);
    }
    return undefined;
  }

  /** Takes in a load of the files, or a new listing. Gives it with the hold of the first round. */
  declare(loaded: Loaded, isAllListed: boolean): JudgedLoad {
    const { active, fleet, result } = loaded;
    const isFirstLoad = this.#active === undefined;
    this.#active = { declaredHash: active.declaredHash, fleet, isAllListed };
    if (this.#first.phase !== "closed") {
      if (isFirstLoad && this.#first.phase === "planning") {
        const names = [...declaredNames(fleet)];
        this.#first = { ...this.#first, judgesKnown: names.some(this.#isKnown) };
      }
      // While a zone is being written, it is not known what was applied to it: what was settled stays so.
      const known = this.#wasOpen ? [...fleet.zones.keys()].filter(this.#isKnown) : [];
      for (const name of known) this.#settled.add(name);
      this.#plans.declare(fleet.zones);
      this.#judgeFirst();
    }
    const round = { ...this.#first, isBinding: this.#options.mode === "enforce" };
    const isOwnHold = result === "held" || result === "rejected";
    if (this.#hold === undefined || isOwnHold) return { ...loaded, isAllListed, round };
    return { ...loaded, result: "held", hold: this.#hold, isAllListed, round };
  }

  /** Takes the zones that may be written since the last call, and why they are run again; some may not be declared any more. */
  takeReleased(): ReadonlyMap<ZoneName, "due" | "file"> {
    const released = new Map(this.#released);
    this.#released.clear();
    return released;
  }

  /** Takes in the result of a run. If the files have changed during the run, the zone is planned again. */
  record(zone: FleetZone, report: ZoneReport): void {
    const { name } = zone.desired.zone;
    if (report.result !== "error") this.#unseen.delete(name);
    if (this.#first.phase !== "closed" && this.#plans.has(zone)) {
      // In a small fleet, a zone is written before it was judged.
      if (report.result === "applied" && !this.#settled.has(name)) {
        this.#settled.add(name);
        this.#first = { ...this.#first, passed: this.#first.passed + 1 };
      }
      if (this.#plans.record(zone, report)) this.#judgeFirstAndTell();
    }
    const judged = this.#judged?.plans;
    if (judged?.has(zone) === true && judged.record(zone, report)) this.#judgementChanged();
  }

  /** Why a zone is not written before it is judged; `undefined`: it was judged, or need not be. */
  waitOf(zone: FleetZone): string | undefined {
    if (this.#judged?.plans.has(zone) === true) {
      return `revision ${this.#judged.revision.revision} is judged when all zones that it declares otherwise are planned`;
    }
    if (this.isLetPass(zone.desired.zone.name)) return undefined;
    if (this.#hold !== undefined) return this.#hold.message;
    return this.#first.phase === "planning"
      ? "the first round is not over: all zones are planned before the first write"
      : "the first round let other zones pass, and this zone was not planned yet";
  }

  /** Whether the first round keeps no zone of this name from being written. */
  isLetPass(name: ZoneName): boolean {
    return this.#first.phase === "closed" || this.#settled.has(name) || this.#isUnlimited;
  }

  /** Holds a plan that weakens a zone too many. */
  holdsOf(zone: FleetZone, plan: Plan): readonly Hold[] {
    if (this.#judged?.plans.has(zone) === true) return [];
    return weakeningCauses
      .filter((cause) => this.#counts(cause, zone, plan) && !this.#hasRoom(cause, plan))
      .map((cause) => weakeningHold(cause, plan.changes, this.#maxWeakened));
  }

  /** A plan is about to be written: what it weakens counts from now on, unless it is held for it. */
  countWrite(zone: FleetZone, plan: Plan): void {
    for (const cause of weakeningCauses) {
      if (this.#counts(cause, zone, plan) && this.#hasRoom(cause, plan)) {
        this.#past.addWeakened(cause, [plan.zone.name]);
      }
    }
  }

  #counts(cause: WeakeningCause, zone: FleetZone, plan: Plan): boolean {
    if (weakeningBy(cause, plan.changes).length === 0) return false;
    if (cause === "drift") return true;
    const digests = [zone.digest, inForceDigest(zone)];
    const wasInForce = digests.some((each) => this.#past.wasInForce(plan.zone.name, each));
    return !this.#isReleased && !wasInForce;
  }

  /** Whether a person accepted what the files declare. */
  get #isReleased(): boolean {
    return this.#options.fleetLimits.accept.includes(this.#active?.declaredHash ?? "");
  }

  #hasRoom(cause: WeakeningCause, { zone }: Plan): boolean {
    const weakened = this.#past.weakened(cause);
    return weakened.has(zone.name) || weakened.size < this.#maxWeakened;
  }

  get #maxWeakened(): number {
    const declared = declaredIn(this.#active?.fleet ?? noFleet);
    return maxWeakenedOf(this.#options.fleetLimits, declared);
  }

  /** Whether no judgement can hold the fleet; zones of a credential that could not list them may still come. */
  get #isUnlimited(): boolean {
    if (this.#active === undefined) return false;
    const { fleetLimits } = this.#options;
    const declared = declaredIn(this.#active.fleet);
    const isShareUnlimited = declared < fleetLimits.minFleet || fleetLimits.maxFleetShare >= 1;
    return isShareUnlimited && declared <= this.#maxWeakened;
  }

  #judgeFirstAndTell(): void {
    const [{ phase }, hold, released] = [this.#first, this.#hold, this.#released.size];
    this.#judgeFirst();
    const isSame = phase === this.#first.phase && hold?.message === this.#hold?.message;
    if (!isSame || this.#released.size > released) this.#judgementChanged();
  }

  #judgeFirst(): void {
    if (this.#options.mode === "observe") {
      this.#hold = undefined;
      return;
    }
    const { phase, passed } = this.#first;
    if (this.#active === undefined || phase === "closed") return;
    const { declaredHash: hash, fleet, isAllListed } = this.#active;
    if (fleet.zones.size === 0) return;
    // Before every zone was planned or has failed, a judgement would not be of the whole.
    if (phase === "planning" && !this.#plans.isComplete && !this.#isUnlimited) return;
    const unsettled = [...fleet.zones.keys()].filter((name) => !this.#settled.has(name));
    const planned = unsettled.filter((name) => this.#plans.planOf(name) !== undefined);
    const changing = planned.flatMap((name) => this.#plans.planOf(name)?.changing ?? []);
    this.#hold = this.#judgePlans(
      "what was applied before is not known, and the zone files",
      { changing, hash, passed, declared: declaredIn(fleet) },
      this.#options.fleetLimits,
    );
    if (this.#hold !== undefined) return;
    for (const name of planned) this.#settled.add(name);
    for (const { zone } of changing) this.#released.set(zone, "due");
    const counted = this.#isReleased ? 0 : changing.length;
    const isPlanned = fleet.missing.size === 0 && planned.length === unsettled.length;
    const isOver = isAllListed && (this.#isUnlimited || isPlanned);
    const next = isOver ? "closed" : "open";
    this.#first = { ...this.#first, phase: next, passed: passed + counted };
    if (!isOver) return;
    this.#plans = new PlannedZones();
    this.#settled.clear();
  }
}

/** The share of the fleet is judged once: by the plans in the first round, by the files later. */
function withAnyShare(limits: FleetLimits): FleetLimits {
  return { ...limits, maxFleetShare: 1 };
}
