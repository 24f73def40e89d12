import { describe, it } from "vitest";

import { acceptedDirectives } from "../../src/syntax/csp/csp-directives.ts";
import { expressionFields } from "../../src/syntax/expression/expression-fields.ts";
import { didYouMean, nearest, nearestOfMany } from "../../src/syntax/nearest.ts";

describe("the nearest name", () => {
  it.for([
    ["scrip-src", "script-src"],
    ["scriptsrc", "script-src"],
    ["srcipt-src", "script-src"],
    ["SCRIPT-SRC", "script-src"],
    ["image-src", "img-src"],
    ["frame-ancestor", "frame-ancestors"],
    ["upgrade-insecure-request", "upgrade-insecure-requests"],
    ["wholly-else", undefined],
    ["x", undefined],
    ["", undefined],
    ["s".repeat(1_000_000), undefined],
  ] as const)("to %s is %s", ([word, expected], { expect }) => {
    expect(nearest(word, acceptedDirectives)).toBe(expected);
  });

  it.for([
    ["http.hots", "http.host"],
    ["http.request.url.path", "http.request.uri.path"],
    ["http.request.uri.pathh", "http.request.uri.path"],
    ["cf.bot_managment.score", "cf.bot_management.score"],
    ["ip.source", "ip.src"],
    ["tcp.port", undefined],
  ] as const)("to the field %s is %s", ([word, expected], { expect }) => {
    expect(nearest(word, expressionFields.keys())).toBe(expected);
  });

  it("is the first of equally near ones", ({ expect }) => {
    expect(nearest("cat", ["bat", "hat"])).toBe("bat");
  });

  it("counts a swap of neighbours as one mistake", ({ expect }) => {
    expect(nearest("lgo", ["log"])).toBe("log");
  });

  it.for([
    ["baxy", "abzw"],
    ["ab", "xa"],
    ["ab", "bx"],
    ["abc", "bcaa"],
    ["abcdefgh", "bacdefyz!"],
  ] as const)("is none where %s and %s differ in more", ([word, candidate], { expect }) => {
    expect(nearest(word, [candidate])).toBe(undefined);
  });

  it.for([100, 101])("of a word of %s letters is one only up to 100", (length, { expect }) => {
    const candidate = "a".repeat(99);
    expect(nearest("a".repeat(length), [candidate])).toBe(length === 100 ? candidate : undefined);
  });

  it("is searched for a limited number of times", ({ expect }) => {
    const suggest = nearestOfMany(["script-src"]);
    const answers = Array.from({ length: 30 }, () => suggest("script-sr"));
    expect(answers.filter((answer) => answer === "script-src")).toHaveLength(20);
  });

  it("becomes a question, or nothing", ({ expect }) => {
    expect(didYouMean("alow", ["allow", "log"])).toBe('did you mean "allow"?');
    expect(didYouMean("zzzz", ["allow", "log"])).toBe("");
  });
});
