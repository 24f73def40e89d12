import { compareText } from "../../syntax/by-text.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { limitedDiagnostics } from "../diagnostics.ts";
import { redactedText } from "../file-kind.ts";
import { zoneFileKind } from "../json-schema.ts";
import type { Lint } from "../lint.ts";
import type { ParsedFile } from "./parse-zone-file.ts";
import { applySuppressions } from "./suppressions.ts";

/** What is reported of the diagnostics of all files. */
export interface DiagnosticReport {
  /** In the order of the files. */
  readonly diagnostics: readonly Diagnostic[];
  /** Number of warnings that comments suppress. */
  readonly suppressed: number;
  /** Redacted text of the files with diagnostics. */
  readonly sources: ReadonlyMap<string, string>;
}

/** Removes what comments suppress and what is above the limits of a file. */
export function reportOf(
  found: readonly Diagnostic[],
  parsed: readonly ParsedFile[],
  lint: Lint,
): DiagnosticReport {
  const { diagnostics: left, suppressed } = applySuppressions(sorted(found), parsed);
  // Once more, for the warnings about suppressions.
  const byFile = Map.groupBy(lint(left), ({ place }) => place.file);
  const diagnostics = [...byFile].flatMap(([file, those]) => limitedDiagnostics(file, those));
  const texts = parsed
    .filter(({ file }) => byFile.has(file))
    .map(({ file, text }) => [file, redactedText(text, zoneFileKind)] as const)
    .filter(([, text]) => text !== "");
  return {
    diagnostics,
    suppressed,
    sources: new Map(texts),
  };
}

function sorted(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.toSorted(
    ({ place: a }, { place: b }) =>
      compareText(a.file, b.file) || a.line - b.line || a.column - b.column,
  );
}
