import { describe, it } from "vitest";

import { codesOf, linesOf, loadText, zonesOf } from "../support/desired.ts";

const profile = `profiles:
  p:
    page_shield: { policies: { items: [{ key: a, action: log, expression: ssl, value: "img-src 'self'" }] } }
    managed_rules: { rules: [{ key: o, deploy: owasp }] }
`;

function zone(...lines: readonly string[]): string {
  return `${profile}zones:\n  - name: a.example\n${lines.map((line) => `    ${line}\n`).join("")}  - { name: b.example, profiles: [p] }\n`;
}

describe("a key with nothing after it", () => {
  it.for([
    ["page_shield:", "  policies:", "    items:"],
    ["page_shield:", "  policies:", "    items: # the last one was deleted"],
    ["profiles: [p]", "page_shield:", "  policies:"],
    ["profiles: [p]", "page_shield:", "  settings:"],
    ["page_shield:"],
    ["managed_rules:", "  rules:"],
    ["managed_rules:", "  rules:", "", "mode: observe"],
    ["managed_rules:"],
    ["custom_rules:", "  rules:"],
    ["rate_limiting_rules:"],
    ["rate_limiting_rules: { rules: [{ key: o, ratelimit: { period: } }] }"],
    ["vars:"],
    ["managed_rules: { rules: [{ key: o, deploy: owasp, overrides: }] }"],
    ["managed_rules: { rules: [{ key: o, deploy: owasp, expression: }] }"],
    ["page_shield: { policies: { items: &none }, settings: { enabled: true } }"],
  ])("is an error, and not taken for not declared: %s", async (lines, { expect }) => {
    const state = await loadText(zone(...lines));
    expect(codesOf(state).join("\n")).toMatch(/(?:^|\n)\d+:\d+ EMPTY_VALUE/);
    expect(state.usable && zonesOf(state).includes("a.example")).toBe(false);
  });

  it("says what to write", async ({ expect }) => {
    const [line] = linesOf(await loadText(zone("managed_rules:", "  rules:")));
    expect(line).toBe(
      'a.yaml:8:7: error: "rules" has no value; write a value; [] for an empty list, which deletes what zonewarden owns; null to remove what a profile sets; or delete the key, to stop managing it [EMPTY_VALUE]',
    );
  });

  it("of which each remedy is accepted", async ({ expect }) => {
    for (const rules of ["[]", "null", "~"]) {
      const state = await loadText(zone("profiles: [p]", "managed_rules:", `  rules: ${rules}`));
      expect(linesOf(state), rules).toEqual([]);
    }
  });
});

describe("null where no profile sets a value", () => {
  it.for([
    { lines: ["managed_rules: { rules: null }"], at: 7 },
    { lines: ["managed_rules: ~"], at: 7 },
    { lines: ["profiles: [p]", "page_shield: { settings: null }"], at: 8 },
    { lines: ["page_shield: { policies: { items: null, unmanaged: report } }"], at: 7 },
  ])("is an error: $lines", async ({ lines, at }, { expect }) => {
    const found = linesOf(await loadText(zone(...lines)));
    expect(found.filter((each) => each.includes("EMPTY_VALUE"))).toEqual([
      expect.stringMatching(new RegExp(`^a\\.yaml:${at}:.*null removes nothing: no profile sets`)),
    ]);
  });
});
