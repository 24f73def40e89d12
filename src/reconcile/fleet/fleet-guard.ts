import { type Hold, percent, percentOver } from "../../plan/guard/hold.ts";
import type { ZoneName } from "../../zone/zone.ts";

/** How much of the fleet one new revision of the files may touch on its own. */
export interface FleetLimits {
  /** From 0 to 1. */
  readonly maxFleetShare: number;
  /** Below so many zones a share says nothing. */
  readonly minFleet: number;
  /** Revisions (or their beginnings, 7 digits at least) that a person has acknowledged. */
  readonly accept: readonly string[];
}

/** Why a revision of the files is not followed. */
export interface FleetHold extends Hold {
  /** Zones in force that it would change or drop. */
  readonly touched: ReadonlySet<ZoneName>;
}

/** What each declared zone shall be, by a digest of its content. */
export type FleetDigests = ReadonlyMap<ZoneName, string>;

/**
 * Says why a new revision of the files must not be followed before somebody has acknowledged it; `undefined`: go on.
 *
 * Zones that are new are nobody's loss and do not count; a revision of which no zone is listed is always held.
 */
export function compareFleets(
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
  if (isAccepted(revision, limits)) return undefined;
  const found = `revision ${revision} changes ${touched.length - dropped} and drops ${dropped} of ${before.size} zones (${percentOver(limits.maxFleetShare, share)})`;
  return {
    reason: "fleet_change",
    message: `${found}, the limit is ${percent(limits.maxFleetShare)}: acknowledge it by adding ${revision} to limits.accept, or raise limits.max_fleet_share`,
    touched: new Set(touched),
  };
}

/** Where there is no commit, a revision is a content's hash and says so (`sha256-…`): what counts are its digits. */
function isAccepted(revision: string, { accept }: FleetLimits): boolean {
  const digits = digitsOf(revision);
  return accept.map(digitsOf).some((each) => each.length >= 7 && digits.startsWith(each));
}

function digitsOf(revision: string): string {
  return revision.replace(/^sha256-/, "");
}

function noZoneListed(before: FleetDigests, revision: string): FleetHold {
  return {
    reason: "fleet_change",
    message: `revision ${revision} leaves none of ${before.size} zones: no zone that the service lists is declared; check names, selectors and what the credentials see`,
    touched: new Set(before.keys()),
  };
}
