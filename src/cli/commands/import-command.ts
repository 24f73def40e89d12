import path from "node:path";

import { InvalidArgumentError, Option } from "commander";

import type { Host } from "../../host/host.ts";
import { firstOf } from "../../syntax/first-of.ts";
import type { Zone } from "../../zone/zone.ts";
import type { DefineCommand, SessionFlags } from "../command-options.ts";
import { type ExitCode, exitCodeOfFailure, exitCodes, fail } from "../output/exit-codes.ts";
import { existingOf, writeNew } from "../output/files.ts";
import {
  declaredTwice,
  gapsText,
  importable,
  importedFiles,
  importedText,
  type ImportPart,
  importZones,
  layoutHelp,
  layouts,
  writtenFilesText,
  type ZoneLayout,
  type ZoneToWrite,
} from "../session/import-zones.ts";
import { readingFor } from "../session/kept-reading.ts";
import { listMatchingZones } from "../session/listing.ts";
import { type Session, withSession } from "../session/session.ts";

export const defineImport: DefineCommand = (command, host) => {
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
    .choice("--layout <layout>", layoutHelp, layouts, "files")
    .quiet()
    .option("--adopt", "then take ownership of what the files declare, as `zonewarden adopt` does")
    .option("--yes", "adopt without asking")
    .examples(
      "zonewarden import shop.example.com",
      "zonewarden import --out zones --layout profiles",
      "zonewarden import '*.example.com' --only rules --out zones --force",
      "zonewarden import --out zones --adopt    # asks before the first write",
    )
    .runs((zones: readonly string[], flags: ImportFlags) => {
      if (flags.adopt === true && flags.out === undefined) {
        command.error("error: --adopt needs --out: it adopts what the files declare");
      }
      return runImport(zones, flags, host);
    });
};

function partsIn(text: string): readonly ImportPart[] {
  const names = new Set(text.split(",").map((name) => name.trim()));
  const parts = importable.filter((part) => names.has(part));
  if (parts.length === names.size) return parts;
  throw new InvalidArgumentError(
    `Use one or more of ${importable.join(", ")}, separated by commas.`,
  );
}

interface ImportFlags extends SessionFlags {
  readonly only: readonly ImportPart[];
  /** The directory for the files; without it, one text is printed. */
  readonly out?: string;
  readonly force: boolean;
  readonly layout: ZoneLayout;
  /** Whether to take ownership of what the files declare. */
  readonly adopt?: boolean;
  readonly yes?: boolean;
}

/**
 * Declares the live state, so that a plan of it is empty. Sends only GETs, unless it adopts.
 *
 * @param patterns of zone names, or ids; none means all.
 */
async function runImport(
  patterns: readonly string[],
  flags: ImportFlags,
  host: Host,
): Promise<ExitCode> {
  return withSession(flags, host, async (session) => {
    const { zones: wanted, all: listed, failed } = await listMatchingZones(patterns, session);
    if (wanted.length === 0) return exitCodes.failed;
    const { out } = flags;
    await using reading = await readingFor(
      wanted,
      out && path.resolve(host.directory, out),
      session,
    );
    const { declared, gaps, failure } = await importZones(wanted, flags.only, reading, session);
    host.stderr.write(gapsText(gaps));
    if (failure !== undefined) return exitCodeOfFailure(failure.code);
    const code = await output(declared, listed, flags, session);
    if (code !== exitCodes.done) return code;
    await reading.end();
    const names = declared.map(({ zone }) => zone.name);
    const ended = flags.adopt === true ? await adoptIn(names, flags, session) : exitCodes.done;
    const isWhole = failed.length === 0 && gaps.length === 0;
    return ended === exitCodes.done && !isWhole ? exitCodes.partial : ended;
  });
}

/** Takes ownership of what the written files declare. */
async function adoptIn(
  zones: readonly string[],
  { yes = false, out = "", config: file }: ImportFlags,
  session: Session,
): Promise<ExitCode> {
  if (zones.length === 0) return exitCodes.done;
  // Most imports adopt nothing.
  const adoptZones = (await import("./adopt-command.ts")).adoptZones;
  const { config, host } = session;
  const desired = { ...config.desired, path: path.resolve(host.directory, out) };
  const flags = { config: file, format: "text", zones, yes } as const;
  return await adoptZones(flags, { ...session, config: { ...config, desired } });
}

/** Prints the text, or writes the files, unless some exist that must not be overwritten, or declare a zone already. */
async function output(
  declared: readonly ZoneToWrite[],
  listed: readonly Zone[],
  { out, force, layout }: ImportFlags,
  session: Session,
): Promise<ExitCode> {
  const { host } = session;
  if (out === undefined) {
    host.stdout.write(importedText(declared, listed, layout));
    return exitCodes.done;
  }
  const directory = path.resolve(host.directory, out);
  const files = importedFiles(declared, listed, layout);
  const names = files.map(({ file }) => file);
  const found = force ? [] : await existingOf(names, directory, host);
  if (found.length > 0) {
    const shown = found.map((file) => path.join(out, file));
    const message = "import: these files exist; add --force to overwrite them";
    return fail(`${message}: ${firstOf(shown, 5)}`, host);
  }
  const twice = await declaredTwice(declared, names, directory, session);
  if (twice !== undefined) return fail(`import: ${twice}`, host);
  for (const file of files) await writeNew(file, directory, host, force);
  const written = names.map((name) => path.join(out, name));
  host.stdout.write(writtenFilesText(written, out));
  return exitCodes.done;
}
