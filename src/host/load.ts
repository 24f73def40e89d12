import path from "node:path";

import { type Config } from "../desired/config/config.ts";
import { loadConfig, type LoadedConfig } from "../desired/config/load-config.ts";
import { ZoneFileLoader, type DesiredState } from "../desired/load/zone-file-loader.ts";
import { cronMistake } from "../reconcile/schedule/schedule.ts";
import { renderDiagnostics, type Sources } from "../render/diagnostics.ts";
import type { Diagnostic } from "../zone/diagnostic.ts";
import { hasColor, type Host } from "./host.ts";

/** Reads `zonewarden.yaml`, cron expressions checked by the scheduler itself. */
export function readConfig(
  file: string,
  { files, directory }: Host,
  signal: AbortSignal,
): Promise<LoadedConfig> {
  return loadConfig(path.resolve(directory, file), { files, cronMistake }, signal);
}

/** Reads the configuration and prints what is wrong in it; `undefined` where that keeps it from being used. */
export async function loadConfigOrPrint(
  file: string,
  host: Host,
  signal: AbortSignal,
): Promise<Config | undefined> {
  const loaded = await readConfig(file, host, signal);
  printDiagnostics(loaded, host);
  return loaded.config;
}

/** Reads the desired state of a configuration and prints what is wrong in it. */
export async function loadDesiredOrPrint(
  config: Config,
  host: Host,
  signal: AbortSignal,
): Promise<DesiredState | undefined> {
  const { files, clock } = host;
  const desired = new ZoneFileLoader({ path: config.desired.path, files, clock });
  const state = await desired.load(signal);
  printDiagnostics(state, host);
  return hasErrors(state.diagnostics) ? undefined : state;
}

/** Whether something is wrong that keeps files from being acted on. */
export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ severity }) => severity === "error");
}

/** Problems, and what it takes to show them with their lines. */
export interface PrintableDiagnostics {
  readonly diagnostics: readonly Diagnostic[];
  readonly directory: string;
  readonly sources: Sources;
}

/** The directory of findings, as seen from where the command was called. */
export function nearOf({ directory }: PrintableDiagnostics, host: Host): string {
  return directory === "" ? "" : path.relative(host.directory, directory);
}

/** Prints problems beside the result, for people. */
export function printDiagnostics(findings: PrintableDiagnostics, host: Host): void {
  const { diagnostics, sources } = findings;
  if (diagnostics.length === 0) return;
  const color = hasColor(host, host.stderr);
  const directory = nearOf(findings, host);
  host.stderr.write(`${renderDiagnostics(diagnostics, sources, { directory, color })}\n`);
}
