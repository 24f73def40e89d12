import { describe, it } from "vitest";

import {
  type ExpressionOrder,
  compareExpressions,
} from "../../src/syntax/expression/certainty/certainty.ts";

const opposite: Readonly<Record<ExpressionOrder, ExpressionOrder>> = {
  equal: "equal",
  narrower: "wider",
  wider: "narrower",
  unclear: "unclear",
};

function alternatives(condition: string): string {
  const scores = Array.from({ length: 80 }, (_, index) => `cf.waf.score eq ${index}`);
  return scores.map((score) => `(${condition} and ${score})`).join(" or ");
}

it("gives up where too many parts would have to be compared", ({ expect }) => {
  const [before, after] = [alternatives("ssl"), alternatives("cf.client.bot")];
  expect(compareExpressions(before, after)).toBe("unclear");
});

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
    ['http.host eq "www.a"', 'http.host strict wildcard "*.A"', "narrower"],
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
    ['lower(http.host) eq "a"', 'http.host eq "a"', "equal"],
    ["ssl xor cf.client.bot", "ssl xor cf.client.bot and true", "equal"],
    ["ssl or cf.client.bot", 'ssl or cf.client.bot or http.host eq "a"', "wider"],
    ['http.host in {"a" "b"}', 'http.host eq "a" or http.host eq "b" or ssl', "wider"],
    ['http.host in {"a" "b"} and ssl', "ssl", "wider"],
    ["cf.threat_score in {1 2} and ssl", "ssl or tcp", "wider"],
    ['http.host eq "\\xE9"', 'http.host ne "a"', "wider"],
    ['http.host eq "a"', 'http.host ne "\\xE9"', "wider"],
    ['http.host eq "a"', 'http.host ne "a"', "unclear"],
    ['http.host eq "a\\\\b"', 'http.host wildcard r"a\\*"', "narrower"],
    ['http.host eq "a"', `http.host in {${' "a"'.repeat(1_200)}}`, "unclear"],
    ["cf.threat_score in {1..5}", "cf.threat_score in {1..3 5..9}", "unclear"],
    ["cf.threat_score in {1..5}", "cf.threat_score in {3..5 1..2}", "equal"],
    ["cf.threat_score in {1..9}", "cf.threat_score in {1..9 2..3}", "equal"],
    ["cf.threat_score in {1..2}", "cf.threat_score in {1 2 7}", "wider"],
    ["cf.threat_score in {1..5}", "cf.threat_score ne 5", "unclear"],
    ["cf.threat_score in {1..5}", "cf.threat_score ne 1", "unclear"],
    ["cf.threat_score in {2..4}", "cf.threat_score ne 5", "wider"],
    ["cf.threat_score in {2..4}", "cf.threat_score ne 1", "wider"],
    ["ip.src eq 10.0.0.1", "ip.src ne 10.0.0.2", "wider"],
    ["ip.src eq 10.0.0.1", "ip.src ne ::a00:1", "wider"],
    ["ip.src in {0.0.0.0/0}", "ip.src in {::/0}", "unclear"],
    ["cf.threat_score le 5", "cf.threat_score & 1", "unclear"],
    ["cf.threat_score gt 9223372036854775806", "cf.threat_score eq 9223372036854775807", "equal"],
    ["cf.threat_score lt -9223372036854775807", "cf.threat_score eq -9223372036854775808", "equal"],
    ["cf.threat_score eq 1", "cf.waf.score eq 1", "unclear"],
    ['http.host in {"a" "ab"}', 'http.host contains "a"', "wider"],
    ['http.host in {"a" "b"}', 'http.host contains "a"', "unclear"],
    ['http.host contains "a"', 'http.host wildcard "*a*"', "equal"],
    ['http.host in {"a" 1}', 'http.host in {"a" 1 2}', "unclear"],
    ["not ssl", "not (ssl and cf.client.bot)", "wider"],
    ["not (ssl or tcp)", "not ssl", "wider"],
  ] as const)("%s → %s: %s", ([before, after, expected], { expect }) => {
    expect(compareExpressions(before, after)).toBe(expected);
    expect(compareExpressions(after, before)).toBe(opposite[expected]);
  });
});
