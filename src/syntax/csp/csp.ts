import { asciiLower, byText } from "../by-text.ts";
import { type Span, type SyntaxDiagnostic, diagnostic, inTextOrder } from "../syntax-diagnostic.ts";
import { cspDirectives } from "./csp-directives.ts";
import { type CspSource, opaqueCspSource, parseCspSource } from "./csp-source.ts";

/** One directive of a policy; the span is that of its name. */
export interface CspDirective extends Span {
  /** In lower case. */
  readonly name: string;
  readonly sources: readonly CspSource[];
}

/** A parsed policy with repeated directives, and diagnostics about its characters. */
interface ParsedCsp {
  readonly directives: readonly CspDirective[];
  readonly diagnostics: readonly SyntaxDiagnostic[];
}

/** Parses a policy as browsers do (SERVICE.md E.2). Every text is a policy. */
export function parseCsp(text: string): ParsedCsp {
  const directives: CspDirective[] = [];
  for (const part of text.matchAll(/[^;]+/g)) {
    const directive = parseDirective(part[0], part.index);
    if (directive !== undefined) directives.push(directive);
  }
  return { directives, diagnostics: inTextOrder([...badCharacters(text), ...lineBreaks(text)]) };
}

/** The policy as one line, in the order given. */
export function printCsp(directives: readonly CspDirective[]): string {
  return directives
    .map(({ name, sources }) => [name, ...sources.map(({ text }) => text)].join(" "))
    .join("; ");
}

/**
 * The same text for all policies that differ in order, case, white space or repetitions only. Of a repeated directive
 * the first counts, as in browsers (SERVICE.md E.2); unknown parts are kept.
 */
export function canonicalCsp(text: string): string {
  return printCsp(
    distinctDirectives(parseCsp(text).directives)
      .map(sortedSources)
      .toSorted(byText(({ name }) => name)),
  );
}

/** The first directive of each name: browsers ignore the others. */
export function distinctDirectives(directives: readonly CspDirective[]): readonly CspDirective[] {
  const first = new Map<string, CspDirective>();
  for (const directive of directives) {
    if (!first.has(directive.name)) first.set(directive.name, directive);
  }
  return [...first.values()];
}

/** The directive that browsers apply: the one they look for, or a fallback (SERVICE.md E.2). */
export interface AppliedDirective {
  readonly directive: string;
  readonly sources: readonly CspSource[];
}

/** Finds the directive that applies for `name`; `undefined`: none, so that everything is allowed. */
export function appliedDirective(
  policy: ReadonlyMap<string, readonly CspSource[]>,
  name: string,
): AppliedDirective | undefined {
  const chain = [name, ...(cspDirectives.get(name)?.fallback ?? [])];
  const directive = chain.find((candidate) => policy.has(candidate));
  return directive === undefined ? undefined : { directive, sources: policy.get(directive) ?? [] };
}

function parseDirective(part: string, start: number): CspDirective | undefined {
  const [head, ...rest] = part.matchAll(/[^\t\n\f\r ]+/g);
  if (head === undefined) return undefined;
  const name = asciiLower(head[0]);
  const read = cspDirectives.get(name)?.value === "sources" ? parseCspSource : opaqueCspSource;
  return {
    name,
    sources: rest.map((token) => read(token[0], start + token.index)),
    offset: start + head.index,
    length: head[0].length,
  };
}

function sortedSources(directive: CspDirective): CspDirective {
  const unique = new Map(directive.sources.map((source) => [source.text, source]));
  return { ...directive, sources: [...unique.values()].toSorted(byText(({ text }) => text)) };
}

/** A policy consists of white space and visible ASCII without the comma, which ends the value of a header. */
function badCharacters(text: string): SyntaxDiagnostic[] {
  return [...text.matchAll(/,+|[^\t\n\f\r -~]+/g)].map(({ 0: found, index: offset }) =>
    found.startsWith(",")
      ? diagnostic(
          "CSP_COMMA",
          { offset, length: found.length },
          "a comma ends the policy",
          "separate sources by spaces and directives by semicolons",
        )
      : diagnostic(
          "CSP_INVALID_CHARACTER",
          { offset, length: found.length },
          `${shown(found)} is not valid in a policy`,
          "write international host names in their ASCII form (xn--…) and other characters percent-encoded",
        ),
  );
}

function shown(characters: string): string {
  return JSON.stringify(characters.length > 20 ? `${characters.slice(0, 20)}…` : characters);
}

function lineBreaks(text: string): SyntaxDiagnostic[] {
  const index = text.trim().search(/[\n\r]/);
  if (index < 0) return [];
  const offset = text.length - text.trimStart().length + index;
  return [
    diagnostic(
      "CSP_SEVERAL_LINES",
      { offset, length: 1 },
      "the value has several lines, which the service refuses",
      "no action is needed: it is sent as one line; in YAML, use a folded text (>-) or a map",
    ),
  ];
}

/** An entry of the map; `index` is `undefined` for the name of the directive. */
interface CspEntry {
  readonly directive: string;
  readonly index: number | undefined;
}

/** The text of a policy that is written as a map. */
interface CspText {
  readonly text: string;
  /** Invalid entries; with one of them, `text` means something else than the map. */
  readonly diagnostics: readonly SyntaxDiagnostic[];
  /** The entry at an offset of `text`. */
  readonly entryAt: (offset: number) => CspEntry | undefined;
}

/** Converts a map of directives with lists of sources to text. */
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
  const diagnostics = entries
    .filter(({ offset, length }) => /^\s*$|[;]/.test(text.slice(offset, offset + length)))
    .map((entry) => {
      const message = "an entry is one source, without semicolons";
      return diagnostic("CSP_BAD_ENTRY", entry, message, "write each directive under its own name");
    });
  const entryAt = (offset: number): CspEntry | undefined =>
    entries.findLast((entry) => entry.offset <= offset);
  return { text, diagnostics, entryAt };
}
