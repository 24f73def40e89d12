import type { Plan } from "../../plan/plan.ts";
import type { PlannedZone } from "../../reconcile/run/plan-zone.ts";

/** Zones with other plans: what `change` makes of the plan of each that has one. */
export function withPlans<T extends { readonly planned: PlannedZone }>(
  zones: readonly T[],
  change: (plan: Plan, zone: T) => Plan | Promise<Plan>,
): Promise<readonly T[]> {
  return Promise.all(
    zones.map(async (zone): Promise<T> => {
      const { report } = zone.planned;
      if (!("plan" in report)) return zone;
      const plan = await change(report.plan, zone);
      return { ...zone, planned: { ...zone.planned, report: { ...report, plan } } };
    }),
  );
}
