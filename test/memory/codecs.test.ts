import { describe, it } from "vitest";

import { adoptedRules, authors, corrections } from "../../src/memory/codecs.ts";

const rule = {
  kind: "custom_rule",
  id: "1b23e5f4bfcf345b70e6a4e570750c93",
  ref: "by-terraform",
  key: "owasp",
} as const;

describe("adopted rules in the state", () => {
  it("come back as they were", ({ expect }) => {
    expect(adoptedRules.decode(adoptedRules.encode([rule, { ...rule, id: "r2" }]))).toEqual([
      rule,
      { ...rule, id: "r2" },
    ]);
  });

  it("are of the managed phase where a version stored them that knew no other", ({ expect }) => {
    const { kind: _kind, ...stored } = rule;
    expect(adoptedRules.decode(JSON.stringify([stored]))).toEqual([
      { ...rule, kind: "managed_rule" },
    ]);
  });

  it("are no entry where there are none", ({ expect }) => {
    expect(adoptedRules.encode([])).toBeUndefined();
    expect(adoptedRules.decode(undefined)).toEqual([]);
  });

  it.for([
    { when: "no JSON", text: '[{"id":"1b2' },
    { when: "an object", text: JSON.stringify(rule) },
    { when: "a list of texts", text: '["1b23e5f4bfcf345b70e6a4e570750c93"]' },
    { when: "an id that is a path", text: JSON.stringify([{ ...rule, id: ".." }]) },
    { when: "no id", text: JSON.stringify([{ ref: rule.ref, key: rule.key }]) },
    { when: "no ref", text: JSON.stringify([{ ...rule, ref: "" }]) },
    { when: "no key", text: JSON.stringify([{ ...rule, key: 1 }]) },
    {
      when: "one that is whole and one that is not",
      text: JSON.stringify([rule, { ...rule, ref: null }]),
    },
  ])("are none where the text is $when", ({ text }, { expect }) => {
    expect(adoptedRules.decode(text)).toEqual([]);
  });
});

describe("a state that a version stored which knew no kinds of rules", () => {
  it("keeps the times of corrections, under the keys of today", ({ expect }) => {
    const stored = JSON.stringify({ "rule/owasp action": [1, 2], "policy/rule/x value": [3] });
    expect(corrections.decode(stored)).toEqual(
      new Map([
        ["managed_rule/owasp action", [1, 2]],
        ["policy/rule/x value", [3]],
      ]),
    );
  });

  it("keeps the authors of drift", ({ expect }) => {
    const stored = JSON.stringify({
      "rule/owasp": { drift: "d1", authors: [] },
      "setting/enabled": { drift: "d2", authors: [] },
      "ruler/owasp": { drift: "d3", authors: [] },
    });
    expect(authors.decode(stored)).toEqual(
      new Map([
        ["managed_rule/owasp", { drift: "d1", authors: [] }],
        ["setting/enabled", { drift: "d2", authors: [] }],
      ]),
    );
  });
});
