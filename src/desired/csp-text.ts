import type { Policy } from "./zone-file.ts";

/** A policy's value in a file: one text, or a map of directives. */
export type CspInFile = Exclude<Policy["value"], null | undefined>;

/** A piece of a policy's text, and the step in the file that it came from: a directive, or one of its sources. */
export interface CspPiece {
  readonly start: number;
  readonly path: readonly (string | number)[];
}

/** A value as one text, and for a map where its pieces came from. */
export interface CspText {
  readonly text: string;
  /** In the order of the text; none where the value is a text itself. */
  readonly pieces: readonly CspPiece[];
}

/** Brings both ways of writing a policy into one. A directive that is `false` is left out. */
export function cspText(value: CspInFile): CspText {
  if (typeof value === "string") return { text: value, pieces: [] };
  let text = "";
  const pieces: CspPiece[] = [];
  for (const [directive, sources] of Object.entries(value)) {
    if (sources === false || sources === null) continue;
    if (text !== "") text += "; ";
    pieces.push({ start: text.length, path: [directive] });
    text += directive;
    for (const [index, source] of (sources === true ? [] : sources).entries()) {
      text += " ";
      pieces.push({ start: text.length, path: [directive, index] });
      text += source;
    }
  }
  return { text, pieces };
}
