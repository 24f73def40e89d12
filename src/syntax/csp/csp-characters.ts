import { type SyntaxDiagnostic, diagnostic } from "../syntax-diagnostic.ts";

/** Errors and warnings about the characters of a policy. */
export function checkCharacters(text: string): readonly SyntaxDiagnostic[] {
  return [...badCharacters(text), ...lineBreaks(text)];
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
