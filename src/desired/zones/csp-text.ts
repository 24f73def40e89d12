import { canonicalCsp, type CspDirective, cspOfMap } from "../../syntax/csp/csp.ts";
import type { SyntaxDiagnostic } from "../../syntax/syntax-diagnostic.ts";
import type { Path } from "../location.ts";
import type { YamlPolicy } from "./zone-file.ts";

/** The value of a policy in a file: text, or a map of directives. */
export type CspInFile = Exclude<YamlPolicy["value"], null | undefined>;

export interface LocatedCsp {
  readonly text: string;
  /** Of the map itself. */
  readonly diagnostics: readonly SyntaxDiagnostic[];
  /**
   * For a map, the path of the directive or source at an offset of the text; `undefined` for text.
   */
  readonly pathAt: ((offset: number) => Path) | undefined;
}

/** Converts a value to text. A directive that is `false` is left out. */
export function cspText(value: CspInFile): LocatedCsp {
  if (typeof value !== "string") return cspOfMap(value);
  return { text: value, diagnostics: [], pathAt: undefined };
}

/** By the map, which policies of many zones share. */
const canonicalTexts = new WeakMap<object, string>();

/**
 * Keeps the canonical text of a map. Who has its text parsed for checks knows it: the zones that the
 * map is for are merged long after that.
 */
export function keepCanonical(
  map: object,
  text: string,
  directives?: readonly CspDirective[],
): string {
  const canonical = canonicalCsp(text, directives);
  canonicalTexts.set(map, canonical);
  return canonical;
}

/** A value as text that is equal for all values that mean the same. */
export function canonicalValue(value: CspInFile): string {
  if (typeof value === "string") return canonicalCsp(value);
  return canonicalTexts.get(value) ?? keepCanonical(value, cspText(value).text);
}
