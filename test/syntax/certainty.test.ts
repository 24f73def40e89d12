import * as fc from "fast-check";
import { describe, it } from "vitest";

import {
  certainlyImplies,
  certaintyOf,
  selectsNothing,
} from "../../src/syntax/expression/certainty/certainty.ts";
import { selectedBy } from "../../src/syntax/expression/certainty/selected-requests.ts";
import { parseExpression, validTree } from "../../src/syntax/expression/expression.ts";
import { cases } from "../support/properties.ts";
import { selects } from "./evaluate.ts";

const path = "http.request.uri.path";

describe("what selects every request", () => {
  it.for([
    "true",
    "not false",
    "ssl or true",
    "ssl or not ssl or true",
    "ssl or not ssl",
    "ssl xor not ssl",
    "not (ssl xor ssl)",
    "ssl xor cf.client.bot xor not (ssl xor cf.client.bot)",
    'http.host eq "a" or not http.host eq "a"',
    'http.host in {"a" "b"} or ssl or not (http.host in {"a" "b"} and ssl)',
    'http.host ne "a" or http.host ne "b"',
    'not (http.host eq "a" and http.host eq "b")',
    'not (http.host eq "a" and (ssl or http.host eq "b") and not ssl)',
    "ip.src in {0.0.0.0/0 ::/0}",
    "ip.src in {0.0.0.0/1 128.0.0.0/1 ::/1 8000::/1}",
    "ip.src in {0.0.0.0/0} or ip.src in {::/0}",
    "not ip.src in {10.0.0.0/8} or not ip.src in {192.0.2.0/24}",
    "ip.src ne 192.0.2.1 or ip.src ne 192.0.2.2",
    "not ip.src lt 10.0.0.0 or not ip.src in {::/0}",
    'ip.src.country eq "DE" or ip.geoip.country ne "DE"',
    "len(http.host) ge 0",
    "len(http.host) gt 0",
    "len(http.host) ge 9000 or len(http.host) lt 9000",
    `not len(lower(${path})) eq 0`,
    "len(http.user_agent) in {0..9223372036854775807}",
    'http.host ge ""',
    'http.user_agent ge ""',
    'http.user_agent lt "m" or http.user_agent ge "m"',
    'http.user_agent le "m" or http.user_agent gt "ma" or http.user_agent eq "ma" or starts_with(http.user_agent, "m")',
    `${path} contains "/"`,
    `${path} matches "^/"`,
    `${path} matches "^/.*$"`,
    'http.user_agent matches "^.*$"',
    'cf.tls_version matches "^.*$" or cf.tls_version contains "\\x0a"',
    `${path} matches ".*"`,
    `${path} matches "(?s)^.+$"`,
    `${path} ~ "/"`,
    `${path} ~ "."`,
    `${path} ~ "[^a]"`,
    `${path} ~ "^[/\\\\d]"`,
    'http.user_agent matches ""',
    'http.user_agent matches "^"',
    'http.user_agent matches "a*"',
    'http.user_agent matches "a{0,3}$"',
    'http.user_agent matches "curl|^"',
    'http.user_agent matches "(a|)"',
    'not http.host matches "[A-Z]"',
    'not http.host matches "^$"',
    'lower(http.host) matches "(?i)[A-Z]" or not http.host matches "[a-z]"',
    "http.host eq http.host",
    "http.host le http.host",
    "lower(http.host) eq http.host",
    "cf.threat_score ge cf.threat_score",
    'http.request.method in {"A" "B"} or not http.request.method in {"A"}',
    "cf.edge.server_port lt 80 or cf.edge.server_port ge 80",
    "cf.edge.server_port in {1..65535}",
    "cf.edge.server_port in {1..79 80..65535}",
    "cf.edge.server_port ne 80 or cf.edge.server_port ne 443",
    "cf.threat_score ge 0",
    "cf.threat_score le 100",
    "cf.threat_score gt -1",
    "not cf.threat_score gt 50 or not cf.threat_score lt 10",
    "not cf.threat_score & 0",
    `starts_with(${path}, "/")`,
    `starts_with(${path}, "/") and not ends_with(lower(${path}), "A")`,
    `${path} wildcard "/*"`,
    `${path} strict wildcard "/*"`,
    `${path} wildcard "*/*"`,
    `raw.${path} wildcard "/*"`,
    'http.host wildcard "*"',
    'http.host strict wildcard "*"',
    'http.user_agent contains ""',
    'not http.host eq ""',
    'http.host ne "" and starts_with(http.request.uri, "/")',
    'starts_with(http.user_agent, "")',
    'ends_with(http.user_agent, "")',
    'contains(http.user_agent, "")',
    "starts_with(http.user_agent, http.user_agent)",
    `${path} ne "a"`,
    'http.request.uri ne "a"',
    "not http.host in {}",
    'lower(http.user_agent) ne "ABC"',
    'upper(http.user_agent) ne "abc"',
    'not upper(lower(http.user_agent)) contains "a"',
    'not lower(upper(http.user_agent)) contains "A"',
    'http.host wildcard "A*" or not http.host wildcard "a*"',
    'http.host contains "ab" or not http.host contains "xaby"',
    `starts_with(${path}, "/a") or not starts_with(${path}, "/a/b")`,
    `concat(http.host, ${path}) contains "/"`,
    'any(http.request.headers.names[*] eq "x") or not any(http.request.headers.names[*] eq "x")',
    'not any(lower(http.request.headers.names[*])[*] contains "A")',
    'all(http.request.headers.names[*] contains "")',
    'not any(http.request.headers["x"][*] in {})',
    'not http.request.headers["x"][0] eq "a" or not http.request.headers["x"][0] eq "b"',
    'starts_with(http.request.full_uri, "http")',
    'http.request.full_uri contains "://"',
    'not http.request.full_uri eq "a.example/x"',
    'not ip.src.country eq "Germany"',
    'http.host le "\\xff\\xff"',
    'http.host lt "\\x80"',
    'http.host le "ÿ"',
    "http.request.timestamp.sec gt 0",
    "http.request.timestamp.sec lt 999999999999",
    "http.request.timestamp.msec gt 1735000000",
    "cf.timings.edge_msec ge 0",
    `substring(${path}, 0, 1) eq "/"`,
    `substring(${path}, 0, 1) in {"a" "/"}`,
    `not substring(${path}, 1, 3) eq "api"`,
    `len(substring(${path}, 0, 1)) eq 1`,
    `substring(lower(${path}), 0, 1) eq "/"`,
    `not upper(substring(http.host, 1)) contains "a"`,
    `substring(substring(${path}, 0, 3), 0, 1) eq "/"`,
    `substring(${path}, 2, 1) eq ""`,
    `substring(${path}, 0, -300) ne "a"`,
    `not (substring(${path}, 0, 4) eq "/api" and not starts_with(${path}, "/api"))`,
    'not (substring(http.host, -3) eq "com" and not ends_with(http.host, "com"))',
    'not (ends_with(http.host, "b.com") and substring(http.host, -4, -2) ne ".c")',
    'starts_with(substring(http.request.full_uri, 0, 4), "http")',
    'not (len(http.host) eq 1 and substring(http.host, 1, -1) ne "")',
    'ip_in_range(ip.src, "0.0.0.0/0") or ip_in_range(ip.src, "::/0")',
    'ip_in_range(ip.src, "10.0.0.0/8") or not ip.src in {10.1.0.0/16}',
    "ip.src ge 0.0.0.0 or ip.src ge ::",
    "ip.src gt 0.0.0.0 or ip.src in {::/0}",
    "not ip.src in {224.0.0.0/4 ff00::/8}",
    "ip.src in {10.0.0.0/8} or not ip.src in {10.1.0.0/16}",
    "ip.src lt 10.0.0.0 or ip.src gt 9.255.255.255 or ip.src in {::/0}",
    'starts_with(http.request.version, "HTTP/") or starts_with(http.request.version, "SPDY/")',
    'http.request.version ne "1.1"',
  ])("%s", (text, { expect }) => {
    expect(certaintyOf(text)).toBe("always");
    expect(certaintyOf(`not (${text})`)).toBe("never");
    expect(certaintyOf(`(${text}) and ssl`)).toBe("depends");
  });
});

describe("what selects no request", () => {
  it.for([
    "false",
    "cf.threat_score gt 50 and cf.threat_score lt 10",
    "cf.threat_score in {20..30} and cf.threat_score in {1..19 31..40}",
    "cf.threat_score gt 200",
    "cf.edge.server_port gt 65535",
    "cf.edge.server_port eq 80 and cf.edge.server_port eq 443",
    "len(http.host) lt 0",
    "len(http.request.uri.query) gt 5 and len(http.request.uri.query) lt 6",
    'len(http.host) eq 3 and http.host eq "a.example"',
    'lower(http.host) eq "ABC"',
    'upper(http.request.uri.path) contains "admin"',
    'http.host eq "a.example" and ends_with(http.host, ".test")',
    'http.host in {"a.example" "b.example"} and http.host in {"c.example"}',
    'http.host wildcard "*.example" and not http.host contains "example"',
    'http.host matches "^a" and starts_with(http.host, "b")',
    'http.request.uri.path strict wildcard "/A*" and http.request.uri.path wildcard "/b*"',
    'http.request.uri.path contains "?"',
    'http.user_agent gt "b" and http.user_agent lt "a"',
    'http.user_agent lt ""',
    'http.request.version eq "HTTP/1.0" and http.request.version in {"HTTP/2" "HTTP/3"}',
    "ip.src in {10.0.0.0/8} and ip.src in {192.0.2.0/24}",
    "ip.src eq 192.0.2.1 and not ip.src in {192.0.2.0/24}",
    "ip.src gt 255.255.255.255",
    "ssl and not ssl",
    '(ssl or http.host eq "a") and not ssl and http.host ne "a"',
    "http.host ne http.host",
    'http.request.headers["x"][0] eq "a" and http.request.headers["x"][0] eq "b"',
    'http.host gt "\\xff"',
    "http.request.timestamp.sec lt 1000000000",
    "http.request.timestamp.sec gt 1800000000000",
    "http.request.timestamp.msec lt 1800000000",
    "http.response.code ge 1000",
    "cf.bot_management.score lt 0",
    `substring(${path}, 0, 1) eq "a"`,
    `substring(${path}, 1, 3) eq "api"`,
    `starts_with(substring(${path}, 0, 2), "api")`,
    `substring(${path}, -2) eq "abc"`,
    `substring(http.request.headers["x"][0], 0, 2) eq "abc"`,
    `substring(${path}, 0, 1) ne "/"`,
    'http.request.version eq "HTTP/5"',
    'http.request.version in {"1.1" "http/1.1"}',
    'ip.src.continent eq "US"',
    "ip.src in {0.0.0.0/8 ::/128}",
    'ip_in_range(ip.src, "10.0.0.0/8") and ip.src in {192.0.2.0/24}',
  ])("%s", (text, { expect }) => {
    expect(certaintyOf(text)).toBe("never");
    expect(certaintyOf(`not (${text})`)).toBe("always");
  });
});

describe("what depends on the request, or is not decided", () => {
  it.for([
    "ssl",
    "not (",
    'http.host eq "a"',
    'http.host ne "a"',
    'http.user_agent ne ""',
    'http.host wildcard "a*"',
    `${path} wildcard "/a*"`,
    'http.request.uri.query wildcard "/*"',
    'http.request.uri ne "/a"',
    `${path} ne http.referer`,
    `starts_with(${path})`,
    'resembles(http.user_agent, "")',
    `starts_with(${path}, http.host)`,
    `ends_with(${path}, "/")`,
    "cf.threat_score ne 1",
    "cf.threat_score ge 1",
    "cf.threat_score le 99",
    "cf.threat_score & 1",
    "ip.src.asnum ge 1",
    'http.host[0] ne ""',
    'http.host eq "a" or not http.host eq "b"',
    "ip.src in {0.0.0.0/0}",
    "ip.src in {0.0.0.0/0 ::/1}",
    "ip.src ge 0.0.0.0",
    "ip.src in $office or ip.src in {10.0.0.0/8}",
    "cf.edge.server_port in {2..65535}",
    "cf.edge.server_port lt 80 or cf.edge.server_port gt 80",
    "len(http.host) ge 2",
    "len(http.user_agent) ge 1",
    'len(http.host) eq 9 and http.host eq "a.example"',
    'http.user_agent ge "a"',
    'http.user_agent lt "m" or http.user_agent gt "m"',
    `${path} matches "/."`,
    `${path} matches "^/$"`,
    `${path} matches "^/|x$"  and ${path} matches "\\bx"`,
    'http.user_agent matches "(^|a)"',
    'http.user_agent matches "(?i)[^A]"',
    'http.user_agent matches "[[:alpha:]]*"',
    'cf.tls_version matches "^.*$"',
    'http.user_agent matches "é*"',
    'http.host contains "ab" or not http.host contains "xay"',
    `starts_with(${path}, "/a/b") or not starts_with(${path}, "/a")`,
    'lower(http.host) eq "abc"',
    'upper(http.user_agent) ne "ABC"',
    'url_decode(http.request.uri.query) contains "<"',
    'http.request.headers["x"][0] eq http.request.headers["x"][0]',
    'http.request.headers["x"][0] contains ""',
    'http.request.headers["x"][0] eq "a" or http.request.headers["x"][0] ne "a"',
    'not http.request.headers["x"][0] eq "a" and not http.request.headers["x"][0] ne "a"',
    'len(http.request.headers["x"][0]) ge 0',
    'all(http.request.headers["x"][*] contains "")',
    'any(http.request.headers["x"][*] contains "")',
    "http.response.code ge 0",
    `substring(${path}, 1, 4) eq "api"`,
    `concat(http.host, ${path}) eq "a.example/x"`,
    `remove_bytes(http.host, ".") eq ""`,
    'any(http.request.headers.names[*] eq "x") or not any(http.request.headers.names[*] eq "y")',
    `${Array.from({ length: 300 }, () => 'http.host ne ""').join(" and ")} and ssl`,
    Array.from(
      { length: 12 },
      (_, i) => `(http.host contains "${i}" or ${path} contains "${i}")`,
    ).join(" and "),
    'http.host le "z"',
    `${path} le "/\\xff\\xff"`,
    "http.request.timestamp.sec gt 1800000000",
    "http.response.code le 999",
    'http.request.version eq "HTTP/3"',
    'ip.src.continent eq "EU"',
    `substring(${path}, 0, 2) eq "/a"`,
    `substring(${path}, 1) eq ""`,
    `substring(${path}, 0, -1) eq ""`,
    'substring(http.host, -3) eq "com"',
    'len(http.host) eq 1 and substring(http.host, 1, -1) eq ""',
    `substring(${path}, -1, 4) eq "a"`,
    `substring(${path}, 1000, 1001) eq "ab"`,
    'len(substring(http.request.headers["x"][0], 0, 1)) le 1',
    'substring(http.request.headers["x"][0], 0, 1) ge ""',
    'ip_in_range(ip.src, "0.0.0.0/0")',
    'ip_in_range(ip.src, "10.0.0.1/8")',
  ])("%s", (text, { expect }) => {
    expect(certaintyOf(text)).toBe("depends");
  });

  it("is asked for the usual requests of a zone", ({ expect }) => {
    expect(certaintyWhere('http.host eq "a.example"')).toBe("depends");
    expect(certaintyWhere('http.host eq "a.example:8443"')).toBe("never");
    expect(certaintyWhere('not ends_with(http.host, "a.example")')).toBe("never");
    expect(certaintyWhere('http.host eq "a.example" or ends_with(http.host, ".a.example")')).toBe(
      "always",
    );
    expect(certaintyWhere('ends_with(http.host, ".a.example")')).toBe("depends");
    expect(certaintyWhere('http.host in {"x.a.example" "b.example"}')).toBe("depends");
    expect(certaintyWhere('http.host eq "b.example"')).toBe("never");
    expect(certaintyWhere('http.host eq "xa.example"')).toBe("never");
    expect(certaintyWhere('http.host in {"b.example" "c.example"}')).toBe("never");
    expect(certaintyWhere('http.host wildcard "*.example*"')).toBe("always");
    expect(certaintyWhere('http.host contains "a.example"')).toBe("always");
    expect(certaintyOf('ends_with(http.host, ".example")')).toBe("depends");
    expect(certaintyOf('http.request.full_uri wildcard "https://b.example/*"', "a.example")).toBe(
      "never",
    );
  });

  it("tells whether an expression covers another", ({ expect }) => {
    const host = 'http.host eq "a.example"';
    expect(certainlyImplies(`${host} and ssl`, host)).toBe(true);
    expect(certainlyImplies(host, `${host} and ssl`)).toBe(false);
    expect(certainlyImplies(host, 'ends_with(http.host, ".example") or ssl')).toBe(true);
    expect(certainlyImplies("false", host)).toBe(true);
    expect(certainlyImplies("not (", "true")).toBe(false);
  });
});

function certaintyWhere(given: string): string {
  return certaintyOf(given, "a.example");
}

const hosts = ["a.example", "b.example", "x.a.example", "ab", "b"];
const paths = ["/", "/a", "/a/b", "/B.html", "/ab?".slice(0, 3)];
const texts = ["", "a", "b", "/", "/a", "/A", "a.example", ".example", "b.", "zz"].map(
  (text) => `"${text}"`,
);
const text = fc.constantFrom(...texts);
const number = fc.integer({ min: -1, max: 6 });

const condition = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(
        "http.host",
        path,
        "lower(http.host)",
        `lower(${path})`,
        "http.request.method",
      ),
      fc.constantFrom("eq", "ne", "contains", "lt", "le", "gt", "ge"),
      text,
    )
    .map((parts) => parts.join(" ")),
  fc
    .tuple(
      fc.constantFrom("http.host", path),
      fc.constantFrom("wildcard", "strict wildcard"),
      fc.constantFrom('"*"', '"*.example"', '"A*"', '"/*"', '"/a*b"', '"*b*"', '"/A"'),
    )
    .map((parts) => parts.join(" ")),
  fc
    .tuple(fc.constantFrom("http.host", path), fc.array(text, { maxLength: 3 }))
    .map(([field, members]) => `${field} in {${members.join(" ")}}`),
  fc
    .tuple(fc.constantFrom("starts_with", "ends_with"), fc.constantFrom("http.host", path), text)
    .map(([name, field, argument]) => `${name}(${field}, ${argument})`),
  fc
    .tuple(fc.constantFrom("eq", "ne", "lt", "le", "gt", "ge"), number)
    .map(([operator, value]) => `cf.threat_score ${operator} ${value}`),
  fc
    .array(fc.constantFrom("0", "1", "2..3", "3..5", "4", "5..100"), { minLength: 1, maxLength: 4 })
    .map((members) => `cf.threat_score in {${members.join(" ")}}`),
  fc
    .tuple(
      fc.constantFrom("http.host", path, `lower(${path})`, `substring(${path}, 1)`),
      fc.constantFrom(
        "0, 1",
        "0, 2",
        "1",
        "1, 3",
        "-2",
        "-3, -1",
        "0, -1",
        "1, -1",
        "2, 1",
        "-1, 4",
      ),
      fc.constantFrom("eq", "ne", "contains", "lt", "ge"),
      text,
    )
    .map(([field, part, sign, value]) => `substring(${field}, ${part}) ${sign} ${value}`),
  fc
    .tuple(fc.constantFrom("0, 1", "1, 4", "-2"), fc.constantFrom("eq", "le", "gt"), number)
    .map(([part, sign, value]) => `len(substring(http.host, ${part})) ${sign} ${value}`),
  fc
    .tuple(
      fc.constantFrom("eq", "ne", "lt", "le", "gt", "ge"),
      fc.constantFrom("0.0.0.0", "1.0.0.0", "10.0.0.0", "10.1.2.3", "223.255.255.255"),
    )
    .map(([sign, value]) => `ip.src ${sign} ${value}`),
  fc
    .array(
      fc.constantFrom("10.0.0.0/8", "0.0.0.0/1", "128.0.0.0/1", "10.1.2.0..10.1.3.255", "1.0.0.0"),
      { minLength: 1, maxLength: 3 },
    )
    .map((members) => `ip.src in {${members.join(" ")}}`),
  fc
    .tuple(
      fc.constantFrom("http.request.version", "lower(http.request.version)"),
      fc.constantFrom("eq", "ne", "contains"),
      fc.constantFrom('"HTTP/2"', '"http/2"', '"HTTP/5"', '"1.1"', '"/"'),
    )
    .map((parts) => parts.join(" ")),
  fc.constantFrom("ssl", "true", "false"),
);

const expression = fc.letrec<{ tree: string }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    condition,
    tie("tree").map((item) => `not (${item})`),
    fc
      .tuple(tie("tree"), fc.constantFrom("and", "or", "xor"), tie("tree"))
      .map(([left, sign, right]) => `(${left}) ${sign} (${right})`),
  ),
})).tree;

const connections = [
  { address: 1n << 24n, version: "HTTP/1.1" },
  { address: (10n << 24n) + (1n << 16n) + 515n, version: "HTTP/2" },
  { address: (223n << 24n) + 0xff_ff_ffn, version: "HTTP/2" },
];

const world = hosts.flatMap((host) =>
  paths.flatMap((each) =>
    ["GET", "A"].flatMap((method) =>
      [true, false].flatMap((ssl) =>
        [0n, 1n, 2n, 3n, 4n, 5n, 6n].flatMap((score) =>
          connections.map((rest) => ({ host, path: each, method, ssl, score, ...rest })),
        ),
      ),
    ),
  ),
);

describe("any expression", () => {
  it("has requests that contradict what is told of it only if it depends on them", ({ expect }) => {
    const told = { always: 0, never: 0, depends: 0 };
    fc.assert(
      fc.property(expression, (given) => {
        const { tree } = parseExpression(given);
        if (tree === undefined) throw new Error(given);
        const certainty = certaintyOf(given);
        told[certainty] += 1;
        const outcomes = new Set(world.map((request) => selects(tree, request)));
        if (outcomes.size === 2) expect(certainty).toBe("depends");
        else expect(certainty).not.toBe(outcomes.has(true) ? "never" : "always");
      }),
      cases(250),
    );
    expect(told.always).toBeGreaterThan(cases(10).numRuns);
    expect(told.never).toBeGreaterThan(cases(10).numRuns);
    expect(told.depends).toBeGreaterThan(cases(10).numRuns);
  });

  it("selects nothing, in a zone or in any, if its certainty is never", ({ expect }) => {
    const zones = [undefined, ...hosts, "b.example"];
    fc.assert(
      fc.property(expression, fc.constantFrom(...zones), (given, zone) => {
        expect(selectsNothing(given, zone)).toBe(certaintyOf(given, zone) === "never");
      }),
      cases(500),
    );
  });

  it("can select a request only if each condition that it joins can", ({ expect }) => {
    let selecting = 0;
    fc.assert(
      fc.property(expression, expression, (one, other) => {
        if (!selectedBy(`(${one}) and (${other})`, validTree).isPossible) return;
        selecting += 1;
        expect([certaintyOf(one), certaintyOf(other)]).not.toContain("never");
      }),
      cases(250),
    );
    expect(selecting).toBeGreaterThan(cases(25).numRuns);
  });
});
