import { firstOf } from "../../syntax/first-of.ts";
import { globIgnoringCase } from "../../syntax/glob.ts";
import type { Zone, ZoneListing } from "../../zone/zone.ts";
import type { Session } from "./session.ts";

/** Lists the zones of all credentials; prints a line for each credential whose zones cannot be listed. */
export async function listZones({ service, host, stop }: Session): Promise<ZoneListing> {
  const listing = await service.reader.listZones(stop);
  for (const failed of listing.failed) host.stderr.write(`${unlistedText(failed)}\n`);
  return listing;
}

/** Lists the zones that the command line names by patterns of names or by ids; prints a line if there are none. */
export async function listMatchingZones(
  patterns: readonly string[],
  session: Session,
): Promise<ZoneListing & { readonly all: readonly Zone[] }> {
  const listing = await listZones(session);
  const zones = matchingZones(patterns, listing, session.host);
  return { zones, failed: listing.failed, all: listing.zones };
}

/** The one zone of a name or an id, as the service lists it; prints why if there is none, or several. */
export async function listOneZone(name: string, session: Session): Promise<Zone | undefined> {
  const { zones } = await listMatchingZones([name], session);
  if (zones.length > 1) {
    const ids = zones.map((zone) => `${zone.name} ${zone.id}`);
    session.host.stderr.write(
      `${name}: ${zones.length} zones match; name one, or give its id: ${firstOf(ids, 5)}\n`,
    );
  }
  return zones.length === 1 ? zones[0] : undefined;
}

/** The listed zones that patterns of names or ids name; prints a line if there are none. */
export function matchingZones(
  patterns: readonly string[],
  { zones: all }: ZoneListing,
  { stderr }: Pick<Session["host"], "stderr">,
): readonly Zone[] {
  const zones = all.filter(({ name, id }) => isMatch(name, patterns) || patterns.includes(id));
  if (zones.length === 0) {
    const missing =
      patterns.length === 0 ? "no zone" : `no zone that matches ${patterns.join(", ")}`;
    stderr.write(`the service lists ${missing}: check the name and the permissions of the token\n`);
  }
  return zones;
}

export function unlistedText({ credential, error }: ZoneListing["failed"][number]): string {
  return `credential ${credential}: its zones cannot be listed: ${error.code}: ${error.message}`;
}

/** Whether a zone's name matches the command line; without patterns every name does. */
export function isMatch(name: string, patterns: readonly string[]): boolean {
  return patterns.length === 0 || patterns.some((pattern) => globIgnoringCase(pattern)(name));
}
