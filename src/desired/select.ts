import type { DesiredZone, ZoneDocument } from "../zone/desired.ts";
import type { Problem } from "../zone/problem.ts";
import type { Zone } from "../zone/zone.ts";

/** Declared zones that were found in the listing, and what was wrong on the way. */
export interface Selection {
  readonly zones: readonly DesiredZone[];
  readonly problems: readonly Problem[];
}

/** Finds the zones that documents speak of. An explicit zone beats every selector. */
export function selectZones(documents: readonly ZoneDocument[], zones: readonly Zone[]): Selection {
  throw new Error(`not built yet: ${documents.length}, ${zones.length}`);
}
