import { didYouMean } from "../../syntax/nearest.ts";
import { diagnosticCodes } from "../../zone/diagnostic-codes.ts";
import { type Diagnostic, isError } from "../../zone/diagnostic.ts";
import { diagnosticAt, inTextOrder, limitedDiagnostics, oncePerMessage } from "../diagnostics.ts";
import { redactedText } from "../file-kind.ts";
import { zoneFileKind } from "../json-schema.ts";
import type { Lint } from "../lint.ts";
import { undefinedProfile } from "../zones/profiles.ts";
import type { ParsedFile } from "./parse-zone-file.ts";
import type { Suppression } from "./suppressions.ts";

/** What is reported of the diagnostics of all files. */
export interface DiagnosticReport {
  /** In the order of the files. */
  readonly diagnostics: readonly Diagnostic[];
  /** Number of warnings that comments suppress. */
  readonly suppressed: number;
  /** Redacted text of the files with diagnostics. */
  readonly sources: ReadonlyMap<string, string>;
}

/** Removes what comments suppress and what is above the limits of a file. */
export function reportOf(
  found: readonly Diagnostic[],
  parsed: readonly ParsedFile[],
  lint: Lint,
): DiagnosticReport {
  const once = oncePerMessage(withoutBrokenProfiles(inTextOrder(found), parsed));
  const { diagnostics: left, suppressed } = applySuppressions(once, parsed);
  // Once more, for the warnings about suppressions.
  const byFile = Map.groupBy(lint(left), ({ place }) => place.file);
  const diagnostics = [...byFile].flatMap(([file, those]) => limitedDiagnostics(file, those));
  const texts = parsed
    .filter(({ file }) => byFile.has(file))
    .map(({ file, text }) => [file, redactedText(text, zoneFileKind)] as const)
    .filter(([, text]) => text !== "");
  return {
    diagnostics,
    suppressed,
    sources: new Map(texts),
  };
}

/**
 * A profile is not unknown where a file with an error defines it: that error counts the zones that name it.
 */
function withoutBrokenProfiles(
  diagnostics: readonly Diagnostic[],
  parsed: readonly ParsedFile[],
): readonly Diagnostic[] {
  const unknown = diagnostics.filter(({ code }) => code === "UNKNOWN_PROFILE");
  if (unknown.length === 0) return diagnostics;
  const byMessage = Map.groupBy(unknown, ({ message }) => message);
  const counted = new Map<Diagnostic, number>();
  const dropped = new Set<Diagnostic>();
  for (const { file, usable, profiles, invalidProfiles } of parsed) {
    const error = diagnostics.find((each) => each.place.file === file && isError(each));
    if (usable || error === undefined) continue;
    const names = [...profiles.map(({ profile = "" }) => profile), ...invalidProfiles];
    const users = names.flatMap((name) => byMessage.get(undefinedProfile(name)) ?? []);
    for (const each of users) dropped.add(each);
    counted.set(error, users.length);
  }
  return diagnostics
    .filter((each) => !dropped.has(each))
    .map((each) => {
      const zones = counted.get(each) ?? 0;
      return zones > 1 ? { ...each, zones } : each;
    });
}

/**
 * Removes suppressed warnings. Errors cannot be suppressed, and a comment without effect is a
 * warning itself.
 */
function applySuppressions(
  diagnostics: readonly Diagnostic[],
  files: readonly Pick<ParsedFile, "file" | "usable" | "suppressions">[],
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
