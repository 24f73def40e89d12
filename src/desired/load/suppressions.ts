/** A comment that suppresses warnings of the line after it. */
export interface Suppression {
  /** Line of the comment, counted from 1. */
  readonly line: number;
  /** The next line that is neither empty nor a comment. */
  readonly appliesTo: number;
  readonly codes: readonly string[];
  /** "" if the comment gives none. */
  readonly reason: string;
}

const comment =
  /^[ \t]*#[ \t]*zonewarden-disable-next-line\b[ \t]*(?<codes>.*?)(?:[ \t]+--[ \t]*(?<reason>.*?))?[ \t]*\r?$/;

/** The comments `# zonewarden-disable-next-line CODE -- reason` of a file. */
export function suppressionsIn(text: string): readonly Suppression[] {
  if (!text.includes("zonewarden-disable-next-line")) return [];
  const found: Suppression[] = [];
  let next = 0;
  // From the end, so that the line that a comment applies to is known.
  for (const [index, line] of [...text.split("\n").entries()].toReversed()) {
    if (!/^\s*(#.*)?$/.test(line)) next = index + 1;
    const groups = comment.exec(line)?.groups;
    if (groups === undefined) continue;
    const codes = (groups["codes"] ?? "").split(/[\s,]+/).filter((code) => code !== "");
    found.push({ line: index + 1, appliesTo: next, codes, reason: groups["reason"] ?? "" });
  }
  return found.toReversed();
}
