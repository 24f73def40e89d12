import type { Refusal } from "../plan/refusal.ts";
import type { ZoneName } from "../zone/zone.ts";

/** How much of the fleet one new revision of the files may touch on its own. */
export interface FleetLimits {
  /** From 0 to 1. */
  readonly maxFleetShare: number;
  /** Below so many zones a share says nothing. */
  readonly minFleet: number;
  /** Revisions (or their beginnings, 7 digits at least) that a person has acknowledged. */
  readonly accept: readonly string[];
}

/** What each declared zone shall be, by a digest of its content. */
export type FleetDigests = ReadonlyMap<ZoneName, string>;

/**
 * Says why a new revision of the files must not be followed before somebody has acknowledged it; `undefined`: go on.
 *
 * Zones that are new are nobody's loss and do not count; a revision that leaves no zone at all is refused always.
 */
export function compareFleets(
  before: FleetDigests,
  after: FleetDigests,
  revision: string,
  limits: FleetLimits,
): Refusal | undefined {
  if (before.size === 0) return undefined;
  if (after.size === 0) return noZonesLeft(before.size);
  const dropped = [...before.keys()].filter((name) => !after.has(name)).length;
  const kept = [...before].filter(([name]) => after.has(name));
  const changed = kept.filter(([name, digest]) => after.get(name) !== digest).length;
  const share = (changed + dropped) / before.size;
  if (before.size < limits.minFleet || share <= limits.maxFleetShare) return undefined;
  if (isAccepted(revision, limits)) return undefined;
  const found = `revision ${revision} changes ${changed} and drops ${dropped} of ${before.size} zones (${percent(share)})`;
  return {
    code: "FLEET_CHANGE",
    message: `${found}, the limit is ${percent(limits.maxFleetShare)}: acknowledge it by adding ${revision} to limits.accept, or raise limits.max_fleet_share`,
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

function noZonesLeft(before: number): Refusal {
  return {
    code: "FLEET_CHANGE",
    message: `the files declare no zone any more, where there were ${before}: nothing is done; bring the files back, or start the program anew`,
  };
}

function percent(part: number): string {
  return `${Math.round(part * 100)} %`;
}
