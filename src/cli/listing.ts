import type { ZoneListing } from "../api/service.ts";
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
