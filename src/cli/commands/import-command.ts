import path from "node:path";

import { type Command, InvalidArgumentError, Option } from "commander";

import { whyNotWritable } from "../../desired/import/zone-text.ts";
import type { Host } from "../../host/host.ts";
import { type ImportedZone, importLiveZone } from "../../plan/import/import-zone.ts";
import { type Failure, failureOf } from "../../state/run-report.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Zone } from "../../zone/zone.ts";
import type { DefineCommand } from "../command-options.ts";
import { type ExitCode, exitCodeOfFailure, exitCodes, fail } from "../output/exit-codes.ts";
import { type ImportedFile, importedFiles, importedText } from "../output/imported-files.ts";
import { startProgress } from "../output/progress.ts";
import { adoptZones } from "../session/adopt-zones.ts";
import { listMatchingZones } from "../session/listing.ts";
import { inParallel } from "../session/plan-all.ts";
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
        end(await runImport({ ...options, zones }, host));
      },
    );
};

const importable = ["settings", "policies", "rules"] as const;

type ImportPart = (typeof importable)[number];

function partsIn(text: string): readonly ImportPart[] {
  const names = new Set(text.split(",").map((name) => name.trim()));
  const parts = importable.filter((part) => names.has(part));
  if (parts.length === names.size) return parts;
  throw new InvalidArgumentError(
    `Use one or more of ${importable.join(", ")}, separated by commas.`,
  );
}

/** Reads `--profile`, whose form the schema of zone files requires. */
function profileNameIn(text: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,63}$/.test(text)) return text;
  throw new InvalidArgumentError(
    "A name has at most 64 lower-case letters, digits, `.`, `_` or `-`, and begins with a letter or digit.",
  );
}

interface ImportFlags {
  readonly config: string;
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

type Imported = { readonly zone: Zone } & (
  | { readonly imported: ImportedZone }
  | { readonly failure: Failure }
);

/** Declares the live state, so that a plan of it is empty. Sends only GETs. */
async function runImport(flags: ImportFlags, host: Host): Promise<ExitCode> {
  return withSession(flags.config, host, async (session) => {
    const { zones: wanted, all: listed, failed } = await listMatchingZones(flags.zones, session);
    if (wanted.length === 0) return exitCodes.failed;
    const zones = await importZones(wanted, flags, session);
    printGaps(zones, host);
    const failures = zones.flatMap((each) => ("failure" in each ? each.failure : []));
    if (failures[0] !== undefined && failures.length === zones.length) {
      return exitCodeOfFailure(failures[0].code);
    }
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
  const zones = imported.flatMap((each) => ("failure" in each ? [] : each.zone.name));
  if (!adopt || zones.length === 0) return exitCodes.done;
  const { config, host } = session;
  const desired = { ...config.desired, path: path.resolve(host.directory, out) };
  const flags = { config: file, format: "text", zones, yes } as const;
  return await adoptZones(flags, { ...session, config: { ...config, desired } });
}

async function importZones(
  wanted: readonly Zone[],
  { only }: ImportFlags,
  { config, service: { reader }, host, stop }: Session,
): Promise<readonly Imported[]> {
  const rules = only.includes("rules");
  const parts = {
    settings: only.includes("settings"),
    policies: only.includes("policies"),
    rules,
    scoreRule: rules,
  };
  using progress = startProgress("reading zones", wanted.length, host.stderr);
  return await inParallel(wanted, config.api.concurrency, async (zone) => {
    try {
      const live = await reader.readZone(zone, parts, "changed", stop);
      return { zone, imported: importLiveZone(live, config.desired.owner, whyNotWritable) };
    } catch (error) {
      stop.throwIfAborted();
      if (!(error instanceof ServiceError)) throw error;
      return { zone, failure: failureOf(error) };
    } finally {
      progress.step();
    }
  });
}

/** Prints what could not be read, and what a zone file cannot declare. */
function printGaps(zones: readonly Imported[], { stderr }: Host): void {
  for (const each of zones) {
    if ("failure" in each) {
      stderr.write(`${each.zone.name}: not imported: ${each.failure.message}\n`);
      continue;
    }
    for (const { kind, id, title, reason, isFollowUp = false } of each.imported.leftOut) {
      if (isFollowUp) continue;
      const label = title === "" ? id : `${JSON.stringify(title)} (${id})`;
      stderr.write(`${each.zone.name}: ${kind} ${label} ${reason}\n`);
    }
  }
}

/** Prints the text, or writes the files, unless some exist that must not be overwritten. */
async function output(
  imported: readonly Imported[],
  listed: readonly Zone[],
  { out, force, profile }: ImportFlags,
  host: Host,
): Promise<ExitCode> {
  const zones = imported.flatMap((each) => ("failure" in each ? [] : each));
  const declared = zones.map(({ zone, imported: { content } }) => ({ zone, content }));
  if (out === undefined) {
    host.stdout.write(importedText(declared, listed, profile));
    return exitCodes.done;
  }
  const directory = path.resolve(host.directory, out);
  const files = importedFiles(declared, listed, profile);
  const found = force ? [] : await existing(files, directory, host);
  if (found.length > 0) {
    const names = found.map((file) => path.join(out, file)).join(", ");
    return fail(`import: these files exist; add --force to overwrite them: ${names}`, host);
  }
  for (const { file, text } of files) {
    const place = path.join(directory, file);
    await host.namedFiles.makeDirectory(path.dirname(place));
    await host.namedFiles.save(place, text);
    host.stdout.write(`${path.join(out, file)}\n`);
  }
  return exitCodes.done;
}

async function existing(
  files: readonly ImportedFile[],
  directory: string,
  host: Host,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { file } of files) {
    try {
      await host.files.facts(path.join(directory, file));
      found.push(file);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    }
  }
  return found;
}

function isComplete(each: Imported): boolean {
  return "imported" in each && each.imported.leftOut.length === 0;
}
