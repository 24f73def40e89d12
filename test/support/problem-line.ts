import { fileIn, sentenceOf } from "../../src/render/text/problem-words.ts";
import type { Problem } from "../../src/zone/problem.ts";

/** A problem in one line: `zones/a.yaml:4:13: error: … [WRONG_VALUE]`. */
export function problemLine(problem: Problem, directory: string): string {
  const { file, line, column } = problem.place;
  const place = `${fileIn(directory, file)}:${line}:${column}`;
  return `${place}: ${problem.severity}: ${sentenceOf(problem)} [${problem.code}]`;
}
