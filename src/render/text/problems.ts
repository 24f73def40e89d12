import { inColumns, printable } from "../../state/value.ts";
import type { Diagnostic, Severity } from "../../zone/diagnostic.ts";
import { paintOf } from "./paint.ts";
import { fileIn, tally } from "./problem-words.ts";

/** Texts of the files that problems stand in, by the name that the problems use. */
export type Sources = ReadonlyMap<string, string>;

/** How problems are told. */
export interface DiagnosticOptions {
  /** What to put before the names of files, so that they lead there from where the reader is; "" for nothing. */
  readonly directory: string;
  readonly color: boolean;
}

/** Problems for people: place, sentence and code, the line of the file with a caret, and what to write instead. */
export function renderDiagnostics(
  diagnostics: readonly Diagnostic[],
  sources: Sources,
  options: DiagnosticOptions,
): string {
  if (diagnostics.length === 0) return "no problems\n";
  const linesOf = new Map([...sources].map(([file, text]) => [file, text.split(/\r?\n/)]));
  const blocks = diagnostics.map((diagnostic) => block(diagnostic, linesOf, options));
  return `${blocks.join("\n")}\n${tally(diagnostics)}\n`;
}

function block(
  diagnostic: Diagnostic,
  linesOf: ReadonlyMap<string, readonly string[]>,
  { directory, color }: DiagnosticOptions,
): string {
  const { file, line, column } = diagnostic.place;
  const paint = paintOf(color);
  const where = `${fileIn(directory, file)}:${line}:${column}`;
  const severity = paint([severityColors[diagnostic.severity], "bold"], diagnostic.severity);
  const head = `${paint("bold", printable(where))}: ${severity}: ${printable(diagnostic.message)} [${diagnostic.code}]`;
  const source = linesOf.get(file)?.[line - 1];
  const frame = source === undefined ? [] : frameOf(source, line, column);
  const remedy =
    diagnostic.remedy === "" ? [] : [`  ${paint("cyan", "→")} ${printable(diagnostic.remedy)}`];
  return [head, ...frame.map((part) => paint("dim", part)), ...remedy, ""].join("\n");
}

const severityColors = { error: "red", warning: "yellow" } as const satisfies Record<
  Severity,
  string
>;

/** Longer lines are shown around the place. */
const maxWidth = 100;

/** The line, and a caret under the column; columns count from 1. */
function frameOf(source: string, line: number, column: number): string[] {
  const number = String(line);
  const from = source.length <= maxWidth ? 0 : Math.max(0, column - 1 - maxWidth / 2);
  const cut = source.slice(from, from + maxWidth);
  const shown = `${from > 0 ? "…" : ""}${inColumns(cut)}${from + maxWidth < source.length ? "…" : ""}`;
  const caret = " ".repeat(column - 1 - from + (from > 0 ? 1 : 0));
  return [`  ${number} | ${shown}`, `  ${" ".repeat(number.length)} | ${caret}^`];
}
