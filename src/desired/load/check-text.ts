import type { ZoneDocument } from "../../zone/desired-zone.ts";
import { joinZoneFiles } from "./join-zone-files.ts";
import { parseZoneFile } from "./parse-zone-file.ts";
import { type DiagnosticReport, reportOf } from "./report-diagnostics.ts";

/** Texts, checked as the only zone files. */
interface CheckedTexts extends DiagnosticReport {
  readonly documents: readonly ZoneDocument[];
}

/** Checks a text as the loader checks a directory with this file alone. An exception is thrown. */
export function checkText(file: string, text: string): CheckedTexts {
  return checkTexts([{ file, text }]);
}

/** Checks texts as the loader checks a directory with these files alone. An exception is thrown. */
export function checkTexts(
  files: readonly { readonly file: string; readonly text: string }[],
): CheckedTexts {
  const parsed = files.map(({ file, text }) =>
    parseZoneFile(file, "", new TextEncoder().encode(text)),
  );
  const versions = parsed.map((current) => {
    const good = current.usable ? current : undefined;
    return { current, good, isRestored: false, lastDocuments: [] };
  });
  const { documents, diagnostics } = joinZoneFiles(versions, new WeakMap(), asTheyAre, (error) => {
    throw error;
  });
  return { documents, ...reportOf(diagnostics, parsed, asTheyAre) };
}

function asTheyAre<T>(diagnostics: T): T {
  return diagnostics;
}
