import { describe, it } from "vitest";

import { checkCsp } from "../../src/syntax/csp/check-csp.ts";
import { adviseExpression } from "../../src/syntax/expression/advice/advise-expression.ts";
import type { SyntaxDiagnostic } from "../../src/syntax/syntax-diagnostic.ts";
import { cspCorpus } from "./corpus/csp-values.ts";
import { documentedExpressions } from "./corpus/documented-expressions.ts";
import { edgeExpressions } from "./corpus/edge-expressions.ts";
import { wrongCalls } from "./corpus/wrong-calls.ts";

/** Each thing that a person is told about some of these texts, and in which of them, at which place. */
function problemsOf(
  texts: readonly string[],
  check: (text: string) => readonly SyntaxDiagnostic[],
): string {
  const found = [...new Set(texts)].flatMap((text) => {
    const problems = check(text).map(({ code, severity, message, remedy, offset, length }) => ({
      said: `${severity} ${code}\n  ${message}\n  ${remedy}\n`,
      where: `    ${offset} ${shortened(text.slice(offset, offset + length))} in ${shortened(text)}\n`,
    }));
    const nothing = { said: "nothing\n", where: `    ${shortened(text)}\n` };
    return problems.length === 0 ? [nothing] : problems;
  });
  const places = Map.groupBy(found, ({ said }) => said);
  return [...places]
    .map(([said, each]) => said + each.map(({ where }) => where).join(""))
    .join("\n");
}

function shortened(text: string): string {
  const shown = JSON.stringify(text);
  return shown.length > 120 ? `${shown.slice(0, 60)}…${shown.length}` : shown;
}

const wrongPolicies: readonly string[] = [
  `img-src 'self' ${"é".repeat(20)}`,
  `img-src 'self' ${"é".repeat(21)}`,
  `${"x".repeat(40)} a`,
  `${"x".repeat(41)} a`,
  "img-src 'self' * *.b.c a.b.c",
  "img-src 'self' https: https://a.b",
  "img-src 'self' a.b/c a.b/c/d a.b/",
  "img-src 'self' a.b:* a.b:1 a.b:80 a.b",
  "img-src 'self' a.b?c a.b/*",
  "img-src 'self' //a.b /a [::1]",
  "img-src 'self' 192.0.2.1 127.0.0.1",
  "script-src 'self' 'unsafe-inline' 'sha256-n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg='",
  "script-src 'self' 'sha1-x' 'sha256-x' 'nonce-' 'selff' 'Self'",
  "script-src 'self' 'strict-dynamic' a.b",
  "script-src 'none' 'none'",
  "img-src 'self' https://* http://* *:8080",
  "script-src 'self' http: ws: wss: ftp:",
  "script-src 'self' http://a.b/c ws://a.b",
  "default-src 'self' data:; object-src blob: filesystem:; img-src 'self' data: blob:",
  "style-src 'self' data:",
  "script-src self none unsafe-inline self:80",
  "img-src 'self' unsafe-inline report-sample",
  "img-src 'self' https data a.b",
  "img-src 'self' a.b:99999 a.b:65536 a.b:0",
  "script-src 'self' style-src 'self'",
  "script-src 'self' a.b/* a.b/c?d a.b/c#d a.b/*?e",
  "content-security-policy: script-src 'self'",
  "content-security-policy-report-only script-src",
  "script-src-elem a.b; style-src-attr a.b; report-to x; sandbox",
  "wholly-else a",
  "upgrade-insecure-requests",
  "upgrade-insecure-requests a b",
  "script-src 'self' *a.b a*.b https://a.*.b a_b.c https://a_b.c",
  "script-src 'self' 'sha256 'sha9-x' ' '' 'wholly-else' x'",
  "script-src 'self' a.b A.b https://a.b",
  "connect-src a.b; form-action a.b; font-src a.b; frame-src a.b",
  "connect-src https:; form-action 'none'; style-src '*",
  "img-src 'self' self' a_b.c/x* a..b/x_y 'xsha256-a'",
  "script-src 'none' a.b",
  "script-src",
  "upgrade-insecure-requests 1",
  "frame-ancestors 'unsafe-inline'",
  "img-src 'self'\nfont-src a",
  "img-src 'self', font-src a",
  "",
  " ; ",
];

/** A pattern for each reason for which the engine refuses one. */
const wrongPatterns = [
  "(?=a)",
  String.raw`(a)\1`,
  "(a",
  "(?>a)",
  "(?<1>a)",
  "[a",
  "[b-a]",
  "a|*",
  "a{2,1}",
  String.raw`\y`,
  "(?ii)",
  "(".repeat(251) + ")".repeat(251),
  String.raw`\pL`,
  "a{1000}{1000}",
].map((pattern) => `http.host matches r"${pattern}"`);

const wrongWords: readonly string[] = [
  "http.host eq r### and ssl",
  'lowr(http.host) eq "a"',
  'http.host contian "a"',
  "http.host eq “shop.example.com”",
  'http.request.method in {"GET" "post"}',
  'starts_with(lower(substring(http.request.uri.path, 1, 9)), "Api")',
  'any(http.request.headers.names[*] eq "X-Foo")',
  'http.host eq "a.example:443"',
  'ssl and (http.host ne "a.example" or http.host ne "b.example")',
  "not ssl or ssl",
  "ip.geoip.asnum eq 64496",
  "ssl or true",
  `ssl and ${"$".repeat(40)}`,
  `ssl and ${"$".repeat(41)}`,
  "ssl and\u00a0tcp",
  "ssl and 'a' tcp",
  'http.host eq "a" AND ssl',
  'http.host eq "a" ssl and ssl',
  'http.host eq "a"\tssl',
  'encode_base64() eq "a"',
  'concat() eq "a"',
  'lower() eq "a"',
  'ip_in_range(192.0.2.1, "192.0.2.0/24")',
  'encode_base64(http.host, "a", "b") eq "a"',
  "http.host",
  "cf.threat_score",
  "ip.src",
  "http.request.headers",
  "ssl eq true",
  'ssl contains "a"',
  'cf.threat_score contains "a"',
  "http.host & 1",
  'http.request.headers eq "a"',
  'http.request.headers[0] eq "a"',
  'http.request.headers["a"]["b"] eq "a"',
  'http.host["a"] eq "a"',
  'ip.src eq "a"',
  "cf.threat_score eq ip.src",
  "cf.threat_score in {1..2 192.0.2.1}",
  "ip.src in {192.0.2.0..192.0.2.9 1}",
];

describe("what a person is told", () => {
  it("about expressions", async ({ expect }) => {
    const known = [...documentedExpressions, ...edgeExpressions].flatMap(({ expressions }) =>
      expressions.filter(([, ...codes]) => codes.length > 0).map(([text]) => text),
    );
    const texts = [...known, ...wrongCalls, ...wrongPatterns, ...wrongWords];
    const problems = problemsOf(texts, (text) => adviseExpression(text, "request"));
    await expect(problems).toMatchFileSnapshot("../golden/expression-problems.txt");
  });

  it("about policies", async ({ expect }) => {
    const texts = cspCorpus.flatMap(({ values }) =>
      values.filter(([, ...codes]) => codes.length > 0).map(([text]) => text),
    );
    const problems = problemsOf([...texts, ...wrongPolicies], (text) => checkCsp(text));
    await expect(problems).toMatchFileSnapshot("../golden/csp-problems.txt");
  });
});
