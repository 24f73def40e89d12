import path from "node:path";

import { objectionTo } from "../desired/zone-text.ts";
import { declare, type Declaration } from "../plan/declare.ts";
import { failureOf, isServiceError } from "../report/failure.ts";
import type { Failure } from "../report/run-report.ts";
import type { Zone } from "../zone/zone.ts";
import { exitCodeOfFailure, exitCodes, type ExitCode } from "./exit-codes.ts";
import type { ImportFlags } from "./import-command.ts";
import { importedFiles, importedText, type ImportedFile } from "./imported-files.ts";
import type { Machine } from "./machine.ts";
import { inParallel, isWanted } from "./one-look.ts";
import { startProgress } from "./progress.ts";
import { saveFile } from "./save-file.ts";
import { type Session, withService } from "./session.ts";

/** What a zone came to. */
type Imported = { readonly zone: Zone } & (
  | { readonly declaration: Declaration }
  | { readonly failure: Failure }
);

/** `zonewarden import`: writes down what is live, so that a plan of it is empty. Sends nothing but GETs. */
export async function importCommand(flags: ImportFlags, machine: Machine): Promise<ExitCode> {
  return withService(flags.config, machine, async (session) => {
    const { zones: listed, failed } = await session.service.reader.listZones(session.stop);
    for (const { credential, error } of failed) {
      machine.stderr.write(`credential ${credential}: cannot list its zones: ${error.message}\n`);
    }
    const wanted = listed.filter(({ name }) => isWanted(name, flags.zones));
    if (wanted.length === 0) {
      machine.stderr.write(
        `import: none of the ${listed.length} zones that the token sees is called so\n`,
      );
      return exitCodes.failed;
    }
    const zones = await importZones(wanted, flags, session);
    tell(zones, machine);
    const isWritten = await deliver(zones, listed, flags, machine);
    if (!isWritten) return exitCodes.failed;
    return failed.length > 0 ? exitCodes.partial : exitCodeOf(zones);
  });
}

async function importZones(
  wanted: readonly Zone[],
  flags: ImportFlags,
  session: Session,
): Promise<readonly Imported[]> {
  using progress = startProgress("reading zones", wanted.length, session.machine.stderr);
  return await inParallel(wanted, session.config.api.concurrency, async (zone) => {
    const imported = await importZone(zone, flags, session);
    progress.step();
    return imported;
  });
}

async function importZone(
  zone: Zone,
  { only }: ImportFlags,
  { config, service, stop }: Session,
): Promise<Imported> {
  const rules = only.includes("rules");
  const wanted = {
    settings: only.includes("settings"),
    policies: only.includes("policies"),
    rules,
    scoreRule: rules,
  };
  try {
    const live = await service.reader.readZone(zone, wanted, "changed", stop);
    return { zone, declaration: declare(live, config.desired.owner, objectionTo) };
  } catch (error) {
    stop.throwIfAborted();
    if (!isServiceError(error)) throw error;
    return { zone, failure: failureOf(error) };
  }
}

/** Tells what could not be read, and what could not be written down. */
function tell(zones: readonly Imported[], { stderr }: Machine): void {
  for (const each of zones) {
    if ("failure" in each) {
      stderr.write(`${each.zone.name}: not imported: ${each.failure.message}\n`);
      continue;
    }
    for (const { kind, id, title, why } of each.declaration.leftOut) {
      const label = title === "" ? id : `${JSON.stringify(title)} (${id})`;
      stderr.write(`${each.zone.name}: ${kind} ${label} ${why}\n`);
    }
  }
}

/** Prints the text, or writes the files; `false` where there are files already. */
async function deliver(
  imported: readonly Imported[],
  listed: readonly Zone[],
  { out, force, profile }: ImportFlags,
  machine: Machine,
): Promise<boolean> {
  const zones = imported.flatMap((each) => ("failure" in each ? [] : each));
  const declared = zones.map(({ zone, declaration: { content } }) => ({ zone, content }));
  if (out === undefined) {
    machine.stdout.write(importedText(declared, listed, profile));
    return true;
  }
  const directory = path.resolve(machine.directory, out);
  const files = importedFiles(declared, listed, profile);
  const there = force ? [] : await existing(files, directory, machine);
  if (there.length > 0) {
    const names = there.map((file) => path.join(out, file)).join(", ");
    machine.stderr.write(`import: not overwritten without --force: ${names}\n`);
    return false;
  }
  for (const { file, text } of files) {
    await saveFile(path.join(directory, file), text);
    machine.stdout.write(`${path.join(out, file)}\n`);
  }
  return true;
}

async function existing(
  files: readonly ImportedFile[],
  directory: string,
  machine: Machine,
): Promise<readonly string[]> {
  const there = await Promise.all(
    files.map(async ({ file }) => {
      try {
        await machine.files.facts(path.join(directory, file));
        return [file];
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
        throw error;
      }
    }),
  );
  return there.flat();
}

function exitCodeOf(zones: readonly Imported[]): ExitCode {
  const failures = zones.flatMap((each) => ("failure" in each ? each.failure : []));
  const [first] = failures;
  if (first !== undefined && failures.length === zones.length) return exitCodeOfFailure(first.code);
  const isWhole = zones.every(
    (each) => "declaration" in each && each.declaration.leftOut.length === 0,
  );
  return isWhole ? exitCodes.done : exitCodes.partial;
}
