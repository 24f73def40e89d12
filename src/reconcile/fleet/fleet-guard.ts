import { weakeningChanges } from "../../plan/change.ts";
import { type Hold, percent, percentOver } from "../../plan/guard/hold.ts";
import { fleetHash } from "../../plan/guard/release.ts";
import type { Plan } from "../../plan/plan.ts";
import type { ZoneName } from "../../zone/zone.ts";

/** How much of the fleet one revision may change without a release. */
export interface FleetLimits {
  /** From 0 to 1. */
  readonly maxFleetShare: number;
  /** In a fleet with fewer zones, the share is not checked. */
  readonly minFleet: number;
  /** Revisions that a person has accepted, whole. */
  readonly accept: readonly string[];
}

export interface FleetHold extends Hold {
  /** Active zones that it would change or drop. */
  readonly touched: ReadonlySet<ZoneName>;
}

export type FleetDigests = ReadonlyMap<ZoneName, string>;

/**
 * The fleet guard: holds a revision that changes too many zones, until a person accepts it. New zones do not count; a
 * revision of which no zone is listed is always held.
 */
export function fleetGuard(
  before: FleetDigests,
  after: FleetDigests,
  revision: string,
  limits: FleetLimits,
): FleetHold | undefined {
  if (before.size === 0) return undefined;
  if (after.size === 0) return noZoneListed(before, revision);
  const touched = [...before]
    .filter(([name, digest]) => after.get(name) !== digest)
    .map(([name]) => name);
  const dropped = touched.filter((name) => !after.has(name)).length;
  const share = touched.length / before.size;
  if (before.size < limits.minFleet || share <= limits.maxFleetShare) return undefined;
  if (limits.accept.includes(revision)) return undefined;
  const found = `revision ${revision} changes ${touched.length - dropped} and drops ${dropped} of ${before.size} zones (${percentOver(limits.maxFleetShare, share)})`;
  return {
    reason: "fleet_change",
    message: `${found}, the limit is ${percent(limits.maxFleetShare)}: to accept it, add ${revision} to limits.accept, or raise limits.max_fleet_share`,
    touched: new Set(touched),
  };
}

/** What one `apply` would change. */
export interface FleetChange {
  /** The plans to apply. */
  readonly plans: readonly Plan[];
  /** The number of declared zones. */
  readonly declared: number;
}

/** The fleet guard of `apply`: holds all plans of one command that change too many zones, until a person accepts their hash. */
export function fleetChangeHold(
  { plans, declared }: FleetChange,
  limits: FleetLimits,
): Hold | undefined {
  const share = plans.length / declared;
  if (declared < limits.minFleet || share <= limits.maxFleetShare) return undefined;
  const hash = fleetHash(plans);
  if (limits.accept.includes(hash)) return undefined;
  const found = `would change ${plans.length} of ${declared} declared zones (${percentOver(limits.maxFleetShare, share)})`;
  return {
    reason: "fleet_change",
    message: `${found}, the limit is ${percent(limits.maxFleetShare)}; ${weakeningPlans(plans).length} of them weaken the protection, or may: to apply all of them, add --accept ${hash}, or raise limits.max_fleet_share`,
  };
}

/** The plans with a change that weakens the protection, or may. */
export function weakeningPlans(plans: readonly Plan[]): readonly Plan[] {
  return plans.filter(({ changes }) => weakeningChanges(changes).length > 0);
}

function noZoneListed(before: FleetDigests, revision: string): FleetHold {
  return {
    reason: "fleet_change",
    message: `revision ${revision} leaves none of ${before.size} zones: no zone that the service lists is declared; check names, selectors and what the credentials see`,
    touched: new Set(before.keys()),
  };
}
