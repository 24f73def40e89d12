import type { Json, JsonObject } from "../syntax/json.ts";
import { factsOfCode } from "../zone/diagnostic-codes.ts";
import {
  type Diagnostic,
  errorsFirst,
  isError,
  messageWithZones,
  type Severity,
} from "../zone/diagnostic.ts";
import { inColumns, paintOf, plural, printable } from "./format.ts";

/** Texts of the files with diagnostics, by the file names in their places. */
export type Sources = ReadonlyMap<string, string>;

export interface DiagnosticOptions {
  /** Prefix of file names, so that they are paths from the current directory; "" for none. */
  readonly directory: string;
  readonly color: boolean;
}

/** Diagnostics as text, errors first: place, message and code, the line of the file with a caret, and the remedy. */
export function renderDiagnostics(
  diagnostics: readonly Diagnostic[],
  sources: Sources,
  options: DiagnosticOptions,
): string {
  if (diagnostics.length === 0) return "no problems\n";
  const linesOf = new Map([...sources].map(([file, text]) => [file, text.split(/\r?\n/)]));
  const blocks = errorsFirst(diagnostics).map((each) => block(each, linesOf, options));
  return `${blocks.join("\n")}\n${tally(diagnostics)}\n`;
}

/** Errors in full, then one line for each code of the warnings. "" if there is nothing. */
export function summarizeDiagnostics(
  diagnostics: readonly Diagnostic[],
  sources: Sources,
  options: DiagnosticOptions,
): string {
  const errors = diagnostics.filter(isError);
  const warnings = diagnostics.filter((each) => !isError(each));
  return [
    ...(errors.length === 0 ? [] : [`${renderDiagnostics(errors, sources, options)}\n`]),
    ...warningCounts(warnings).map((count) => `${warningText(count, options)}\n`),
  ].join("");
}

/** How often a warning is reported, and in which files. */
export interface WarningCount {
  readonly code: string;
  readonly count: number;
  readonly files: readonly string[];
}

/** The warnings by code, the most frequent first. */
export function warningCounts(diagnostics: readonly Diagnostic[]): readonly WarningCount[] {
  const byCode = Map.groupBy(
    diagnostics.filter((each) => !isError(each)),
    ({ code }) => code,
  );
  return [...byCode]
    .map(([code, found]) => ({
      code,
      count: found.length,
      files: [...new Set(found.map(({ place }) => place.file))],
    }))
    .toSorted((a, b) => b.count - a.count);
}

function warningText(
  { code, count, files }: WarningCount,
  { directory }: DiagnosticOptions,
): string {
  const [file = "", ...others] = files;
  const where =
    others.length === 0 ? printable(fileIn(directory, file)) : plural(files.length, "file");
  return `${count} × ${code} in ${where}: zonewarden validate --code ${code}`;
}

function block(
  diagnostic: Diagnostic,
  linesOf: ReadonlyMap<string, readonly string[]>,
  { directory, color }: DiagnosticOptions,
): string {
  const { file, line, column } = diagnostic.place;
  const paint = paintOf(color);
  const where = `${fileIn(directory, file)}:${line}:${column}`;
  const severity = paint([severityColors[diagnostic.severity], "bold"], diagnostic.severity);
  const head = `${paint("bold", printable(where))}: ${severity}: ${printable(messageWithZones(diagnostic))} [${diagnostic.code}]`;
  const source = linesOf.get(file)?.[line - 1];
  const frame = source === undefined ? [] : frameOf(source, line, column);
  const remedy =
    diagnostic.remedy === "" ? [] : [`  ${paint("cyan", "→")} ${printable(diagnostic.remedy)}`];
  return [head, ...frame.map((part) => paint("dim", part)), ...remedy, ""].join("\n");
}

const severityColors = { error: "red", warning: "yellow" } as const satisfies Record<
  Severity,
  string
>;

/** Longer lines are cut around the place. */
const maxWidth = 100;

/** The line, and a caret under the column; columns count from 1. */
function frameOf(source: string, line: number, column: number): string[] {
  const number = String(line);
  const from = source.length <= maxWidth ? 0 : Math.max(0, column - 1 - maxWidth / 2);
  const cut = source.slice(from, from + maxWidth);
  const shown = `${from > 0 ? "…" : ""}${inColumns(cut)}${from + maxWidth < source.length ? "…" : ""}`;
  const caret = " ".repeat(column - 1 - from + (from > 0 ? 1 : 0));
  return [`  ${number} | ${shown}`, `  ${" ".repeat(number.length)} | ${caret}^`];
}

/** The path of a file below a directory; the directory itself is ".". */
export function fileIn(directory: string, file: string): string {
  const base = directory.replace(/\/+$/, "");
  if (base === "" || file.startsWith("/")) return file;
  return file === "." ? base : `${base}/${file}`;
}

/** Message and remedy in one line. */
export function sentenceOf(diagnostic: Diagnostic): string {
  const message = messageWithZones(diagnostic);
  return diagnostic.remedy === "" ? message : `${message}; ${diagnostic.remedy}`;
}

/** Counts: `2 errors, 1 warning`. */
export function tally(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(isError).length;
  const warnings = diagnostics.length - errors;
  return [
    ...(errors === 0 ? [] : [plural(errors, "error")]),
    ...(warnings === 0 ? [] : [plural(warnings, "warning")]),
  ].join(", ");
}

export function diagnosticsAsJson(
  diagnostics: readonly Diagnostic[],
  suppressed: number,
): JsonObject {
  const errors = diagnostics.filter(isError).length;
  return {
    errors,
    warnings: diagnostics.length - errors,
    suppressed,
    diagnostics: diagnostics.map(({ code, severity, place, path, message, remedy, zones }) => ({
      code,
      severity,
      ...place,
      path,
      message,
      remedy,
      ...(zones !== undefined && { zones }),
    })),
  };
}

/** Diagnostics as SARIF 2.1.0 for code hosts. */
export function diagnosticsAsSarif(
  diagnostics: readonly Diagnostic[],
  version: string,
): JsonObject {
  const codes = [...new Set(diagnostics.map(({ code }) => code))].toSorted();
  return {
    $schema:
      "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "zonewarden", version, rules: codes.map(sarifRule) } },
        columnKind: "utf16CodeUnits",
        results: diagnostics.map((diagnostic) => sarifResult(diagnostic, codes)),
      },
    ],
  };
}

/** Diagnostics as workflow commands that GitHub shows as annotations. */
export function diagnosticsAsAnnotations(diagnostics: readonly Diagnostic[]): string {
  return diagnostics
    .map((diagnostic) => {
      const { file, line, column } = diagnostic.place;
      const facts = { file, line, col: column, title: diagnostic.code };
      const properties = Object.entries(facts).map(([name, value]) => `${name}=${property(value)}`);
      return `::${diagnostic.severity} ${properties.join(",")}::${data(sentenceOf(diagnostic))}\n`;
    })
    .join("");
}

function sarifRule(code: string): Json {
  return { id: code, shortDescription: { text: factsOfCode(code)?.meaning ?? code } };
}

function sarifResult(diagnostic: Diagnostic, codes: readonly string[]): Json {
  const { file, line, column } = diagnostic.place;
  const uri = file.toWellFormed().split("/").map(encodeURIComponent).join("/");
  return {
    ruleId: diagnostic.code,
    ruleIndex: codes.indexOf(diagnostic.code),
    level: diagnostic.severity,
    message: { text: sentenceOf(diagnostic) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri },
          region: { startLine: line, startColumn: column },
        },
        ...(diagnostic.path === ""
          ? {}
          : { logicalLocations: [{ fullyQualifiedName: diagnostic.path }] }),
      },
    ],
  };
}

/** Escapes text for workflow commands, so that a message cannot start another one. */
function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(value: string | number): string {
  return data(String(value)).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
