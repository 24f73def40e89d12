import path from "node:path";

import { DesiredFiles, type DesiredState } from "../desired/desired-files.ts";
import { showZone } from "../desired/show.ts";
import { valueText } from "../report/value.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { configOrProblems, hasErrors, printProblems } from "./load.ts";
import type { Machine } from "./machine.ts";

/** What `validate` is told. */
export interface ValidateFlags {
  readonly config: string;
  readonly path: string | undefined;
  readonly format: "text" | "json" | "sarif" | "annotations";
  readonly show: string | undefined;
}

/** `zonewarden validate`: checks the files, with neither network nor token. */
export async function validate(flags: ValidateFlags, machine: Machine): Promise<ExitCode> {
  const signal = new AbortController().signal;
  const where = await desiredPlace(flags, machine, signal);
  if (where === undefined) return exitCodes.invalid;
  const state = await new DesiredFiles({ ...where, files: machine.files }).load(signal);
  printProblems(state, machine);
  if (hasErrors(state.problems)) return exitCodes.invalid;
  if (flags.show !== undefined) return show(flags.show, state, machine);
  const count = `${state.documents.length} zone documents in ${state.files} files`;
  machine.stdout.write(`${count} are in order (revision ${state.revision})\n`);
  return exitCodes.done;
}

/** Where the zone documents are, and whose marks they must not bear. */
interface DesiredPlace {
  readonly path: string;
  readonly owner: string;
}

async function desiredPlace(
  flags: ValidateFlags,
  machine: Machine,
  signal: AbortSignal,
): Promise<DesiredPlace | undefined> {
  if (flags.path !== undefined) {
    return { path: path.resolve(machine.directory, flags.path), owner: "zonewarden" };
  }
  return (await configOrProblems(flags.config, machine, signal))?.desired;
}

/** Prints a zone as merged, each value with the place that set it. */
function show(zone: string, state: DesiredState, machine: Machine): ExitCode {
  const values = showZone(state.trace, zone);
  if (values === undefined) {
    machine.stderr.write(
      `--show: no file declares ${zone}; there are ${state.trace
        .map(({ label }) => label)
        .slice(0, 10)
        .join(", ")}\n`,
    );
    return exitCodes.failed;
  }
  const width = Math.max(...values.map(({ path: name }) => name.length));
  for (const { path: name, value, place, profile } of values) {
    const from = profile === undefined ? "" : `  profile ${profile}`;
    const at = `${place.file}:${place.line}${from}`;
    machine.stdout.write(`${name.padEnd(width)}  ${valueText(value)}  # ${at}\n`);
  }
  return exitCodes.done;
}
