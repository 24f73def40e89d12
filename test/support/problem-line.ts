import { fileIn, sentenceOf } from "../../src/render/diagnostic-formats.ts";
import type { Diagnostic } from "../../src/zone/diagnostic.ts";

/** A problem in one line: `zones/a.yaml:4:13: error: … [WRONG_VALUE]`. */
export function problemLine(diagnostic: Diagnostic, directory: string): string {
  const { file, line, column } = diagnostic.place;
  const place = `${fileIn(directory, file)}:${line}:${column}`;
  return `${place}: ${diagnostic.severity}: ${sentenceOf(diagnostic)} [${diagnostic.code}]`;
}
