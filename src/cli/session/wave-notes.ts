import { causesOf } from "../../plan/cause/cause.ts";
import { declaredNames, type DesiredFleet } from "../../reconcile/fleet/desired-fleet.ts";
import { changesInWaves, wavesOf } from "../../reconcile/fleet/waves.ts";
import type { ReviewedZone } from "../../reconcile/run/apply.ts";
import type { RolloutSettings } from "../../zone/wave.ts";
import { withPlans } from "./with-plans.ts";

const begin = "the daemon changes this zone in wave";

/**
 * Zones whose plans say in which wave the daemon changes them. What only corrects drift does not wait.
 *
 * @param fleet all declared zones: a share of them is a wave
 */
export async function withWaves<T extends ReviewedZone>(
  zones: readonly T[],
  fleet: DesiredFleet,
  rollout: RolloutSettings | undefined,
): Promise<readonly T[]> {
  if (rollout === undefined) return zones;
  const waves = wavesOf(rollout.waves, declaredNames(fleet));
  return withPlans(zones, (plan) => {
    const wave = waves.get(plan.zone.name) ?? 1;
    const isOfRevision = changesInWaves(plan.changes, rollout.appliesTo)
      .map(causesOf)
      .some((causes) => causes.length === 0 || causes.some((cause) => cause !== "drift"));
    if (!isOfRevision) return plan;
    const note = `${begin} ${wave} of ${rollout.waves.length}`;
    // A plan that is kept while files are watched may have one already.
    const notes = [...plan.notes.filter((each) => !each.startsWith(begin)), note];
    return { ...plan, notes };
  });
}
