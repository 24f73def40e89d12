import { plural } from "../../state/plural.ts";
import type { Problem } from "../../zone/problem.ts";

/** The name of a file below a directory, as one path; the directory itself is ".". */
export function fileIn(directory: string, file: string): string {
  const base = directory.replace(/\/+$/, "");
  if (base === "" || file.startsWith("/")) return file;
  return file === "." ? base : `${base}/${file}`;
}

/** What is wrong and what would be right, in one line. */
export function sentenceOf({ message, remedy }: Problem): string {
  return remedy === "" ? message : `${message}; ${remedy}`;
}

/** How many there are: `2 errors, 1 warning`. */
export function tally(problems: readonly Problem[]): string {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const warnings = problems.length - errors;
  return [
    ...(errors === 0 ? [] : [plural(errors, "error")]),
    ...(warnings === 0 ? [] : [plural(warnings, "warning")]),
  ].join(", ");
}
