import path from "node:path";

import { DesiredFiles, type DesiredState } from "../../desired/desired-files.ts";
import { selectorsNaming, showZone, type ShownValue } from "../../desired/show.ts";
import { labelOf } from "../../desired/zones/target.ts";
import { hasColor, type Machine } from "../../host/host.ts";
import { type Findings as Shown, hasErrors, nearOf, readConfig } from "../../host/load.ts";
import { version } from "../../host/version.ts";
import {
  problemsAsAnnotations,
  problemsAsJson,
  problemsAsSarif,
} from "../../render/json/problem-formats.ts";
import { fileIn } from "../../render/text/problem-words.ts";
import { renderProblems } from "../../render/text/problems.ts";
import { plural } from "../../state/plural.ts";
import { valueText } from "../../state/value.ts";
import type { Problem } from "../../zone/problem.ts";
import { exitCodes, type ExitCode } from "../output/exit-codes.ts";

/** What was found in files, silenced warnings counted. */
interface Findings extends Shown {
  readonly silenced: number;
}

/** What `validate` is told. */
export interface ValidateFlags {
  readonly config: string;
  readonly path: string | undefined;
  readonly format: "text" | "json" | "sarif" | "annotations";
  readonly show?: string;
}

/** `zonewarden validate`: checks the files, with neither network nor token. */
export async function validate(flags: ValidateFlags, machine: Machine): Promise<ExitCode> {
  const signal = new AbortController().signal;
  const found = await findingsIn(flags, machine, signal);
  const problems = found.all.flatMap((each) => each.problems);
  printFindings(found.all, flags.format, machine);
  const { state } = found;
  if (state === undefined || hasErrors(problems)) return exitCodes.invalid;
  if (flags.show !== undefined) return show(flags.show, state, machine);
  if (flags.format === "text") {
    const count = `${plural(state.documents.length, "zone document")} in ${plural(state.files, "file")}`;
    machine.stdout.write(`${count}: nothing wrong (revision ${state.revision})\n`);
  }
  return exitCodes.done;
}

/** What was found in the configuration, where it was asked for, and in the zone documents. */
interface Found {
  readonly all: readonly Findings[];
  /** `undefined` where the configuration is too broken to say where the zone documents are. */
  readonly state: DesiredState | undefined;
}

async function findingsIn(
  flags: ValidateFlags,
  machine: Machine,
  signal: AbortSignal,
): Promise<Found> {
  const load = (place: string): Promise<DesiredState> =>
    new DesiredFiles({ path: place, files: machine.files, clock: machine.clock }).load(signal);
  if (flags.path !== undefined) {
    const state = await load(path.resolve(machine.directory, flags.path));
    return { all: [state], state };
  }
  const loaded = await readConfig(flags.config, machine, signal);
  const configured = { ...loaded, silenced: 0 };
  if (loaded.config === undefined) return { all: [configured], state: undefined };
  const state = await load(loaded.config.desired.path);
  return { all: [configured, state], state };
}

/** Problems are the result here, and go where results go. */
function printFindings(
  all: readonly Findings[],
  format: ValidateFlags["format"],
  machine: Machine,
): void {
  const problems = all.flatMap((each) => inView(each, machine));
  const silenced = all.reduce((sum, each) => sum + each.silenced, 0);
  const { stdout } = machine;
  switch (format) {
    case "text": {
      const color = hasColor(machine, stdout);
      for (const each of all) {
        if (each.problems.length === 0) continue;
        const directory = nearOf(each, machine);
        stdout.write(`${renderProblems(each.problems, each.sources, { directory, color })}\n`);
      }
      if (silenced > 0) {
        stdout.write(`${plural(silenced, "warning")} silenced by comments in the files\n`);
      }
      return;
    }
    case "json":
      stdout.write(`${JSON.stringify(problemsAsJson(problems, silenced, ""), null, 2)}\n`);
      return;
    case "sarif":
      stdout.write(`${JSON.stringify(problemsAsSarif(problems, version, ""), null, 2)}\n`);
      return;
    case "annotations":
      stdout.write(problemsAsAnnotations(problems, ""));
  }
}

/** Problems under paths that lead to their files from where the command was called. */
function inView(each: Findings, machine: Machine): readonly Problem[] {
  const directory = nearOf(each, machine);
  return each.problems.map((problem) => ({
    ...problem,
    place: { ...problem.place, file: fileIn(directory, problem.place.file) },
  }));
}

/** Prints a zone as merged, each value with the place that set it. */
function show(zone: string, state: DesiredState, machine: Machine): ExitCode {
  const values = showZone(state.trace, zone) ?? throughSelector(zone, state, machine);
  if (values === undefined) return exitCodes.failed;
  const width = Math.max(...values.map(({ path: name }) => name.length));
  for (const { path: name, value, place, profile } of values) {
    const from = profile === undefined ? "" : `  profile ${profile}`;
    const at = `${place.file}:${place.line}${from}`;
    machine.stdout.write(`${name.padEnd(width)}  ${valueText(value)}  # ${at}\n`);
  }
  return exitCodes.done;
}

/** A zone that no file names, as the one selector that its name fits declares it; whether it is listed is not asked here. */
function throughSelector(
  zone: string,
  { documents, trace }: DesiredState,
  { stderr }: Machine,
): readonly ShownValue[] | undefined {
  const selectors = selectorsNaming(documents, zone);
  const [only, ...others] = selectors;
  if (only === undefined) {
    const labels = trace.map(({ label }) => label).slice(0, 10);
    stderr.write(`--show: no file declares ${zone}; there are ${labels.join(", ")}\n`);
    return undefined;
  }
  const names = selectors.map(
    ({ target, place }) => `${labelOf(target)} (${place.file}:${place.line})`,
  );
  const after = "which zones a selector takes in is decided by the service's listing";
  stderr.write(`--show: no file names ${zone}, but it fits ${names.join(" and ")}; ${after}\n`);
  return others.length > 0 ? undefined : showZone(trace, labelOf(only.target));
}
