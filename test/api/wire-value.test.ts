import { describe, it } from "vitest";

import { flagIn, textIn, textSet } from "../../src/api/wire-value.ts";
import type { Json } from "../../src/syntax/json.ts";

describe("a value of the service", () => {
  it.for<{ value: Json | undefined; text: string; flag: boolean | undefined }>([
    { value: "shop", text: "shop", flag: undefined },
    { value: "", text: "", flag: undefined },
    { value: 12, text: "12", flag: undefined },
    { value: 0, text: "0", flag: undefined },
    { value: true, text: "otherwise", flag: true },
    { value: false, text: "otherwise", flag: false },
    { value: "true", text: "true", flag: true },
    { value: "false", text: "false", flag: false },
    { value: "TRUE", text: "TRUE", flag: undefined },
    { value: null, text: "otherwise", flag: undefined },
    { value: ["true"], text: "otherwise", flag: undefined },
    { value: undefined, text: "otherwise", flag: undefined },
  ])("$value is the text $text and the flag $flag", ({ value, text, flag }, { expect }) => {
    const object = value === undefined ? {} : { field: value };
    expect(textIn(object, "field", "otherwise")).toBe(text);
    expect(flagIn(object, "field")).toBe(flag);
  });

  it("is an empty text where it is none and nothing else is said", ({ expect }) => {
    expect(textIn({ field: null }, "field")).toBe("");
  });

  it.for<{ value: Json | undefined; texts: readonly string[] }>([
    { value: ["b", "a", "b"], texts: ["a", "b"] },
    { value: ["a", 1, null, ["c"]], texts: ["a"] },
    { value: "a", texts: [] },
    { value: undefined, texts: [] },
  ])("$value is the set of texts $texts", ({ value, texts }, { expect }) => {
    expect(textSet(value)).toEqual(texts);
  });
});
