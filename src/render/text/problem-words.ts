import { plural } from "../../state/plural.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";

/** The name of a file below a directory, as one path; the directory itself is ".". */
export function fileIn(directory: string, file: string): string {
  const base = directory.replace(/\/+$/, "");
  if (base === "" || file.startsWith("/")) return file;
  return file === "." ? base : `${base}/${file}`;
}

/** What is wrong and what would be right, in one line. */
export function sentenceOf({ message, remedy }: Diagnostic): string {
  return remedy === "" ? message : `${message}; ${remedy}`;
}

/** How many there are: `2 errors, 1 warning`. */
export function tally(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  const warnings = diagnostics.length - errors;
  return [
    ...(errors === 0 ? [] : [plural(errors, "error")]),
    ...(warnings === 0 ? [] : [plural(warnings, "warning")]),
  ].join(", ");
}
