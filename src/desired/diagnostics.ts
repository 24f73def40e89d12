import { compareText } from "../syntax/by-text.ts";
import { withoutSecrets } from "../syntax/without-secrets.ts";
import type { Place } from "../zone/desired-zone.ts";
import { diagnosticCodes, type DiagnosticCode } from "../zone/diagnostic-codes.ts";
import type { Diagnostic } from "../zone/diagnostic.ts";
import { keyPlace, type Located, type Path, pathText, valuePlace } from "./location.ts";

/** The most errors reported for one file; a hostile file could have a million. */
export const maxDiagnostics = 100;

/** The most warnings reported for one file: each of its zones may have some. */
const maxWarnings = 1_000;

/** What says that there are more than are reported. */
const limits = {
  error: [maxDiagnostics, "TOO_MANY_PROBLEMS"],
  warning: [maxWarnings, "TOO_MANY_WARNINGS"],
} as const;

/** Diagnostics by file, line and column. */
export function inTextOrder(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.toSorted(
    ({ place: a }, { place: b }) =>
      compareText(a.file, b.file) || a.line - b.line || a.column - b.column,
  );
}

/** The diagnostics of one file, without those above the limits. */
export function limitedDiagnostics(
  file: string,
  diagnostics: readonly Diagnostic[],
): readonly Diagnostic[] {
  if (diagnostics.length <= maxDiagnostics) return diagnostics;
  return (["error", "warning"] as const).flatMap((severity) => {
    const found = diagnostics.filter((each) => each.severity === severity);
    const [most, code] = limits[severity];
    if (found.length <= most) return found;
    const message = `the file has more than ${grouped(most)} ${severity}s; these are the first`;
    return [...found.slice(0, most), fileDiagnostic(file, code, message, "fix these first")];
  });
}

/** What many zones have in common, and how many of them are reported one by one. */
const mostReported: Readonly<Partial<Record<string, number>>> = {
  UNKNOWN_PROFILE: 1,
  UNSET_VARIABLE: 10,
} satisfies Partial<Record<DiagnosticCode, number>>;

/** Of diagnostics that many zones have in common, the first, with the number of zones. */
export function oncePerMessage(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const groups = Map.groupBy(diagnostics, ({ code, message }) =>
    mostReported[code] === undefined ? undefined : message,
  );
  return diagnostics.flatMap((each) => {
    const group = groups.get(each.message) ?? [];
    if (group.length <= (mostReported[each.code] ?? Infinity)) return [each];
    return each === group[0] ? [{ ...each, zones: group.length }] : [];
  });
}

/** A whole number with commas: `20,000`. */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

export interface DiagnosticText {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly remedy: string;
}

/** A diagnostic before its file and line are known. */
export interface UnplacedDiagnostic extends DiagnosticText {
  readonly path: Path;
  /** The place is that of the key, not of its value. */
  readonly atKey?: boolean;
}

/** A converted value, `undefined` if something is missing, and its diagnostics. */
export interface Converted<T> {
  readonly value: T;
  readonly diagnostics: readonly UnplacedDiagnostic[];
}

/** A diagnostic at a place; the table of codes gives its severity. */
export function diagnosticAt(
  place: Place,
  { code, message, remedy }: DiagnosticText,
  path: Path = [],
): Diagnostic {
  return {
    code,
    severity: diagnosticCodes[code].severity,
    place,
    path: pathText(path),
    message: withoutSecrets(message),
    remedy: withoutSecrets(remedy),
  };
}

/** A diagnostic about a file or directory as a whole. */
export function fileDiagnostic(
  file: string,
  code: DiagnosticCode,
  message: string,
  remedy: string,
): Diagnostic {
  return diagnosticAt({ file, line: 1, column: 1 }, { code, message, remedy });
}

/** The diagnostic with its place in `document`. */
export function diagnosticIn(document: Located, unplaced: UnplacedDiagnostic): Diagnostic {
  const { path, atKey = false } = unplaced;
  return diagnosticAt((atKey ? keyPlace : valuePlace)(document, path), unplaced, path);
}

/** A required key is missing once everything is merged. */
export function missing(path: Path, what: string, remedy: string): UnplacedDiagnostic {
  return { code: "MISSING_KEY", path, message: `${what} is missing`, remedy };
}

/** Two values exclude each other. */
export function contradiction(path: Path, message: string, remedy: string): UnplacedDiagnostic {
  return { code: "CONTRADICTION", path, atKey: true, message, remedy };
}

/** A text that should be a date or a time. */
export function noDate(text: string, path: Path): UnplacedDiagnostic {
  const message = `"${text}" is not a valid date or time`;
  const remedy = "write 2026-12-01 or 2026-12-01T18:00:00Z";
  return { code: "WRONG_VALUE", path, message, remedy };
}
