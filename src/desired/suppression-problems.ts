import { didYouMean } from "../syntax/nearest.ts";
import { problemCodes } from "../zone/problem-codes.ts";
import type { Problem } from "../zone/problem.ts";
import type { ParsedFile } from "./parse-file.ts";
import type { Silence } from "./suppression.ts";

/** Problems that are left, and how many a comment has silenced. */
export interface Silenced {
  readonly problems: readonly Problem[];
  readonly silenced: number;
}

/** Takes out the warnings that comments silence. Errors cannot be silenced; a comment without effect is told. */
export function silenceProblems(
  problems: readonly Problem[],
  files: readonly ParsedFile[],
): Silenced {
  const used = new Set<Silence>();
  const byFile = new Map(files.map((parsed) => [parsed.file, parsed.silences]));
  const left = problems.filter((problem) => {
    if (problem.severity === "error") return true;
    const silence = byFile
      .get(problem.place.file)
      ?.find(({ about, codes }) => about === problem.place.line && codes.includes(problem.code));
    if (silence !== undefined) used.add(silence);
    return silence === undefined;
  });
  const complaints = files.flatMap((parsed) =>
    parsed.silences.flatMap((silence) => complaint(parsed, silence, used.has(silence))),
  );
  return { problems: [...left, ...complaints], silenced: problems.length - left.length };
}

function complaint(parsed: ParsedFile, silence: Silence, isUsed: boolean): readonly Problem[] {
  const words = wordsAbout(silence, isUsed, parsed.usable);
  if (words === undefined) return [];
  const place = { file: parsed.file, line: silence.line, column: 1 };
  const { severity } = problemCodes.BAD_SILENCE;
  return [{ code: "BAD_SILENCE", severity, place, path: "", ...words }];
}

function wordsAbout(
  { codes, reason }: Silence,
  isUsed: boolean,
  isUsable: boolean,
): { readonly message: string; readonly remedy: string } | undefined {
  const form = "write: # zonewarden-disable-next-line CODE -- reason";
  if (codes.length === 0) return { message: "the comment names no code", remedy: form };
  const unknown = codes.find((code) => !isWarning(code));
  if (unknown !== undefined) {
    const remedy = didYouMean(unknown, warnings) || "only warnings can be silenced";
    return { message: `"${unknown}" is no warning`, remedy };
  }
  if (reason === "") return { message: "the comment does not say why", remedy: form };
  // Where a file cannot be used, what it silences may not have been looked at.
  if (isUsed || !isUsable) return undefined;
  return { message: "the comment silences nothing", remedy: "delete it" };
}

const warnings = Object.entries(problemCodes)
  .filter(([, { severity }]) => severity === "warning")
  .map(([code]) => code);

function isWarning(code: string): boolean {
  return warnings.includes(code);
}
