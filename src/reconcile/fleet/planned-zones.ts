import type { ZoneReport } from "../../state/run-report.ts";
import type { ZoneName } from "../../zone/zone.ts";
import type { FleetZone } from "./desired-fleet.ts";
import { type ChangingZone, changingZone, planToJudge } from "./fleet-guard.ts";

/** A zone that failed so often without a plan, or once for good, is not waited for. */
const attempts = 3;

/** What is remembered of the plan of a zone; not the plan itself: a fleet has thousands. */
interface JudgedPlan {
  /** Of the declaration. */
  readonly digest: string;
  /** `undefined`: nothing to write. */
  readonly changing: ChangingZone | undefined;
}

/** The plans of the zones that are judged together, while they come in. */
export class PlannedZones {
  #zones: ReadonlyMap<ZoneName, FleetZone> = new Map();
  readonly #plans = new Map<ZoneName, JudgedPlan>();
  readonly #failures = new Map<ZoneName, number>();
  /** Zones that have neither a plan nor failed often enough. */
  #unplanned = new Set<ZoneName>();

  /** Whether every zone was planned or has failed: before, a judgement would not be of the whole. */
  get isComplete(): boolean {
    return this.#unplanned.size === 0;
  }

  /** The zones to wait for. Those whose declaration has changed have to be planned again. */
  declare(zones: ReadonlyMap<ZoneName, FleetZone>): void {
    this.#zones = zones;
    for (const [name, { digest }] of this.#plans) {
      if (zones.get(name)?.digest !== digest) this.#plans.delete(name);
    }
    const isUnplanned = (name: ZoneName): boolean =>
      !this.#plans.has(name) && (this.#failures.get(name) ?? 0) < attempts;
    this.#unplanned = new Set([...zones.keys()].filter(isUnplanned));
  }

  /** Whether a declaration is among those that are judged. */
  has({ desired, digest }: FleetZone): boolean {
    return this.#zones.get(desired.zone.name)?.digest === digest;
  }

  /** Takes in the result of a run of one of the zones; gives whether a judgement may come out otherwise now. */
  record({ desired, digest }: FleetZone, report: ZoneReport): boolean {
    const { name } = desired.zone;
    const before = this.#plans.get(name);
    if (report.result === "error") {
      const failures = report.failure.transient ? (this.#failures.get(name) ?? 0) + 1 : attempts;
      this.#failures.set(name, failures);
      if (failures >= attempts) this.#unplanned.delete(name);
      return before === undefined;
    }
    const plan = planToJudge(report, desired);
    const changing = plan && changingZone(plan);
    this.#plans.set(name, { digest, changing });
    this.#unplanned.delete(name);
    return before === undefined || before.changing?.hash !== changing?.hash;
  }

  /** The plan of a zone; `undefined` before it was planned. */
  planOf(name: ZoneName): Pick<JudgedPlan, "changing"> | undefined {
    return this.#plans.get(name);
  }

  /** The zones whose plan has changes. */
  get changing(): readonly ChangingZone[] {
    return [...this.#plans.values()].flatMap(({ changing }) => changing ?? []);
  }
}
