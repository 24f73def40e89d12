import { didYouMean } from "../../syntax/nearest.ts";
import { diagnosticCodes } from "../../zone/diagnostic-codes.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { diagnosticAt } from "../diagnostics.ts";

/** A comment that suppresses warnings of the line after it. */
export interface Suppression {
  /** Line of the comment, counted from 1. */
  readonly line: number;
  /** The next line that is neither empty nor a comment. */
  readonly appliesTo: number;
  readonly codes: readonly string[];
  /** "" if the comment gives none. */
  readonly reason: string;
}

/** What suppressions need of a parsed file. */
interface SuppressingFile {
  readonly file: string;
  readonly usable: boolean;
  readonly suppressions: readonly Suppression[];
}

const comment =
  /^[ \t]*#[ \t]*zonewarden-disable-next-line\b[ \t]*(?<codes>.*?)(?:[ \t]+--[ \t]*(?<reason>.*?))?[ \t]*\r?$/;

/** The comments `# zonewarden-disable-next-line CODE -- reason` of a file. */
export function suppressionsIn(text: string): readonly Suppression[] {
  if (!text.includes("zonewarden-disable-next-line")) return [];
  const found: Suppression[] = [];
  let next = 0;
  // From the end, so that the line that a comment applies to is known.
  for (const [index, line] of [...text.split("\n").entries()].toReversed()) {
    if (!/^\s*(#.*)?$/.test(line)) next = index + 1;
    const groups = comment.exec(line)?.groups;
    if (groups === undefined) continue;
    const codes = (groups["codes"] ?? "").split(/[\s,]+/).filter((code) => code !== "");
    found.push({ line: index + 1, appliesTo: next, codes, reason: groups["reason"] ?? "" });
  }
  return found.toReversed();
}

/**
 * Removes suppressed warnings. Errors cannot be suppressed, and a comment without effect is a
 * warning itself.
 */
export function applySuppressions(
  diagnostics: readonly Diagnostic[],
  files: readonly SuppressingFile[],
): { readonly diagnostics: readonly Diagnostic[]; readonly suppressed: number } {
  const used = new Set<Suppression>();
  const byFile = new Map(
    files.map(({ file, suppressions }) => [
      file,
      Map.groupBy(suppressions, ({ appliesTo }) => appliesTo),
    ]),
  );
  const left = diagnostics.filter(({ severity, code, place }) => {
    if (severity === "error") return true;
    const suppression = byFile
      .get(place.file)
      ?.get(place.line)
      ?.find(({ codes }) => codes.includes(code));
    if (suppression !== undefined) used.add(suppression);
    return suppression === undefined;
  });
  const unsuitable = files.flatMap(({ file, usable, suppressions }) =>
    suppressions.flatMap((suppression) => {
      const text = checkSuppression(suppression, used.has(suppression), usable);
      if (text === undefined) return [];
      const place = { file, line: suppression.line, column: 1 };
      return [diagnosticAt(place, { code: "BAD_SUPPRESSION", ...text })];
    }),
  );
  return { diagnostics: [...left, ...unsuitable], suppressed: diagnostics.length - left.length };
}

function checkSuppression(
  { codes, reason }: Suppression,
  isUsed: boolean,
  isUsable: boolean,
): { readonly message: string; readonly remedy: string } | undefined {
  const syntax = "write: # zonewarden-disable-next-line CODE -- reason";
  if (codes.length === 0) return { message: "the comment names no code", remedy: syntax };
  const unknown = codes.find((code) => !warnings.includes(code));
  if (unknown !== undefined) {
    const remedy = didYouMean(unknown, warnings) || "only warnings can be suppressed";
    return { message: `"${unknown}" is not a warning`, remedy };
  }
  if (reason === "") return { message: "the comment gives no reason", remedy: syntax };
  // Not all warnings of an unusable file are found, so the comment may still have an effect.
  if (isUsed || !isUsable) return undefined;
  return { message: "the comment suppresses nothing", remedy: "delete it" };
}

const warnings = Object.entries(diagnosticCodes)
  .filter(([, { severity }]) => severity === "warning")
  .map(([code]) => code);
