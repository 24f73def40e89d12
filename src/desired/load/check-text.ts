import type { ZoneDocument } from "../../zone/desired-zone.ts";
import { joinZoneFiles } from "./join-zone-files.ts";
import { parseZoneFile, type ParsedFile } from "./parse-zone-file.ts";
import { type DiagnosticReport, reportOf } from "./report-diagnostics.ts";

/** A text, checked as the only zone file. */
export interface CheckedText extends DiagnosticReport {
  readonly parsed: ParsedFile;
  readonly documents: readonly ZoneDocument[];
}

/** Checks a text as the loader checks a directory with this file alone. An exception is thrown. */
export function checkText(file: string, text: string): CheckedText {
  const parsed = parseZoneFile(file, "", new TextEncoder().encode(text));
  const good = parsed.usable ? parsed : undefined;
  const versions = [{ current: parsed, good, isRestored: false, lastDocuments: [] }];
  const joined = joinZoneFiles(versions, new WeakMap(), asTheyAre, (error) => {
    throw error;
  });
  return {
    parsed,
    documents: joined.documents,
    ...reportOf(joined.diagnostics, [parsed], asTheyAre),
  };
}

function asTheyAre<T>(diagnostics: T): T {
  return diagnostics;
}
