import path from "node:path";

import type { Config } from "../../desired/config/config.ts";
import { undeclaredCanaries } from "../../desired/config/undeclared-canaries.ts";
import { oncePerMessage } from "../../desired/diagnostics.ts";
import { lintOf } from "../../desired/lint.ts";
import type { LoadedFiles } from "../../desired/load/zone-file-loader.ts";
import {
  isLayer,
  layersOf,
  type MergedDocument,
  priorityOf,
} from "../../desired/zones/merged-document.ts";
import { type DeclaredEntry, offlineFleet } from "../../desired/zones/offline-fleet.ts";
import { promotionNeeds } from "../../desired/zones/promotion-needs.ts";
import { oncePerPlace, placedIn } from "../../desired/zones/select.ts";
import { type ShownZone, showZone } from "../../desired/zones/show-zone.ts";
import { labelOf } from "../../desired/zones/target.ts";
import type { Host } from "../../host/host.ts";
import {
  hasErrors,
  loadZoneFiles,
  type PrintableDiagnostics,
  printDiagnostics,
  readConfig,
  relativeDirectory,
} from "../../host/load.ts";
import { version } from "../../host/version.ts";
import {
  diagnosticsAsAnnotations,
  diagnosticsAsJson,
  diagnosticsAsSarif,
  fileIn,
  tally,
} from "../../render/diagnostic-formats.ts";
import { jsonText, plural, valueText } from "../../render/format.ts";
import { didYouMean } from "../../syntax/nearest.ts";
import { sum } from "../../syntax/sum.ts";
import type { ZoneContent } from "../../zone/desired-zone.ts";
import { diagnosticCodes, factsOfCode } from "../../zone/diagnostic-codes.ts";
import { type Diagnostic, errorsFirst, type Severity } from "../../zone/diagnostic.ts";
import type { LabelSelector } from "../../zone/label-selector.ts";
import { rulePhases } from "../../zone/rule-phase.ts";
import type { DefineCommand } from "../command-options.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { tableText } from "../output/table.ts";

export const defineValidate: DefineCommand = (command, host) => {
  command
    .argument("[path]", "directory or file with zone files, instead of desired.path")
    .configFile()
    .formats("text", "json", "sarif", "annotations")
    .option("--show <zone>", "print the merged declaration of a zone, and where each value is set")
    .option("--zones", "print a table of the zones and what they get")
    .selector()
    .choice("--severity <severity>", "print only errors, or only warnings", ["error", "warning"])
    .option("--code <codes...>", "print only diagnostics with these codes")
    .option("--strict", "fail if a warning is printed", false)
    .examples(
      "zonewarden validate",
      "zonewarden validate zones/",
      "zonewarden validate --show shop.example.com",
      "zonewarden validate --zones --selector team=payments",
      "zonewarden validate --severity error",
      "zonewarden validate --code ALLOW_OVERLAP",
      "zonewarden validate --strict      # exits with 3 if there is a warning",
      "zonewarden validate --format sarif > zonewarden.sarif",
    )
    .runs((target: string | undefined, flags: ValidateFlags) => validate(target, flags, host));
};

interface Checked extends PrintableDiagnostics {
  readonly suppressed: number;
}

interface ValidateFlags {
  readonly config: string;
  readonly severity?: Severity;
  readonly code?: readonly string[];
  readonly strict: boolean;
  readonly format: "text" | "json" | "sarif" | "annotations";
  readonly show?: string;
  readonly zones?: boolean;
  readonly selector?: LabelSelector;
}

/** @param target the zone files, instead of those of the configuration. */
async function validate(
  target: string | undefined,
  flags: ValidateFlags,
  host: Host,
): Promise<ExitCode> {
  const unknown = flags.code?.find((code) => factsOfCode(code) === undefined);
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, Object.keys(diagnosticCodes));
    return fail(`validate: there is no code ${unknown}; ${hint || "see zonewarden explain"}`, host);
  }
  const { signal } = new AbortController();
  const loaded = await readConfig(flags.config, host, signal);
  const { lint = [], desired } = loaded.config ?? {};
  const place = target === undefined ? desired?.path : path.resolve(host.directory, target);
  const state = place === undefined ? undefined : await loadZoneFiles(place, lint, host, signal);
  // For files that the command line names, only what the warnings count as matters of the configuration; it need not exist.
  const canaries = canariesIn(loaded.config, state);
  const diagnosed = { ...loaded, diagnostics: [...loaded.diagnostics, ...canaries], suppressed: 0 };
  const configured = target === undefined ? [diagnosed] : [];
  if (state === undefined) return print(configured, state, [], flags, host);
  const entries = offlineFleet(state.documents);
  const together = oncePerMessage(entries.flatMap(({ diagnostics }) => diagnostics));
  const whole = {
    ...state,
    diagnostics: [...state.diagnostics, ...together, ...needsOf(entries, configured[0]?.config)],
  };
  return print([...configured, whole], whole, entries, flags, host);
}

/** What promotions need of the configuration. */
function needsOf(
  entries: readonly DeclaredEntry[],
  config: Config | undefined,
): readonly Diagnostic[] {
  if (config === undefined) return [];
  const found = entries.flatMap(({ documents: [first, ...others], content }) =>
    first === undefined || content === undefined
      ? []
      : placedIn([first, ...others], promotionNeeds(content, config)),
  );
  return lintOf(config.lint)(oncePerPlace(found));
}

/** Where an entry is for zones of the listing, only that tells which zones are declared. */
function canariesIn(
  config: Config | undefined,
  state: LoadedFiles | undefined,
): readonly Diagnostic[] {
  if (config === undefined || state === undefined) return [];
  const { documents } = state;
  const names = documents.flatMap(({ target }) => (target.by === "name" ? [target.name] : []));
  return names.length < documents.length ? [] : undeclaredCanaries(config, new Set(names));
}

/** @param state `undefined` if the configuration is too broken to say where the zone files are. */
function print(
  checked: readonly Checked[],
  state: LoadedFiles | undefined,
  entries: readonly DeclaredEntry[],
  flags: ValidateFlags,
  host: Host,
): ExitCode {
  const diagnostics = checked.flatMap((each) => each.diagnostics);
  const shown = checked.map((each) => ({ ...each, diagnostics: wanted(each, flags) }));
  printDiagnosticsOf(shown, flags.format, host);
  const isStrict = flags.strict && shown.some((each) => each.diagnostics.length > 0);
  const hidden = diagnostics.filter((each) => !shown.some((one) => one.diagnostics.includes(each)));
  if (hidden.length > 0) host.stderr.write(`not printed: ${tally(hidden)}\n`);
  if (state === undefined || hasErrors(diagnostics) || isStrict) return exitCodes.invalid;
  if (flags.show !== undefined) return show(flags.show, state, host);
  if (flags.zones === true) {
    printZones(entries, flags.selector, host);
    return exitCodes.done;
  }
  if (flags.format === "text") {
    const count = `${plural(state.documents.length, "zone document")} in ${plural(state.files, "file")}`;
    const { revision, commit } = state;
    const label = commit === undefined ? "" : `, commit ${commit}`;
    host.stdout.write(`${count}: valid (revision ${revision}${label})\n`);
  }
  return exitCodes.done;
}

function wanted(
  { diagnostics }: Checked,
  { severity, code }: ValidateFlags,
): readonly Diagnostic[] {
  return diagnostics.filter(
    (each) =>
      (severity === undefined || each.severity === severity) &&
      (code === undefined || code.includes(each.code)),
  );
}

function printDiagnosticsOf(
  all: readonly Checked[],
  format: ValidateFlags["format"],
  host: Host,
): void {
  const diagnostics = errorsFirst(all.flatMap((each) => inView(each, host)));
  const suppressed = sum(all.map((each) => each.suppressed));
  const { stdout } = host;
  switch (format) {
    case "text":
      for (const each of all) printDiagnostics(each, host, stdout);
      if (suppressed > 0) {
        stdout.write(`${plural(suppressed, "warning")} suppressed by comments in the files\n`);
      }
      return;
    case "json":
      stdout.write(jsonText(diagnosticsAsJson(diagnostics, suppressed)));
      return;
    case "sarif":
      stdout.write(jsonText(diagnosticsAsSarif(diagnostics, version)));
      return;
    case "annotations":
      stdout.write(diagnosticsAsAnnotations(diagnostics));
  }
}

function inView(each: Checked, host: Host): readonly Diagnostic[] {
  const directory = relativeDirectory(each, host);
  return each.diagnostics.map((diagnostic) => ({
    ...diagnostic,
    place: { ...diagnostic.place, file: fileIn(directory, diagnostic.place.file) },
  }));
}

/** Prints the entries of a zone, and its merged declaration, each value with the place that sets it. */
function show(zone: string, { documents }: LoadedFiles, host: Host): ExitCode {
  const { stdout, stderr } = host;
  const found = showZone(documents, zone);
  if (found === undefined) {
    const labels = documents.map(({ target }) => labelOf(target)).slice(0, 10);
    stderr.write(`--show: no file declares ${zone}; the files declare ${labels.join(", ")}\n`);
    return exitCodes.failed;
  }
  if (found.documents.some(isLayer)) {
    if (found.documents.every(({ target }) => target.by === "selector")) {
      stderr.write(
        `--show: no file names ${zone}; \`match\` declares only zones that the service lists\n`,
      );
    }
    for (const document of found.documents) stdout.write(`# ${layerText(document, found)}\n`);
  }
  const width = Math.max(...found.values.map(({ path: name }) => name.length));
  for (const { path: name, value, place, profile } of found.values) {
    const from = profile === undefined ? "" : `  profile ${profile}`;
    const at = `${place.file}:${place.line}${from}`;
    stdout.write(`${name.padEnd(width)}  ${valueText(value)}  # ${at}\n`);
  }
  return exitCodes.done;
}

/** Prints the zones of the files, and what they get as far as the files tell. */
function printZones(
  entries: readonly DeclaredEntry[],
  selector: LabelSelector | undefined,
  { stdout }: Host,
): void {
  const shown = entries.filter(({ labels }) => selector?.(labels) ?? true);
  const rows = shown.map(({ name, labels, documents, content }) => [
    name,
    Object.entries(labels)
      .map(([key, value]) => `${key}=${value}`)
      .join(","),
    documents
      .filter(({ target }) => labelOf(target) !== name)
      .map(({ place }) => `${place.file}:${place.line}`)
      .join(" "),
    [...new Set(layersOf(documents).flatMap(({ profile }) => profile ?? []))].join(" "),
    content === undefined ? "by the listing" : contentText(content),
  ]);
  stdout.write(
    `${tableText({ head: ["zone", "labels", "merged over", "profiles", "gets"], rows })}\n`,
  );
}

function contentText(content: ZoneContent): string {
  const { mode, suspension, settings, policies } = content;
  const parts = [
    plural(settings.length, "setting"),
    ...(policies === undefined ? [] : [plural(policies.items.length, "policy")]),
    ...rulePhases.flatMap((phase) => {
      const rules = content.rules[phase];
      return rules === undefined ? [] : [`${rules.items.length} ${phase.replaceAll("_", " ")}`];
    }),
  ];
  return `${mode}${suspension === undefined ? "" : ", suspended"}: ${parts.join(", ")}`;
}

/** An entry as a layer of a zone. */
function layerText(document: MergedDocument, { uncertain }: ShownZone): string {
  const { target, place, zone } = document;
  const priority = target.by === "selector" ? `priority ${priorityOf(document)}: ` : "";
  const profiles = zone.content.profiles ?? [];
  const using = profiles.length === 0 ? "" : `, profiles ${profiles.join(", ")}`;
  const isUncertain = uncertain.has(document) ? ", if the listing matches" : "";
  return `${priority}${labelOf(target)} (${place.file}:${place.line}${using}${isUncertain})`;
}
