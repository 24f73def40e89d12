import { fleetHash, planHash } from "../../plan/guard/release.ts";
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

interface JudgedZone {
  readonly declared: Pick<FleetZone, "desired">;
  readonly planned: Pick<PlannedZone, "report">;
}

/** The fleet guard for plans of one command; `undefined`: it does not hold them. */
export function heldFleet(
  plans: readonly Plan[],
  declared: number,
  limits: FleetLimits,
): HeldFleet | undefined {
  const judgement = fleetChange({ changing: plans.map(changingZone), declared }, limits);
  if (judgement.result !== "held") return undefined;
  const { found, hash } = judgement;
  return { found, hash, zones: plans.map(({ zone }) => zone.name) };
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

/** The hash that releases all these plans. */
export function hashOfPlans(plans: readonly Plan[]): string {
  return fleetHash(plans.map(planHash));
}

/** The whole message is printed once: a fleet has too many zones to repeat it. */
export function heldByFleet(report: ZoneReport): ZoneReport {
  if (report.result !== "planned") return report;
  const message = "apply would change too many zones at once: nothing is written";
  return { ...report, result: "held", holds: [{ reason: "fleet_change", message }] };
}
