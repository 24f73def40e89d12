import { globSync, readFileSync } from "node:fs";
import path from "node:path";

import * as fc from "fast-check";
import { describe, it } from "vitest";
import { stringify } from "yaml";

import { diagnosticExamples } from "../../src/desired/diagnostic-examples.ts";
import { composeYaml } from "../../src/desired/yaml/compose-yaml.ts";
import { readPlainYaml } from "../../src/desired/yaml/plain-yaml.ts";
import { readQuickly } from "../../src/desired/yaml/read-yaml.ts";
import { cases } from "../support/properties.ts";

/** Pieces of plain YAML. */
const plainPieces = [
  'a·b: ·c:·- ·- a: ·: ·\n·\n  ·\n    ·\n      · ·  ·#· # x·1·0.5·true·null·\'q\'·\'\'·"d"·"\\n \\"x\\\\"·[a, b]',
  "{ a: 1, b: [c] }·{}·[]·zones:\n·key: value·e.f: ·x y·a-b·https://x.example/z·24h·.f·k: |\n·k: |-\n·k: >\n",
  "k: >-\n·- |\n·  t\n·ä·😀·(x)·127.0.0.1:80",
].flatMap((texts) => texts.split("·"));

/** Pieces that mean something else, or are mistakes. */
const otherPieces = [
  '012·1.·0x1·0o7·1e3·1_0·+1·-1·.5·.inf·Null·NULL·~·yes·10.0.0.1·\'·"·"\\u0041"·\\·[·]·{·}·, ·,·[a,]·{a}·:·?·? ·-',
  "---\n·...\n·%YAML 1.1\n·&x ·*x·!t ·!!str ·<<: *x·\u00A0·\u2028·\uFEFF·\u0000·[https://x.example]·$x: ·_·/p·%·@",
  "=·2026-12-01·\t·\r\n·\r·a:b·a#b·__proto__: 1·constructor: 1·true: 1·7: 1·'k': 1·\"k\": 1·k: #\n·|2\n·|+\n·> # x\n",
].flatMap((texts) => texts.split("·"));

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...plainPieces) },
  { weight: 1, arbitrary: fc.constantFrom(...otherPieces) },
);

const joined = fc.array(piece, { minLength: 1, maxLength: 16 }).map((parts) => parts.join(""));

const example = path.resolve(import.meta.dirname, "../../config.example");
const filesOfExample = globSync("**/*.yaml", { cwd: example }).map((file) =>
  readFileSync(path.join(example, file), "utf8"),
);
const real = [...filesOfExample, ...Object.values(diagnosticExamples)];

const change = fc.record({
  at: fc.nat(),
  deleted: fc.nat({ max: 3 }),
  added: fc.oneof(fc.constant(""), piece),
});

/** Some lines of a real file, mostly from its left edge, with up to three changes. */
const changed = fc
  .record({
    text: fc.constantFrom(...real),
    from: fc.nat(),
    count: fc.integer({ min: 1, max: 40 }),
    changes: fc.array(change, { maxLength: 3 }),
  })
  .map(({ text, from, count, changes }) => {
    const lines = text.split("\n");
    const start = from % lines.length;
    const some = lines.slice(start, start + count);
    const left = Math.min(...some.filter((line) => line !== "").map((line) => line.search(/\S|$/)));
    let result = some.map((line) => line.slice(left)).join("\n");
    for (const { at, deleted, added } of changes) {
      const place = at % (result.length + 1);
      result = result.slice(0, place) + added + result.slice(place + deleted);
    }
    return result;
  });

const scalar = fc.oneof(
  fc.constantFrom(
    "a",
    "x y",
    "'self'",
    "it's",
    'a "b"',
    "a\nb\n",
    "a\n  b",
    "- a",
    "a: b",
    "# a",
    "*.example",
  ),
  fc.constantFrom(
    "true",
    "012",
    "1.5",
    "",
    " a",
    "ü",
    "a\\d",
    "x".repeat(90),
    1,
    0.25,
    -1,
    1e21,
    true,
    null,
  ),
  fc.string(),
);

const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, depthSize: "small" },
    scalar,
    fc.dictionary(fc.constantFrom("a", "b_c", "default-src", "e.f", "$g", "H"), tie("tree"), {
      maxKeys: 4,
    }),
    fc.array(tie("tree"), { maxLength: 4 }),
  ),
}));

/** Values as the package writes them, in several styles. */
const written = fc
  .record({
    value: fc.dictionary(fc.constantFrom("a", "zones", "profiles"), tree, { minKeys: 1 }),
    style: fc.record(
      {
        collectionStyle: fc.constantFrom("any" as const, "block" as const),
        indent: fc.integer({ min: 1, max: 6 }),
        indentSeq: fc.boolean(),
        singleQuote: fc.constantFrom(true, false, null),
        lineWidth: fc.constantFrom(0, 40),
        directives: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ value, style }) => stringify(value, { aliasDuplicateObjects: false, ...style }));

describe("a plain text", () => {
  it.for([
    { what: "pieces of YAML", texts: joined, least: 0.01 },
    { what: "values that the package has written", texts: written, least: 0.15 },
    { what: "files with changes", texts: changed, least: 0.1 },
  ])("of $what yields what the package yaml yields", ({ texts, least }, { expect }) => {
    let all = 0;
    let plain = 0;
    fc.assert(
      fc.property(texts, (text) => {
        all += 1;
        const quick = readQuickly("a.yaml", text);
        if (quick === undefined) return;
        plain += 1;
        expect(quick).toEqual(composeYaml("a.yaml", text));
      }),
      cases(5_000),
    );
    expect(plain / all).toBeGreaterThan(least);
  });

  it.for([
    "a: 1",
    "a: 0.25",
    "# x\n---\n# y\na: b # z\n",
    "a:\n- b\n- c: 1\n  d: 2\ne: f\n",
    "a:\n\n  # x\n  b: [c, 'd', \"e\", { f: [], g: {} }]   # h\n",
    "a: it's # so\nb: 'it''s'\nc: \"a \\\"b\\\" \\\\ \\n\"\n",
    'a: http.host eq "a" and http.request.uri.path in {"/a" "/b"}\n',
    "a: |\n  x\n    y\n\n  z\n\n\nb: |-\n  # no comment\nc: 1\n",
    "a: >-\n  x\n  y\nb: >\n  z\n# c\nd: e\n",
    "- a\n- true\n- null\n- 10.0.0.1\n- 2026-12-01\n",
    "  a:\n    b: c\n  d: e\n",
    "a: ü😀\n",
  ])("is %j", (text, { expect }) => {
    expect(readQuickly("a.yaml", text)).toEqual(composeYaml("a.yaml", text));
  });

  it("is every file of the example", ({ expect }) => {
    expect(filesOfExample.length).toBeGreaterThan(3);
    expect(filesOfExample.filter((text) => readPlainYaml(text) === undefined)).toEqual([]);
  });

  it.for([
    { what: "with 21 levels", text: `${"[".repeat(21)}${"]".repeat(21)}` },
    { what: "of 1.4 million characters", text: `a: ${"x".repeat(1_400_000)}` },
    { what: "with 20,001 entries", text: `a:\n${"  - b\n".repeat(20_001)}` },
    { what: "with a repeated key", text: "a: 1\nb: 2\na: 3\n" },
    { what: "of two documents", text: "a: 1\n---\nb: 2\n" },
    { what: "that is empty", text: "# nothing\n\n" },
    { what: "with an anchor", text: "a: &b 1\nc: *b\n" },
    { what: "with a tab", text: "a:\t1\n" },
    { what: "with a text of several lines", text: "a: b\n  c\n" },
    { what: "with Windows line ends", text: "a: 1\r\nb: 2\r\n" },
  ])("is none $what", ({ text }, { expect }) => {
    expect(readPlainYaml(text)).toBeUndefined();
  });
});
