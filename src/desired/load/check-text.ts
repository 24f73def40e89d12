import type { ZoneDocument } from "../../zone/desired-zone.ts";
import { joinZoneFiles } from "./join-zone-files.ts";
import { parseZoneFile, type ParsedFile } from "./parse-zone-file.ts";
import { type DiagnosticReport, reportOf } from "./report-diagnostics.ts";

/** A text, checked as the only zone file. */
export interface CheckedText extends CheckedTexts {
  readonly parsed: ParsedFile;
}

/** Texts, checked as the only zone files. */
interface CheckedTexts extends DiagnosticReport {
  readonly documents: readonly ZoneDocument[];
}

/** Checks a text as the loader checks a directory with this file alone. An exception is thrown. */
export function checkText(file: string, text: string): CheckedText {
  const parsed = parsedText({ file, text });
  return { ...checkParsed([parsed]), parsed };
}

/** Checks texts as the loader checks a directory with these files alone. An exception is thrown. */
export function checkTexts(files: readonly NamedText[]): CheckedTexts {
  return checkParsed(files.map(parsedText));
}

interface NamedText {
  readonly file: string;
  readonly text: string;
}

function parsedText({ file, text }: NamedText): ParsedFile {
  return parseZoneFile(file, "", new TextEncoder().encode(text));
}

function checkParsed(parsed: readonly ParsedFile[]): CheckedTexts {
  const versions = parsed.map((current) => {
    const good = current.usable ? current : undefined;
    return { current, good, isRestored: false, lastDocuments: [] };
  });
  const joined = joinZoneFiles(versions, new WeakMap(), asTheyAre, (error) => {
    throw error;
  });
  return {
    documents: joined.documents,
    ...reportOf(joined.diagnostics, parsed, asTheyAre),
  };
}

function asTheyAre<T>(diagnostics: T): T {
  return diagnostics;
}
