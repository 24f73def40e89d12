import { describe, it } from "vitest";

import {
  type ExpressionOrder,
  compareExpressions,
} from "../../src/syntax/expression/compare-expressions.ts";

const opposite: Readonly<Record<ExpressionOrder, ExpressionOrder>> = {
  equal: "equal",
  narrower: "wider",
  wider: "narrower",
  unclear: "unclear",
};

describe("from one expression to the other the requests are", () => {
  it.for([
    ["ssl", " ssl\n", "equal"],
    ["foo bar", "foo bar", "equal"],
    ["foo bar", "ssl", "unclear"],
    ['http.host == "a" && ssl', '(http.host eq "a") and ssl', "equal"],
    ['ssl and http.host eq "a"', 'http.host eq "a" and ssl', "equal"],
    ["true", "ssl", "narrower"],
    ["ssl", "false", "narrower"],
    ["ssl", 'ssl and http.host eq "a"', "narrower"],
    ["ssl", 'ssl or http.host eq "a"', "wider"],
    ['ssl and http.host eq "a"', 'ssl and http.host eq "a" and cf.client.bot', "narrower"],
    ['http.host eq "a"', 'http.host in {"a" "b"}', "wider"],
    ['http.host in {"a" "b"}', 'http.host in {"b" "a" "a"}', "equal"],
    ['http.host in {"a" "b"}', 'http.host eq "a" or http.host eq "b"', "equal"],
    ['http.host in {"a" "b"}', 'http.host in {"b" "c"}', "unclear"],
    ['http.host eq "www.a"', 'http.host contains "a"', "wider"],
    ['http.host eq "www.a"', 'http.host wildcard "*.A"', "wider"],
    ['http.host eq "www.a"', 'http.host strict wildcard "*.A"', "unclear"],
    ['http.host contains "shop.a"', 'http.host contains "shop"', "wider"],
    ['http.host eq "a"', 'http.host ne "b"', "wider"],
    ["cf.threat_score gt 10", "cf.threat_score gt 20", "narrower"],
    ["cf.threat_score gt 10", "cf.threat_score ge 11", "equal"],
    ["cf.threat_score lt 5", "cf.threat_score lt 9", "wider"],
    ["cf.threat_score lt 5", "cf.threat_score le 4", "equal"],
    ["cf.threat_score le 5", "cf.threat_score lt 5", "narrower"],
    ["cf.threat_score ge 5", "cf.threat_score gt 4", "equal"],
    ["cf.threat_score eq 5", "cf.threat_score le 5", "wider"],
    ["cf.threat_score in {1..5}", "cf.threat_score in {1..3 4..9}", "wider"],
    ["cf.threat_score lt 5", "cf.threat_score ne 5", "wider"],
    ["ip.src in {10.0.0.0/8}", "ip.src in {10.1.0.0/16}", "narrower"],
    ["ip.src eq 10.0.0.1", "ip.src in {10.0.0.0..10.0.0.9}", "wider"],
    ["ip.src in {2001:db8::/32}", "ip.src in {2001:db8:1::/48}", "narrower"],
    ["ip.src eq 2001:db8::1", "ip.src in {2001:db8::..2001:db8::9}", "wider"],
    ["ip.src in {::/1}", "ip.src in {10.0.0.0/8}", "unclear"],
    ["ip.src in {10.0.0.0/8}", "ip.src in $office", "unclear"],
    ['not http.host in {"a"}', 'not http.host in {"a" "b"}', "narrower"],
    ["not ssl", "ssl", "unclear"],
    ["(ssl or cf.client.bot) and tcp", "ssl or cf.client.bot", "wider"],
    ['lower(http.host) eq "a"', 'http.host eq "a"', "unclear"],
    ["ssl xor cf.client.bot", "ssl xor cf.client.bot and true", "unclear"],
  ] as const)("%s → %s: %s", ([before, after, expected], { expect }) => {
    expect(compareExpressions(before, after)).toBe(expected);
    expect(compareExpressions(after, before)).toBe(opposite[expected]);
  });
});
