import path from "node:path";

import { type Config, loadConfig, type LoadedConfig } from "../desired/config/config.ts";
import { DesiredFiles, type DesiredState } from "../desired/desired-files.ts";
import { cronMistake } from "../reconcile/schedule/schedule.ts";
import { renderProblems, type Sources } from "../render/text/problems.ts";
import type { Problem } from "../zone/problem.ts";
import { hasColor, type Machine } from "./host.ts";

/** Reads `zonewarden.yaml`, cron expressions checked by the scheduler itself. */
export function readConfig(
  file: string,
  { files, directory }: Machine,
  signal: AbortSignal,
): Promise<LoadedConfig> {
  return loadConfig(path.resolve(directory, file), { files, cronMistake }, signal);
}

/** Reads the configuration and prints what is wrong in it; `undefined` where that keeps it from being used. */
export async function configOrProblems(
  file: string,
  machine: Machine,
  signal: AbortSignal,
): Promise<Config | undefined> {
  const loaded = await readConfig(file, machine, signal);
  printProblems(loaded, machine);
  return loaded.config;
}

/** Reads the desired state of a configuration and prints what is wrong in it. */
export async function desiredOrProblems(
  config: Config,
  machine: Machine,
  signal: AbortSignal,
): Promise<DesiredState | undefined> {
  const { files, clock } = machine;
  const desired = new DesiredFiles({ path: config.desired.path, files, clock });
  const state = await desired.load(signal);
  printProblems(state, machine);
  return hasErrors(state.problems) ? undefined : state;
}

/** Whether something is wrong that keeps files from being acted on. */
export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some(({ severity }) => severity === "error");
}

/** Problems, and what it takes to show them with their lines. */
export interface Findings {
  readonly problems: readonly Problem[];
  readonly directory: string;
  readonly sources: Sources;
}

/** The directory of findings, as seen from where the command was called. */
export function nearOf({ directory }: Findings, machine: Machine): string {
  return directory === "" ? "" : path.relative(machine.directory, directory);
}

/** Prints problems beside the result, for people. */
export function printProblems(findings: Findings, machine: Machine): void {
  const { problems, sources } = findings;
  if (problems.length === 0) return;
  const color = hasColor(machine, machine.stderr);
  const directory = nearOf(findings, machine);
  machine.stderr.write(`${renderProblems(problems, sources, { directory, color })}\n`);
}
