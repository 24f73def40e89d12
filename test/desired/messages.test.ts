import { describe, it } from "vitest";

import { schemaOf } from "../../src/desired/schema-compiler.ts";
import { misplacedLine } from "../../src/desired/yaml/indentation.ts";
import { acceptedDirectives } from "../../src/syntax/csp/csp-directives.ts";
import { linesOf, loadText } from "../support/desired.ts";

const policy = `zones:
  - name: a.example
    page_shield:
      policies:
        items:
          - key: checkout
            action: log
            expression: "true"
            value: { script-src: ["'self'"] }
`;

function zone(...lines: readonly string[]): string {
  return `zones:\n  - name: a.example\n${lines.map((line) => `    ${line}\n`).join("")}`;
}

describe("a mistake says what to write", () => {
  it.for([
    {
      text: "zones:\n  - match: { name: *.example.net }\n",
      says: '2:20: error: "*.example.net" without quotes is an alias in YAML; put it in quotes: "*.example.net"',
    },
    {
      text: "zones:\n  - match: { name: * }\n",
      says: '2:20: error: alias cannot be an empty string; put a text with a `*` in quotes: "*"',
    },
    {
      text: policy.replace(`script-src: ["'self'"]`, "font-src: ['self']"),
      says: `9:33: warning: self without quotes is a host of that name; write "'self'", with both quotes: YAML removes the outer ones`,
    },
    {
      text: policy.replace("            action", "           action"),
      says: '7:12: error: "action" is indented by 11 spaces, and the lines that it belongs to by 12 spaces; indent it by 12 spaces',
    },
    {
      text: policy.replace("            action", "             action"),
      says: '7:14: error: "action" is indented by 13 spaces, and the lines that it belongs to by 12 spaces; indent it by 12 spaces',
    },
    {
      text: "zones:\n  - name: a.example\n   - name: b.example\n",
      says: '3:4: error: "- name" is indented by 3 spaces, and the lines that it belongs to by 2 spaces; indent it by 2 spaces',
    },
    {
      text: "zones:\n  - name: a.example\n - name: b.example\n",
      says: '3:2: error: "- name" is indented by 1 space, and the lines that it belongs to by 2 spaces; indent it by 2 spaces',
    },
    {
      text: zone("managed_rules: { rules: [{ key: a, skip: all }] }"),
      says: 'error: expected a map, found "all"; write a map, like { ruleset: current }',
    },
    {
      text: policy.replace("action: log", "action: block"),
      says: "write `allow`: it blocks what the policy does not allow",
    },
    {
      text: zone("page_shield:", "settings: { enabled: true }"),
      says: 'unknown key "settings"; "settings" belongs below "page_shield"',
    },
    {
      text: zone("rules: [{ key: a, deploy: owasp }]"),
      says: '"rules" belongs below "custom_rules", or below "rate_limiting_rules", or below "managed_rules"',
    },
    {
      text: zone("managed_rules: { paranoia_level: 2 }"),
      says: '"paranoia_level" belongs into an entry of "managed_rules.rules"',
    },
    {
      text: zone("page_shield: { enabled: true }"),
      says: '"enabled" belongs below "page_shield.settings", or into an entry of "page_shield.policies.items"',
    },
    {
      text: "zones: []\npage_shield: {}\n",
      says: '"page_shield" belongs into an entry of "zones", or into a profile',
    },
    {
      text: policy.replace(`["'self'"]`, "[10.10]"),
      says: "put it in quotes, as it stands there: without them, YAML reads it as a number",
    },
    {
      text: zone("suspend: because"),
      says: "like { reason: migration of the shop, until: 2026-12-01 }",
    },
  ])("$says", async ({ text, says }, { expect }) => {
    const lines = linesOf(await loadText(text));
    expect(lines.join("\n")).toContain(says);
    expect(lines).toHaveLength(1);
  });

  it("with the line of the file, where a top-level key has a capital", async ({ expect }) => {
    const { diagnostics, sources } = await loadText("Zones:\n  - name: a.example\n");
    expect(diagnostics).toMatchObject([
      { code: "UNKNOWN_KEY", place: { line: 1, column: 1 }, remedy: 'did you mean "zones"?' },
    ]);
    expect(sources.get("a.yaml")).toContain("Zones:");
  });
});

describe("a misplaced line", () => {
  it.for([
    { what: "a text that goes on", text: "a: this\n   goes on\nb: 1\n" },
    { what: "lists without indentation", text: "a:\n- b: 1\n  c: 1\n- b: 2\nd:\n  - 1\n" },
    { what: "several documents", text: "a:\n    b: 1\n---\na:\n  b: 1\n" },
    { what: "comments", text: "a:\n      # far\n  b: 1\n # near\n  c: 1\n" },
    { what: "anchors", text: "a: &x\n  b: 1\nc:\n  - &y\n    d: 1\n" },
  ])("is not seen in $what", ({ text }, { expect }) => {
    for (const line of [1, 3, 5]) expect(misplacedLine(text, line)).toBeUndefined();
  });
});

describe("the schema", () => {
  it("names the directives of a policy, for editors", ({ expect }) => {
    const text = JSON.stringify(schemaOf("zones"));
    for (const directive of acceptedDirectives) {
      expect(text).toContain(`"${directive}":{"$ref":"#/$defs/sources"}`);
    }
  });
});
