import path from "node:path";

import type { Config } from "../desired/config/config.ts";
import { loadConfig, type LoadedConfig } from "../desired/config/load-config.ts";
import { type DesiredState, ZoneFileLoader } from "../desired/load/zone-file-loader.ts";
import { cronError } from "../reconcile/schedule/schedule.ts";
import { renderDiagnostics, type Sources } from "../render/diagnostic-formats.ts";
import { type Diagnostic, isError } from "../zone/diagnostic.ts";
import { hasColor, type Host, type TextStream } from "./host.ts";

/** Reads the configuration. The scheduler itself checks the cron expressions. */
export function readConfig(
  file: string,
  { files, directory }: Host,
  signal: AbortSignal,
): Promise<LoadedConfig> {
  return loadConfig(path.resolve(directory, file), { files, cronError }, signal);
}

/** Reads the configuration and prints its diagnostics; `undefined` where it cannot be used. */
export async function loadConfigOrPrint(
  file: string,
  host: Host,
  signal: AbortSignal,
): Promise<Config | undefined> {
  const loaded = await readConfig(file, host, signal);
  printDiagnostics(loaded, host);
  return loaded.config;
}

/** Reads the zone files and prints their diagnostics; `undefined` where there is an error. */
export async function loadDesiredOrPrint(
  config: Config,
  host: Host,
  signal: AbortSignal,
): Promise<DesiredState | undefined> {
  const state = await loadZoneFiles(config.desired.path, host, signal);
  printDiagnostics(state, host);
  return hasErrors(state.diagnostics) ? undefined : state;
}

/** Loads the zone files at an absolute path; an exception in it is a diagnostic, and its stack is printed. */
export function loadZoneFiles(
  place: string,
  { files, clock, stderr }: Host,
  signal: AbortSignal,
): Promise<DesiredState> {
  const bug = (error: unknown): void => {
    stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  };
  return new ZoneFileLoader({ path: place, files, clock, bug }).load(signal);
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

export function printDiagnostics(
  printable: PrintableDiagnostics,
  host: Host,
  stream: TextStream = host.stderr,
): void {
  const { diagnostics, sources } = printable;
  if (diagnostics.length === 0) return;
  const color = hasColor(host, stream);
  const directory = relativeDirectory(printable, host);
  stream.write(`${renderDiagnostics(diagnostics, sources, { directory, color })}\n`);
}
