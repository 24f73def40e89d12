import path from "node:path";

import { ZoneFileLoader, type DesiredState } from "../../desired/load/zone-file-loader.ts";
import { selectorsNaming, showZone, type ShownValue } from "../../desired/zones/show-zone.ts";
import { labelOf } from "../../desired/zones/target.ts";
import { hasColor, type Host } from "../../host/host.ts";
import {
  hasErrors,
  nearOf,
  type PrintableDiagnostics as Shown,
  readConfig,
} from "../../host/load.ts";
import { version } from "../../host/version.ts";
import {
  diagnosticsAsAnnotations,
  diagnosticsAsJson,
  diagnosticsAsSarif,
  fileIn,
  renderDiagnostics,
} from "../../render/diagnostics.ts";
import { plural, valueText } from "../../render/format.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { type ExitCode, exitCodes } from "../output/exit-codes.ts";

/** What was found in files, suppressed warnings counted. */
interface Findings extends Shown {
  readonly suppressed: number;
}

/** What `validate` is told. */
export interface ValidateFlags {
  readonly config: string;
  readonly path: string | undefined;
  readonly format: "text" | "json" | "sarif" | "annotations";
  readonly show?: string;
}

/** `zonewarden validate`: checks the files, with neither network nor token. */
export async function validate(flags: ValidateFlags, host: Host): Promise<ExitCode> {
  const signal = new AbortController().signal;
  const found = await findingsIn(flags, host, signal);
  const diagnostics = found.all.flatMap((each) => each.diagnostics);
  printFindings(found.all, flags.format, host);
  const { state } = found;
  if (state === undefined || hasErrors(diagnostics)) return exitCodes.invalid;
  if (flags.show !== undefined) return show(flags.show, state, host);
  if (flags.format === "text") {
    const count = `${plural(state.documents.length, "zone document")} in ${plural(state.files, "file")}`;
    host.stdout.write(`${count}: nothing wrong (revision ${state.revision})\n`);
  }
  return exitCodes.done;
}

/** What was found in the configuration, where it was asked for, and in the zone documents. */
interface Found {
  readonly all: readonly Findings[];
  /** `undefined` where the configuration is too broken to say where the zone documents are. */
  readonly state: DesiredState | undefined;
}

async function findingsIn(flags: ValidateFlags, host: Host, signal: AbortSignal): Promise<Found> {
  const load = (place: string): Promise<DesiredState> =>
    new ZoneFileLoader({ path: place, files: host.files, clock: host.clock }).load(signal);
  if (flags.path !== undefined) {
    const state = await load(path.resolve(host.directory, flags.path));
    return { all: [state], state };
  }
  const loaded = await readConfig(flags.config, host, signal);
  const configured = { ...loaded, suppressed: 0 };
  if (loaded.config === undefined) return { all: [configured], state: undefined };
  const state = await load(loaded.config.desired.path);
  return { all: [configured, state], state };
}

/** Problems are the result here, and go where results go. */
function printFindings(
  all: readonly Findings[],
  format: ValidateFlags["format"],
  host: Host,
): void {
  const diagnostics = all.flatMap((each) => inView(each, host));
  const suppressed = all.reduce((sum, each) => sum + each.suppressed, 0);
  const { stdout } = host;
  switch (format) {
    case "text": {
      const color = hasColor(host, stdout);
      for (const each of all) {
        if (each.diagnostics.length === 0) continue;
        const directory = nearOf(each, host);
        stdout.write(
          `${renderDiagnostics(each.diagnostics, each.sources, { directory, color })}\n`,
        );
      }
      if (suppressed > 0) {
        stdout.write(`${plural(suppressed, "warning")} suppressed by comments in the files\n`);
      }
      return;
    }
    case "json":
      stdout.write(`${JSON.stringify(diagnosticsAsJson(diagnostics, suppressed, ""), null, 2)}\n`);
      return;
    case "sarif":
      stdout.write(`${JSON.stringify(diagnosticsAsSarif(diagnostics, version, ""), null, 2)}\n`);
      return;
    case "annotations":
      stdout.write(diagnosticsAsAnnotations(diagnostics, ""));
  }
}

/** Problems under paths that lead to their files from where the command was called. */
function inView(each: Findings, host: Host): readonly Diagnostic[] {
  const directory = nearOf(each, host);
  return each.diagnostics.map((diagnostic) => ({
    ...diagnostic,
    place: { ...diagnostic.place, file: fileIn(directory, diagnostic.place.file) },
  }));
}

/** Prints a zone as merged, each value with the place that set it. */
function show(zone: string, state: DesiredState, host: Host): ExitCode {
  const values = showZone(state.trace, zone) ?? throughSelector(zone, state, host);
  if (values === undefined) return exitCodes.failed;
  const width = Math.max(...values.map(({ path: name }) => name.length));
  for (const { path: name, value, place, profile } of values) {
    const from = profile === undefined ? "" : `  profile ${profile}`;
    const at = `${place.file}:${place.line}${from}`;
    host.stdout.write(`${name.padEnd(width)}  ${valueText(value)}  # ${at}\n`);
  }
  return exitCodes.done;
}

/** A zone that no file names, as the one selector that its name fits declares it; whether it is listed is not asked here. */
function throughSelector(
  zone: string,
  { documents, trace }: DesiredState,
  { stderr }: Host,
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
