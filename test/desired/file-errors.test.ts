import { describe, it } from "vitest";

import { codesOf, desiredBench, linesOf, loadText, zonesOf } from "../support/desired.ts";

const good = "zones:\n  - name: a.example\n";

/** A zone with a policy that has this line. */
function policy(line: string): string {
  return `${good}    page_shield: { policies: { items: [{ key: a, ${line} }] } }\n`;
}

/** A zone with a rule that has this line. */
function rule(line: string): string {
  return `${good}    managed_rules: { rules: [{ key: a, deploy: owasp, ${line} }] }\n`;
}

describe("a broken file gets a diagnostic with its place", () => {
  it.for([
    { when: "a tab indents", text: "zones:\n\t- name: a.example\n", yields: ["2:1 YAML_SYNTAX"] },
    {
      when: "a quote is not closed",
      text: 'zones:\n  - name: "a.example\n',
      yields: ["3:1 YAML_SYNTAX"],
    },
    {
      when: "a key is repeated",
      text: "zones:\n  - name: a.example\n    name: b.example\n",
      yields: ["3:5 DUPLICATE_KEY"],
    },
    {
      when: "a key is repeated, once in quotes",
      text: 'zones:\n  - { name: a.example, "name": b.example }\n',
      yields: ["2:24 DUPLICATE_KEY"],
    },
    {
      when: "an alias is inside its anchor",
      text: "zones: &a\n  - *a\n",
      yields: ["2:5 YAML_ALIAS"],
    },
    {
      when: "an alias has no anchor",
      text: "zones: *a\n",
      yields: ["1:8 YAML_ALIAS"],
    },
    {
      when: "a merge key is used",
      text: "zones:\n  - &a\n    name: a.example\n  - <<: *a\n    name: b.example\n",
      yields: ["4:5 UNKNOWN_KEY"],
    },
    {
      when: "a key is __proto__",
      text: "zones:\n  - name: a.example\n    __proto__: { mode: observe }\n",
      yields: ["3:5 UNKNOWN_KEY"],
    },
    {
      when: "a key is constructor",
      text: "zones:\n  - name: a.example\n    constructor: 1\n",
      yields: ["3:5 UNKNOWN_KEY"],
    },
    {
      when: "a directive asks for YAML 1.1",
      text: `%YAML 1.1\n---\n${good}`,
      yields: ["1:1 YAML_DIRECTIVE"],
    },
    {
      when: "a directive declares a tag",
      text: `%TAG ! tag:a.example,2026:\n---\n${good}`,
      yields: ["1:1 YAML_DIRECTIVE"],
    },
    {
      when: "a tag is unknown",
      text: "zones:\n  - name: !secret a.example\n",
      yields: ["2:11 YAML_TAG"],
    },
    { when: "a key is a list", text: "zones: []\n? [a]\n: b\n", yields: ["2:3 YAML_SYNTAX"] },
    {
      when: "the nesting is too deep",
      text: `zones: ${"[".repeat(50_000)}`,
      yields: ["1:71 YAML_TOO_DEEP"],
    },
    { when: "the file is empty", text: "", yields: ["1:1 FILE_EMPTY"] },
    { when: "the file has only a comment", text: "# later\n", yields: ["1:1 FILE_EMPTY"] },
    { when: "the file is null", text: "~\n---\n", yields: ["1:1 FILE_EMPTY"] },
    { when: "the file is an empty map", text: "{}\n", yields: ["1:1 WRONG_VALUE"] },
    { when: "the file is a string", text: "zones\n", yields: ["1:1 FILE_FOREIGN"] },
    { when: "the file belongs to another program", text: "a: 1\n", yields: ["1:1 UNKNOWN_KEY"] },
    { when: "zones is null", text: "zones:\n", yields: ["1:7 WRONG_TYPE"] },
    {
      when: "there is a NUL character",
      text: `${good}# \0\n`,
      yields: ["3:3 FILE_NOT_UTF8"],
    },
    {
      when: "its version is newer: nothing else is said of the file",
      text: "version: 2\nzones: [{ site: a.example }]\nrules: {}\n",
      yields: ["1:10 FILE_NEWER"],
    },
    {
      when: "its version is newer in a later document",
      text: "zones: []\n---\nversion: 3\n",
      yields: ["3:10 FILE_NEWER"],
    },
    {
      when: "its version is none",
      text: "version: new\nzones: []\n",
      yields: ["1:10 WRONG_VALUE"],
    },
  ])("when $when", async ({ text, yields }, { expect }) => {
    const state = await loadText(text);
    expect(codesOf(state)).toEqual(yields);
    expect(state.documents).toEqual([]);
  });

  it("when it is UTF-16", async ({ expect }) => {
    const bytes = new Uint8Array([0xff, 0xfe, ...Buffer.from(good, "utf16le")]);
    expect(linesOf(await loadText(bytes))).toEqual([
      "a.yaml:1:1: error: the file is UTF-16; save it as UTF-8 [FILE_NOT_UTF8]",
    ]);
  });

  it("when it is Latin-1", async ({ expect }) => {
    const state = await loadText(Buffer.from("# Zonen für alle\n", "latin1"));
    expect(codesOf(state)).toEqual(["1:1 FILE_NOT_UTF8"]);
  });

  it("when it has 50 MB, without reading it", async ({ expect }) => {
    const bench = desiredBench({ "a.yaml": new Uint8Array(50 * 1024 * 1024) });
    expect(codesOf(await bench.load())).toEqual(["1:1 FILE_TOO_LARGE"]);
    expect(bench.disk.reads).not.toContain("/zones/a.yaml");
  });

  it("when its aliases are a bomb, without expanding it", async ({ expect }) => {
    const levels = Array.from(
      { length: 12 },
      (_, level) =>
        `b${level}: &b${level} [${Array(10)
          .fill(level ? `*b${level - 1}` : "x")
          .join(", ")}]`,
    );
    // Expanding it takes 10^12 steps: the test would not end.
    const state = await loadText(`zones: []\n${levels.join("\n")}\n`);
    expect(codesOf(state)).toContain("6:45 YAML_ALIAS");
  });

  it("when it has more errors than are reported", async ({ expect }) => {
    const state = await loadText(`zones:\n${"  - nam: a.example\n".repeat(1000)}`);
    expect(state.diagnostics).toHaveLength(101);
    expect(codesOf(state)).toContain("1:1 TOO_MANY_PROBLEMS");
  });
});

describe("unusual but valid input works", () => {
  it.for([
    { when: "there are Windows line ends", text: good.replaceAll("\n", "\r\n") },
    { when: "it has the version of today", text: `version: 1\n${good}` },
    { when: "there is a byte order mark", text: `\uFEFF${good}` },
    { when: "the text is JSON", text: '{"zones": [{"name": "a.example"}]}' },
    { when: "the name is in upper case", text: "zones: [{ name: A.Example }]" },
    {
      when: "aliases repeat a list",
      text: "zones:\n  - name: a.example\n    profiles: &p []\n  - match: { name: x }\n    profiles: *p\n",
    },
    {
      when: "there are several documents",
      text: `---\n${good}---\nprofiles: { x: {} }\n---\n`,
    },
  ])("when $when", async ({ text }, { expect }) => {
    const state = await loadText(text);
    expect(state.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(zonesOf(state)).toContain("a.example");
  });
});

describe("a wrong value is reported with what to write instead", () => {
  it.for([
    {
      when: "yes is written for true",
      text: "zones:\n  - name: a.example\n    page_shield: { settings: { enabled: yes } }\n",
      says: 'expected true or false, found "yes"; write true',
    },
    {
      when: "a number is in quotes",
      text: rule('paranoia_level: "2"'),
      says: '"2" is none of 1, 2, 3, 4; write 2, without quotes',
    },
    {
      when: "a number is out of range",
      text: rule("paranoia_level: 5"),
      says: "5 is none of 1, 2, 3, 4; use one of these values",
    },
    {
      when: "a threshold is neither number nor name",
      text: rule("score_threshold: 2.5"),
      says: "expected one of low, medium, high or an integer of at least 1, found 2.5",
    },
    {
      when: "a threshold is zero",
      text: rule("score_threshold: 0"),
      says: "0 is too small; write a number from 1 up",
    },
    {
      when: "a string is a number",
      text: policy("description: 12"),
      says: 'expected text, found 12; put it in quotes: "12"',
    },
    {
      when: "a map hides the methods of objects",
      text: "zones:\n  - name: a.example\n    managed_rules: { unmanaged: { toString: 1 } }\n",
      says: "3:33: error: a map is none of report, delete, ignore; use one of these values",
    },
    {
      when: "a key is capitalised",
      text: "zones:\n  - name: a.example\n    page_shield: { policies: { items: [{ key: A }] } }\n",
      says: '"A" is not valid here; a key starts with a lower-case letter',
    },
    {
      when: "an action is misspelt",
      text: rule("action: blok"),
      says: '"blok" is none of block, managed_challenge, js_challenge, log, challenge; did you mean "block"?',
    },
    {
      when: "a managed ruleset is misspelt",
      text: "zones:\n  - name: a.example\n    managed_rules: { rules: [{ key: a, deploy: owsap }] }\n",
      says: '"owsap" is not valid here; did you mean "owasp"?',
    },
    {
      when: "the key of a custom ruleset is deployed",
      text: "zones:\n  - name: a.example\n    managed_rules: { rules: [{ key: a, deploy: payments }] }\n",
      says: '"payments" is not valid here; a managed ruleset is owasp, cloudflare, exposed_credentials or free, or an id of 32 hexadecimal digits; `custom_rulesets` deploys custom ones',
    },
    {
      when: "sources are a string",
      text: policy("value: { script-src: \"'self'\" }"),
      says: "expected a list or true or false, found \"'self'\"; write a list: [\"'self'\"]",
    },
    {
      when: "a key is misspelt",
      text: "zones:\n  - name: a.example\n    page_shild: {}\n",
      says: 'unknown key "page_shild"; did you mean "page_shield"?',
    },
    {
      when: "a zone has neither name nor id",
      text: "zones:\n  - profiles: []\n",
      says: 'one of "name", "id" and "match" is required; add one of them',
    },
    {
      when: "a zone has both",
      text: `zones:\n  - { name: a.example, id: ${"0".repeat(32)} }\n`,
      says: '"name" and "id" exclude each other; keep one of them',
    },
    {
      when: "a name is not a domain",
      text: "zones:\n  - name: not a name\n",
      says: '"not a name" is not a zone name; write a domain name like shop.example.com',
    },
    {
      when: "a day does not exist",
      text: "zones:\n  - name: a.example\n    suspend: { reason: x, until: 2026-02-30 }\n",
      says: '"2026-02-30" is not a valid date',
    },
    {
      when: "a date is in another format",
      text: "zones:\n  - name: a.example\n    suspend: { reason: x, until: 30.11.2026 }\n",
      says: '"30.11.2026" is not valid here; write a date or time like 2026-12-01',
    },
  ])("when $when", async ({ text, says }, { expect }) => {
    expect((await loadText(text)).diagnostics[0]).toMatchObject({ severity: "error" });
    expect(linesOf(await loadText(text)).join("\n")).toContain(says);
  });
});

describe("an unusual directory", () => {
  it("follows links that stay inside, and rejects those that lead out", async ({ expect }) => {
    const bench = desiredBench({ "real/a.yaml": good });
    bench.disk.link("/zones/b.yaml", "real/a.yaml");
    bench.disk.write("/etc/secret.yaml", "token: x");
    bench.disk.link("/zones/c.yaml", "/etc/secret.yaml");
    bench.disk.link("/zones/up", "/etc");
    const state = await bench.load();
    expect(linesOf(state)).toEqual([
      "c.yaml:1:1: error: the link leads out of the directory; replace the link with its target [FILE_OUTSIDE]",
      "up/:1:1: error: the link leads out of the directory; replace the link with its target [FILE_OUTSIDE]",
    ]);
    // A file with two names is read once.
    expect(zonesOf(state)).toEqual(["a.example"]);
    expect(bench.disk.reads.filter((place) => place.startsWith("/etc"))).toEqual([]);
  });

  it("reads directories whose name ends like a file", async ({ expect }) => {
    const state = await desiredBench({ "team.yaml/a.yaml": good }).load();
    expect(state.diagnostics).toEqual([]);
    expect(zonesOf(state)).toEqual(["a.example"]);
  });

  it("does not block on a pipe with the name of a file", async ({ expect }) => {
    const bench = desiredBench({ "a.yaml": good });
    bench.disk.make("/zones/b.yaml", "pipe");
    expect(codesOf(await bench.load())).toEqual(["1:1 FILE_NOT_REGULAR"]);
  });

  it("reports a dangling link and a loop of links", async ({ expect }) => {
    const bench = desiredBench({ "a.yaml": good });
    bench.disk.link("/zones/b.yaml", "gone.yaml");
    bench.disk.link("/zones/c.yaml", "c.yaml");
    expect(linesOf(await bench.load())).toEqual([
      "b.yaml:1:1: error: the file cannot be read: it does not exist; fix the link, or delete it [FILE_UNREADABLE]",
      "c.yaml:1:1: error: the file cannot be read: its links form a loop; fix the link, or delete it [FILE_UNREADABLE]",
    ]);
  });

  it("ignores hidden files and other names", async ({ expect }) => {
    const state = await desiredBench({
      "a.yml": good,
      ".hidden.yaml": "broken: [",
      ".git/config.yaml": "broken: [",
      "..2026_11_21/a.yaml": "broken: [",
      "README.md": "# not yaml",
    }).load();
    expect(state.diagnostics).toEqual([]);
    expect(state.files).toBe(1);
  });
});
