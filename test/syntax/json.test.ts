import { describe, it } from "vitest";

import {
  parseName,
  coerceCount,
  canonicalJson,
  coerceDate,
  coerceList,
  coerceName,
  coerceObject,
  coerceObjects,
  coerceText,
  coerceTexts,
  definedMembers,
  isDeeperThan,
  isTextDeeperThan,
  isObjectList,
  parseJson,
} from "../../src/syntax/json.ts";

const strange = [undefined, null, true, 1, "text", ["a", null, { b: 1 }], { c: 2 }];

describe("JSON of any shape", () => {
  it.for([
    { as: "a text", read: coerceText, yields: ["", "", "", "", "text", "", ""] },
    { as: "an object", read: coerceObject, yields: [{}, {}, {}, {}, {}, {}, { c: 2 }] },
    { as: "a list", read: coerceList, yields: [[], [], [], [], [], ["a", null, { b: 1 }], []] },
    { as: "objects", read: coerceObjects, yields: [[], [], [], [], [], [{ b: 1 }], []] },
    { as: "a count", read: coerceCount, yields: [0, 0, 0, 1, 0, 0, 0] },
    { as: "texts", read: coerceTexts, yields: [[], [], [], [], [], ["a"], []] },
  ])("is coerced to $as", ({ read, yields }, { expect }) => {
    expect(strange.map((json) => read(json))).toEqual(yields);
  });

  it("is the value of a text; a text that is no JSON has none", ({ expect }) => {
    expect(['{"a":[1]}', "null", "", "{", "undefined"].map(parseJson)).toEqual([
      { a: [1] },
      null,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("is a count only as a whole number from 0", ({ expect }) => {
    expect([-1, 1.5, Number.NaN, 2 ** 60, 0, 2].map(coerceCount)).toEqual([0, 0, 0, 0, 0, 2]);
  });

  it("is one of some names, else undefined or the first", ({ expect }) => {
    const names = ["high", "low"] as const;
    const given = ["low", "LOW", 1, undefined];
    expect(given.map((json) => parseName(names, json))).toEqual([
      "low",
      undefined,
      undefined,
      undefined,
    ]);
    expect(given.map((json) => coerceName(names, json))).toEqual(["low", "high", "high", "high"]);
  });

  it.for([
    { json: "2026-11-21T09:00:00Z", yields: "2026-11-21T09:00:00.000Z" },
    { json: "2026-11-21T09:00:00.123456Z", yields: "2026-11-21T09:00:00.123Z" },
    { json: "2026-13-01T00:00:00Z", yields: undefined },
    { json: "soon", yields: undefined },
    { json: "", yields: undefined },
    { json: 1_700_000_000, yields: undefined },
    { json: null, yields: undefined },
    { json: undefined, yields: undefined },
  ])("is a time or none: $json", ({ json, yields }, { expect }) => {
    expect(coerceDate(json)?.toISOString()).toBe(yields);
  });

  it("has no members without a value", ({ expect }) => {
    expect(definedMembers({ a: undefined, b: null, c: 0, d: "" })).toStrictEqual({
      b: null,
      c: 0,
      d: "",
    });
  });

  it.for([
    [[], true],
    [[{}, { a: 1 }], true],
    [[{}, 1], false],
    [[{}, null], false],
    [[[]], false],
    [{}, false],
    [undefined, false],
  ] as const)("is a list of objects or not: %j, %s", ([json, yields], { expect }) => {
    expect(isObjectList(json)).toBe(yields);
  });

  it.for([
    [1, 0, false],
    [null, 0, false],
    [{}, 0, true],
    [{}, 1, false],
    [{ a: [1] }, 1, true],
    [{ a: [1] }, 2, false],
    [[1, { a: {} }], 2, true],
    [[1, { a: {} }], 3, false],
  ] as const)("%j has more than %s levels: %s", ([json, levels, yields], { expect }) => {
    expect(isDeeperThan(levels, json)).toBe(yields);
    expect(isTextDeeperThan(levels, Buffer.from(JSON.stringify(json)))).toBe(yields);
  });

  it.for([
    ['"[[[["', false],
    [String.raw`["\"[[[[", "\\"]`, false],
    [String.raw`["a\\", [[]]]`, true],
    ["[[],[],[],[]]", false],
    ["]]]", false],
    ["[[[", true],
  ] as const)("%s as text has more than 2 levels: %s", ([text, yields], { expect }) => {
    expect(isTextDeeperThan(2, Buffer.from(text))).toBe(yields);
  });
});

it("has one text for equal values", ({ expect }) => {
  const value = { b: [{ d: 1, c: null }, "x"], a: { z: true, y: 2 } };
  const text = '{"a":{"y":2,"z":true},"b":[{"c":null,"d":1},"x"]}';
  expect(canonicalJson(value)).toBe(text);
  expect(canonicalJson({ a: { y: 2, z: true }, b: [{ c: null, d: 1 }, "x"] })).toBe(text);
});
