import { didYouMean } from "../syntax/nearest.ts";
import { diagnosticCodes } from "../zone/diagnostic-codes.ts";
import type { Diagnostic } from "../zone/diagnostic.ts";
import type { ParsedFile } from "./load/parse-zone-file.ts";
import type { Suppression } from "./load/suppressions.ts";

/** Problems that are left, and how many a comment has silenced. */
export interface SuppressedDiagnostics {
  readonly diagnostics: readonly Diagnostic[];
  readonly silenced: number;
}

/** Takes out the warnings that comments silence. Errors cannot be silenced; a comment without effect is told. */
export function suppressedDiagnostics(
  diagnostics: readonly Diagnostic[],
  files: readonly ParsedFile[],
): SuppressedDiagnostics {
  const used = new Set<Suppression>();
  const byFile = new Map(files.map((parsed) => [parsed.file, parsed.silences]));
  const left = diagnostics.filter((diagnostic) => {
    if (diagnostic.severity === "error") return true;
    const silence = byFile
      .get(diagnostic.place.file)
      ?.find(
        ({ about, codes }) => about === diagnostic.place.line && codes.includes(diagnostic.code),
      );
    if (silence !== undefined) used.add(silence);
    return silence === undefined;
  });
  const complaints = files.flatMap((parsed) =>
    parsed.silences.flatMap((silence) => complaint(parsed, silence, used.has(silence))),
  );
  return { diagnostics: [...left, ...complaints], silenced: diagnostics.length - left.length };
}

function complaint(
  parsed: ParsedFile,
  silence: Suppression,
  isUsed: boolean,
): readonly Diagnostic[] {
  const words = wordsAbout(silence, isUsed, parsed.usable);
  if (words === undefined) return [];
  const place = { file: parsed.file, line: silence.line, column: 1 };
  const { severity } = diagnosticCodes.BAD_SILENCE;
  return [{ code: "BAD_SILENCE", severity, place, path: "", ...words }];
}

function wordsAbout(
  { codes, reason }: Suppression,
  isUsed: boolean,
  isUsable: boolean,
): { readonly message: string; readonly remedy: string } | undefined {
  const form = "write: # zonewarden-disable-next-line CODE -- reason";
  if (codes.length === 0) return { message: "the comment names no code", remedy: form };
  const unknown = codes.find((code) => !isWarning(code));
  if (unknown !== undefined) {
    const remedy = didYouMean(unknown, warnings) || "only warnings can be silenced";
    return { message: `"${unknown}" is no warning`, remedy };
  }
  if (reason === "") return { message: "the comment does not say why", remedy: form };
  // Where a file cannot be used, what it silences may not have been looked at.
  if (isUsed || !isUsable) return undefined;
  return { message: "the comment silences nothing", remedy: "delete it" };
}

const warnings = Object.entries(diagnosticCodes)
  .filter(([, { severity }]) => severity === "warning")
  .map(([code]) => code);

function isWarning(code: string): boolean {
  return warnings.includes(code);
}
