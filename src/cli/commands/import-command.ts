import path from "node:path";

import { type Command, InvalidArgumentError, Option } from "commander";

import { type Host, quietHost } from "../../host/host.ts";
import { firstOf } from "../../syntax/first-of.ts";
import type { Zone } from "../../zone/zone.ts";
import { type DefineCommand, profileNameIn } from "../command-options.ts";
import { type ExitCode, exitCodeOfFailure, exitCodes, fail } from "../output/exit-codes.ts";
import { writtenFilesText } from "../output/import-report.ts";
import { importedFiles, importedText } from "../output/imported-files.ts";
import { existingOf, writeNew } from "../output/new-files.ts";
import { adoptZones } from "../session/adopt-zones.ts";
import {
  declaredIn,
  failureOfAll,
  importable,
  type Imported,
  type ImportPart,
  importZones,
  isComplete,
  printGaps,
} from "../session/import-zones.ts";
import { listMatchingZones } from "../session/listing.ts";
import { type Session, withSession } from "../session/session.ts";

export const defineImport: DefineCommand = (command, host, end) => {
  command
    .argument("[zones...]", "only these zones (names, in which * matches anything, or ids)")
    .configFile()
    .option(
      "-o, --out <directory>",
      "write one file per zone into this directory, instead of printing one text",
    )
    .option("--force", "overwrite existing files", false)
    .addOption(
      new Option("--only <parts>", "what to import: settings,policies,rules")
        .argParser(partsIn)
        .default([...importable], importable.join(",")),
    )
    .option(
      "--profile <name>",
      "put what the zones have in common into this profile",
      profileNameIn,
    )
    .quiet()
    .option("--adopt", "then take ownership of what the files declare, as `zonewarden adopt` does")
    .option("--yes", "adopt without asking")
    .examples(
      "zonewarden import shop.example.com",
      "zonewarden import --out zones --profile baseline",
      "zonewarden import '*.example.com' --only rules --out zones --force",
      "zonewarden import --out zones --adopt    # asks before the first write",
    )
    .action(
      async (zones: readonly string[], options: Omit<ImportFlags, "zones">, self: Command) => {
        if (options.adopt === true && options.out === undefined) {
          self.error("error: --adopt needs --out: it adopts what the files declare");
        }
        end(await runImport({ ...options, zones }, quietHost(host, options)));
      },
    );
};

function partsIn(text: string): readonly ImportPart[] {
  const names = new Set(text.split(",").map((name) => name.trim()));
  const parts = importable.filter((part) => names.has(part));
  if (parts.length === names.size) return parts;
  throw new InvalidArgumentError(
    `Use one or more of ${importable.join(", ")}, separated by commas.`,
  );
}

interface ImportFlags {
  readonly config: string;
  readonly quiet?: boolean;
  /** Patterns of zone names, or ids; none means all. */
  readonly zones: readonly string[];
  readonly only: readonly ImportPart[];
  /** The directory for the files; without it, one text is printed. */
  readonly out?: string;
  readonly force: boolean;
  readonly profile?: string;
  /** Whether to take ownership of what the files declare. */
  readonly adopt?: boolean;
  readonly yes?: boolean;
}

/** Declares the live state, so that a plan of it is empty. Sends only GETs. */
async function runImport(flags: ImportFlags, host: Host): Promise<ExitCode> {
  return withSession(flags.config, host, async (session) => {
    const { zones: wanted, all: listed, failed } = await listMatchingZones(flags.zones, session);
    if (wanted.length === 0) return exitCodes.failed;
    const zones = await importZones(wanted, flags.only, session);
    printGaps(zones, host);
    const failure = failureOfAll(zones);
    if (failure !== undefined) return exitCodeOfFailure(failure.code);
    const code = await output(zones, listed, flags, host);
    if (code !== exitCodes.done) return code;
    const isWhole = failed.length === 0 && zones.every(isComplete);
    const ended = await adoptImported(zones, flags, session);
    return ended === exitCodes.done && !isWhole ? exitCodes.partial : ended;
  });
}

/** Takes ownership of what the files declare that were written. */
async function adoptImported(
  imported: readonly Imported[],
  { adopt = false, yes = false, out = "", config: file }: ImportFlags,
  session: Session,
): Promise<ExitCode> {
  const zones = declaredIn(imported).map(({ zone }) => zone.name);
  if (!adopt || zones.length === 0) return exitCodes.done;
  const { config, host } = session;
  const desired = { ...config.desired, path: path.resolve(host.directory, out) };
  const flags = { config: file, format: "text", zones, yes } as const;
  return await adoptZones(flags, { ...session, config: { ...config, desired } });
}

/** Prints the text, or writes the files, unless some exist that must not be overwritten. */
async function output(
  imported: readonly Imported[],
  listed: readonly Zone[],
  { out, force, profile }: ImportFlags,
  host: Host,
): Promise<ExitCode> {
  const declared = declaredIn(imported);
  if (out === undefined) {
    host.stdout.write(importedText(declared, listed, profile));
    return exitCodes.done;
  }
  const directory = path.resolve(host.directory, out);
  const files = importedFiles(declared, listed, profile);
  const names = files.map(({ file }) => file);
  const found = force ? [] : await existingOf(names, directory, host);
  if (found.length > 0) {
    const shown = firstOf(
      found.map((file) => path.join(out, file)),
      5,
    );
    return fail(`import: these files exist; add --force to overwrite them: ${shown}`, host);
  }
  for (const file of files) {
    await writeNew(file, directory, host, force);
  }
  const written = names.map((name) => path.join(out, name));
  host.stdout.write(writtenFilesText(written, out));
  return exitCodes.done;
}
