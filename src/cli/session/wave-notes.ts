import { causesOf } from "../../plan/cause/cause.ts";
import { declaredNames, type DesiredFleet } from "../../reconcile/fleet/desired-fleet.ts";
import { changesInWaves, wavesOf } from "../../reconcile/fleet/waves.ts";
import type { ReviewedZone } from "../../reconcile/run/apply.ts";
import type { RolloutHalt } from "../../state/load-report.ts";
import type { RolloutSettings } from "../../zone/wave.ts";
import { withPlans } from "./with-plans.ts";

const begin = "the daemon changes this zone in wave";
const aborted =
  "the rollout of this revision is aborted, and the daemon keeps what was in force before it: revert the files";

/**
 * Zones whose plans say in which wave the daemon changes them, or that it does not. What only corrects drift does not wait.
 *
 * @param fleet all declared zones: a share of them is a wave
 */
export async function withWaves<T extends ReviewedZone>(
  zones: readonly T[],
  fleet: DesiredFleet,
  rollout: RolloutSettings | undefined,
  halt: RolloutHalt | undefined,
): Promise<readonly T[]> {
  if (rollout === undefined) return zones;
  const waves = wavesOf(rollout.waves, declaredNames(fleet));
  return withPlans(zones, (plan) => {
    const wave = waves.get(plan.zone.name) ?? 1;
    const isOfRevision = changesInWaves(plan.changes, rollout.appliesTo)
      .map(causesOf)
      .some((causes) => causes.length === 0 || causes.some((cause) => cause !== "drift"));
    if (!isOfRevision) return plan;
    const resumed = halt === "paused" ? ", once the rollout is resumed" : "";
    const inWave = `${begin} ${wave} of ${rollout.waves.length}${resumed}`;
    // A plan that is kept while files are watched may have one already.
    const others = plan.notes.filter((each) => !each.startsWith(begin) && each !== aborted);
    return { ...plan, notes: [...others, halt === "aborted" ? aborted : inWave] };
  });
}
