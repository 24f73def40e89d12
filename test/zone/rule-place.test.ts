import { describe, it } from "vitest";

import { isInPlace, positionIn, type RulePlace } from "../../src/zone/rule-place.ts";

/** Rules named by letters; the ref of `a` is `ref-a`. */
function listOf(letters: string): readonly { readonly id: string; readonly ref: string }[] {
  return Array.from(letters, (id) => ({ id, ref: `ref-${id}` }));
}

function refOf(letter: string): string {
  return letter === "" ? "" : `ref-${letter}`;
}

function place(after: string, before: string, behind = ""): RulePlace {
  return { after: refOf(after), behind: Array.from(behind, refOf), before: refOf(before) };
}

describe("the place of a rule in a live list", () => {
  it.for([
    {
      when: "between two rules that stay",
      at: place("a", "b"),
      list: "ab",
      yields: { after: "a" },
    },
    { when: "with a new rule of others", at: place("a", "c"), list: "abc", yields: { after: "a" } },
    { when: "first", at: place("", "a"), list: "ab", yields: { before: "" } },
    { when: "in an empty list", at: place("", ""), list: "", yields: { before: "" } },
    { when: "behind one put there", at: place("a", "c", "x"), list: "axc", yields: { after: "x" } },
    {
      when: "behind the nearest of two",
      at: place("a", "c", "yx"),
      list: "axyc",
      yields: { after: "y" },
    },
    {
      when: "behind the further one where the nearest was refused",
      at: place("a", "c", "yx"),
      list: "axc",
      yields: { after: "x" },
    },
    {
      when: "not behind one that was not moved",
      at: place("a", "c", "yx"),
      list: "yaxc",
      yields: { after: "x" },
    },
    {
      when: "behind one that was put first",
      at: place("", "c", "x"),
      list: "xc",
      yields: { after: "x" },
    },
    {
      when: "before the next where the last is gone",
      at: place("a", "c"),
      list: "bc",
      yields: { before: "c" },
    },
    { when: "last where the last is gone", at: place("a", ""), list: "bc", yields: { after: "" } },
    { when: "where both are gone", at: place("a", "c"), list: "bd", yields: undefined },
    {
      when: "where the next is gone",
      at: place("a", "c", "x"),
      list: "axb",
      yields: { after: "x" },
    },
    {
      when: "where others turned the two round",
      at: place("a", "c", "x"),
      list: "cxa",
      yields: { after: "a" },
    },
  ])("$when is $yields", ({ at, list, yields }, { expect }) => {
    expect(positionIn(at, listOf(list))).toEqual(yields);
  });

  it("is taken by a rule in its gap, behind those that earlier writes put there", ({ expect }) => {
    const at = place("a", "c", "x");
    expect(isInPlace(at, 2, listOf("axrc"))).toBe(true);
    expect(isInPlace(at, 3, listOf("axyrc"))).toBe(true);
    expect(isInPlace(at, 1, listOf("arxc"))).toBe(false);
    expect(isInPlace(at, 3, listOf("axcr"))).toBe(false);
    expect(isInPlace(at, 0, listOf("raxc"))).toBe(false);
  });
});
