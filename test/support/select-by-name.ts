import type { DesiredSource } from "../../src/reconcile/fleet/desired-fleet.ts";
import type { ZoneDocument } from "../../src/zone/desired-zone.ts";
import type { KnownZones } from "../../src/zone/zone.ts";

/** Finds the zones that documents name. */
export function selectByName(
  documents: readonly ZoneDocument[],
  { zones }: KnownZones,
): ReturnType<DesiredSource["select"]> {
  const known = new Map(zones.map((zone) => [zone.name, zone]));
  return {
    zones: documents.flatMap(({ target, content, isRestored }) => {
      const zone = target.by === "name" ? known.get(target.name) : undefined;
      return zone === undefined ? [] : [{ zone, content, ...(isRestored && { isRestored }) }];
    }),
    diagnostics: [],
    leftAlone: new Map(),
  };
}
