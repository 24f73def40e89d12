import * as fc from "fast-check";
import { describe, it } from "vitest";

import { diagnosticExamples } from "../../src/desired/diagnostic-examples.ts";
import { parseZoneFile } from "../../src/desired/load/parse-zone-file.ts";
import { desiredBench } from "../support/desired.ts";
import { cases } from "../support/properties.ts";

/** Pieces with a meaning in YAML or in zone files, to combine at random. */
const pieces = [
  "zones:",
  "profiles:",
  "\n",
  "\n  ",
  "\n    ",
  "- ",
  "  - name: a.example",
  "page_shield: ",
  "policies: { items: [",
  "managed_rules: ",
  "rules:",
  "{ key: a, ",
  "deploy: owasp",
  "skip: ",
  "value: ",
  "expression: ",
  "remove: true",
  "before: a",
  "extends: [a, b]",
  "null",
  "~",
  "&a ",
  "*a",
  "<<: *a",
  "!!map ",
  "! ",
  "? ",
  ": ",
  "#",
  "|",
  ">-\n",
  "'",
  '"',
  "[",
  "]",
  "{",
  "}",
  ",",
  "\t",
  "\r",
  "---\n",
  "...\n",
  "%YAML 1.1\n",
  "\u0000",
  "\uFEFF",
  "__proto__: ",
  "constructor: ",
  "0x1F",
  "1e999",
  ".nan",
  "2026-02-30",
  "\u{1F600}",
  "\uD800",
];

const soup = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 5 })), { maxLength: 60 })
  .map((parts) => parts.join(""));

/** A good or nearly good file with a piece of it cut out, repeated or replaced. */
const mutant = fc
  .tuple(
    fc.constantFrom(...Object.values(diagnosticExamples)),
    fc.nat(),
    fc.nat({ max: 20 }),
    fc.constantFrom("", ...pieces),
  )
  .map(([text, at, length, piece]) => {
    const from = at % (text.length + 1);
    return text.slice(0, from) + piece + text.slice(from + length);
  });

/** For up to 64 kB. Of the worst file, the `yaml` package alone takes a third of this, and a cold start another third. */
const maxMicroseconds = 400_000;

function readsWithoutFault(bytes: Uint8Array): void {
  const started = process.threadCpuUsage();
  const parsed = parseZoneFile("a.yaml", "hash", bytes);
  const { user } = process.threadCpuUsage(started);
  if (user > maxMicroseconds) throw new Error(`took ${user} µs`);
  const nothing = parsed.zones.length === 0 && parsed.profiles.length === 0;
  if (nothing && parsed.diagnostics.length === 0 && !isDeclaredEmpty(bytes)) {
    throw new Error("nothing was read, and nothing was said");
  }
  for (const { place, code } of parsed.diagnostics) {
    if (place.line < 1 || place.column < 1) throw new Error(`${code} has no place`);
  }
}

/** `zones: []` is the only way to declare no zones. */
function isDeclaredEmpty(bytes: Uint8Array): boolean {
  return /zones|profiles|\$schema/.test(new TextDecoder().decode(bytes));
}

describe("no file makes the program throw or hang", () => {
  it("made of valid pieces", () => {
    fc.assert(
      fc.property(soup, (text) => readsWithoutFault(new TextEncoder().encode(text))),
      cases(1_500),
    );
  });

  it("made by damaging good files", () => {
    fc.assert(
      fc.property(mutant, (text) => readsWithoutFault(new TextEncoder().encode(text))),
      cases(750),
    );
  });

  it("made of any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => readsWithoutFault(bytes)),
      cases(2_500),
    );
  });

  it.for([
    { what: "brackets", text: "[".repeat(65_536) },
    { what: "braces", text: "{".repeat(65_536) },
    { what: "dashes", text: "- ".repeat(32_768) },
    { what: "question marks", text: "? ".repeat(32_768) },
    { what: "keys on one line", text: "a: ".repeat(21_845) },
    { what: "quotes", text: '"'.repeat(65_536) },
    { what: "anchors", text: "&a ".repeat(21_845) },
    { what: "tags", text: "!a ".repeat(21_845) },
    { what: "comments", text: "#\n".repeat(32_768) },
    { what: "documents", text: "---\n".repeat(16_384) },
    { what: "directives", text: "%A\n".repeat(21_845) },
    { what: "closing brackets", text: "]".repeat(65_536) },
    { what: "commas in a list", text: `[${",".repeat(65_536)}` },
    {
      what: "growing indentation",
      text: Array.from({ length: 350 }, (_, i) => `${" ".repeat(i)}a:`).join("\n"),
    },
    { what: "duplicate keys", text: "a: 1\n".repeat(13_107) },
    {
      what: "different keys",
      text: Array.from({ length: 8_000 }, (_, i) => `k${i}: 1`).join("\n"),
    },
    { what: "spaces", text: " ".repeat(65_536) },
    { what: "tabs", text: "\t".repeat(65_536) },
    { what: "line ends", text: "\n".repeat(65_536) },
    { what: "block headers", text: "|\n".repeat(32_768) },
    { what: "aliases", text: `a: &a 1\nb: [${"*a,".repeat(20_000)}]` },
  ])("made of 64 kB of $what", ({ text }) => {
    readsWithoutFault(new TextEncoder().encode(text));
  });

  it("next to a good file", async ({ expect }) => {
    const good = "zones:\n  - name: a.example\n";
    await fc.assert(
      fc.asyncProperty(mutant, async (text) => {
        const state = await desiredBench({ "a.yaml": good, "b.yaml": text }).load();
        const isTaken = state.documents.some(({ place }) => place.file === "a.yaml");
        expect(isTaken || state.diagnostics.some(({ place }) => place.file === "a.yaml")).toBe(
          true,
        );
      }),
      cases(60),
    );
  });
});
