import { describe, it } from "vitest";

import { asciiLower, byEntryName, compareText, namesIn } from "../../src/syntax/by-text.ts";

it.for([
  ["a", "a", 0],
  ["a", "b", -1],
  ["b", "a", 1],
  ["B", "a", -1],
  ["a", "ä", -1],
] as const)("%s compared with %s: %s, in any locale", ([a, b, order], { expect }) => {
  expect(compareText(a, b)).toBe(order);
});

it("sorts the entries of a record by name", ({ expect }) => {
  expect(Object.entries({ b: 1, a: 2 }).toSorted(byEntryName)).toEqual([
    ["a", 2],
    ["b", 1],
  ]);
});

describe("letters in lower case", () => {
  it.for([
    ["Shop.EXAMPLE", "shop.example"],
    ["ÄK", "Äk"],
  ] as const)("are those of ASCII alone: %s", ([text, lower], { expect }) => {
    expect(asciiLower(text)).toBe(lower);
  });
});

it("finds names between any white space", ({ expect }) => {
  expect(namesIn("\n  a.b  c\n\td ")).toEqual(["a.b", "c", "d"]);
});
