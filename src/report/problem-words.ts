import type { Problem } from "../zone/problem.ts";

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

/**
 * Text from a file as a terminal may see it: each control character is one visible character, so that no file can
 * move the cursor or colour what it likes, and columns stay right.
 */
export function printable(text: string): string {
  return text.replaceAll(controls, (character) => (character === "\t" ? " " : "�"));
}

// oxlint-disable-next-line no-control-regex -- control characters are what this looks for
const controls = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** How many there are: `2 errors, 1 warning`. */
export function tally(problems: readonly Problem[]): string {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const warnings = problems.length - errors;
  return [count(errors, "error"), count(warnings, "warning")]
    .filter((part) => part !== "")
    .join(", ");
}

function count(number: number, noun: string): string {
  if (number === 0) return "";
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
