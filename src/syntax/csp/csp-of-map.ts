import { finding } from "../finding.ts";
import type { SyntaxDiagnostic } from "../finding.ts";

/** Where in the map a place of the text comes from; `index` is `undefined` for the directive's name. */
export interface CspEntry {
  readonly directive: string;
  readonly index: number | undefined;
}

/** A policy written as a map, as the text it stands for. */
export interface CspText {
  readonly text: string;
  /** Entries that do not stay within their place: checking `text` would tell of them wrongly. */
  readonly findings: readonly SyntaxDiagnostic[];
  /** The entry in which an offset of `text` lies. */
  readonly entryAt: (offset: number) => CspEntry | undefined;
}

/** The text of a policy written as directives with lists of sources. */
export function cspOfMap(map: Readonly<Record<string, readonly string[]>>): CspText {
  const entries: (CspEntry & { readonly offset: number; readonly length: number })[] = [];
  let text = "";
  for (const [directive, sources] of Object.entries(map)) {
    text += text === "" ? "" : "; ";
    for (const [position, token] of [directive, ...sources].entries()) {
      text += position === 0 ? "" : " ";
      const index = position === 0 ? undefined : position - 1;
      entries.push({ directive, index, offset: text.length, length: token.length });
      text += token;
    }
  }
  const findings = entries
    .filter(({ offset, length }) => /^\s*$|[;]/.test(text.slice(offset, offset + length)))
    .map((entry) => {
      const message = "an entry is one source, without semicolons";
      return finding("CSP_BAD_ENTRY", entry, message, "write each directive under its own name");
    });
  const entryAt = (offset: number): CspEntry | undefined =>
    entries.findLast((entry) => entry.offset <= offset);
  return { text, findings, entryAt };
}
