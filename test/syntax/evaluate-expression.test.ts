import { describe, it } from "vitest";

import { selects } from "../../src/syntax/expression/evaluate-expression.ts";
import { parseExpression } from "../../src/syntax/expression/expression.ts";
import { type RequestFacts, valueOfField } from "../../src/syntax/expression/request-facts.ts";

/** http://shop.example/A/list.tar.GZ?q=1 from 10.1.2.3 in Germany. */
const request: RequestFacts = {
  host: "shop.example",
  path: "/A/list.tar.GZ",
  query: "q=1",
  method: "GET",
  ssl: false,
  fields: new Map<string, string | bigint>([
    ["cf.threat_score", 20n],
    ["ip.src", 0x0a010203n],
    ["ip.src.country", "DE"],
    ["http.user_agent", "Ünlü"],
  ]),
};

/** Whether a request is selected, with and without "not", which can only turn the answer round. */
function answer(text: string, changed: Partial<RequestFacts> = {}): boolean | undefined {
  const [tree, opposite] = [text, `not (${text})`].map((each) => parseExpression(each).tree);
  if (tree === undefined || opposite === undefined) throw new Error(text);
  const valueOf = (field: string) => valueOfField(field, { ...request, ...changed });
  const outcome = selects(tree, valueOf);
  const other = selects(opposite, valueOf);
  if (other !== (outcome === undefined ? undefined : !outcome)) throw new Error(`not (${text})`);
  return outcome;
}

describe("whether a request is selected by", () => {
  it.for([
    ['http.host eq "shop.example"', true],
    ['http.host eq "shop"', false],
    ['http.host ne "shop.example"', false],
    ['http.host ne "shop"', true],
    ['http.host contains "p.ex"', true],
    ['http.host contains "x.p"', false],
    ['http.host wildcard "SHOP.*"', true],
    ['http.host wildcard "*.shop"', false],
    ['http.host strict wildcard "shop.*"', true],
    ['http.host strict wildcard "SHOP.*"', false],
    ['http.host wildcard r"shop\\*"', undefined],
    ['http.host matches "shop"', undefined],
    ['http.host gt "a"', undefined],
    ["http.host in $shops", undefined],
    ['http.host in {"a" "shop.example"}', true],
    ['http.host in {"a" "b"}', false],
    ['lower(http.request.uri.path) eq "/a/list.tar.gz"', true],
    ['upper(http.host) eq "SHOP.EXAMPLE"', true],
    ['upper(http.user_agent) eq "ÜNLü"', true],
    ["len(http.host) eq 12", true],
    ["len(http.host) eq 11", false],
    ["len(http.user_agent) eq 4", undefined],
    ['starts_with(http.host, "shop")', true],
    ['starts_with(http.host, "example")', false],
    ['ends_with(http.host, "example")', true],
    ['ends_with(http.host, "shop")', false],
    ['contains(http.host, "p.e")', true],
    ['contains(http.host, "e.p")', false],
    ['url_decode(http.host) eq "shop.example"', undefined],
    ['starts_with(http.referer, "https")', undefined],
    ["starts_with(http.host, http.referer)", undefined],
    ['http.request.uri.path eq "/A/list.tar.GZ"', true],
    ['raw.http.request.uri.path eq "/A/list.tar.GZ"', true],
    ['http.request.uri.path.extension eq "gz"', true],
    ['http.request.uri eq "/A/list.tar.GZ?q=1"', true],
    ['raw.http.request.uri eq "/A/list.tar.GZ?q=1"', true],
    ['http.request.full_uri eq "http://shop.example/A/list.tar.GZ?q=1"', true],
    ['http.request.uri.query eq "q=1"', true],
    ['raw.http.request.uri.query eq "q=1"', true],
    ['http.request.method eq "GET"', true],
    ["ssl", false],
    ["http.host eq http.host", true],
    ['ip.geoip.country eq "DE"', true],
    ['http.request.headers["host"][0] eq "shop.example"', undefined],
    ['http.referer eq ""', undefined],
    ["ssl eq true", false],
    ["ssl eq false", true],
    ["ssl ne true", true],
    ["ssl lt true", undefined],
    ['ssl eq "x"', undefined],
    ["http.host eq true", undefined],
    ['starts_with(http.host, "shop", "x")', undefined],
    ["starts_with(http.host, ssl)", undefined],
    ['concat(http.host, "x") eq "shop.examplex"', undefined],
    ['any(http.request.headers["host"][*] == "shop.example")', undefined],
    ['resembles(http.host, "shop")', undefined],
    ['lower(http.host)[0] eq "shop.example"', undefined],
    ["http.host eq http.referer", undefined],
    ["http.host ne http.referer", undefined],
    ["http.referer ne http.host", undefined],
    ["http.host eq 1", undefined],
    ["cf.threat_score eq http.host", undefined],
    ["cf.threat_score eq http.referer", undefined],
    ['lower(http.user_agent) eq "Ünlü"', true],
    ["cf.threat_score eq 20", true],
    ["cf.threat_score eq 21", false],
    ["cf.threat_score ne 20", false],
    ["cf.threat_score ne 19", true],
    ["cf.threat_score lt 21", true],
    ["cf.threat_score lt 20", false],
    ["cf.threat_score le 20", true],
    ["cf.threat_score le 19", false],
    ["cf.threat_score gt 19", true],
    ["cf.threat_score gt 20", false],
    ["cf.threat_score ge 20", true],
    ["cf.threat_score ge 21", false],
    ["cf.threat_score & 4", true],
    ["cf.threat_score & 8", false],
    ["cf.threat_score in {19 20}", true],
    ["cf.threat_score in {1 2}", false],
    ["cf.threat_score in {20..30}", true],
    ["cf.threat_score in {10..20}", true],
    ["cf.threat_score in {21..30}", false],
    ["cf.threat_score in {10..19}", false],
    ['cf.threat_score in {"20"}', undefined],
    ["ip.src eq 10.1.2.3", true],
    ["ip.src eq 10.1.2.4", false],
    ["ip.src ne 10.1.2.3", false],
    ["ip.src ne 10.1.2.4", true],
    ["ip.src eq ::a01:203", false],
    ["ip.src lt 10.1.2.4", true],
    ['ip.src eq "10.1.2.3"', undefined],
    ["ip.src in {10.1.2.3}", true],
    ["ip.src in {10.1.2.4}", false],
    ["ip.src in {10.1.0.0/16}", true],
    ["ip.src in {10.0.0.0/16}", false],
    ["ip.src in {10.2.0.0/16}", false],
    ["ip.src in {10.1.2.3..10.1.2.9}", true],
    ["ip.src in {10.1.2.0..10.1.2.3}", true],
    ["ip.src in {10.1.2.4..10.1.2.9}", false],
    ["ip.src in {10.1.2.0..10.1.2.2}", false],
    ["ip.src in {::a01:203}", false],
    ["ip.src in {::/0}", false],
    ["http.host in {1}", undefined],
    ["http.host in {10.0.0.0/8}", undefined],
    ["ssl in {10.0.0.0/8}", undefined],
  ] as const)("%s: %s", ([text, expected], { expect }) => {
    expect(answer(text)).toBe(expected);
  });

  const unsure = 'http.host matches "shop"';
  it.for([
    [`ssl and ${unsure}`, false],
    [`not ssl and ${unsure}`, undefined],
    [`ssl or ${unsure}`, undefined],
    [`not ssl or ${unsure}`, true],
    [`ssl xor ${unsure}`, undefined],
    ["not ssl xor not ssl", false],
    ["ssl xor not ssl", true],
    ["not ssl xor not ssl xor not ssl", true],
    ["true", true],
    ["false", false],
  ] as const)("%s: %s", ([text, expected], { expect }) => {
    expect(answer(text)).toBe(expected);
  });
});

describe("an address of version 6", () => {
  it.for([
    ["ip.src in {::9}", false],
    ["ip.src in {::8}", true],
    ["ip.src in {::/64}", true],
    ["ip.src in {0.0.0.8}", false],
  ] as const)("%s: %s", ([text, expected], { expect }) => {
    const fields = new Map([["ip.src", 2n ** 32n + 8n]]);
    expect(answer(text, { fields })).toBe(expected);
  });
});

describe("a field that is made of others", () => {
  it.for([
    ['http.request.uri eq "/A/list.tar.GZ"', true],
    ['http.request.uri.path.extension eq ""', false],
  ] as const)("%s: %s", ([text, expected], { expect }) => {
    expect(answer(text, { query: "" })).toBe(expected);
  });

  it.for(["/", "/a.b/c", "/a."])("has no extension in %s", (path, { expect }) => {
    expect(answer('http.request.uri.path.extension eq ""', { path })).toBe(true);
  });

  it("has the scheme of the request", ({ expect }) => {
    const expression = 'http.request.full_uri eq "https://shop.example/"';
    expect(answer(expression, { path: "/", query: "", ssl: true })).toBe(true);
  });
});
