import type { ZoneListing } from "../../api/service.ts";
import { globIgnoringCase } from "../../syntax/glob.ts";
import type { Zone } from "../../zone/zone.ts";
import type { Session } from "./session.ts";

/** Lists the zones of all credentials, and says on the side of which ones they are unknown: a line for each. */
export async function listZones({ service, host, stop }: Session): Promise<ZoneListing> {
  const listing = await service.reader.listZones(stop);
  for (const failed of listing.failed) host.stderr.write(`${unlistedText(failed)}\n`);
  return listing;
}

/** The zones that the service lists and the command line names. */
export async function wantedZones(
  patterns: readonly string[],
  session: Session,
): Promise<ZoneListing> {
  const { zones, failed } = await listZones(session);
  const wanted = partsOf(zones, patterns);
  if (wanted.length === 0) {
    const named = patterns.length === 0 ? "no zone" : `no zone that fits ${patterns.join(", ")}`;
    session.host.stderr.write(
      `the service lists ${named}: check the name, and what the token may see\n`,
    );
  }
  return { zones: wanted, failed };
}

/** Says of which credential the zones are unknown, and why. */
export function unlistedText({ credential, error }: ZoneListing["failed"][number]): string {
  return `credential ${credential}: its zones cannot be listed: ${error.code}: ${error.message}`;
}

/** The zones that the command line names: by patterns of names, or by ids where several have one name. */
export function partsOf(zones: readonly Zone[], patterns: readonly string[]): readonly Zone[] {
  return zones.filter(({ name, id }) => isWanted(name, patterns) || patterns.includes(id));
}

/** Whether a zone is one of those that the command line names. */
export function isWanted(name: string, patterns: readonly string[]): boolean {
  return patterns.length === 0 || patterns.some((pattern) => globIgnoringCase(pattern)(name));
}
