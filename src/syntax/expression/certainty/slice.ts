import type { CallOperand } from "../expression-tree.ts";
import type { Language, Languages } from "./languages.ts";

/**
 * The bytes of a text that `substring` takes, those below 0 from its end. As the engine does it, an
 * index outside of the text is moved to its end, and nothing is left where `end` is before `start`.
 */
export interface Slice {
  readonly start: number;
  /** Excluded; `undefined`: the end of the text. */
  readonly end: number | undefined;
}

/** Larger indexes are not decided: their languages would be too large. */
const maxIndex = 300;

/** What a call takes of its first argument; `undefined` if it is no `substring`, or not decided. */
export function sliceOf({ name, arguments: [, ...indexes] }: CallOperand): Slice | undefined {
  if (name !== "substring" || indexes.length < 1 || indexes.length > 2) return undefined;
  const [start, end] = indexes.map((each) => (each.kind === "integer" ? Number(each.value) : NaN));
  const isKnown = [start, end].every((each) => each === undefined || Math.abs(each) <= maxIndex);
  if (start === undefined || !isKnown) return undefined;
  return start < 0 && end !== undefined && end >= 0 ? undefined : { start, end };
}

/** The part of a text with one character for each byte. */
export function sliced(text: string, { start, end }: Slice): string {
  return text.slice(start, end);
}

/** The texts of which the part is in a language. */
export function textsWithSlice(
  { start, end }: Slice,
  part: Language,
  languages: Languages,
): Language {
  const { all, any } = languages;
  const bytes = (count: number): Language =>
    languages.join(...Array.from({ length: count }, () => any));
  const shorter = (count: number): Language => languages.not(languages.join(bytes(count), all));
  const [before, after] = [Math.max(start, 0), Math.max(-(end ?? 0), 0)];
  const isFromEnd = start < 0;
  const count = isFromEnd ? -start - after : end === undefined || end < 0 ? undefined : end - start;
  if (count !== undefined && count <= 0) return part.hasEmpty ? all : languages.none;
  const cut = (whole: Language): Language =>
    isFromEnd ? languages.join(all, whole) : languages.join(whole, all);
  const middle =
    count === undefined
      ? part
      : languages.some([
          cut(languages.every([part, bytes(count)])),
          languages.every([part, shorter(count)]),
        ]);
  return languages.some([
    languages.join(bytes(before), middle, bytes(after)),
    part.hasEmpty ? shorter(before + after) : languages.none,
  ]);
}
