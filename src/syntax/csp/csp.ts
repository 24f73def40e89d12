import { asciiLower, byText } from "../by-text.ts";
import { type Span, type SyntaxDiagnostic, diagnostic } from "../syntax-diagnostic.ts";
import { cspDirectives } from "./csp-directives.ts";
import { type CspSource, opaqueCspSource, parseCspSource } from "./csp-source.ts";

/** One directive of a policy; the span is that of its name. */
export interface CspDirective extends Span {
  /** In lower case. */
  readonly name: string;
  readonly sources: readonly CspSource[];
}

/**
 * Parses a policy as browsers do (SERVICE.md E.2). Every text is a policy; repeated directives are
 * among the result.
 */
export function parseCsp(text: string): readonly CspDirective[] {
  const directives: CspDirective[] = [];
  for (const part of text.matchAll(/[^;]+/g)) {
    const directive = parseDirective(part[0], part.index);
    if (directive !== undefined) directives.push(directive);
  }
  return directives;
}

/** The policy as one line, in the order given. */
export function printCsp(directives: readonly CspDirective[]): string {
  return directives
    .map(({ name, sources }) => [name, ...sources.map(({ text }) => text)].join(" "))
    .join("; ");
}

/**
 * The same text for all policies that differ in order, case, white space or repetitions only. Of a
 * repeated directive the first counts, as in browsers (SERVICE.md E.2); unknown parts are kept.
 */
export function canonicalCsp(text: string, directives = parseCsp(text)): string {
  return printCsp(
    distinctDirectives(directives)
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

/**
 * Finds the directive that applies for `name`; `undefined`: none, so that everything is allowed.
 */
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

/**
 * A map of directives; `true` is a directive without sources, and what is `false` or `null` is left
 * out.
 */
export type CspMap = Readonly<Record<string, readonly string[] | boolean | null | undefined>>;

interface CspText {
  readonly text: string;
  /** Invalid entries; with one of them, `text` means something else than the map. */
  readonly diagnostics: readonly SyntaxDiagnostic[];
  /** The path of the directive or source at an offset of `text`. */
  readonly pathAt: (offset: number) => readonly (string | number)[];
}

/** Converts a map of directives to text. */
export function cspOfMap(map: CspMap): CspText {
  const lists = Object.entries(map).flatMap(([directive, sources]) =>
    sources ? [[directive, ...(sources === true ? [] : sources)]] : [],
  );
  const hasBad = lists.some((tokens) => tokens.some(isBadEntry));
  let located: readonly LocatedEntry[] | undefined;
  return {
    text: lists.map((tokens) => tokens.join(" ")).join("; "),
    diagnostics: hasBad ? badEntries(locatedEntries(lists)) : [],
    pathAt: (offset) => {
      // Most maps have no diagnostics, so that nobody asks.
      located ??= locatedEntries(lists);
      return located.findLast((entry) => entry.offset <= offset)?.path ?? [];
    },
  };
}

type LocatedEntry = Span & { readonly path: readonly (string | number)[]; readonly token: string };

/** The entries with their places in the text, in which a space or `; ` separates them. */
function locatedEntries(lists: readonly (readonly string[])[]): readonly LocatedEntry[] {
  let offset = 0;
  return lists.flatMap((tokens) => {
    const entries = tokens.map((token, position): LocatedEntry => {
      const [directive = ""] = tokens;
      const path = position === 0 ? [directive] : [directive, position - 1];
      const entry = { path, token, offset, length: token.length };
      offset += token.length + 1;
      return entry;
    });
    offset += 1;
    return entries;
  });
}

function badEntries(entries: readonly LocatedEntry[]): readonly SyntaxDiagnostic[] {
  const message = "an entry is one source, without semicolons";
  const remedy = "write each directive under its own name";
  return entries
    .filter(({ token }) => isBadEntry(token))
    .map((entry) => diagnostic("CSP_BAD_ENTRY", entry, message, remedy));
}

function isBadEntry(token: string): boolean {
  return /^\s*$|;/.test(token);
}
