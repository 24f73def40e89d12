import { type Diagnostic, isError } from "../zone/diagnostic.ts";
import {
  type DiagnosticOptions,
  fileIn,
  renderDiagnostics,
  type Sources,
} from "./diagnostic-formats.ts";
import { plural, printable } from "./format.ts";

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
