import { describe, it } from "vitest";

import { parseExpression } from "../../src/syntax/expression/expression.ts";

function codesOf(text: string): readonly string[] {
  return parseExpression(text).diagnostics.map(({ code }) => code);
}

describe("an expression that the engine takes", () => {
  it.for([
    "http.host eq lower(http.host)",
    "http.host eqlower(http.host)",
    'http.host eq http.request.headers["host"][0]',
    "cf.threat_score gt cf.bot_management.score",
    "cf.threat_score & cf.bot_management.score",
    "ip.src eq cidr(ip.src,24,64)",
    "len(http.host) eq len(http.referer)",
    'any(http.request.headers["host"][*] eq http.host)',
    'any((http.request.headers.names[*] eq "a" or http.request.headers.names[*] eq "b"))',
    'any(not http.request.headers.names[*] eq "a" and http.request.headers.names[*] eq "b")',
    'any(starts_with(http.request.headers.names[*], "x-"))',
    'any(not http.request.headers.names[*] eq "a" or http.request.headers.names[*] eq "b")',
    "http.host eq 01:02:03:04:05:06:07:08",
    "starts_with(http.host, ab:cd)",
    'trim(http.host) eq "a"',
    "coalesce(2, 1) eq 1",
    'starts_with ( http.host , "a" )',
    String.raw`http.request.headers["\xc3\x80"][0] eq "a"`,
    "ip.src eq 01:02:03:04:05:06:07:08",
    'coalesce(http.request.headers["a"][0], "b") eq "a"',
    'concat(http.request.headers.names, http.request.headers.values)[0] eq "a"',
    "cf.threat_score in {1-5}",
    "http.host eq 61:62",
    String.raw`http.host matches "^[\w.-]+\.(?:example|test)$"`,
    String.raw`http.host matches "(?u)\pL"`,
  ])("has no diagnostics: %s", (text, { expect }) => {
    expect(codesOf(text)).toEqual([]);
  });

  it.for(["{10.0.1}", "{10/8}", "{010.0.0.1}", "{7}"])(
    "has a warning where it is not documented: ip.src in %s",
    (set, { expect }) => {
      expect(codesOf(`ip.src in ${set}`)).toEqual(["EXPR_SHORT_ADDRESS"]);
    },
  );

  it("reads a short address as the engine does", ({ expect }) => {
    const [diagnostic] = parseExpression("ip.src in {010.1/16}").diagnostics;
    expect(diagnostic?.remedy).toBe("write 10.1.0.0/16");
  });
});

describe("an expression that the engine refuses", () => {
  it.for([
    ["ip.src in {10.0.0.1/8}", "EXPR_HOST_BITS"],
    ["ip.src in {2001:db8::1/32}", "EXPR_HOST_BITS"],
    ["ip.src eq 10.1", "EXPR_BAD_ADDRESS"],
    ["foo.bar in {10.1}", "EXPR_BAD_ADDRESS"],
    ["ip.src in {10.0.0..10.0.0.5}", "EXPR_BAD_RANGE"],
    ["ip.src in {10.0.0.0..10.0.1}", "EXPR_BAD_RANGE"],
    ["ip.src in {10.0.0.0/8..11.0.0.0}", "EXPR_BAD_RANGE"],
    ["ip.src in {10.0.0.0..11.0.0.0/8}", "EXPR_BAD_RANGE"],
    ["ip.src in {1..2}", "EXPR_BAD_RANGE"],
    ["foo.bar in {1..10.0.0.1}", "EXPR_BAD_RANGE"],
    ["foo.bar in {10.0.0.1..5}", "EXPR_BAD_RANGE"],
    ['foo.bar in {1.."a"}', "EXPR_BAD_RANGE"],
    ['http.host in {"a".."b"}', "EXPR_UNEXPECTED"],
    ['http.request.headers["a"][0x] eq "b"', "EXPR_BAD_NUMBER"],
    ['http.request.headers["a"][4294967296] eq "b"', "EXPR_BAD_INDEX"],
    ['http.request.headers["a"][-1] eq "b"', "EXPR_BAD_INDEX"],
    ["cf.threat_score eq -0x1", "EXPR_TRAILING"],
    ["cf.threat_score eq 0x1g", "EXPR_TRAILING"],
    ["cf.threat_score eq -9223372036854775809", "EXPR_BAD_NUMBER"],
    ["ip.src in {10.0.0..10.0.1}", "EXPR_BAD_RANGE"],
    ["http.host eq cf.threat_score", "EXPR_TYPE_MISMATCH"],
    ["http.host eq ssl", "EXPR_TYPE_MISMATCH"],
    ['http.request.headers["a"] eq "b"', "EXPR_TYPE_MISMATCH"],
    ["http.request.headers.names", "EXPR_MISSING_OPERATOR"],
    ["cf.threat_score eq 1.5", "EXPR_BAD_NUMBER"],
    ['http.host eq "\\X41"', "EXPR_BAD_ESCAPE"],
    ['http.request.headers.names[*] eq "x"', "EXPR_LIST_CONDITION"],
    ['ssl and http.request.headers.names[*] eq "x"', "EXPR_LIST_CONDITION"],
    ['not http.request.headers.names[*] eq "x"', "EXPR_LIST_CONDITION"],
    [
      'any(http.request.headers.names[*] eq "a" and http.request.headers.names[*] eq "b")',
      "EXPR_JOINED_ARGUMENT",
    ],
    ['any(http.host eq "a")', "EXPR_BAD_ARGUMENT"],
    ['http.request.headers[r"x"][0] eq "a"', "EXPR_BAD_INDEX"],
    ['http.request.headers["\\xff"][0] eq "a"', "EXPR_BAD_INDEX"],
    ['http.request.headers[0] eq "a"', "EXPR_BAD_INDEX"],
    ['http.host[0] eq "a"', "EXPR_BAD_INDEX"],
    ['http.request.uri.path[*] eq "a"', "EXPR_BAD_INDEX"],
    ["http.host eq 61:62:", "EXPR_BAD_BYTES"],
    ['lower() eq "a"', "EXPR_BAD_ARGUMENT"],
    ['lower( ) eq "a"', "EXPR_BAD_ARGUMENT"],
    ["len(cf.threat_score) eq 1", "EXPR_BAD_ARGUMENT"],
    ['concat(http.host) eq "a"', "EXPR_BAD_ARGUMENT"],
    ['starts_with("a", http.host)', "EXPR_BAD_ARGUMENT"],
    ["starts_with(http.host, true)", "EXPR_BAD_ARGUMENT"],
    ['trim(http.host, "aa") eq "b"', "EXPR_BAD_ARGUMENT"],
    ["http.host eq shop.example.com", "EXPR_UNQUOTED"],
    ["http.host in {shop.example.com}", "EXPR_UNQUOTED"],
    ["http.host wildcard *.example.com", "EXPR_UNQUOTED"],
    ["http.host eq my-shop.example.com", "EXPR_UNQUOTED"],
    ["http.host eq ssl-shop.example.com", "EXPR_UNQUOTED"],
    ["http.host eq http.shop-x.example", "EXPR_UNQUOTED"],
    ["http.host eq myssl", "EXPR_UNQUOTED"],
    ["cf.threat_score eq shop.example", "EXPR_UNQUOTED"],
    ["http.request.uri.path eq /checkout", "EXPR_UNQUOTED"],
    ["http.host eq https://shop.example.com/", "EXPR_UNQUOTED"],
    [String.raw`http.host matches "\pL"`, "EXPR_UNICODE_REGEX"],
    ['http.host matches "[é]"', "EXPR_UNICODE_REGEX"],
  ])("is reported: %s", ([text = "", code], { expect }) => {
    expect(codesOf(text)).toContain(code);
  });

  it.for([
    ["61-62", "trailing text"],
    ["61.62", "an address"],
  ])("is an error: http.host eq %s", ([bytes], { expect }) => {
    const { diagnostics } = parseExpression(`http.host eq ${bytes}`);
    expect(diagnostics.map(({ severity }) => severity)).toContain("error");
  });

  it("says first that a text needs quotes", ({ expect }) => {
    const { diagnostics } = parseExpression("http.host eq shop.example.com and ssl");
    expect(diagnostics).toMatchObject([
      {
        message: 'the text "shop.example.com" needs double quotes',
        remedy: 'write "shop.example.com"',
      },
    ]);
  });
});

describe("a name that the tables do not have", () => {
  it.for([
    'foo.bar eq "a"',
    "http.host ==http.new_field",
    "foo.bar eq 1",
    "foo.bar[0] in {1 2}",
    "foo(http.host, 1) eq 10.0.0.1",
    "http.host eq http.request.new_field",
    "lower(http.request.new_field) eq cf.new_field",
    'any(foo.bar[*] contains "a")',
    'coalesce(foo.bar, "a") eq "b"',
  ])("is a warning, and what depends on it is none: %s", (text, { expect }) => {
    const { diagnostics, tree } = parseExpression(text);
    expect(tree).toBeDefined();
    expect(diagnostics.every(({ code }) => code.startsWith("EXPR_UNKNOWN_"))).toBe(true);
    expect(diagnostics.every(({ severity }) => severity === "warning")).toBe(true);
  });
});
