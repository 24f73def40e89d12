import * as fc from "fast-check";
import { describe, it } from "vitest";

import { commonRequest } from "../../src/syntax/expression/certainty/common-request.ts";
import { parseExpression } from "../../src/syntax/expression/expression.ts";
import { cases } from "../support/properties.ts";
import { selects } from "./evaluate.ts";

describe("two expressions that exclude each other", () => {
  it.for([
    ['http.request.uri.path eq "/a"', 'http.request.uri.path eq "/b"'],
    ['starts_with(http.request.uri.path, "/p2/")', 'starts_with(http.request.uri.path, "/p4/")'],
    ['http.request.uri.path eq "/a"', 'starts_with(http.request.uri.path, "/b")'],
    ['http.host eq "a.example"', 'not http.host eq "a.example"'],
    ['http.host eq "a.example"', 'http.host ne "a.example"'],
    ['http.host in {"a.example" "b.example"}', 'not http.host in {"a.example" "b.example"}'],
    ['http.request.method eq "GET"', 'http.request.method in {"POST" "PUT"}'],
    ["ssl", "not ssl"],
    ['ends_with(http.request.uri.path, ".html")', 'ends_with(http.request.uri.path, ".php")'],
    ['http.host wildcard "*.a.example"', 'http.host wildcard "*.b.example"'],
    ['http.host eq "Shop.example"', 'http.host eq "shop.example"'],
    ['lower(http.host) eq "a.example"', 'http.host eq "b.example"'],
    ['http.request.full_uri wildcard "https://a.example/*"', 'http.host eq "b.example"'],
    ['http.request.uri.path.extension eq "php"', 'http.request.uri.path eq "/a.html"'],
    ["cf.threat_score gt 50", "cf.threat_score lt 10"],
    ['ip.src.country eq "DE"', 'ip.src.country in {"FR" "IT"}'],
    ["ip.src in {10.0.0.0/8}", "not ip.src in {10.0.0.0/7}"],
    ['http.host eq "a" and ssl', '(http.host eq "a" or http.host eq "b") and not ssl'],
    ["false", "true"],
    ['http.host eq "a.example" xor ssl', 'http.host eq "a.example" and ssl'],
    [
      'http.host eq "a.example" and starts_with(http.request.uri.path, "/shop")',
      'http.host eq "a.example" and not (starts_with(http.request.uri.path, "/shop"))',
    ],
  ])("have no common request: %s | %s", ([a = "", b = ""], { expect }) => {
    expect(commonRequest(a, b)).toBeUndefined();
    expect(commonRequest(b, a)).toBeUndefined();
  });
});

describe("two expressions that overlap", () => {
  it.for([
    ["true", "true"],
    // In most ways to fulfil both, a condition would have to hold and fail.
    [
      '(http.host contains "a.ex" and http.request.method eq "GET") xor ends_with(http.request.uri.path, ".html") xor ssl',
      'not http.host contains "a.ex"',
    ],
    ["true", 'http.host eq "shop.example.com"'],
    ['http.host eq "a.example"', 'http.request.uri.path eq "/a"'],
    ['starts_with(http.request.uri.path, "/p")', 'starts_with(http.request.uri.path, "/p4/")'],
    ['starts_with(http.request.uri.path, "/a")', 'ends_with(http.request.uri.path, ".html")'],
    ['http.host wildcard "*.example"', 'http.host wildcard "shop.*"'],
    ['http.host ne "a.example"', 'http.host ne "b.example"'],
    ['http.host eq "a.example"', 'not http.request.uri.path contains "/admin"'],
    ['http.request.uri.path contains "/x/"', 'http.request.uri.path contains "/y/"'],
    ['http.request.method ne "GET"', 'http.host eq "a.example"'],
    ['http.request.full_uri wildcard "https://a.example/x*"', 'http.host eq "a.example"'],
    ['http.request.uri.path.extension eq "php"', 'starts_with(http.request.uri.path, "/a/")'],
    ['http.request.uri contains "/a?b=1"', 'http.request.uri.query eq "b=1"'],
    ["cf.threat_score gt 10", "cf.threat_score lt 50"],
    ['ip.src.country eq "DE"', 'ip.src.country ne "FR"'],
    ["ip.src in {10.0.0.0/8}", "not ip.src in {10.1.0.0/16}"],
    ['lower(http.host) eq "a.example"', 'http.host contains "a.e"'],
    ['http.host eq "a.example" xor ssl', 'http.host eq "a.example"'],
    // What is known of the host takes many steps to decide.
    [
      'http.request.uri.path eq "/a/b" xor (http.host contains "b.ex" xor http.host contains "a.ex")',
      '(http.host eq "a.example" xor (http.host wildcard "*.example" and http.host contains "www.")) and http.host wildcard "*.example"',
    ],
  ])("have a common request: %s | %s", ([a = "", b = ""], { expect }) => {
    expect(commonRequest(a, b)).toBeDefined();
    expect(commonRequest(b, a)).toBeDefined();
  });

  it("have one that says where", ({ expect }) => {
    const a = 'http.host eq "shop.example.com" and starts_with(http.request.uri.path, "/checkout")';
    const b = 'http.request.uri.path contains "/pay"';
    expect(commonRequest(a, b)).toMatchObject({
      host: "shop.example.com",
      path: "/checkout/pay",
      method: "GET",
    });
  });
});

/** The request that an expression selects, shown as a URL with its method and other fields. */
function shown(a: string, b = "true"): string | undefined {
  const found = commonRequest(a, b);
  if (found === undefined) return undefined;
  const { method, ssl, host, path, query, fields } = found;
  const others = [...(fields ?? [])].map(([name, value]) => {
    return ` ${name}=${value}`;
  });
  const url = `${ssl ? "https" : "http"}://${host}${path}${query === "" ? "" : `?${query}`}`;
  return `${method} ${url}${others.join("")}`;
}

const paths30 = Array.from({ length: 30 }, (_, index) => `"/${index}"`);
const manyPaths = `http.request.uri.path in {${paths30.join(" ")}}`;

describe("a request that an expression selects", () => {
  it.for([
    ["true", "GET https://www.example.com/"],
    ['http.host eq "a.example"', "GET https://a.example/"],
    ['http.host eq "A.example"', undefined],
    ['http.host eq "-a.example"', undefined],
    ['http.host in {"a b" "b.example"}', "GET https://b.example/"],
    ['starts_with(http.host, "a.")', "GET https://a.a/"],
    ['http.host contains "."', "GET https://www.example.com/"],
    ['not http.host eq "www.example.com"', "GET https://w/"],
    ['http.host ne "a"', "GET https://www.example.com/"],
    ['http.request.uri.path eq "/a"', "GET https://www.example.com/a"],
    ['http.request.uri.path eq "a"', undefined],
    ['http.request.uri.path contains "a"', "GET https://www.example.com/a"],
    ['http.request.uri.path wildcard "/x*y"', "GET https://www.example.com/xy"],
    ['http.request.uri.path wildcard "*.B"', "GET https://www.example.com/.b"],
    ['http.request.uri.path.extension eq "php"', "GET https://www.example.com/a.php"],
    [
      'http.request.uri.path.extension eq "php" and http.request.uri.path contains "adm"',
      "GET https://www.example.com/adm.php",
    ],
    ['http.request.uri.query eq "a=1"', "GET https://www.example.com/?a=1"],
    ['http.request.uri.query contains "a"', "GET https://www.example.com/?a"],
    ['http.request.uri eq "/a?b=1"', "GET https://www.example.com/a?b=1"],
    ['http.request.full_uri eq "https://a.example/b?c"', "GET https://a.example/b?c"],
    ['http.request.full_uri eq "http://a.example/b"', "GET http://a.example/b"],
    ['http.request.full_uri wildcard "https://*/b"', "GET https://a/b"],
    ['http.request.method eq "PATCH"', "PATCH https://www.example.com/"],
    ['http.request.method eq "get"', undefined],
    ['http.request.method ne "GET"', "G https://www.example.com/"],
    ["http.host eq http.host", "GET https://www.example.com/"],
    ['not starts_with(http.request.uri.path, "/a")', "GET https://www.example.com/"],
    [`${manyPaths} and http.request.uri.path eq "/29"`, "GET https://www.example.com/29"],
    [
      'cf.threat_score eq 7 and ip.src.country eq "DE"',
      "GET https://www.example.com/ cf.threat_score=7 ip.src.country=DE",
    ],
    ["http.host eq", undefined],
    ['lower() eq "a" and http.host eq "b.example"', undefined],
    ["starts_with(http.host, http.referer)", "GET https://www.example.com/ http.referer="],
    [
      'lower(http.host) eq "a.example" and http.request.uri.path eq "/b"',
      "GET https://a.example/b",
    ],
    ["cf.threat_score in {20..30}", "GET https://www.example.com/ cf.threat_score=20"],
    ["ip.src in {10.0.0.1..10.0.0.9}", "GET https://www.example.com/ ip.src=167772161"],
    ["ssl", "GET https://www.example.com/"],
    ["not ssl", "GET http://www.example.com/"],
    ["not cf.threat_score & 1", "GET https://www.example.com/ cf.threat_score=0"],
    ["cf.client.bot", "GET https://www.example.com/ cf.client.bot=true"],
    ['ip.geoip.country eq "DE"', "GET https://www.example.com/ ip.src.country=DE"],
    ["ip.src in {10.0.0.0/8}", "GET https://www.example.com/ ip.src=167772160"],
    ["ip.src in {::8/125}", "GET https://www.example.com/ ip.src=4294967304"],
  ] as const)("%s: %s", ([text, expected], { expect }) => {
    expect(shown(text)).toBe(expected);
    expect(shown("true", text)).toBe(expected);
  });

  it.for([
    [
      'starts_with(http.request.uri.path, "/a/b")',
      'ends_with(http.request.uri.path, "b/c")',
      "/a/b/c",
    ],
    [
      'starts_with(http.request.uri.path, "/a/")',
      'starts_with(http.request.uri.path, "/a/b")',
      "/a/b",
    ],
    ['http.request.uri.path wildcard "/a*"', 'not http.request.uri.path eq "/a"', "/A"],
    ['http.request.uri.path in {"/a" "/b"}', 'http.request.uri.path in {"/c" "/b"}', "/b"],
    ['http.request.uri.path in {"/a" "/b"}', 'http.request.uri.path ne "/a"', "/b"],
    ['http.request.uri.path wildcard "/A"', 'http.request.uri.path eq "/a"', "/a"],
    [
      'starts_with(http.request.uri.path, "/a")',
      'not http.request.uri.path in {"/a" "/aa" "/aq7"}',
      "/aq",
    ],
  ] as const)("%s and %s: %s", ([a, b, path], { expect }) => {
    expect(shown(a, b)).toBe(`GET https://www.example.com${path}`);
    expect(shown(b, a)).toBe(`GET https://www.example.com${path}`);
  });
});

describe("what is not decided", () => {
  it.for([
    'any(http.request.headers["x"][*] eq "1")',
    'http.host matches "a"',
    "ip.src in $office",
    'foo.bar eq "x"',
    'http.request.headers["host"][0] eq "a.example"',
    'cf.zone.name eq "a.example"',
    'url_decode(http.request.uri.path) eq "/a"',
  ])("gives no common request: %s", (text, { expect }) => {
    expect(commonRequest(text, "true")).toBeUndefined();
    expect(commonRequest(`${text} or ssl`, "true")).toBeDefined();
  });
});

const hosts = ["a.example", "b.example", "www.a.example"];
const paths = ["/", "/a", "/a/b", "/b.html"];

const condition = fc.oneof(
  fc.constantFrom(...hosts).map((host) => `http.host eq "${host}"`),
  fc.constantFrom(...hosts).map((host) => `http.host ne "${host}"`),
  fc.constantFrom(...hosts).map((host) => `http.host contains "${host.slice(0, 4)}"`),
  fc.constant('http.host wildcard "*.example"'),
  fc.subarray(hosts).map((some) => `http.host in {${some.map((host) => `"${host}"`).join(" ")}}`),
  fc.constantFrom(...paths).map((path) => `http.request.uri.path eq "${path}"`),
  fc.constantFrom(...paths).map((path) => `starts_with(http.request.uri.path, "${path}")`),
  fc.constantFrom(".html", "b").map((end) => `ends_with(http.request.uri.path, "${end}")`),
  fc.constantFrom("GET", "POST").map((method) => `http.request.method eq "${method}"`),
  fc.constantFrom("ssl", "cf.threat_score gt 10", "cf.threat_score le 10", "true", "false"),
);

const expression = fc.letrec<{ tree: string }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    condition,
    condition,
    tie("tree").map((item) => `not (${item})`),
    fc
      .tuple(tie("tree"), fc.constantFrom("and", "or", "xor"), tie("tree"))
      .map(([left, sign, right]) => `(${left}) ${sign} (${right})`),
  ),
})).tree;

/** Every request of a small world, in which each condition above can hold and not hold. */
const world = [...hosts, "c.test"].flatMap((host) =>
  [...paths, "/c"].flatMap((path) =>
    ["GET", "POST", "PUT"].flatMap((method) =>
      [true, false].flatMap((ssl) =>
        [5n, 50n].map((score) => ({ host, path, method, ssl, score })),
      ),
    ),
  ),
);

describe("any two expressions", () => {
  it("overlap only where a request satisfies both, and where one of the small world does", ({
    expect,
  }) => {
    fc.assert(
      fc.property(expression, expression, (a, b) => {
        const [one, other] = [parseExpression(a).tree, parseExpression(b).tree];
        if (one === undefined || other === undefined) throw new Error(`${a} | ${b}`);
        const found = commonRequest(a, b);
        if (found !== undefined) {
          const score = found.fields?.get("cf.threat_score") ?? 0n;
          const request = { ...found, score: typeof score === "bigint" ? score : 0n };
          expect(selects(one, request) && selects(other, request)).toBe(true);
        }
        const isPossible = world.some((each) => selects(one, each) && selects(other, each));
        if (isPossible) expect(found).toBeDefined();
      }),
      cases(800),
    );
  });
});
