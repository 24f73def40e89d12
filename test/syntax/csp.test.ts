import { describe, it } from "vitest";

import { checkCsp } from "../../src/syntax/csp/check-csp.ts";
import { canonicalCsp, cspOfMap, parseCsp, printCsp } from "../../src/syntax/csp/csp.ts";

describe("the canonical form of a policy", () => {
  it.for([
    {
      when: "names and hosts differ in case",
      text: "SCRIPT-SRC CDN.Example.COM",
      yields: "script-src cdn.example.com",
    },
    {
      when: "schemes differ in case",
      text: "img-src HTTPS://A.B DATA:",
      yields: "img-src data: https://a.b",
    },
    {
      when: "keywords differ in case",
      text: "img-src 'SELF' 'None'",
      yields: "img-src 'none' 'self'",
    },
    { when: "a path has capitals", text: "img-src a.b/Path/X.js", yields: "img-src a.b/Path/X.js" },
    { when: "a hash has capitals", text: "img-src 'SHA256-AbC='", yields: "img-src 'sha256-AbC='" },
    { when: "a nonce has capitals", text: "img-src 'NONCE-AbC'", yields: "img-src 'nonce-AbC'" },
    { when: "sources are in another order", text: "img-src b a", yields: "img-src a b" },
    {
      when: "directives are in another order",
      text: "img-src b; font-src a",
      yields: "font-src a; img-src b",
    },
    { when: "there are lines and tabs", text: "\n img-src\ta\r\n b ;\n", yields: "img-src a b" },
    { when: "a source is repeated", text: "img-src a A a", yields: "img-src a" },
    { when: "a directive is repeated", text: "img-src a; IMG-SRC b", yields: "img-src a" },
    { when: "there are empty directives", text: ";;img-src a;;", yields: "img-src a" },
    {
      when: "a directive has no value",
      text: "upgrade-insecure-requests;",
      yields: "upgrade-insecure-requests",
    },
    {
      when: "a token is not understood",
      text: "img-src 'What?' //X,Y",
      yields: "img-src 'What?' //X,Y",
    },
    { when: "a directive is not known", text: "Foo-Src B A", yields: "foo-src A B" },
    { when: "a reporting group has capitals", text: "report-to Group", yields: "report-to Group" },
    { when: "there is nothing", text: " ; ", yields: "" },
  ])("when $when", ({ text, yields }, { expect }) => {
    expect(canonicalCsp(text)).toBe(yields);
  });

  it("keeps the order of the text when printed", ({ expect }) => {
    expect(printCsp(parseCsp("img-src B 'SELF';font-src A"))).toBe("img-src b 'self'; font-src a");
  });
});

describe("a source", () => {
  it.for([
    ["'none'", { kind: "none" }],
    ["'self'", { kind: "self" }],
    ["*", { kind: "star" }],
    ["'unsafe-inline'", { kind: "keyword", keyword: "unsafe-inline" }],
    ["'sha384-ab+/-_=='", { kind: "hash", text: "'sha384-ab+/-_=='", isValid: false }],
    [
      "'SHA256-n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg'",
      { kind: "hash", text: "'sha256-n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg'", isValid: true },
    ],
    ["'nonce-xyz'", { kind: "nonce", text: "'nonce-xyz'", isValid: true }],
    ["'nonce-{{x}}'", { kind: "nonce", text: "'nonce-{{x}}'", isValid: false }],
    ["blob:", { kind: "scheme", scheme: "blob" }],
    ["a.b", { kind: "host", scheme: undefined, host: "a.b", port: undefined, path: "" }],
    [
      "localhost:3000",
      { kind: "host", scheme: undefined, host: "localhost", port: "3000", path: "" },
    ],
    ["https://*.a.b:*/p", { kind: "host", scheme: "https", host: "*.a.b", port: "*", path: "/p" }],
    ["https://*", { kind: "host", scheme: "https", host: "*", port: undefined, path: "" }],
    ["https:a.b", { kind: "other" }],
    ["a.*.b", { kind: "other" }],
    ["*a.b", { kind: "other" }],
    ["a..b", { kind: "other" }],
    ["a_b.c", { kind: "other" }],
    ["[::1]", { kind: "other" }],
    ["'self", { kind: "other" }],
    ["'selfx", { kind: "other" }],
    ["'nonex", { kind: "other" }],
    ["'", { kind: "other" }],
  ] as const)("%s is parsed", ([text, meaning], { expect }) => {
    const [directive] = parseCsp(`img-src ${text}`);
    expect(directive?.sources).toMatchObject([{ ...meaning, offset: 8, length: text.length }]);
  });
});

describe("a keyword", () => {
  it.for([
    "unsafe-inline",
    "unsafe-eval",
    "unsafe-hashes",
    "strict-dynamic",
    "wasm-unsafe-eval",
    "report-sample",
    "unsafe-allow-redirects",
    "inline-speculation-rules",
    "trusted-types-eval",
    "report-sha256",
    "report-sha384",
    "report-sha512",
  ])("'%s' is one of CSP Level 3, in any case", (keyword, { expect }) => {
    const text = `'${keyword}'`;
    const [directive] = parseCsp(`script-src ${text.toUpperCase()}`);
    expect(directive?.sources).toMatchObject([{ kind: "keyword", keyword, text }]);
  });
});

describe("a diagnostic of a policy", () => {
  it("is in the order of the text", ({ expect }) => {
    const offsets = checkCsp("foo-src a; img-src * 'nonce-x' http://a.b,c").map(
      ({ offset }) => offset,
    );
    expect(offsets.length).toBeGreaterThan(3);
    expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
  });
});

describe("a policy written as a map", () => {
  it("is converted to text, with offsets of its entries", ({ expect }) => {
    const { text, diagnostics, pathAt } = cspOfMap({
      "default-src": ["'self'"],
      "upgrade-insecure-requests": [],
      "img-src": ["'self'", "'nonce-x'"],
    });
    expect(text).toBe("default-src 'self'; upgrade-insecure-requests; img-src 'self' 'nonce-x'");
    expect(diagnostics).toEqual([]);
    const [nonce] = checkCsp(text);
    expect(pathAt(nonce?.offset ?? -1)).toEqual(["img-src", 1]);
    expect(pathAt(0)).toEqual(["default-src"]);
  });

  it.for([
    { entry: "'self'; script-src *", when: "it would begin another directive" },
    { entry: "", when: "it is empty" },
    { entry: "  ", when: "it is blank" },
  ])("rejects an entry when $when", ({ entry }, { expect }) => {
    const { diagnostics } = cspOfMap({ "img-src": ["'self'", entry] });
    expect(diagnostics).toMatchObject([
      { code: "CSP_BAD_ENTRY", offset: 15, length: entry.length },
    ]);
  });

  it("keeps names of object prototypes", ({ expect }) => {
    expect(cspOfMap(Object.fromEntries([["__proto__", ["a"]]])).text).toBe("__proto__ a");
  });
});

describe("a source that is not what it seems", () => {
  it.for([
    "https.a",
    "data.example",
    "a.example:65535",
    "a.example:1",
    "a.example:*",
    "*.a.com",
    "*.test",
    "https://cdn.example.com/a_b.js",
  ])("is what it seems: %s", (source, { expect }) => {
    expect(checkCsp(`img-src 'self' ${source}`)).toEqual([]);
  });
});

describe("a map of directives", () => {
  it("has its bad entries where the text has them", ({ expect }) => {
    const map = { "img-src": ["'self'", "a;b"], "font-src": ["c.example"], "style-src": ["d", ""] };
    const { text, diagnostics } = cspOfMap(map);
    expect(text).toBe("img-src 'self' a;b; font-src c.example; style-src d ");
    expect(diagnostics.map(({ code, offset, length }) => [code, offset, length])).toEqual([
      ["CSP_BAD_ENTRY", 15, 3],
      ["CSP_BAD_ENTRY", 52, 0],
    ]);
  });
});
