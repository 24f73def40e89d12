import { planHash } from "../../plan/guard/release.ts";
import type { Plan } from "../../plan/plan.ts";
import type { ZoneReport } from "../../state/run-report.ts";
import type { DesiredZone, Mode } from "../../zone/desired-zone.ts";
import type { ZoneName } from "../../zone/zone.ts";
import type { JudgedLoad, Loaded } from "./active-revision.ts";
import type { DesiredFleet, FleetZone, RoundPhase, RoundProgress } from "./desired-fleet.ts";
import {
  type ChangingZone,
  changingZone,
  fleetChange,
  type FleetHold,
  type FleetLimits,
  planToJudge,
} from "./fleet-guard.ts";

/** A zone that failed so often without a plan, or once for good, is not waited for. */
const attempts = 3;

/** What is remembered of the plan of a zone; not the plan itself: a fleet has thousands. */
interface Judged {
  /** Of the declaration. */
  readonly digest: string;
  /** `undefined`: nothing to write. */
  readonly changing: ChangingZone | undefined;
}

interface RoundOptions {
  readonly mode: Mode;
  readonly fleetLimits: FleetLimits;
}

/**
 * The first round of a daemon that does not know what was applied before it started: it plans every zone before its first
 * write, and judges all plans as the fleet guard judges an `apply`. Where the guard holds them, nothing is written until
 * a person accepts their hash.
 *
 * Zones that cannot be read do not stop the others. They are judged when they are planned: together with what the round
 * has let pass without a release, they change no larger share of the fleet than the limit allows.
 */
export class FirstRound {
  #options: RoundOptions;
  #phase: RoundPhase = "planning";
  /** Whether the process before this one judged plans, and wrote what is known. */
  #wasOpen = false;
  /** See {@link RoundProgress}; `undefined` before the first load. */
  #judgesKnown: boolean | undefined;
  #fleet: DesiredFleet | undefined;
  /** The number of declared zones, those of other processes included. */
  #declared = 0;
  /** Whether every credential has listed its zones. */
  #isAllListed = false;
  readonly #judged = new Map<ZoneName, Judged>();
  readonly #failures = new Map<ZoneName, number>();
  /** Zones of the active fleet that have neither a plan nor failed often enough. */
  #unplanned = new Set<ZoneName>();
  /** Zones that may be written. */
  readonly #settled = new Set<ZoneName>();
  /** The hash of the plan that a person accepted for a zone. */
  readonly #accepted = new Map<ZoneName, string>();
  /** How many zones with changes the limit let pass, without a release. */
  #passed = 0;
  #hold: FleetHold | undefined;
  #released: readonly ZoneName[] = [];
  readonly #isKnown: (zone: ZoneName) => boolean;
  readonly #judgementChanged: () => void;

  /**
   * @param isKnown whether it is remembered what was applied to a zone.
   * @param judgementChanged is called after a run or a change of the options changed what may be written.
   */
  constructor(
    options: RoundOptions,
    isKnown: (zone: ZoneName) => boolean,
    judgementChanged: () => void,
  ) {
    this.#options = options;
    this.#isKnown = isKnown;
    this.#judgementChanged = judgementChanged;
  }

  /** Goes on where the process before this one was. */
  restore({ phase, passed, judgesKnown }: RoundProgress): void {
    this.#phase = phase;
    this.#wasOpen = phase === "open" && !judgesKnown;
    if (phase !== "planning") this.#judgesKnown = judgesKnown;
    this.#passed = passed;
  }

  reconfigure(options: RoundOptions): void {
    this.#options = options;
    this.#judgeAndTell();
  }

  /** The limits for a new revision. While nothing was written yet, the plans are judged and not the files. */
  get limitsOfFiles(): FleetLimits {
    const { mode, fleetLimits } = this.#options;
    const arePlansJudged = this.#phase === "planning" && mode === "enforce";
    return arePlansJudged ? { ...fleetLimits, maxFleetShare: 1 } : fleetLimits;
  }

  /** Takes in a load of the files, or a new listing. Gives it with the hold of the round. */
  declare(loaded: Loaded, isAllListed: boolean): JudgedLoad {
    if (this.#phase !== "closed") {
      this.#fleet = loaded.fleet;
      this.#declared = loaded.declared;
      this.#isAllListed = isAllListed;
      this.#judgesKnown ??= this.#isAnyKnown(loaded.fleet);
      this.#forgetChanged(loaded.fleet);
      this.#judge();
    }
    const { mode } = this.#options;
    const judgesKnown = this.#judgesKnown === true;
    const progress = { phase: this.#phase, passed: this.#passed, judgesKnown };
    const round = { ...progress, isBinding: mode === "enforce" };
    const isOwnHold = loaded.result === "held" || loaded.result === "rejected";
    if (this.#hold === undefined || isOwnHold) return { ...loaded, isAllListed, round };
    return { ...loaded, result: "held", hold: this.#hold, isAllListed, round };
  }

  #isAnyKnown({ zones, missing }: DesiredFleet): boolean {
    return [...zones.keys(), ...missing.keys()].some((name) => this.#isKnown(name));
  }

  /** Takes in the result of a run. */
  record({ desired, digest }: FleetZone, report: ZoneReport): void {
    if (this.#phase === "closed") return;
    const { name } = desired.zone;
    // The files have changed during the run: the zone is planned again.
    if (this.#fleet?.zones.get(name)?.digest !== digest) return;
    const before = this.#judged.get(name);
    if (report.result === "error") {
      this.#countFailure(name, report.failure.transient);
      if (before === undefined) this.#judgeAndTell();
      return;
    }
    if (report.result === "applied") this.#settleApplied(name);
    const changing = changingIn(report, desired);
    this.#judged.set(name, { digest, changing });
    this.#unplanned.delete(name);
    if (before === undefined || before.changing?.hash !== changing?.hash) this.#judgeAndTell();
  }

  #countFailure(name: ZoneName, isTransient: boolean): void {
    const failures = isTransient ? (this.#failures.get(name) ?? 0) + 1 : attempts;
    this.#failures.set(name, failures);
    if (failures >= attempts) this.#unplanned.delete(name);
  }

  /** Whether a plan may be written, as far as the round is concerned. */
  mayWrite({ desired }: FleetZone, plan: Plan): boolean {
    const { name } = desired.zone;
    if (this.#phase === "closed" || this.#isSettled(name) || this.#isSmall) return true;
    return this.#accepted.get(name) === planHash(plan);
  }

  /** Takes the zones with changes that may be written since the last call. */
  takeReleased(): readonly ZoneName[] {
    const released = this.#released;
    this.#released = [];
    return released;
  }

  /** Zones whose declaration has changed have to be planned again. */
  #forgetChanged({ zones }: DesiredFleet): void {
    for (const [name, { digest }] of this.#judged) {
      if (zones.get(name)?.digest !== digest) this.#judged.delete(name);
    }
    const isUnplanned = (name: ZoneName): boolean =>
      !this.#judged.has(name) && (this.#failures.get(name) ?? 0) < attempts;
    this.#unplanned = new Set([...zones.keys()].filter(isUnplanned));
  }

  /** Whether the fleet is too small for a share; zones of a credential that could not list them may still come. */
  get #isSmall(): boolean {
    const { minFleet } = this.#options.fleetLimits;
    return this.#fleet !== undefined && this.#declared < minFleet;
  }

  get #isUnlimited(): boolean {
    return this.#isSmall || this.#options.fleetLimits.maxFleetShare >= 1;
  }

  #isSettled(name: ZoneName): boolean {
    return this.#settled.has(name) || (this.#wasOpen && this.#isKnown(name));
  }

  #judgeAndTell(): void {
    const before = `${this.#phase} ${this.#hold?.message}`;
    this.#judge();
    const isNew = before !== `${this.#phase} ${this.#hold?.message}`;
    if (isNew || this.#released.length > 0) this.#judgementChanged();
  }

  #judge(): void {
    const { mode, fleetLimits } = this.#options;
    if (mode === "observe") this.#hold = undefined;
    const fleet = this.#fleet;
    if (mode === "observe" || fleet === undefined || !this.#canJudge(fleet)) return;
    const judged = [...fleet.zones.keys()].filter((name) => !this.#isSettled(name));
    const changing = judged.filter((name) => this.#isUnaccepted(name));
    const judgement = fleetChange(
      {
        changing: changing.flatMap((name) => this.#judged.get(name)?.changing ?? []),
        passed: this.#passed,
        declared: declaredIn(fleet),
      },
      // A part of a large fleet is not a small fleet.
      this.#isSmall ? fleetLimits : { ...fleetLimits, minFleet: 0 },
    );
    if (judgement.result === "held") {
      const { found, hash } = judgement;
      const message = `what was applied before is not known, and the zone files ${found}: to accept it, add ${hash} to limits.accept, or raise limits.max_fleet_share`;
      this.#hold = { reason: "fleet_change", message, touched: new Set(changing) };
      return;
    }
    this.#hold = undefined;
    for (const name of judged) this.#settle(name, judgement.result === "accepted");
    this.#released = [...this.#released, ...changing];
    this.#phase = this.#isDone(fleet) ? "closed" : "open";
    if (this.#phase === "closed") this.#forget();
  }

  /** Before every zone was planned or has failed, a judgement would not be of the whole. */
  #canJudge({ zones }: DesiredFleet): boolean {
    if (zones.size === 0) return false;
    return this.#phase === "open" || this.#unplanned.size === 0 || this.#isUnlimited;
  }

  /** Whether a zone has a plan with changes that nobody accepted. */
  #isUnaccepted(name: ZoneName): boolean {
    const changing = this.#judged.get(name)?.changing;
    return changing !== undefined && this.#accepted.get(name) !== changing.hash;
  }

  /** A person accepted these plans and no others; what the limit lets pass may be written as it is then. */
  #settle(name: ZoneName, isAccepted: boolean): void {
    const judged = this.#judged.get(name);
    if (judged === undefined) return;
    const { changing } = judged;
    if (changing === undefined) {
      this.#settled.add(name);
    } else if (isAccepted) {
      this.#accepted.set(name, changing.hash);
    } else if (this.#accepted.get(name) !== changing.hash) {
      this.#settled.add(name);
      this.#passed += 1;
    }
  }

  /** In a small fleet, a zone is written before it was judged. */
  #settleApplied(name: ZoneName): void {
    if (!this.#settled.has(name) && !this.#accepted.has(name)) this.#passed += 1;
    this.#settled.add(name);
  }

  #isDone({ zones, missing }: DesiredFleet): boolean {
    if (!this.#isAllListed || this.#isUnlimited) return this.#isAllListed;
    return missing.size === 0 && zones.keys().every((name) => this.#isSettled(name));
  }

  #forget(): void {
    for (const memory of [this.#judged, this.#failures, this.#accepted]) memory.clear();
    this.#settled.clear();
    this.#unplanned.clear();
    this.#fleet = undefined;
  }
}

function declaredIn({ zones, missing }: DesiredFleet): number {
  return zones.size + missing.size;
}

function changingIn(report: ZoneReport, desired: DesiredZone): ChangingZone | undefined {
  const plan = planToJudge(report, desired);
  return plan && changingZone(plan);
}
