import { describe, it } from "vitest";

import { codesOf, loadText, zonesOf } from "../support/desired.ts";

const zone = (entry: string): string => `zones:
  - name: blog.example
    page_shield: { settings: { enabled: true } }
  - name: shop.example
    ${entry}
`;

describe("null that removes what the rest of a value needs", () => {
  it.for([
    {
      what: "the only target of an exception",
      entry: "managed_rules: { rules: [{ key: a, expression: ssl, skip: { ruleset: null } }] }",
    },
    {
      what: "the only list of an exception",
      entry: "managed_rules: { rules: [{ key: a, expression: ssl, skip: { rules: null } }] }",
    },
    {
      what: "the only target of a custom exception",
      entry:
        "custom_rules: { rules: [{ key: a, action: skip, expression: ssl, skip: { phases: null } }] }",
    },
    {
      what: "the only side of a position",
      entry:
        "custom_rules: { rules: [{ key: a, action: log, expression: ssl, position: { before: null } }] }",
    },
    {
      what: "every directive of a policy",
      entry:
        'page_shield: { policies: { items: [{ key: a, description: A, action: log, expression: "true", value: { default-src: null } }] } }',
    },
  ])("is a diagnostic with its line: $what", async ({ entry }, { expect }) => {
    const state = await loadText(zone(entry));
    const found = codesOf(state);
    expect(found.at(-1)).toMatch(/^5:\d+ MISSING_KEY$/);
    expect(found.every((each) => each.startsWith("5:"))).toBe(true);
    // The file never was good, so none of its zones is declared; nothing is thrown.
    expect(zonesOf(state)).toEqual([]);
  });
});
