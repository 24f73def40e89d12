import { describe, it } from "vitest";

import { hostsOf, hostsOverlap } from "../../src/syntax/expression/hosts.ts";

function told(text: string): string {
  const hosts = hostsOf(text);
  return hosts.kind === "some"
    ? `${hosts.exact ? "" : "among "}${hosts.patterns.join(" ")}`
    : hosts.kind;
}

function manyHosts(from: number): string {
  const hosts = Array.from({ length: 2_000 }, (_, index) => `"h${from + index}"`);
  return `http.host in {${hosts.join(" ")}}`;
}

describe("the hosts that an expression can select", () => {
  it.for([
    ["true", "all"],
    ["false", ""],
    ["ssl", "all"],
    ['http.request.uri.path eq "/x"', "all"],
    ['http.host eq "Shop.Example.com"', "shop.example.com"],
    ['lower(http.host) eq "a"', "a"],
    ['upper(http.host) eq "A"', "a"],
    ['url_decode(http.host) eq "a"', "unknown"],
    ["len(http.host) eq 3", "unknown"],
    ['starts_with(url_decode(http.host), "a")', "unknown"],
    ['lower(http.referer) eq "a"', "all"],
    ['contains(http.host, "a")', "*a*"],
    ['http.host contains "a" or http.host eq "b"', "*a* b"],
    ['http.host in {"b" "a" "b"}', "a b"],
    ["http.host in $shops", "unknown"],
    ['http.host ne "a"', "unknown"],
    ['not http.host ne "a"', "a"],
    ['not http.host eq "a"', "unknown"],
    ['not not http.host eq "a"', "a"],
    ['http.host contains "shop"', "*shop*"],
    ['ends_with(http.host, ".example.com")', "*.example.com"],
    ['starts_with(http.host, "www.")', "www.*"],
    ['http.host wildcard "*.Example.com"', "*.example.com"],
    ['http.host strict wildcard "*.example.com"', "*.example.com"],
    ['http.host wildcard r"a\\*"', "unknown"],
    ['http.host matches "^a$"', "unknown"],
    ['http.host eq "a" or http.host eq "b"', "a b"],
    ['http.host eq "a" and ssl', "a"],
    ['http.host eq "a" or ssl', "all"],
    ['http.host eq "a" or http.host matches "b"', "unknown"],
    ['http.host in {"a" "b"} and http.host ne "a"', "among a b"],
    ['http.host in {"a" "b"} and http.host in {"b" "c"}', "b"],
    ['http.host eq "a" and http.host eq "b"', ""],
    ['http.host in {"x.a" "x.b"} and ends_with(http.host, ".a")', "x.a"],
    ['http.host contains "a" and http.host contains "b"', "among *b*"],
    ['http.host in {"a" "b"} and http.host ne "a" and http.host in {"a" "b"}', "among a b"],
    ['http.host in {"a" "b"} and (http.host in {"a" "b"} and http.host ne "a")', "among a b"],
    ['http.host ne "a" and http.host in {"a" "b"}', "among a b"],
    ['http.host ne "a" and false', ""],
    ['http.host ne "a" and http.host ne "b"', "unknown"],
    ['http.host eq "a" or http.host in {"b" "c"} and http.host ne "b"', "among a b c"],
    ['ends_with(http.host, ".a") and http.host in {"x.a" "x.b"}', "x.a"],
    ['ends_with(http.host, ".a") and ends_with(http.host, ".a")', "*.a"],
    ['not (http.host ne "a" and ssl)', "all"],
    ['not (http.host ne "a" or ssl)', "a"],
    ['http.host eq "a" xor ssl', "unknown"],
    ["ssl xor ssl", "all"],
    ['http.request.full_uri wildcard "https://a/*"', "unknown"],
    ['any(http.request.headers["host"][*] eq "a")', "unknown"],
    ['http.host eq "\\xE9"', "unknown"],
    ['foo.bar eq "a"', "unknown"],
    ['starts_with(http.host, "a", "b")', "unknown"],
    ['starts_with(http.host, "\\xE9")', "unknown"],
    ["starts_with(http.host, http.referer)", "unknown"],
    ['starts_with(http.host, "a")[0]', "unknown"],
    ['not starts_with(http.host, "a")', "unknown"],
    ['http.host contains "\\xE9"', "unknown"],
    ['http.host contains "*"', "unknown"],
    ['http.host eq "*.a"', "unknown"],
    ['http.host[0] eq "a"', "unknown"],
    ['lower(http.host)[0] eq "a"', "unknown"],
    ['lower(http.host, "x") eq "a"', "unknown"],
    ["http.host eq http.referer", "unknown"],
    ['http.host in {"a" 1}', "unknown"],
    ['http.host wildcard "é*"', "unknown"],
    ['any(http.request.headers.values[*] eq "a")', "unknown"],
    ['raw.http.request.full_uri eq "https://a/"', "unknown"],
    ['cf.zone.name eq "a"', "unknown"],
    ['cf.hostname.metadata eq "a"', "unknown"],
    ['http.host gt "a"', "unknown"],
    ['not http.host in {"a"}', "unknown"],
    ["not true", ""],
    ["not false", "all"],
    ["http.host eq", "unknown"],
  ] as const)("of %s: %s", ([text, expected], { expect }) => {
    expect(told(text)).toBe(expected);
  });
});

describe("two expressions", () => {
  it.for([
    ['http.host eq "a"', 'http.host eq "A"', "yes"],
    ['http.host eq "a"', 'http.host eq "b"', "no"],
    ['http.host eq "a"', "true", "yes"],
    ['http.host eq "a"', "false", "no"],
    ['http.host eq "shop.example.com"', 'ends_with(http.host, ".example.com")', "yes"],
    ['http.host eq "example.com"', 'ends_with(http.host, ".example.com")', "no"],
    ['http.host wildcard "a*"', 'http.host wildcard "*b"', "yes"],
    ['http.host wildcard "a.*"', 'http.host wildcard "b.*"', "no"],
    ['http.host wildcard "*.a"', 'http.host wildcard "*.b"', "no"],
    ['http.host in {"a" "b"} and http.host ne "a"', 'http.host eq "a"', "maybe"],
    ['http.host eq "a"', 'http.host matches "a"', "maybe"],
    ['http.host matches "a"', "false", "no"],
    ['ssl and http.host eq "a"', 'not ssl and http.host eq "a"', "yes"],
  ] as const)("%s and %s meet: %s", ([a, b, expected], { expect }) => {
    expect(hostsOverlap(hostsOf(a), hostsOf(b))).toBe(expected);
    expect(hostsOverlap(hostsOf(b), hostsOf(a))).toBe(expected);
  });

  it("with too many patterns to compare may meet", ({ expect }) => {
    const patterns = ["a", "b", "c", "d", "e", "f"].map((text) => `http.host contains "${text}"`);
    const some = patterns.join(" or ");
    expect(hostsOverlap(hostsOf(manyHosts(0)), hostsOf(some))).toBe("maybe");
    expect(hostsOverlap(hostsOf(some), hostsOf(manyHosts(0)))).toBe("maybe");
    const both = hostsOf(`${manyHosts(0)} and (${some})`);
    expect(both).toEqual({ ...hostsOf(manyHosts(0)), exact: false });
  });

  it("with thousands of hosts are still compared", ({ expect }) => {
    expect(hostsOverlap(hostsOf(manyHosts(0)), hostsOf(manyHosts(2_000)))).toBe("no");
    expect(hostsOverlap(hostsOf(manyHosts(0)), hostsOf(manyHosts(1_999)))).toBe("yes");
  });
});
