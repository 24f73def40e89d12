import path from "node:path";

import type { Reader } from "../../api/service.ts";
import { whyNotWritable } from "../../desired/import/zone-text.ts";
import type { Host } from "../../host/host.ts";
import { type ImportedZone, importLiveZone } from "../../plan/import/import-zone.ts";
import { failureOf } from "../../state/failure.ts";
import type { Failure } from "../../state/run-report.ts";
import type { LiveZone } from "../../zone/live-zone.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Zone } from "../../zone/zone.ts";
import { type ExitCode, exitCodeOfFailure, exitCodes } from "../output/exit-codes.ts";
import { startProgress } from "../output/progress.ts";
import { listZones, partsOf } from "../session/listing.ts";
import { inParallel } from "../session/plan-all.ts";
import { type Session, withService } from "../session/session.ts";
import { type ImportedFile, importedFiles, importedText } from "./imported-files.ts";

/** What can be imported of a zone. */
export type ImportPart = "settings" | "policies" | "rules";

/** What `import` is told. */
export interface ImportFlags {
  readonly config: string;
  /** Patterns of zone names; none means all. */
  readonly zones: readonly string[];
  readonly only: readonly ImportPart[];
  /** The directory for the files; without it one text is printed. */
  readonly out?: string;
  readonly force: boolean;
  /** The profile that takes in what the zones have in common. */
  readonly profile?: string;
}

/** What a zone came to. */
type Imported = { readonly zone: Zone } & (
  | { readonly imported: ImportedZone }
  | { readonly failure: Failure }
);

/** `zonewarden import`: writes down what is live, so that a plan of it is empty. Sends nothing but GETs. */
export async function importCommand(flags: ImportFlags, host: Host): Promise<ExitCode> {
  return withService(flags.config, host, async (session) => {
    const { zones: listed, failed } = await listZones(session);
    const wanted = partsOf(listed, flags.zones);
    if (wanted.length === 0) {
      host.stderr.write(
        `import: none of the ${listed.length} zones that the token sees is called so\n`,
      );
      return exitCodes.failed;
    }
    const zones = await importZones(wanted, flags, session);
    tell(zones, host);
    const [failure] = failuresOf(zones);
    if (failure !== undefined && failuresOf(zones).length === zones.length) {
      return exitCodeOfFailure(failure.code);
    }
    if (!(await deliver(zones, listed, flags, host))) return exitCodes.failed;
    return failed.length === 0 && zones.every(isWhole) ? exitCodes.done : exitCodes.partial;
  });
}

async function importZones(
  wanted: readonly Zone[],
  { only }: ImportFlags,
  { config, service: { reader }, host, stop }: Session,
): Promise<readonly Imported[]> {
  using progress = startProgress("reading zones", wanted.length, host.stderr);
  const read = readerOf(reader, only, stop);
  return await inParallel(wanted, config.api.concurrency, async (zone) => {
    const imported = await importZone(zone, read, config.desired.owner);
    stop.throwIfAborted();
    progress.step();
    return imported;
  });
}

/** Reads the wanted parts of a zone. What imports is given nothing more than this. */
type ReadZone = (zone: Zone) => Promise<LiveZone>;

function readerOf(reader: Reader, only: ImportFlags["only"], stop: AbortSignal): ReadZone {
  const rules = only.includes("rules");
  const wanted = {
    settings: only.includes("settings"),
    policies: only.includes("policies"),
    rules,
    scoreRule: rules,
  };
  return (zone) => reader.readZone(zone, wanted, "changed", stop);
}

async function importZone(zone: Zone, read: ReadZone, owner: string): Promise<Imported> {
  try {
    return { zone, imported: importLiveZone(await read(zone), owner, whyNotWritable) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { zone, failure: failureOf(error) };
  }
}

/** Tells what could not be read, and what could not be written down. */
function tell(zones: readonly Imported[], { stderr }: Host): void {
  for (const each of zones) {
    if ("failure" in each) {
      stderr.write(`${each.zone.name}: not imported: ${each.failure.message}\n`);
      continue;
    }
    for (const { kind, id, title, reason } of each.imported.leftOut) {
      const label = title === "" ? id : `${JSON.stringify(title)} (${id})`;
      stderr.write(`${each.zone.name}: ${kind} ${label} ${reason}\n`);
    }
  }
}

/** Prints the text, or writes the files; `false` where there are files already. */
async function deliver(
  imported: readonly Imported[],
  listed: readonly Zone[],
  { out, force, profile }: ImportFlags,
  host: Host,
): Promise<boolean> {
  const zones = imported.flatMap((each) => ("failure" in each ? [] : each));
  const declared = zones.map(({ zone, imported: { content } }) => ({ zone, content }));
  if (out === undefined) {
    host.stdout.write(importedText(declared, listed, profile));
    return true;
  }
  const directory = path.resolve(host.directory, out);
  const files = importedFiles(declared, listed, profile);
  const there = force ? [] : await existing(files, directory, host);
  if (there.length > 0) {
    const names = there.map((file) => path.join(out, file)).join(", ");
    host.stderr.write(`import: not overwritten without --force: ${names}\n`);
    return false;
  }
  for (const { file, text } of files) {
    const place = path.join(directory, file);
    await host.namedFiles.makeDirectory(path.dirname(place));
    await host.namedFiles.save(place, text);
    host.stdout.write(`${path.join(out, file)}\n`);
  }
  return true;
}

async function existing(
  files: readonly ImportedFile[],
  directory: string,
  host: Host,
): Promise<readonly string[]> {
  const there = await Promise.all(
    files.map(async ({ file }) => {
      try {
        await host.files.facts(path.join(directory, file));
        return [file];
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
        throw error;
      }
    }),
  );
  return there.flat();
}

function failuresOf(zones: readonly Imported[]): readonly Failure[] {
  return zones.flatMap((each) => ("failure" in each ? each.failure : []));
}

function isWhole(each: Imported): boolean {
  return "imported" in each && each.imported.leftOut.length === 0;
}
