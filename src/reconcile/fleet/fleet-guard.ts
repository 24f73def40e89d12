import { weakeningChanges } from "../../plan/change.ts";
import { type Hold, type HoldReason, percent, percentOver } from "../../plan/guard/hold.ts";
import { fleetHash, planHash } from "../../plan/guard/release.ts";
import type { Plan } from "../../plan/plan.ts";
import type { ZoneReport } from "../../state/run-report.ts";
import type { DesiredZone } from "../../zone/desired-zone.ts";
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

/** A zone whose plan has changes. */
export interface ChangingZone {
  /** Of its plan. */
  readonly hash: string;
  /** Whether a change weakens the protection, or may. */
  readonly weakens: boolean;
}

/** What all plans of a fleet would change at once. */
export interface FleetChange {
  readonly changing: readonly ChangingZone[];
  /** Zones with changes that the limit let pass before. */
  readonly passed?: number;
  /** The number of declared zones. */
  readonly declared: number;
}

/** `accepted`: a person accepted the hash of all plans. */
export type FleetJudgement =
  | { readonly result: "passed" | "accepted" }
  | { readonly result: "held"; readonly found: string; readonly hash: string };

/** The fleet guard for plans: holds all plans of a fleet that change too many zones, until a person accepts their hash. */
export function fleetChange(
  { changing, passed = 0, declared }: FleetChange,
  limits: FleetLimits,
): FleetJudgement {
  if (changing.length === 0) return { result: "passed" };
  const hash = fleetHash(changing.map((each) => each.hash));
  if (limits.accept.includes(hash)) return { result: "accepted" };
  const count = changing.length + passed;
  const share = count / declared;
  if (declared < limits.minFleet || share <= limits.maxFleetShare) return { result: "passed" };
  const weaker = changing.filter(({ weakens }) => weakens).length;
  const before = passed === 0 ? "" : ` (${passed} of them already)`;
  const found = `would change ${count} of ${declared} declared zones${before} (${percentOver(limits.maxFleetShare, share)}), the limit is ${percent(limits.maxFleetShare)}; ${weaker} of them weaken the protection, or may`;
  return { result: "held", found, hash };
}

export function changingZone(plan: Plan): ChangingZone {
  return { hash: planHash(plan), weakens: weakeningChanges(plan.changes).length > 0 };
}

/** Holds that end by themselves, or with the mode: what they hold is written later, and counts now. */
const passing: readonly HoldReason[] = ["observe", "freeze", "suspend", "contended"];

/**
 * The plan of a run as far as it counts for the fleet; `undefined` where it changes nothing, or where its zone is only
 * observed, or where a guard holds it until a person decides on it alone.
 */
export function planToJudge(
  report: ZoneReport,
  { content }: Pick<DesiredZone, "content">,
): Plan | undefined {
  if (content.mode === "observe") return undefined;
  if (report.result === "planned") return report.plan;
  const isPassing =
    report.result === "held" && report.holds.every(({ reason }) => passing.includes(reason));
  return isPassing ? report.plan : undefined;
}

function noZoneListed(before: FleetDigests, revision: string): FleetHold {
  return {
    reason: "fleet_change",
    message: `revision ${revision} leaves none of ${before.size} zones: no zone that the service lists is declared; check names, selectors and what the credentials see`,
    touched: new Set(before.keys()),
  };
}
