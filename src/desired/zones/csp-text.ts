import { cspOfMap } from "../../syntax/csp/csp.ts";
import type { SyntaxDiagnostic } from "../../syntax/syntax-diagnostic.ts";
import type { Path } from "../yaml/path.ts";
import type { Policy } from "./zone-file.ts";

/** A policy's value in a file: one text, or a map of directives. */
export type CspInFile = Exclude<Policy["value"], null | undefined>;

/** A value as one text. */
export interface CspText {
  readonly text: string;
  /** What is wrong with the way in which a map is written. */
  readonly diagnostics: readonly SyntaxDiagnostic[];
  /** For a map the steps to the directive or source that an offset of the text lies in; `undefined` for a text. */
  readonly pathAt: ((offset: number) => Path) | undefined;
}

/** Brings both ways of writing a policy into one. A directive that is `false` is left out. */
export function cspText(value: CspInFile): CspText {
  if (typeof value === "string") return { text: value, diagnostics: [], pathAt: undefined };
  const { text, diagnostics, entryAt } = cspOfMap(sourcesByDirective(value));
  const pathAt = (offset: number): Path => {
    const entry = entryAt(offset);
    if (entry === undefined) return [];
    return entry.index === undefined ? [entry.directive] : [entry.directive, entry.index];
  };
  return { text, diagnostics, pathAt };
}

function sourcesByDirective(
  value: Exclude<CspInFile, string>,
): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, sources]) => sources !== false && sources !== null)
      .map(([directive, sources]) => [directive, Array.isArray(sources) ? sources : []]),
  );
}
