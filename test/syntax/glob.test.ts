import * as fc from "fast-check";
import { describe, it } from "vitest";

import { globsMeet, matchesGlob } from "../../src/syntax/glob.ts";

const pattern = fc
  .array(fc.constantFrom("a", "b", "*"), { maxLength: 6 })
  .map((parts) => parts.join(""));
const text = fc.array(fc.constantFrom("a", "b"), { maxLength: 7 }).map((parts) => parts.join(""));

describe("a pattern with stars", () => {
  it("fits what the same regular expression fits", ({ expect }) => {
    fc.assert(
      fc.property(pattern, text, (stars, word) => {
        const expected = new RegExp(`^${stars.replaceAll("*", ".*")}$`).test(word);
        expect(matchesGlob(stars, word)).toBe(expected);
      }),
      { numRuns: 3_000 },
    );
  });

  it("meets another exactly where a text fits both", ({ expect }) => {
    const words = Array.from({ length: 2 ** 13 }, (_, index) =>
      (index + 1).toString(2).slice(1).replaceAll("0", "a").replaceAll("1", "b"),
    );
    fc.assert(
      fc.property(pattern, pattern, (one, other) => {
        const expected = words.some((word) => matchesGlob(one, word) && matchesGlob(other, word));
        expect(globsMeet(one, other)).toBe(expected);
      }),
      { numRuns: 600 },
    );
  });
});
