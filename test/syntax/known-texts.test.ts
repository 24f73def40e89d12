import * as fc from "fast-check";
import { describe, it } from "vitest";

import {
  asItIs,
  inTurn,
  lowerChange,
  upperChange,
} from "../../src/syntax/expression/certainty/byte-change.ts";
import { patternOfField } from "../../src/syntax/expression/certainty/field-facts.ts";
import {
  KnownTexts,
  type TextCondition,
} from "../../src/syntax/expression/certainty/known-texts.ts";
import { Languages } from "../../src/syntax/expression/certainty/languages.ts";
import { TextLanguages } from "../../src/syntax/expression/certainty/text-languages.ts";
import { bytesOf, byteText } from "../../src/syntax/expression/read/read-string-literal.ts";
import { cases } from "../support/properties.ts";

const text = fc.constantFrom(
  "",
  "a",
  "A",
  "ab",
  "/",
  "/a",
  "/A/b",
  "/checkout",
  "shop.example",
  "SHOP.example",
  "www.shop.example",
  "shop.example:8443",
  "GET",
  "*",
  "*.shop.example",
  "*.SHOP.example",
  "/a*",
  "a*b*",
  "\\\\*",
  "é",
  "É",
  "\udce9",
  "\udcc3\udca9",
);

const change = fc.constantFrom(
  asItIs,
  lowerChange,
  upperChange,
  inTurn(lowerChange, upperChange),
  inTurn(upperChange, lowerChange),
);

type Made = (languages: TextLanguages) => TextCondition | undefined;

const operators = [
  "eq",
  "ne",
  "in",
  "contains",
  "starts_with",
  "ends_with",
  "lt",
  "ge",
  "matches",
  "wildcard",
  "strict wildcard",
];

const comparison: fc.Arbitrary<Made> = fc
  .tuple(fc.constantFrom(...operators), fc.array(text, { minLength: 1, maxLength: 4 }), change)
  .map(
    ([operator, texts, bytes]): Made =>
      (languages) =>
        languages.after(bytes).condition(
          operator,
          texts.map((each) => ({ text: each })),
        ),
  );

const fields = [
  "http.host",
  "http.request.uri.path",
  "http.request.uri.path.extension",
  "http.request.full_uri",
  "http.request.method",
  "http.user_agent",
  "cf.zone.name",
  "ip.src.country",
];

const ofField: fc.Arbitrary<Made> = fc
  .tuple(fc.constantFrom(...fields), fc.constantFrom(undefined, "shop.example"))
  .map(([field, zone]): Made => {
    const pattern = patternOfField(field, zone) ?? "";
    return (languages) => languages.fieldCondition(pattern);
  });

const condition: fc.Arbitrary<Made> = fc
  .tuple(fc.oneof({ weight: 4, arbitrary: comparison }, ofField), fc.boolean())
  .map(([make, holds]): Made => (languages) => {
    const made = make(languages);
    return holds || made === undefined ? made : languages.not(made);
  });

describe("conditions on a text", () => {
  it("are decided by their examples as by their languages", ({ expect }) => {
    let quick = 0;
    fc.assert(
      fc.property(fc.array(condition, { maxLength: 5 }), (makers) => {
        const languages = new Languages();
        const conditions = makers.flatMap((make) => make(new TextLanguages(languages)) ?? []);
        const known = new KnownTexts(languages, conditions);
        const { isNone, example } = known;
        if (example !== undefined) quick += 1;
        expect(isNone).toBe(languages.isNone(known.language));
        expect(languages.gaveUp).toBe(false);
      }),
      cases(1_000),
    );
    // Otherwise nothing was compared.
    expect(quick).toBeGreaterThan(50);
  });

  it("have tests that agree with their languages", ({ expect }) => {
    fc.assert(
      fc.property(condition, text, (make, tested) => {
        const languages = new Languages();
        const made = make(new TextLanguages(languages));
        if (made?.test === undefined) return;
        const only = new TextLanguages(languages).oneOf([tested]);
        const isIn = !languages.isNone(languages.every([only, made.language()]));
        expect(made.test(String.fromCharCode(...bytesOf(tested)))).toBe(isIn);
      }),
      cases(1_000),
    );
  });

  it("give an example that is in the language of all", ({ expect }) => {
    fc.assert(
      fc.property(fc.array(condition, { maxLength: 4 }), (makers) => {
        const languages = new Languages();
        const conditions = makers.flatMap((make) => make(new TextLanguages(languages)) ?? []);
        const known = new KnownTexts(languages, conditions);
        if (known.example === undefined) return;
        const bytes = Array.from(known.example, (byte) => byteText(byte.charCodeAt(0)));
        const only = new TextLanguages(languages).oneOf([bytes.join("")]);
        expect(languages.isNone(languages.every([only, known.language]))).toBe(false);
      }),
      cases(1_000),
    );
  });

  it.for<{
    readonly what: string;
    readonly given: readonly (readonly [operator: string, ...texts: readonly string[]])[];
    readonly isNone: boolean;
  }>([
    {
      what: "two sets",
      given: [
        ["in", ...hosts("a")],
        ["in", ...hosts("b")],
      ],
      isNone: true,
    },
    {
      what: "two sets with a common member",
      given: [
        ["in", "b.example", ...hosts("a")],
        ["in", ...hosts("b"), "b.example"],
      ],
      isNone: false,
    },
    { what: "one host", given: [["eq", "a.example"]], isNone: false },
    {
      what: "two hosts",
      given: [
        ["eq", "a.example"],
        ["eq", "b.example"],
      ],
      isNone: true,
    },
    {
      what: "two starts",
      given: [
        ["starts_with", "/a/"],
        ["starts_with", "/b/"],
      ],
      isNone: true,
    },
    {
      what: "a longer start",
      given: [
        ["starts_with", "/a/"],
        ["starts_with", "/a/b"],
      ],
      isNone: false,
    },
    {
      what: "two ends",
      given: [
        ["ends_with", ".js"],
        ["ends_with", ".css"],
      ],
      isNone: true,
    },
    {
      what: "two wildcards",
      given: [
        ["wildcard", "*.a.example"],
        ["wildcard", "*.B.example"],
      ],
      isNone: true,
    },
    {
      what: "a wildcard in other letters",
      given: [
        ["wildcard", "*.A.example"],
        ["ends_with", "b.a.example"],
      ],
      isNone: false,
    },
  ])("need no languages: $what", ({ given, isNone }, { expect }) => {
    const languages = new Languages();
    const conditions = given.flatMap(([operator, ...texts]) => {
      const made = new TextLanguages(languages).condition(
        operator,
        texts.map((each) => ({ text: each })),
      );
      return made === undefined ? [] : [{ ...made, language: unneeded }];
    });
    expect(conditions).toHaveLength(given.length);
    expect(new KnownTexts(languages, conditions).isNone).toBe(isNone);
  });
});

function unneeded(): never {
  throw new Error("a language was made");
}

function hosts(of: string): readonly string[] {
  return Array.from({ length: 50 }, (_, index) => `shop-${index}.${of}.example`);
}
