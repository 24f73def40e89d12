import type { Refusal } from "../plan/refusal.ts";
import type { ZoneName } from "../zone/zone.ts";

/** How much of the fleet one new revision of the files may touch on its own. */
export interface FleetLimits {
  /** From 0 to 1. */
  readonly maxFleetShare: number;
  /** Below so many zones a share says nothing. */
  readonly minFleet: number;
  /** Revisions (or their beginnings, 7 characters at least) that a person has acknowledged. */
  readonly accept: readonly string[];
}

/** What each declared zone shall be, by a digest of its content. */
export type Fleet = ReadonlyMap<ZoneName, string>;

/** What a new revision of the files does to the fleet. */
export interface FleetChange {
  readonly changed: readonly ZoneName[];
  readonly dropped: readonly ZoneName[];
  /** Set where it must not be followed before somebody has acknowledged it. */
  readonly refusal: Refusal | undefined;
}

/**
 * Compares two revisions. Zones that are new are nobody's loss and do not count; a revision that leaves no zone at
 * all is refused always.
 */
export function compareFleets(
  before: Fleet,
  after: Fleet,
  revision: string,
  limits: FleetLimits,
): FleetChange {
  const names = [...before.keys()];
  const dropped = names.filter((name) => !after.has(name));
  const changed = names.filter((name) => after.has(name) && after.get(name) !== before.get(name));
  return {
    changed,
    dropped,
    refusal: judge(before.size, after.size, changed.length, dropped.length, revision, limits),
  };
}

function judge(
  before: number,
  after: number,
  changed: number,
  dropped: number,
  revision: string,
  limits: FleetLimits,
): Refusal | undefined {
  if (before > 0 && after === 0) {
    return {
      code: "FLEET_CHANGE",
      message: `the files declare no zone any more, where there were ${before}: nothing is done; bring the files back, or start the program anew`,
    };
  }
  const share = (changed + dropped) / before;
  if (before < limits.minFleet || share <= limits.maxFleetShare) return undefined;
  if (limits.accept.some((each) => each.length >= 7 && revision.startsWith(each))) return undefined;
  const found = `revision ${revision} changes ${changed} and drops ${dropped} of ${before} zones (${percent(share)})`;
  return {
    code: "FLEET_CHANGE",
    message: `${found}, the limit is ${percent(limits.maxFleetShare)}: acknowledge it by adding ${revision} to limits.accept, or raise limits.max_fleet_share`,
  };
}

function percent(part: number): string {
  return `${Math.round(part * 100)} %`;
}
