import { zoneFileText } from "../../desired/import/zone-text.ts";
import type { Host } from "../../host/host.ts";
import { type Granularity, suggestPolicy } from "../../impact/suggest-policy.ts";
import { suggestionEntry, suggestionRemarks } from "../../render/suggestion.ts";
import type { SeenResource } from "../../zone/inventory-item.ts";
import { type Zone, zoneName } from "../../zone/zone.ts";
import { type ExitCode, exitCodes } from "../output/exit-codes.ts";
import { startReading } from "../output/progress.ts";
import { listZones } from "../session/listing.ts";
import { type Session, withService } from "../session/session.ts";

/** What `suggest` is told. */
export interface SuggestFlags {
  readonly config: string;
  readonly host: string;
  readonly by: Granularity;
}

/** `zonewarden suggest`: prints a policy for a host, made from what browsers reported of it. */
export async function suggestCommand(flags: SuggestFlags, host: Host): Promise<ExitCode> {
  return withService(flags.config, host, async (session) => {
    const target = zoneName(flags.host);
    if (target === undefined) {
      const said = JSON.stringify(flags.host);
      host.stderr.write(`${said} is no host: write its name alone, such as shop.example.com\n`);
      return exitCodes.failed;
    }
    const zone = await zoneOf(target, session);
    if (zone === undefined) {
      host.stderr.write(`${target}: the service lists no zone that this host belongs to\n`);
      return exitCodes.failed;
    }
    const { maliciousBelow } = session.config.impact;
    const resources = await readSeen(zone, session);
    const suggestion = suggestPolicy(target, resources, { granularity: flags.by, maliciousBelow });
    if (Object.keys(suggestion.directives).length === 0) {
      host.stderr.write(
        `${target}: nothing was seen that a policy could be made from; Page Shield has to be on for a while first\n`,
      );
      return exitCodes.failed;
    }
    const remarks = suggestionRemarks(suggestion, flags.by).join("\n# ");
    host.stdout.write(zoneFileText({ zones: [suggestionEntry(zone.name, suggestion)] }, remarks));
    return exitCodes.done;
  });
}

/** The zone that a host belongs to: the longest name that it ends in, and of several of that name the active one. */
async function zoneOf(host: string, session: Session): Promise<Zone | undefined> {
  const { zones } = await listZones(session);
  return zones
    .filter(({ name }) => host === name || host.endsWith(`.${name}`))
    .toSorted((a, b) => b.name.length - a.name.length || activity(b) - activity(a))[0];
}

function activity({ status }: Zone): number {
  return status === "active" ? 1 : 0;
}

/** What is on record of a zone's pages; what fell silent for a week may still be needed. */
async function readSeen(
  zone: Zone,
  { service, host, stop }: Session,
): Promise<readonly SeenResource[]> {
  using reading = startReading(zone.name, host.stderr);
  return await service.inventory.listSeen(zone, stop, reading.report);
}
