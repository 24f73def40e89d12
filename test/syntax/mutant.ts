import * as fc from "fast-check";

import { anyCharacter } from "../support/any-character.ts";

/** Texts near to those of a corpus: pieces taken out, doubled, moved and put in. */
export function mutants(
  corpus: readonly string[],
  pieces: readonly string[],
): fc.Arbitrary<string> {
  const cut = fc.nat({ max: 400 });
  const change = fc.record({
    how: fc.constantFrom("remove", "double", "insert", "replace"),
    at: cut,
    length: fc.nat({ max: 6 }),
    piece: fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 3, unit: anyCharacter })),
  });
  return fc
    .tuple(fc.constantFrom(...corpus), fc.array(change, { minLength: 1, maxLength: 4 }))
    .map(([text, changes]) =>
      changes.reduce((current, { how, at, length, piece }) => {
        const start = at % (current.length + 1);
        const [before, rest] = [current.slice(0, start), current.slice(start)];
        if (how === "remove") return before + rest.slice(length);
        if (how === "double") return before + rest.slice(0, length) + rest;
        return before + piece + (how === "insert" ? rest : rest.slice(length));
      }, text),
    );
}

/** Pieces in any order, with or without something between them. */
export function soup(pieces: readonly string[], between: readonly string[]): fc.Arbitrary<string> {
  return fc
    .array(fc.tuple(fc.constantFrom(...pieces), fc.constantFrom(...between)), { maxLength: 14 })
    .map((parts) => parts.flat().join(""));
}
