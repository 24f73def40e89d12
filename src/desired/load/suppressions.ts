/** A comment that silences warnings of the line after it. */
export interface Suppression {
  /** Line of the comment, counted from 1. */
  readonly line: number;
  /** The line that it is about: the next one that is no comment and not empty. */
  readonly about: number;
  readonly codes: readonly string[];
  /** Why; "" where the comment does not say. */
  readonly reason: string;
}

const comment =
  /^[ \t]*#[ \t]*zonewarden-disable-next-line\b[ \t]*(?<codes>.*?)(?:[ \t]+--[ \t]*(?<reason>.*?))?[ \t]*\r?$/;

/** The comments `# zonewarden-disable-next-line CODE -- reason` of a file. */
export function suppressionsIn(text: string): readonly Suppression[] {
  if (!text.includes("zonewarden-disable-next-line")) return [];
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    const groups = comment.exec(line)?.groups;
    if (groups === undefined) return [];
    const codes = (groups["codes"] ?? "").split(/[\s,]+/).filter((code) => code !== "");
    const next = lines.findIndex((other, at) => at > index && !/^\s*(#.*)?$/.test(other));
    return [{ line: index + 1, about: next + 1, codes, reason: groups["reason"] ?? "" }];
  });
}
