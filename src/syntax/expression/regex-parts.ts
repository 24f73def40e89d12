/** A piece of a regular expression, and whether it stands in a character class. */
export interface RegexPart {
  readonly text: string;
  readonly inClass: boolean;
}

/** Cuts a regular expression into escapes, class brackets and plain runs, as the service's lexer does: classes do not nest. */
export function regexParts(pattern: string): readonly RegexPart[] {
  const parts: RegexPart[] = [];
  let inClass = false;
  for (const [text] of pattern.matchAll(/\\[^]|[[\]"]|[^\\[\]"]+|\\/g)) {
    const wasInClass: boolean = inClass;
    inClass = wasInClass ? text !== "]" : text === "[";
    parts.push({ text, inClass: wasInClass || inClass });
  }
  return parts;
}
