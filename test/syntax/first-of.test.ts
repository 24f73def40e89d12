import { describe, it } from "vitest";

import { allOf, firstOf } from "../../src/syntax/first-of.ts";

describe("the first of several texts", () => {
  it.for([
    { texts: [], yields: "" },
    { texts: ["a"], yields: "a" },
    { texts: ["a", "b"], yields: "a, b" },
    { texts: ["a", "b", "c"], yields: "a, b and 1 more" },
    { texts: ["a", "b", "c", "d"], yields: "a, b and 2 more" },
  ])("of $texts are, of at most two: $yields", ({ texts, yields }, { expect }) => {
    expect(firstOf(texts, 2)).toBe(yields);
  });
});

describe("all of several texts", () => {
  it.for([
    { texts: [], yields: "" },
    { texts: ["a"], yields: "a" },
    { texts: ["a", "b, b"], yields: "a and b, b" },
    { texts: ["a", "b", "c", "d"], yields: "a, b, c and d" },
  ])("of $texts are: $yields", ({ texts, yields }, { expect }) => {
    expect(allOf(texts)).toBe(yields);
  });
});
