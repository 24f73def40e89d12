import { withStoredEffects } from "../../measure/measured-effects.ts";
import { readDaysOnce } from "../../measure/measured-series.ts";
import type { PlannedZone } from "../../reconcile/run/plan-zone.ts";
import type { PartFlags } from "./fleet-part.ts";
import type { Session } from "./session.ts";
import { withStoredMeasurements } from "./stored.ts";
import { withPlans } from "./with-plans.ts";

/**
 * The planned zones with what was counted of the effects of their changes, where measurements are on. Why it is not known
 * stands with the change.
 */
export async function withMeasured<T extends { readonly planned: PlannedZone }>(
  zones: readonly T[],
  flags: PartFlags,
  { config, host }: Session,
): Promise<readonly T[]> {
  const counted = zones.filter(isCounted);
  if (config.measurements === undefined || counted.length === 0) return zones;
  const now = host.clock.now();
  return withStoredMeasurements(config, flags.changedSince, host, async (found) => {
    const names = new Set(counted.map(({ planned }) => planned.report.zone));
    const reader =
      typeof found === "string" || names.size === 1 ? found : readDaysOnce(found, names);
    return withPlans(zones, async (plan) => ({
      ...plan,
      changes: await withStoredEffects(plan.changes, plan.zone.name, reader, now),
    }));
  });
}

function isCounted({ planned: { report } }: { readonly planned: PlannedZone }): boolean {
  return "plan" in report && report.plan.changes.some(({ counted }) => counted !== undefined);
}
