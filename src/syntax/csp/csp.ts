import { asciiLower } from "../ascii-lower.ts";
import { byText } from "../by-text.ts";
import { finding, inTextOrder } from "../finding.ts";
import type { SyntaxDiagnostic, Span } from "../finding.ts";
import { cspDirectives } from "./csp-directives.ts";
import { opaqueCspSource, parseCspSource } from "./csp-source.ts";
import type { CspSource } from "./csp-source.ts";

/** One directive of a policy; its span is that of its name. */
export interface CspDirective extends Span {
  /** In lower case. */
  readonly name: string;
  readonly sources: readonly CspSource[];
}

/** A policy taken apart, repeated directives included, and what is wrong with its characters. */
export interface ParsedCsp {
  readonly directives: readonly CspDirective[];
  readonly findings: readonly SyntaxDiagnostic[];
}

/** Takes a policy apart as a browser does (SERVICE.md E.2). Every text is a policy of some kind. */
export function parseCsp(text: string): ParsedCsp {
  const directives: CspDirective[] = [];
  for (const part of text.matchAll(/[^;]+/g)) {
    const directive = parseDirective(part[0], part.index);
    if (directive !== undefined) directives.push(directive);
  }
  return { directives, findings: inTextOrder([...badCharacters(text), ...lineBreaks(text)]) };
}

/** The policy as one line, in the order given. */
export function printCsp(directives: readonly CspDirective[]): string {
  return directives
    .map(({ name, sources }) => [name, ...sources.map(({ text }) => text)].join(" "))
    .join("; ");
}

/**
 * The one text of all policies that differ in order, case, white space or repetitions only.
 *
 * Of a repeated directive the first counts, as in a browser (SERVICE.md E.2). What is not understood is kept.
 */
export function canonicalCsp(text: string): string {
  return printCsp(
    effectiveDirectives(parseCsp(text).directives)
      .map(sortedSources)
      .toSorted(byText(({ name }) => name)),
  );
}

/** The directives that a browser heeds: of each name the first. */
export function effectiveDirectives(directives: readonly CspDirective[]): readonly CspDirective[] {
  const first = new Map<string, CspDirective>();
  for (const directive of directives) {
    if (!first.has(directive.name)) first.set(directive.name, directive);
  }
  return [...first.values()];
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

/** Beside white space a policy consists of visible ASCII characters without the comma, which ends a header's value. */
function badCharacters(text: string): SyntaxDiagnostic[] {
  return [...text.matchAll(/,+|[^\t\n\f\r -~]+/g)].map(({ 0: found, index: offset }) =>
    found.startsWith(",")
      ? finding(
          "CSP_COMMA",
          { offset, length: found.length },
          "a comma ends the policy",
          "separate sources by spaces and directives by semicolons",
        )
      : finding(
          "CSP_INVALID_CHARACTER",
          { offset, length: found.length },
          `${shown(found)} cannot stand in a policy`,
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
    finding(
      "CSP_SEVERAL_LINES",
      { offset, length: 1 },
      "the value has several lines, which the service refuses",
      "nothing has to be done: it is sent as one line; in YAML, a folded text (>-) or a map says the same",
    ),
  ];
}
