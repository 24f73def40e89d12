import { zoneFileText } from "../../desired/import/zone-text.ts";
import { type Host, notesOf } from "../../host/host.ts";
import { type Granularity, granularities, suggestPolicy } from "../../impact/suggest-policy.ts";
import { suggestionEntry, suggestionRemarks } from "../../render/suggestion.ts";
import type { SeenResource } from "../../zone/inventory-item.ts";
import { type Zone, zoneName } from "../../zone/zone.ts";
import type { DefineCommand, SessionFlags } from "../command-options.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { startReading } from "../output/progress.ts";
import { listZones } from "../session/listing.ts";
import { type Session, withSession } from "../session/session.ts";

export const defineSuggest: DefineCommand = (command, host) => {
  command
    .argument("<host>", "a host of one of the zones")
    .configFile()
    .quiet()
    .choice(
      "--by <granularity>",
      "how precisely the policy names its sources",
      granularities,
      "host",
    )
    .examples(
      "zonewarden suggest shop.example.com",
      "zonewarden suggest shop.example.com --by path > zones/suggested.yaml",
    )
    .runs((target: string, flags: SuggestFlags) => suggest(target, flags, host));
};

interface SuggestFlags extends SessionFlags {
  readonly by: Granularity;
}

async function suggest(text: string, flags: SuggestFlags, host: Host): Promise<ExitCode> {
  return withSession(flags, host, async (session) => {
    const target = zoneName(text);
    if (target === undefined) {
      const remedy = "write only the name, such as shop.example.com";
      return fail(`${JSON.stringify(text)} is not a host name: ${remedy}`, host);
    }
    const zone = await zoneOf(target, session);
    if (zone === undefined) {
      const remedy = "check the name and the permissions of the token";
      return fail(`${target}: the service lists no zone for this host: ${remedy}`, host);
    }
    const { maliciousBelow } = session.config.impact;
    // All on record: a page may still need what browsers have not reported for a week.
    const resources = await readInventory(zone, session);
    const suggestion = suggestPolicy(target, resources, { granularity: flags.by, maliciousBelow });
    if (Object.keys(suggestion.directives).length === 0) {
      const remedy = "enable Page Shield and wait until it has collected data";
      return fail(
        `${target}: browsers reported nothing that a policy can be made from; ${remedy}`,
        host,
      );
    }
    const remarks = suggestionRemarks(suggestion, flags.by).join("\n# ");
    host.stdout.write(zoneFileText({ zones: [suggestionEntry(zone.name, suggestion)] }, remarks));
    return exitCodes.done;
  });
}

/** The zone of a host: the one with the longest name that the host ends in; of several of that name, the active one. */
async function zoneOf(host: string, session: Session): Promise<Zone | undefined> {
  const { zones } = await listZones(session);
  return zones
    .filter(({ name }) => host === name || host.endsWith(`.${name}`))
    .toSorted((a, b) => b.name.length - a.name.length || activity(b) - activity(a))[0];
}

function activity({ status }: Zone): number {
  return status === "active" ? 1 : 0;
}

async function readInventory(
  zone: Zone,
  { service, host, stop }: Session,
): Promise<readonly SeenResource[]> {
  using reading = startReading(zone.name, notesOf(host));
  return await service.inventory.listSeen(zone, stop, reading.report);
}
