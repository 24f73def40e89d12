import { didYouMean } from "../../syntax/nearest.ts";
import { type DiagnosticCode, diagnosticCodes } from "../../zone/diagnostic-codes.ts";
import { type Diagnostic, isError } from "../../zone/diagnostic.ts";
import { diagnosticAt, inTextOrder, limitedDiagnostics } from "../diagnostics.ts";
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
  const once = oncePerProfile(inTextOrder(found), parsed);
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

/** What the zones of one profile have in common, and how many of them are reported one by one. */
const mostReported: Readonly<Partial<Record<string, number>>> = {
  UNKNOWN_PROFILE: 1,
  UNSET_VARIABLE: 10,
} satisfies Partial<Record<DiagnosticCode, number>>;

/**
 * A profile that no file defines is one mistake, whatever the number of zones that name it; so is a variable that many
 * zones lack. A profile is not unknown where a file with an error defines it: that error counts the zones.
 */
function oncePerProfile(
  diagnostics: readonly Diagnostic[],
  parsed: readonly ParsedFile[],
): readonly Diagnostic[] {
  const shared = Map.groupBy(
    diagnostics.filter(({ code }) => mostReported[code] !== undefined),
    ({ message }) => message,
  );
  if (shared.size === 0) return diagnostics;
  const counted = new Map<Diagnostic, number>();
  const dropped = new Set<Diagnostic>();
  for (const group of shared.values()) {
    const [first, ...others] = group;
    if (first === undefined || group.length <= (mostReported[first.code] ?? Infinity)) continue;
    counted.set(first, group.length);
    for (const each of others) dropped.add(each);
  }
  for (const { file, usable, profiles, invalidProfiles } of parsed) {
    const error = diagnostics.find((each) => each.place.file === file && isError(each));
    if (usable || error === undefined) continue;
    const names = [...profiles.map(({ profile = "" }) => profile), ...invalidProfiles];
    const groups = names.flatMap((name) => shared.get(undefinedProfile(name)) ?? []);
    for (const each of groups) dropped.add(each);
    if (!dropped.has(error)) counted.set(error, groups.length);
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
