import type { Plan } from "../../plan/plan.ts";
import type { FleetZone } from "../../reconcile/fleet/desired-fleet.ts";
import {
  changingZone,
  fleetChange,
  type FleetLimits,
  planToJudge,
} from "../../reconcile/fleet/fleet-guard.ts";
import type { PlannedZone } from "../../reconcile/run/plan-zone.ts";
import type { HeldFleet } from "../../render/held-fleet.ts";
import type { ZoneReport } from "../../state/run-report.ts";
import type { ZoneName } from "../../zone/zone.ts";

interface JudgedZone {
  readonly declared: Pick<FleetZone, "desired">;
  readonly planned: Pick<PlannedZone, "report">;
}

/** What the fleet guard judges of one command. */
export interface JudgedFleet {
  readonly plans: readonly Plan[];
  /** When zones were weakened within the last hour. */
  readonly weakened: ReadonlyMap<ZoneName, number>;
  /** The number of declared zones. */
  readonly declared: number;
  /** What a person accepts: the hash of what the files declare. */
  readonly hash: string;
}

/** The fleet guard for plans of one command; `undefined`: it does not hold them. */
export function heldFleet(
  { plans, weakened, declared, hash }: JudgedFleet,
  limits: FleetLimits,
): HeldFleet | undefined {
  const changing = plans.map(changingZone);
  const before = new Set(weakened.keys());
  const judgement = fleetChange({ changing, weakened: before, declared, hash }, limits);
  if (judgement.result !== "held") return undefined;
  const { found, limit } = judgement;
  return { found, hash, limit, zones: plans.map(({ zone }) => zone.name) };
}

/** The plans that no guard holds. */
export function plansToApply(zones: readonly Pick<JudgedZone, "planned">[]): readonly Plan[] {
  return zones.flatMap(({ planned: { report } }) =>
    report.result === "planned" ? [report.plan] : [],
  );
}

/** The plans that the first round of a daemon would judge: also those that only wait, or are only observed. */
export function plansToJudge(zones: readonly JudgedZone[]): readonly Plan[] {
  return zones.flatMap(
    ({ declared, planned }) => planToJudge(planned.report, declared.desired) ?? [],
  );
}

/** The whole message is printed once: a fleet has too many zones to repeat it. */
export function heldByFleet(report: ZoneReport): ZoneReport {
  if (report.result !== "planned") return report;
  const message = "apply would change or weaken too many zones at once: nothing is written";
  return { ...report, result: "held", holds: [{ reason: "fleet_change", message }] };
}
