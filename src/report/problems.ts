import type { Problem } from "../zone/problem.ts";

/** Texts of the files that problems stand in, by name. */
export type Sources = ReadonlyMap<string, string>;

/** Problems for people: place, code, sentence, source line with a caret, and what to write instead. */
export function renderProblems(
  problems: readonly Problem[],
  sources: Sources,
  options: { readonly color: boolean },
): string {
  throw new Error(`not built yet: ${problems.length}, ${sources.size}, ${options.color}`);
}
