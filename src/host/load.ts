import path from "node:path";

import type { Config } from "../desired/config/config.ts";
import { loadConfig, type LoadedConfig } from "../desired/config/load-config.ts";
import type { LintRule } from "../desired/lint.ts";
import { type LoadedFiles, ZoneFileLoader } from "../desired/load/zone-file-loader.ts";
import { labelOf } from "../desired/zones/target.ts";
import { cronError } from "../reconcile/schedule/schedule.ts";
import {
  renderDiagnostics,
  type Sources,
  summarizeDiagnostics,
} from "../render/diagnostic-formats.ts";
import { plural } from "../render/format.ts";
import { withoutSecrets } from "../syntax/without-secrets.ts";
import { type Diagnostic, isError } from "../zone/diagnostic.ts";
import type { ZoneName } from "../zone/zone.ts";
import { hasColor, type Host, notesOf, type TextStream } from "./host.ts";

/** Reads the configuration. The scheduler itself checks the cron expressions. */
export function readConfig(
  file: string,
  { files, directory }: Pick<Host, "files" | "directory">,
  signal: AbortSignal,
): Promise<LoadedConfig> {
  return loadConfig(path.resolve(directory, file), { files, cronError }, signal);
}

/**
 * Reads the configuration and prints its errors, and counts of its warnings; `undefined` if it
 * cannot be used.
 */
export async function loadConfigOrPrint(
  file: string,
  host: Host,
  signal: AbortSignal,
): Promise<Config | undefined> {
  const loaded = await readConfig(file, host, signal);
  printSummary(loaded, host);
  return loaded.config;
}

/**
 * Reads the zone files and prints their errors, and counts of their warnings; `undefined` if there
 * is an error.
 */
export async function loadDesiredOrPrint(
  config: Config,
  host: Host,
  signal: AbortSignal,
): Promise<LoadedFiles | undefined> {
  const state = await loadZoneFiles(config.desired.path, config.lint, host, signal);
  printSummary(state, host);
  return hasErrors(state.diagnostics) ? undefined : state;
}

/**
 * Like {@link loadDesiredOrPrint}, for a command that only reads these zones: files that cannot
 * concern them are not checked, and their number is printed. Where one of the checked files has an
 * error, or they do not declare each of the zones by its name, all files are loaded.
 */
export async function loadZonesOrPrint(
  zones: readonly ZoneName[],
  config: Config,
  host: Host,
  signal: AbortSignal,
): Promise<LoadedFiles | undefined> {
  const state = await loadZoneFiles(config.desired.path, config.lint, host, signal, zones);
  const declared = new Set(state.documents.map(({ target }) => labelOf(target)));
  const isEnough = !hasErrors(state.diagnostics) && zones.every((name) => declared.has(name));
  if (!isEnough) return loadDesiredOrPrint(config, host, signal);
  printSummary(state, host);
  const { files, skipped } = state;
  if (skipped > 0) {
    const checked = `${files - skipped} of ${plural(files, "zone file")}`;
    notesOf(host).write(
      `checked ${checked}: the others do not concern ${zones.join(", ")}; zonewarden validate checks all\n`,
    );
  }
  return state;
}

/**
 * Loads the zone files at an absolute path. An exception is a diagnostic; its stack is printed on
 * request.
 */
export function loadZoneFiles(
  place: string,
  lint: readonly LintRule[],
  { files, commitLabel: label, clock, env, stderr }: Host,
  signal: AbortSignal,
  zones?: readonly ZoneName[],
): Promise<LoadedFiles> {
  const bug = (error: unknown): void => {
    const isTraced = env["ZONEWARDEN_TRACE"] === "1" && error instanceof Error;
    if (isTraced) stderr.write(`${withoutSecrets(error.stack ?? "")}\n`);
  };
  const only = zones === undefined ? {} : { zones };
  const options = { path: place, files, label, clock, lint, bug, ...only };
  return new ZoneFileLoader(options).load(signal);
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(isError);
}

/** Diagnostics, and what is needed to print them with their lines. */
export interface PrintableDiagnostics {
  readonly diagnostics: readonly Diagnostic[];
  readonly directory: string;
  readonly sources: Sources;
}

/** The directory of the files, relative to the working directory. */
export function relativeDirectory({ directory }: PrintableDiagnostics, host: Host): string {
  return directory === "" ? "" : path.relative(host.directory, directory);
}

/**
 * Prints errors in full and warnings as one line a code: whoever plans or applies wants to see the
 * plan.
 */
function printSummary(printable: PrintableDiagnostics, host: Host): void {
  const options = {
    color: hasColor(host, host.stderr),
    directory: relativeDirectory(printable, host),
  };
  const { diagnostics, sources } = printable;
  const [errors, warnings] = [
    diagnostics.filter(isError),
    diagnostics.filter((each) => !isError(each)),
  ];
  host.stderr.write(summarizeDiagnostics(errors, sources, options));
  notesOf(host).write(summarizeDiagnostics(warnings, sources, options));
}

export function printDiagnostics(
  printable: PrintableDiagnostics,
  host: Host,
  stream: TextStream,
): void {
  const { diagnostics, sources } = printable;
  if (diagnostics.length === 0) return;
  const color = hasColor(host, stream);
  const directory = relativeDirectory(printable, host);
  stream.write(`${renderDiagnostics(diagnostics, sources, { directory, color })}\n`);
}
