import { describe, it } from "vitest";

import { contentEntry } from "../../src/desired/import/zone-entry.ts";
import { writableCheck, zoneFileText } from "../../src/desired/import/zone-text.ts";
import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import type { Policy } from "../../src/zone/resource.ts";
import {
  category,
  declared,
  deployment,
  desiredZone,
  exception,
  noOverrides,
  policy,
  skipNothing,
} from "../support/model.ts";

const whyNotWritable = writableCheck();

function content(parts: Partial<ZoneContent>): ZoneContent {
  return desiredZone(parts).content;
}

function withPolicy(more: Partial<Policy>): ZoneContent {
  return content({ policies: declared([policy("a", more)]) });
}

describe("the text of a zone file", () => {
  it("is short and has no defaults", ({ expect }) => {
    const entry = contentEntry(
      content({
        settings: [{ name: "enabled", value: true }],
        policies: declared([
          policy("checkout", {
            value: "script-src 'self' cdn.example.net; upgrade-insecure-requests",
          }),
          policy("spare", { description: "", enabled: false, value: "script-src" }),
        ]),
        rules: {
          managed_rules: declared([
            exception("uploads", {
              logging: false,
              skip: { ...skipNothing, rulesets: ["efb7b8c949ac4650a09736fc376e9aee"] },
            }),
            deployment("owasp", {
              tuning: { paranoiaLevel: 2, scoreThreshold: 40, action: "log" },
              overrides: {
                ...noOverrides,
                categories: [category("language-php", { enabled: false })],
              },
            }),
          ]),
        },
      }),
    );
    expect(zoneFileText({ zones: [{ name: "shop.example.com", ...entry }] }, "Hello."))
      .toBe(`# Hello.

zones:
  - name: shop.example.com
    page_shield:
      settings:
        enabled: true
      policies:
        items:
          - key: checkout
            description: Scripts of checkout
            action: log
            expression: http.host eq "shop.example.com"
            value:
              script-src: ["'self'", cdn.example.net]
              upgrade-insecure-requests: true
          - key: spare
            action: log
            expression: http.host eq "shop.example.com"
            enabled: false
            value:
              script-src: true
    managed_rules:
      rules:
        - key: uploads
          skip:
            rulesets: [cloudflare]
          logging: false
          expression: http.request.uri.path eq "/uploads"
        - key: owasp
          deploy: owasp
          paranoia_level: 2
          score_threshold: 40
          action: log
          overrides:
            categories:
              - category: language-php
                enabled: false
`);
  });

  it.for([
    "yes",
    "012",
    "0o14",
    "*",
    "null",
    "~",
    "1:30",
    "2026-01-01",
    "- a",
    "a: b",
    "# a",
    "<<",
  ])("quotes %s, for readers of other versions of YAML", (description, { expect }) => {
    expect(zoneFileText({ description }, "")).toContain(`description: "${description}"`);
    expect(whyNotWritable(withPolicy({ description }))).toBeUndefined();
  });

  it.for(["two\nlines\n\nand more", "Größe 测试 🛡️", "x".repeat(400), "tab\there", "%YAML 1.1"])(
    "keeps %j unchanged",
    (description, { expect }) => {
      expect(whyNotWritable(withPolicy({ description }))).toBeUndefined();
    },
  );
});

describe("content that cannot be written", () => {
  it.for([
    { more: { description: " outer space " }, says: "reading it back yields another value" },
    {
      more: { description: "x".repeat(401) },
      says: "description: the text is longer than 400 characters",
    },
    { more: { key: "Not-A-Key" }, says: 'key: "Not-A-Key" is not valid here' },
    { more: { expression: 'http.host eq "a' }, says: "expression: the text is not closed" },
    {
      more: { value: "scrip-src 'self'" },
      says: "value.scrip-src: there is no directive called scrip-src",
    },
    {
      more: { description: "Words [team-b:x]" },
      says: "description: the description ends with text that looks like a mark of zonewarden",
    },
  ])("$more", ({ more, says }, { expect }) => {
    expect(whyNotWritable(withPolicy(more))).toBe(`cannot be written to a file: ${says}`);
  });
});
