import { isOnlyAdoption } from "../../plan/adoption.ts";
import { causesOf } from "../../plan/cause/cause.ts";
import { type Change, weakeningChanges } from "../../plan/change.ts";
import { type Hold, holdFacts, percent, percentOver } from "../../plan/guard/hold.ts";
import { planHash } from "../../plan/guard/release.ts";
import type { Plan } from "../../plan/plan.ts";
import type { ZoneReport } from "../../state/run-report.ts";
import { firstOf } from "../../syntax/first-of.ts";
import type { Revision } from "../../zone/desired-state.ts";
import type { DesiredZone } from "../../zone/desired-zone.ts";
import type { ZoneName } from "../../zone/zone.ts";
import type { FleetZone } from "./desired-fleet.ts";
import type { WeakeningCause } from "./fleet-past.ts";

/** How much of the fleet one revision may change without a release. */
export interface FleetLimits {
  /** From 0 to 1. */
  readonly maxFleetShare: number;
  /** In a fleet with fewer zones, the share is not checked. */
  readonly minFleet: number;
  /** How many zones may be weakened; omitted: 3 zones, or 1 % of them. */
  readonly maxWeakened?: WeakenedLimit;
  /** Hashes that a person has accepted, whole: of what revisions declare, and of plans. */
  readonly accept: readonly string[];
}

/** The larger of a number of zones and a share of the declared zones, from 0 to 1. */
export interface WeakenedLimit {
  readonly zones: number;
  readonly share: number;
}

const usualWeakened: WeakenedLimit = { zones: 3, share: 0.01 };

/** How many of the declared zones may be weakened within an hour without a release. */
export function maxWeakenedOf({ maxWeakened }: FleetLimits, declared: number): number {
  const { zones, share } = maxWeakened ?? usualWeakened;
  return Math.max(zones, Math.floor(share * declared));
}

export interface FleetHold extends Hold {
  /** Active zones that it would change or drop. */
  readonly touched: ReadonlySet<ZoneName>;
}

/** A revision that is to replace the active one. */
export interface Candidate {
  readonly revision: Revision;
  /** The active zones. */
  readonly before: DigestedZones;
  /** The digests of what it declares; of a zone that it only suspends or reverts, the digest before. */
  readonly after: ReadonlyMap<ZoneName, string>;
  /** The zones that it declares otherwise, but as no declaration within a day did. */
  readonly zones: ReadonlyMap<ZoneName, FleetZone>;
  /** The number of zones that it declares. */
  readonly declared: number;
}

/** `planning`: its zones are being planned; until then, the active revision stays. */
export type RevisionJudgement =
  | { readonly result: "passed" | "planning" }
  | { readonly result: "held"; readonly hold: FleetHold };

/** Zones by what they are compared by. */
type DigestedZones = ReadonlyMap<ZoneName, Pick<FleetZone, "digest">>;

/**
 * The fleet guard: holds a revision that changes too many zones, until a person accepts it. New zones do not count; a
 * revision of which no zone is listed is always held.
 */
export function fleetGuard(
  { before, after, revision: { revision, declaredHash } }: Omit<Candidate, "zones" | "declared">,
  limits: FleetLimits,
): FleetHold | undefined {
  if (before.size === 0) return undefined;
  if (after.size === 0) return noZoneListed(before, revision);
  const change = revisionChange(before, after, limits);
  if (change === undefined || limits.accept.includes(declaredHash)) return undefined;
  const exceeded = { found: change.found, hash: declaredHash, limit: "max_fleet_share" } as const;
  return fleetHold(`revision ${revision}`, exceeded, change.touched);
}

/** The hold of what exceeds a limit. */
export function fleetHold(
  what: string,
  { found, hash, limit }: Exceeded,
  touched: ReadonlySet<ZoneName>,
): FleetHold {
  return {
    reason: "fleet_change",
    message: `${what} ${found}: to accept it, add ${hash} to limits.accept, or raise limits.${limit}`,
    hash,
    touched,
  };
}

/** What a revision changes, and the active zones that it would change or drop. */
export interface RevisionChange {
  readonly found: string;
  readonly touched: ReadonlySet<ZoneName>;
}

/** What is found where a revision changes or drops too large a share of the zones that were declared before. */
export function revisionChange(
  before: DigestedZones,
  after: ReadonlyMap<ZoneName, string>,
  limits: FleetLimits,
): RevisionChange | undefined {
  const touched = [...before]
    .filter(([name, { digest }]) => after.get(name) !== digest)
    .map(([name]) => name);
  const dropped = touched.filter((name) => !after.has(name)).length;
  const share = touched.length / before.size;
  if (before.size < limits.minFleet || share <= limits.maxFleetShare) return undefined;
  const found = `changes ${touched.length - dropped} and drops ${dropped} of ${before.size} zones (${percentOver(limits.maxFleetShare, share)}), the limit is ${percent(limits.maxFleetShare)}`;
  return { found, touched: new Set(touched) };
}

/** A zone whose plan has changes. */
export interface ChangingZone {
  readonly zone: ZoneName;
  /** Of its plan. */
  readonly hash: string;
  /** Whether a change weakens the protection, or may; the correction of drift does not count. */
  readonly weakens: boolean;
}

/** What all plans of a fleet would change at once. */
export interface FleetChange {
  readonly changing: readonly ChangingZone[];
  /** Zones with changes that the limit let pass before. */
  readonly passed?: number;
  /** Zones that were weakened within an hour. */
  readonly weakened?: ReadonlySet<ZoneName>;
  /** The number of declared zones. */
  readonly declared: number;
  /** What a person accepts: the hash of what the files declare. */
  readonly hash: string;
}

/** What exceeds a limit, and the hash that a person accepts. */
interface Exceeded {
  readonly found: string;
  readonly hash: string;
  /** The key that sets the limit. */
  readonly limit: "max_fleet_share" | "max_weakened";
}

/** `accepted`: a person accepted the hash. */
export type FleetJudgement =
  | { readonly result: "passed" | "accepted" }
  | ({ readonly result: "held" } & Exceeded);

/**
 * The fleet guard for plans: holds all plans of a fleet that change or weaken too many zones, until a person accepts the
 * hash.
 */
export function fleetChange(
  { changing, passed = 0, weakened, declared, hash }: FleetChange,
  limits: FleetLimits,
): FleetJudgement {
  if (changing.length === 0) return { result: "passed" };
  if (limits.accept.includes(hash)) return { result: "accepted" };
  const weaker = changing.filter(({ weakens }) => weakens).map(({ zone }) => zone);
  const earlier = weakened?.difference(new Set(weaker)).size ?? 0;
  const limit = maxWeakenedOf(limits, declared);
  if (weaker.length > 0 && weaker.length + earlier > limit) {
    const already = earlier === 0 ? "" : `, after ${earlier} within the last hour`;
    const found = `would weaken the protection of ${weaker.length} of ${declared} declared zones, or may (${firstOf(weaker, 3)})${already}; the limit is ${limit} within an hour`;
    return { result: "held", found, hash, limit: "max_weakened" };
  }
  const count = changing.length + passed;
  const share = count / declared;
  if (declared < limits.minFleet || share <= limits.maxFleetShare) return { result: "passed" };
  const before = passed === 0 ? "" : ` (${passed} of them already)`;
  const found = `would change ${count} of ${declared} declared zones${before} (${percentOver(limits.maxFleetShare, share)}), the limit is ${percent(limits.maxFleetShare)}; ${weaker.length} of them weaken the protection, or may`;
  return { result: "held", found, hash, limit: "max_fleet_share" };
}

export function changingZone(plan: Plan): ChangingZone {
  const weakens = weakeningBy("revision", plan.changes).length > 0;
  return { zone: plan.zone.name, hash: planHash(plan), weakens };
}

/** Whether a change corrects drift and nothing else. */
export function isCorrection(change: Change): boolean {
  const causes = causesOf(change);
  return causes.length > 0 && causes.every((each) => each === "drift");
}

/**
 * The changes that weaken a zone. What a revision does has an unclear effect, too. The correction of drift is no doing of
 * the revision; where its effect is unclear, it takes back what somebody else did, and is not counted.
 */
export function weakeningBy(cause: WeakeningCause, changes: readonly Change[]): readonly Change[] {
  const weaker = weakeningChanges(changes);
  return cause === "revision"
    ? weaker.filter((change) => !isCorrection(change))
    : weaker.filter((change) => isCorrection(change) && change.effect.direction === "weakens");
}

/** Holds a plan with changes that weaken one zone too many within an hour. */
export function weakeningHold(
  cause: WeakeningCause,
  changes: readonly Change[],
  limit: number,
): Hold {
  const keys = firstOf(
    weakeningBy(cause, changes).map(({ key }) => key),
    3,
  );
  const what =
    cause === "drift"
      ? `${keys} protects more than declared, since somebody changed it by hand: to correct that would weaken the zone`
      : `${keys} would be weakened, or may, and the plan was not judged with its revision`;
  return {
    reason: "fleet_change",
    message: `${what}, and ${limit} zones were weakened within the last hour: declare what is live, raise limits.max_weakened, or wait`,
  };
}

/**
 * The plan of a run as far as it counts for the fleet; `undefined` if it changes nothing or only takes ownership, or if
 * its zone is only observed, or where a guard holds it until a person decides on it alone.
 */
export function planToJudge(
  report: ZoneReport,
  { content }: Pick<DesiredZone, "content">,
): Plan | undefined {
  if (content.mode === "observe") return undefined;
  const counts =
    report.result === "planned" ||
    (report.result === "held" &&
      report.holds.every(({ reason }) => holdFacts(reason).countsForFleet));
  return counts && !isOnlyAdoption(report.plan) ? report.plan : undefined;
}

function noZoneListed(before: DigestedZones, revision: string): FleetHold {
  return {
    reason: "fleet_change",
    message: `revision ${revision} leaves none of ${before.size} zones: no zone that the service lists is declared; check names, selectors and what the credentials see`,
    touched: new Set(before.keys()),
  };
}
