import { type SyntaxDiagnostic, diagnostic } from "../syntax-diagnostic.ts";

/** Errors and warnings about the characters of a policy. */
export function checkCharacters(text: string): readonly SyntaxDiagnostic[] {
  return [...badCharacters(text), ...lineBreaks(text)];
}

/**
 * A policy consists of white space and visible ASCII without the comma, which ends the value of a
 * header.
 */
function badCharacters(text: string): SyntaxDiagnostic[] {
  return [...text.matchAll(/,+|[\u2018-\u201F]+|[^\t\n\f\r -~\u2018-\u201F]+/g)].map(
    ({ 0: found, index: offset }) => {
      const range = { offset, length: found.length };
      if (found.startsWith(",")) {
        const remedy = "separate sources by spaces and directives by semicolons";
        return diagnostic("CSP_COMMA", range, "a comma ends the policy", remedy);
      }
      return /^[\u2018-\u201F]/.test(found)
        ? diagnostic(
            "CSP_INVALID_CHARACTER",
            range,
            `${found} is a typographic quote, which is not valid in a policy`,
            "write keywords in straight single quotes ('self'), and hosts without quotes",
          )
        : diagnostic(
            "CSP_INVALID_CHARACTER",
            range,
            `${shown(found)} is not valid in a policy`,
            "write international host names in their ASCII form (xn--…) and other characters percent-encoded",
          );
    },
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
      "write it in one line: in YAML, as a folded text (>-) or a map",
    ),
  ];
}
