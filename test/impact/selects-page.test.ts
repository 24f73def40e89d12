import { it } from "vitest";

import { selectsPage } from "../../src/impact/selects-page.ts";
import { parseExpression } from "../../src/syntax/expression/expression.ts";

/** Whether an expression selects a page. */
function selected(expression: string, page: string, hostOnly = false): string {
  const { tree } = parseExpression(expression);
  if (tree === undefined) throw new Error(`${expression} cannot be read`);
  return selectsPage(tree, { url: new URL(page), hostOnly });
}

const checkout = "https://shop.example.com/checkout/pay?Step=2";
const path = "http.request.uri.path";

it.for([
  { expression: "true", says: "yes" },
  { expression: "not true", says: "no" },
  { expression: 'http.host eq "shop.example.com"', says: "yes" },
  { expression: 'http.host ne "shop.example.com"', says: "no" },
  { expression: 'lower(http.host) in {"a.example" "shop.example.com"}', says: "yes" },
  { expression: 'http.host wildcard "*.EXAMPLE.com"', says: "yes" },
  { expression: 'http.host strict wildcard "*.EXAMPLE.com"', says: "no" },
  { expression: 'http.host contains "shop"', says: "yes" },
  { expression: `starts_with(${path}, "/checkout")`, says: "yes" },
  { expression: `starts_with(${path}, "/admin")`, says: "no" },
  { expression: `ends_with(${path}, "/pay") and ssl`, says: "yes" },
  { expression: 'http.request.uri.query eq "Step=2"', says: "yes" },
  { expression: 'lower(http.request.uri.query) eq "step=2"', says: "yes" },
  { expression: 'raw.http.request.uri eq "/checkout/pay?Step=2"', says: "yes" },
  { expression: 'raw.http.request.uri.path eq "/checkout/pay"', says: "yes" },
  { expression: 'http.request.full_uri contains "example.com/checkout"', says: "yes" },
  { expression: "false", says: "no" },
  { expression: 'upper(http.host) eq "SHOP.EXAMPLE.COM"', says: "yes" },
  { expression: 'contains(http.host, "shop")', says: "yes" },
  { expression: `starts_with(${path}, http.host)`, says: "no" },
  { expression: 'concat(http.host, "x") eq "shop.example.comx"', says: "maybe" },
  { expression: "len(http.host) eq 16", says: "maybe" },
  { expression: 'url_decode(http.host) eq "SHOP.EXAMPLE.COM"', says: "maybe" },
  { expression: 'resembles(http.host, "shop")', says: "maybe" },
  { expression: 'starts_with(http.host, "shop", "x")', says: "maybe" },
  { expression: "starts_with(http.host, ssl)", says: "maybe" },
  { expression: 'http.host[0] eq "shop.example.com"', says: "maybe" },
  { expression: 'lower(http.host)[0] eq "shop.example.com"', says: "maybe" },
  { expression: `starts_with(${path}, http.referer)`, says: "maybe" },
  { expression: 'http.request.headers["host"][0] eq "shop.example.com"', says: "maybe" },
  { expression: "ssl eq true", says: "yes" },
  { expression: "ssl ne true", says: "no" },
  { expression: "ssl lt true", says: "maybe" },
  { expression: 'ssl eq "x"', says: "maybe" },
  { expression: "http.host eq true", says: "maybe" },
  { expression: 'http.host in {"a.example" 1}', says: "maybe" },
  { expression: 'http.host in {"a.example"}', says: "no" },
  { expression: 'http.host strict wildcard "*.example.com"', says: "yes" },
  { expression: 'http.host wildcard r"shop\\*"', says: "maybe" },
  { expression: 'http.host strict wildcard r"shop\\*"', says: "maybe" },
  { expression: 'http.host gt "a"', says: "maybe" },
  { expression: "ip.src in $office", says: "maybe" },
  { expression: "http.host in $shops", says: "maybe" },
  { expression: `${path} matches "^/checkout"`, says: "maybe" },
  { expression: 'ip.src.country eq "DE"', says: "maybe" },
  { expression: 'ip.src.country eq "DE" and http.host eq "other.example"', says: "no" },
  { expression: 'ip.src.country eq "DE" or http.host eq "shop.example.com"', says: "yes" },
  { expression: 'not (ip.src.country eq "DE")', says: "maybe" },
  { expression: 'ssl xor http.host eq "shop.example.com"', says: "no" },
  { expression: 'ssl xor http.host eq "other.example"', says: "yes" },
  { expression: 'ssl xor ip.src.country eq "DE"', says: "maybe" },
  { expression: "ssl xor false xor false", says: "yes" },
  { expression: "ssl xor true xor true", says: "yes" },
  { expression: 'any(http.request.headers["host"][*] == "shop.example.com")', says: "maybe" },
])("$expression selects the checkout: $says", ({ expression, says }, { expect }) => {
  expect(selected(expression, checkout)).toBe(says);
});

it("does not guess a path where only the host is known", ({ expect }) => {
  const here = `http.host eq "shop.example.com" and ${path} eq "/checkout"`;
  expect(selected(here, "https://shop.example.com/", true)).toBe("maybe");
  expect(selected(here, "https://other.example/", true)).toBe("no");
});
