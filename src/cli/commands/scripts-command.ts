import path from "node:path";

import { everythingSeen } from "../../api/read/read-inventory.ts";
import { zoneFileText } from "../../desired/import/zone-text.ts";
import { escapedTemplate } from "../../desired/template/template.ts";
import { selectWith } from "../../desired/zones/select.ts";
import type { Host } from "../../host/host.ts";
import { loadDesiredOrPrint } from "../../host/load.ts";
import { adoptScripts } from "../../impact/adopt-scripts.ts";
import type { StoredZones } from "../../memory/open-store.ts";
import { desiredFleet, joinListings } from "../../reconcile/fleet/desired-fleet.ts";
import { readScripts, type ScriptSource } from "../../reconcile/inventory/read-scripts.ts";
import { jsonText, plural } from "../../render/format.ts";
import { scriptsJson } from "../../render/scripts/scripts-json.ts";
import {
  adoptedProfile,
  adoptedRemarks,
  findingLines,
  leftOutLines,
  scriptsTable,
} from "../../render/scripts/scripts-text.ts";
import { checkScripts } from "../../state/scripts/check-scripts.ts";
import type { ScriptWatch } from "../../state/scripts/script-watch.ts";
import type { DesiredZone } from "../../zone/desired-zone.ts";
import { noParts } from "../../zone/ports.ts";
import type { DefineCommand, PrintFlags, SessionFlags } from "../command-options.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { isWritten } from "../output/files.ts";
import { startReading } from "../output/progress.ts";
import { tableText } from "../output/table.ts";
import { isMatch, listZones } from "../session/listing.ts";
import { type Session, withSession } from "../session/session.ts";
import { readStoredZones } from "../session/stored.ts";

export const defineScripts: DefineCommand = (command, host) => {
  command
    // Options after "adopt" are its own.
    .enablePositionalOptions()
    .argument("[zone]", "the zone: a name")
    .configFile()
    .formats("text", "json")
    .examples(
      "zonewarden scripts shop.example.com",
      "zonewarden scripts shop.example.com --format json | jq .findings",
    )
    .runs((zone: string | undefined, flags: PrintFlags) => inZone(zone, flags, host, print));
  command
    .command("adopt")
    .description(
      "print entries for the scripts in use that none authorises, for a person to fill in",
    )
    .argument("<zone>", "the zone: a name")
    .configFile()
    .option(
      "--page <pattern...>",
      "the pages, as shop.example.com/checkout/*; those of the declaration by default",
    )
    .option("-o, --out <file>", "write the entries into a new file, instead of printing them")
    .examples(
      "zonewarden scripts adopt shop.example.com --out zones/shop-scripts.yaml",
      "zonewarden scripts adopt shop.example.com --page 'shop.example.com/checkout/*'",
    )
    .runs((zone: string, flags: AdoptFlags) => inZone(zone, flags, host, adopt));
};

interface AdoptFlags extends SessionFlags {
  readonly page?: readonly string[];
  readonly out?: string;
}

/** Finds a declared zone and works with it; an error in the files ends the command before any request. */
async function inZone<Flags extends SessionFlags>(
  name: string | undefined,
  flags: Flags,
  host: Host,
  work: (desired: DesiredZone, flags: Flags, session: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  if (name === undefined) return fail("scripts: name a zone", host);
  return withSession(flags, host, async (session) => {
    const { config, stop } = session;
    const state = await loadDesiredOrPrint(config, host, stop);
    if (state === undefined) return exitCodes.invalid;
    const known = joinListings(undefined, await listZones(session));
    const { zones } = desiredFleet(selectWith(config), state, known);
    const found = [...zones.values()].filter(({ desired }) => isMatch(desired.zone.name, [name]));
    const [first, ...others] = found;
    if (first !== undefined && others.length === 0) return work(first.desired, flags, session);
    const remedy = "name one zone that the files declare and the service lists";
    return fail(`scripts: ${name}: ${found.length} zones match; ${remedy}`, host);
  });
}

/** Prints what is seen, authorised and enforced on the declared pages, with findings. Sends only GETs. */
async function print(
  desired: DesiredZone,
  { format }: PrintFlags,
  session: Session,
): Promise<ExitCode> {
  const { host, config } = session;
  const { name } = desired.zone;
  const stored = await readStoredZones(config, host);
  const watch = await checked(desired, stored, session);
  if (watch === undefined) {
    const remedy = `declare page_shield.scripts; \`zonewarden scripts adopt ${name}\` prints a start`;
    return fail(`scripts: ${name} declares no scripts; ${remedy}`, host);
  }
  const { findings, moreFindings } = watch;
  const open = findings.filter(({ acceptance }) => acceptance === undefined).length + moreFindings;
  if (format === "json") {
    host.stdout.write(jsonText({ format: 1, zone: name, ...scriptsJson(watch) }));
  } else {
    const lines = findingLines(findings).map((line) => `${line}\n`);
    const counts = `${plural(watch.scripts.length + watch.moreScripts, "script")} on the pages, ${plural(open, "open finding")}`;
    host.stdout.write(
      `${name}: ${counts}\n\n${tableText(scriptsTable(watch))}\n\n${lines.join("")}`,
    );
  }
  return open === 0 ? exitCodes.done : exitCodes.changes;
}

/** A check at this moment, after the last one of the daemon; `undefined` if no scripts are declared. */
async function checked(
  { zone, content }: DesiredZone,
  stored: StoredZones,
  { service, config, host, stop }: Session,
): Promise<ScriptWatch | undefined> {
  const declared = content.scripts;
  if (declared === undefined) return undefined;
  const { reader, inventory } = service;
  const parts = { ...noParts, settings: true, policies: true };
  const live = await reader.readZone(zone, parts, "inventory", stop);
  using reading = startReading(`${zone.name}: scripts`, host.stderr);
  const items = await inventory.list(
    zone,
    "script",
    everythingSeen("script"),
    stop,
    reading.report,
  );
  const scripts = items.filter((item) => item.kind === "script");
  const source: ScriptSource = {
    readAnswers: (...asked) => reader.readAnswers(...asked),
    listScriptsOn: (...asked) => inventory.listScriptsOn(...asked),
    readScript: (...asked) => inventory.readScript(...asked),
  };
  const earlier = stored.scripts(zone.name);
  const now = host.clock.now();
  // The pages are asked for again: a person looks at it now.
  const asked = earlier && { ...earlier, pagesAt: undefined };
  const read = await readScripts(declared, scripts, live, asked, now, source, stop);
  const { maliciousBelow } = config.impact;
  return checkScripts({ declared, reading: read, earlier, now, maliciousBelow }).watch;
}

/** Prints a profile with entries for a person to fill in, or writes it into a file that does not exist yet. */
async function adopt(
  { zone, content }: DesiredZone,
  { page, out }: AdoptFlags,
  { service, config, host, stop }: Session,
): Promise<ExitCode> {
  if (out !== undefined && (await host.namedFiles.exists(path.resolve(host.directory, out)))) {
    return fail(`scripts adopt: ${out} exists: name a new file`, host);
  }
  const pages = page ?? content.scripts?.pages;
  if (pages === undefined) {
    const remedy = `name them: --page '${zone.name}/checkout/*'`;
    return fail(`scripts adopt: ${zone.name} declares no pages; ${remedy}`, host);
  }
  const scripts = await service.inventory.listScriptsOn(zone, pages, stop);
  const { maliciousBelow } = config.impact;
  const found = adoptScripts(scripts, content.scripts?.authorised ?? [], maliciousBelow);
  if (found.adopted.length === 0) {
    const lines = leftOutLines(found).map((line) => `${line}\n`);
    host.stderr.write(
      `${zone.name}: each script in use on the pages has an entry\n${lines.join("")}`,
    );
    return exitCodes.done;
  }
  const profile = `scripts-${zone.name}`.slice(0, 64);
  const remarks = adoptedRemarks(profile, zone.name, found).join("\n# ");
  const text = zoneFileText(adoptedProfile(profile, pages, found, escapedTemplate), remarks);
  if (out === undefined) host.stdout.write(text);
  else if (!(await isWritten(out, host, (file) => host.namedFiles.save(file, text)))) {
    return exitCodes.failed;
  }
  return exitCodes.done;
}
