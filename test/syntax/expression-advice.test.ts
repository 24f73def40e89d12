import { describe, it } from "vitest";

import {
  type Phase,
  adviseExpression,
} from "../../src/syntax/expression/advice/advise-expression.ts";

function adviceFor(text: string, phase: Phase = "request"): readonly string[] {
  return adviseExpression(text, phase).map(({ code }) => code);
}

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
    'substring(http.user_agent, 0, 1) eq "A"',
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

const raw = String.raw;

/** Each warning with its remedy. */
function advice(text: string): readonly string[] {
  return adviseExpression(text, "request").map(({ code, remedy }) => `${code}: ${remedy}`);
}

const uri = "http.request.uri";
const path = "http.request.uri.path";
const extension = "http.request.uri.path.extension";
const names = "http.request.headers.names";

describe("a text that its field never has", () => {
  it.for([
    [`${extension} eq "PHP"`, 'EXPR_LETTER_CASE: write "php"'],
    [`upper(${path}) eq "/a"`, 'EXPR_LETTER_CASE: write "/A"'],
    [`lower(url_decode(${path})) eq "/A"`, 'EXPR_LETTER_CASE: write "/a"'],
    ['lower(http.host) strict wildcard "*.Shop"', 'EXPR_LETTER_CASE: write "*.shop"'],
    ['http.request.method strict wildcard "p*"', 'EXPR_METHOD_CASE: write "P*"'],
    [`any(lower(${names}[*])[*] eq "X-A")`, 'EXPR_LETTER_CASE: write "x-a"'],
    [`${path} wildcard "admin/*"`, 'EXPR_PATH_SLASH: write "/admin/*"'],
    [`${uri} eq "admin"`, 'EXPR_PATH_SLASH: write "/admin"'],
    [`raw.${path} eq "admin"`, 'EXPR_PATH_SLASH: write "/admin"'],
    [`raw.${uri} eq "admin"`, 'EXPR_PATH_SLASH: write "/admin"'],
    [`${path} eq "HTTP://a.example"`, "EXPR_PATH_SLASH: compare http.request.full_uri"],
    [`${path} eq "a/https://b"`, 'EXPR_PATH_SLASH: write "/a/https://b"'],
    [
      'http.host eq "a.example?b"',
      'EXPR_NOT_A_HOST: write "a.example", and compare the path with http.request.uri.path',
    ],
    [
      'http.host wildcard "HTTPS://*.a.example/b/c"',
      'EXPR_NOT_A_HOST: write "*.a.example", and compare the path with http.request.uri.path',
    ],
    ['http.host contains "/a"', "EXPR_NOT_A_HOST: compare the path with http.request.uri.path"],
    ['http.host contains "*.a"', 'EXPR_NOT_A_HOST: write http.host wildcard "*.a"'],
    [`starts_with(${path}, "/a/*")`, `EXPR_LITERAL_STAR: write ${path} wildcard "/a/*"`],
    [`ends_with(${path}, "*.php")`, `EXPR_LITERAL_STAR: write ${path} wildcard "*.php"`],
    [`${path} eq "/a/*/b"`, `EXPR_LITERAL_STAR: write ${path} wildcard "/a/*/b"`],
    [
      'raw.http.request.full_uri eq "https://a.example/*"',
      'EXPR_LITERAL_STAR: write raw.http.request.full_uri wildcard "https://a.example/*"',
    ],
    [
      `${path} contains "php$"`,
      "EXPR_ANCHOR: delete them and use starts_with() or ends_with(), or write matches",
    ],
    [`${extension} wildcard ".p*"`, 'EXPR_EXTENSION_DOT: write "p*"'],
    [`starts_with(${extension}, "..gz")`, 'EXPR_EXTENSION_DOT: write "gz"'],
    [`raw.${extension} eq ".php"`, 'EXPR_EXTENSION_DOT: write "php"'],
    [
      `${uri} contains "%41"`,
      'EXPR_ENCODED: write "A", or compare the field with raw. before its name',
    ],
    [
      `url_decode(${path}) contains "%2F"`,
      'EXPR_ENCODED: write "/", or compare the field with raw. before its name',
    ],
    ['ip.src.continent eq "Europe"', 'EXPR_COUNTRY_CODE: write a code such as "EU" or "NA"'],
    ['ip.src.country eq "D"', 'EXPR_COUNTRY_CODE: write a code such as "DE" or "US"'],
    ['ip.src.country eq "xDE"', 'EXPR_COUNTRY_CODE: write a code such as "DE" or "US"'],
  ] as const)("is told what to write instead: %s", ([text, told], { expect }) => {
    expect(advice(text)).toEqual([told]);
  });

  it.for([
    `url_decode(http.host) eq "Shop"`,
    `lower(http.request.method) eq "post"`,
    'http.request.method wildcard "p*"',
    'http.request.method eq "POST"',
    `any(${names}[*] wildcard "X-*")`,
    'any(http.request.headers["x-a"][*] eq "X-A")',
    `${path} wildcard "/a/*"`,
    `${path} contains "/*/"`,
    `${path} eq "/a*b"`,
    'http.user_agent eq "*"',
    'http.cookie contains "^"',
    `${path} contains "%"`,
    `http.user_agent contains "%41"`,
    `lower(http.user_agent) contains "%41"`,
    'ip.src.country ne ""',
    'ip.src.region eq "Bavaria"',
    'http.user_agent eq "Germany"',
    'contains(http.host, "a")',
    "len(http.host) eq 3",
    `${path}.extension eq "admin"`,
    `${uri}.query eq "admin"`,
  ])("has no warning: %s", (text, { expect }) => {
    expect(advice(text)).toEqual([]);
  });

  it.for([
    [40, `"${"A".repeat(40)}" never matches`],
    [41, `"${"A".repeat(40)}…" never matches`],
  ] as const)("is shown up to 40 characters: %s", ([length, start], { expect }) => {
    const [found] = adviseExpression(`http.host eq "${"A".repeat(length)}"`, "request");
    expect(found?.message.startsWith(start)).toBe(true);
  });

  it.for([
    ['lower(http.host) eq "A"', '"A" never matches: the value is in lower case'],
    ['upper(http.host) eq "a"', '"a" never matches: the value is in upper case'],
  ] as const)("is told why: %s", ([text, message], { expect }) => {
    expect(adviseExpression(text, "request")).toMatchObject([{ message }]);
  });
});

describe("an address that no visitor has", () => {
  it.for([
    "10.0.0.0",
    "10.255.255.255",
    "100.64.0.0",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.255",
    "169.254.0.0",
    "169.254.255.255",
    "172.16.0.0",
    "172.31.255.255",
    "192.168.0.0",
    "192.168.255.255",
    "::1",
    "fc00::",
    "fdff::ffff",
    "fe80::",
    "febf::1",
  ])("is told: ip.src eq %s", (address, { expect }) => {
    expect(advice(`ip.src eq ${address}`)).toEqual([
      "EXPR_PRIVATE_ADDRESS: write the public address under which they reach the service",
    ]);
  });

  it.for([
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "192.169.0.0",
    "::2",
    "fbff::",
    "fe00::",
    "fe7f::",
    "fec0::",
  ])("is not told of others: ip.src eq %s", (address, { expect }) => {
    expect(advice(`ip.src eq ${address}`)).toEqual([]);
  });
});

describe("a set", () => {
  it.for([
    ["{192.0.2.0/24 192.0.2.7}", "EXPR_NETWORK_OVERLAP: delete 192.0.2.7"],
    ["{192.0.2.7 192.0.2.0/24}", "EXPR_NETWORK_OVERLAP: delete 192.0.2.7"],
    ["{192.0.2.1..192.0.2.9 192.0.2.9}", "EXPR_NETWORK_OVERLAP: delete 192.0.2.9"],
    ["{192.0.2.1..192.0.2.9 192.0.2.1}", "EXPR_NETWORK_OVERLAP: delete 192.0.2.1"],
    ["{2001:db8::/32 2001:db8:1::/48}", "EXPR_NETWORK_OVERLAP: delete 2001:db8:1::/48"],
    ["{192.0.2.7 192.0.2.7}", "EXPR_REPEATED_MEMBER: delete one of the two"],
    ["{}", "EXPR_EMPTY_SET: add a value, or delete the condition"],
    [
      "{192.168.1.0/24}",
      "EXPR_PRIVATE_ADDRESS: write the public address under which they reach the service",
    ],
  ] as const)("is told what to delete: ip.src in %s", ([set, told], { expect }) => {
    expect(advice(`ip.src in ${set}`)).toEqual([told]);
  });

  it.for([
    "ip.src in {192.0.2.1..192.0.2.9 192.0.2.10}",
    "ip.src in {192.0.2.1..192.0.2.9 192.0.2.0}",
    "ip.src in {192.0.2.1..192.0.2.9 192.0.2.5..192.0.2.12}",
    "ip.src in {0.0.0.1 ::1:1}",
    "ip.src in {192.160.0.0/12}",
    "ip.src.asnum in {1 2}",
    "cf.edge.server_ip eq 10.0.0.1",
    "ip.src in $office",
  ])("has no warning: %s", (text, { expect }) => {
    expect(advice(text)).toEqual([]);
  });
});

describe("a pattern", () => {
  it.for([
    ["^.*a", '"a"'],
    ["a.*$", '"a"'],
    ["a.*", '"a"'],
    [".*a.*", '"a"'],
    [".*?a", '"a"'],
    [`.*${"a".repeat(61)}`, `"${"a".repeat(60)}"`],
  ] as const)("with a .* at an end has a shorter form: %s", ([pattern, rest], { expect }) => {
    expect(advice(`http.user_agent matches "${pattern}"`)).toEqual([
      `EXPR_IDLE_PATTERN: delete it: ${rest}`,
    ]);
  });

  it.for([".*", "^.*$", ".*.*", "", "^", "$"])(
    "that matches every text is told: %s",
    (pattern, { expect }) => {
      expect(advice(`http.user_agent matches "${pattern}"`)).toEqual([
        "EXPR_IDLE_PATTERN: delete the condition",
      ]);
    },
  );

  it.for([raw`a\.*`, "^a.*b$", "a.*b", "^a$", "^$"])(
    "has no warning: %s",
    (pattern, { expect }) => {
      expect(advice(`http.user_agent matches r"${pattern}"`)).toEqual([]);
    },
  );
});

describe("a field", () => {
  it.for([
    ["ip.geoip.country", "EXPR_DEPRECATED_FIELD: write ip.src.country"],
    ['any(http.request.headers["X-A"][*] eq "a")', 'EXPR_HEADER_CASE: write "x-a"'],
  ] as const)("is told what to write instead: %s", ([text, told], { expect }) => {
    expect(advice(text.startsWith("any") ? text : `${text} eq "DE"`)).toEqual([told]);
  });

  it.for([
    'any(http.response.headers["X-A"][*] eq "a")',
    'any(raw.http.response.headers["X-A"][*] eq "a")',
    'any(http.response.headers.names[*] eq "X-A")',
    'any(raw.http.response.headers.names[*] eq "X-A")',
  ])("of the response has the names of headers in lower case: %s", (text, { expect }) => {
    expect(adviseExpression(text, "response")).toMatchObject([
      { code: "EXPR_HEADER_CASE", remedy: 'write "x-a"' },
    ]);
  });

  it.for([
    ['http.host in {} and http.host eq "a"', "EXPR_EMPTY_SET"],
    ["(cf.client.bot or ssl and cf.edge.client_tcp)", "EXPR_MIXED_LOGIC"],
    ["(ssl and cf.edge.client_tcp or cf.client.bot)", "EXPR_MIXED_LOGIC"],
    ["starts_with(http.host)", "EXPR_BAD_ARGUMENT"],
    ['any(http.request.headers["X-A"][*] eq "a") and ssl', "EXPR_HEADER_CASE"],
  ] as const)("is told of one mistake only: %s", ([text, code], { expect }) => {
    expect(adviseExpression(text, "request").map((each) => each.code)).toEqual([code]);
  });

  it.for(["http.response.code eq 1", 'raw.http.response.headers.names[0] eq "a"'])(
    "of the response has no value before there is one: %s",
    (text, { expect }) => {
      expect(advice(text)).toEqual(["EXPR_RESPONSE_FIELD: use a field of the request"]);
      expect(adviseExpression(text, "response")).toEqual([]);
    },
  );
});

describe("a placeholder of another tool", () => {
  it.for(["{{ .Values.zone }}", "www.{{ .Values.zone }}", "{{.Zone}}"])(
    "is not told to change its letter case: %s",
    (text, { expect }) => {
      const found = adviseExpression(`http.host eq "${text}"`, "request");
      const remedies = found.map(({ remedy }) => remedy).join("\n");
      expect(remedies).toContain("zonewarden fills no {{ }}: write a placeholder such as");
      expect(remedies).not.toContain(text.toLowerCase());
    },
  );
});
