import { describe, it } from "vitest";

import {
  type Phase,
  adviseExpression,
} from "../../src/syntax/expression/advice/advise-expression.ts";

function adviceFor(text: string, phase: Phase = "request"): readonly string[] {
  return adviseExpression(text, phase).map(({ code }) => code);
}

describe("an expression that cannot be meant", () => {
  it.for([
    ['lower(http.user_agent) contains "Bot"', "EXPR_LETTER_CASE", 'write "bot"'],
    ['http.request.method in {"GET" "post"}', "EXPR_METHOD_CASE", 'write "POST"'],
    ['starts_with(http.request.uri.path, "admin")', "EXPR_PATH_SLASH", 'write "/admin"'],
    ['http.request.uri.path in {"/shop" "admin"}', "EXPR_PATH_SLASH", 'write "/admin"'],
    [
      'starts_with(lower(substring(http.request.uri.path, 1, 9)), "Api")',
      "EXPR_LETTER_CASE",
      'write "api"',
    ],
    ['any(http.request.headers.names[*] eq "X-Foo")', "EXPR_HEADER_CASE", 'write "x-foo"'],
    ['ip.src.country in {"de"}', "EXPR_COUNTRY_CODE", 'write a code such as "DE" or "US"'],
    ["http.host in {}", "EXPR_EMPTY_SET", "add a value, or delete the condition"],
    ["http.response.code eq 404", "EXPR_RESPONSE_FIELD", "use a field of the request"],
    ['http.user_agent matches ".*"', "EXPR_IDLE_PATTERN", "delete the condition"],
    ['http.user_agent matches "^.*bot"', "EXPR_IDLE_PATTERN", 'delete it: "bot"'],
    ["not not ssl", "EXPR_DOUBLE_NOT", "delete both, or one"],
    [
      'http.host eq "a" and http.host eq "b"',
      "EXPR_NEVER",
      "join them with or, or correct the values",
    ],
    [
      'http.host eq "a.example:443"',
      "EXPR_HOST_PORT",
      'write "a.example", and compare the port with cf.edge.server_port',
    ],
    ["cf.threat_score gt 200", "EXPR_NEVER", "correct the values, or delete the condition"],
    [
      "ssl and cf.edge.server_port gt 65535",
      "EXPR_NEVER",
      "correct the values, or delete the condition",
    ],
    [
      "cf.threat_score gt 50 and cf.threat_score lt 10",
      "EXPR_NEVER",
      "join them with or, or correct the values",
    ],
    [
      'ssl and (http.host ne "a.example" or http.host ne "b.example")',
      "EXPR_ALWAYS",
      "join them with and, or delete them",
    ],
    ["not ssl or ssl", "EXPR_ALWAYS", "join them with and, or delete them"],
    [
      "ssl and cf.client.bot or cf.threat_score gt 10",
      "EXPR_MIXED_LOGIC",
      "write parentheses around what belongs together",
    ],
    ["ip.geoip.asnum eq 64496", "EXPR_DEPRECATED_FIELD", "write ip.src.asnum"],
    ["ssl or true", "EXPR_CONSTANT", "delete it; the public engine of the service refuses it here"],
  ])("is told what to write instead: %s", ([text = "", code, remedy], { expect }) => {
    const found = adviseExpression(text, "request");
    expect(found.map((each) => [each.code, each.remedy, each.severity])).toEqual([
      [code, remedy, "warning"],
    ]);
  });
});

describe("a condition that never holds", () => {
  it.for([
    'http.request.uri.path eq ""',
    'starts_with(concat("", http.request.uri.path), "api")',
    'ip.src.country contains "Ger"',
    'upper(ip.src.country) eq "GERMANY"',
    'ends_with(http.request.uri.path.extension, ".gz")',
    'http.request.uri.path.extension contains "."',
    'http.host eq "a" and lower(http.host) eq "b"',
    "cf.threat_score in {1..3} and cf.threat_score eq 5",
    "cf.threat_score in {1 2} and ssl and cf.threat_score eq 3",
    "ssl xor ssl",
    "(ssl or cf.client.bot) and not ssl and not cf.client.bot",
  ])("is told once: %s", (text, { expect }) => {
    expect(adviceFor(text)).toEqual(["EXPR_NEVER"]);
    expect(adviceFor(`ip.src.asnum eq 1 or (${text})`)).toEqual(["EXPR_NEVER"]);
  });
});

describe("an expression that can be meant", () => {
  it.for([
    "true",
    "false",
    'http.host eq "shop.example.com"',
    'http.host wildcard "*.Shop.example.com"',
    'lower(http.user_agent) contains "bot"',
    'http.user_agent contains "Bot"',
    'http.request.uri.path contains "admin"',
    'http.request.uri.path wildcard "*/admin"',
    'substring(http.request.uri.path, 1, 4) eq "api"',
    'split(http.request.uri.path, "/", 5)[1] eq "api"',
    'regex_replace(http.request.uri.path, "^/", "") eq "api"',
    'remove_bytes(http.request.uri.path, "/") eq "api"',
    'wildcard_replace(http.request.uri.path, "/*", "${1}") eq "api"',
    'concat(http.host, http.request.uri.path) eq "a.example/x"',
    'substring(http.host, 0, 1) eq "A"',
    'encode_base64(http.host) eq "YQ=="',
    'remove_bytes(http.host, 6e:5b) eq "x"',
    'ends_with(http.request.uri.path, "admin")',
    'raw.http.request.uri.path contains "%2e%2e"',
    'http.request.uri.path contains "%2F"',
    'http.request.uri.query contains "%2e"',
    'http.request.uri.path.extension in {"php" "asp"}',
    'ip.src.country in {"DE" "T1"}',
    'ip.src.continent eq "EU"',
    "ip.src in {192.0.2.0/24 198.51.100.0/24}",
    "cf.edge.server_ip in {10.0.0.0/8}",
    String.raw`http.request.uri.path matches "^/a/.*\.php$"`,
    'http.cookie contains "$"',
    "not ssl",
    "not (not ssl and cf.client.bot)",
    'http.host eq "a" or http.host eq "b"',
    'http.host ne "a" and http.host ne "b"',
    'http.host in {"a" "b"} and http.host eq "a"',
    "(ssl and cf.client.bot) or cf.threat_score gt 10",
    "( (ssl) and (cf.client.bot) ) or cf.threat_score gt 10",
    'any(http.request.headers["x-foo"][*] eq "X")',
  ])("has no warning: %s", (text, { expect }) => {
    expect(adviceFor(text)).toEqual([]);
  });

  it("may name the response once it is there", ({ expect }) => {
    expect(adviceFor("http.response.code eq 404", "response")).toEqual([]);
  });

  it("is not advised while it has an error", ({ expect }) => {
    expect(adviceFor('http.request.method eq "get" and http.host eq 1')).toEqual([
      "EXPR_TYPE_MISMATCH",
    ]);
  });
});
