import * as fc from "fast-check";
import { describe, it } from "vitest";

import { globIgnoringCase, matchesGlob } from "../../src/syntax/glob.ts";
import { cases } from "../support/properties.ts";

const pattern = fc
  .array(fc.constantFrom("a", "b", "*"), { maxLength: 6 })
  .map((parts) => parts.join(""));
const text = fc.array(fc.constantFrom("a", "b"), { maxLength: 7 }).map((parts) => parts.join(""));

/** What a regular expression would read otherwise, capital letters, and a line end. */
const anyPattern = fc
  .array(fc.constantFrom("a", "B", ".", "\n", "*"), { maxLength: 6 })
  .map((parts) => parts.join(""));
const anyText = fc
  .array(fc.constantFrom("a", "A", "b", "B", ".", "\n"), { maxLength: 7 })
  .map((parts) => parts.join(""));

function naive(stars: string, word: string): boolean {
  if (stars === "") return word === "";
  const [first, rest] = [stars.charAt(0), word.slice(1)];
  if (first !== "*") return word.charAt(0) === first && naive(stars.slice(1), rest);
  return naive(stars.slice(1), word) || (word !== "" && naive(stars, rest));
}

describe("a pattern with stars", () => {
  it.for([
    { pattern: "*", text: "anything", fits: true },
    { pattern: "*", text: "", fits: true },
    { pattern: "a*c", text: "abc", fits: true },
    { pattern: "a*c", text: "ac", fits: true },
    { pattern: "a*a", text: "a", fits: false },
    { pattern: "*.x", text: "x", fits: false },
    { pattern: "a*b*c", text: "a-c-b-c", fits: true },
    { pattern: "a*b*c", text: "a-c-c", fits: false },
    { pattern: "A.EXAMPLE", text: "a.example", fits: true },
    { pattern: "a.example", text: "xa.example", fits: false },
    { pattern: "a.c", text: "abc", fits: false },
  ])(
    "$pattern and $text, whatever their case: $fits",
    ({ pattern: stars, text: word, fits }, { expect }) => {
      expect(globIgnoringCase(stars)(word)).toBe(fits);
    },
  );

  it("matches what the same regular expression matches", ({ expect }) => {
    fc.assert(
      fc.property(pattern, text, (stars, word) => {
        const expected = new RegExp(`^${stars.replaceAll("*", ".*")}$`).test(word);
        expect(matchesGlob(stars, word)).toBe(expected);
      }),
      cases(750),
    );
  });

  it("matches by definition: a star matches nothing, or a character and continues", ({
    expect,
  }) => {
    fc.assert(
      fc.property(anyPattern, anyText, (stars, word) => {
        expect(matchesGlob(stars, word)).toBe(naive(stars, word));
        expect(globIgnoringCase(stars)(word)).toBe(naive(stars.toLowerCase(), word.toLowerCase()));
      }),
      cases(750),
    );
  });
});
