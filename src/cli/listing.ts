import type { ZoneListing } from "../api/service.ts";
import { globIgnoringCase } from "../syntax/glob.ts";
import type { Zone } from "../zone/zone.ts";
import type { Session } from "./session.ts";

/** Lists the zones of all credentials, and says on the side of which ones they are unknown: a line for each. */
export async function listZones({ service, machine, stop }: Session): Promise<ZoneListing> {
  const listing = await service.reader.listZones(stop);
  for (const failed of listing.failed) machine.stderr.write(`${unlistedText(failed)}\n`);
  return listing;
}

/** Says of which credential the zones are unknown, and why. */
export function unlistedText({ credential, error }: ZoneListing["failed"][number]): string {
  return `credential ${credential}: its zones cannot be listed: ${error.code}: ${error.message}`;
}

/** The zones that the command line names: by patterns of names, or by ids where several have one name. */
export function wantedOf(zones: readonly Zone[], patterns: readonly string[]): readonly Zone[] {
  return zones.filter(({ name, id }) => isWanted(name, patterns) || patterns.includes(id));
}

/** Whether a zone is one of those that the command line names. */
export function isWanted(name: string, patterns: readonly string[]): boolean {
  return patterns.length === 0 || patterns.some((pattern) => globIgnoringCase(pattern)(name));
}
