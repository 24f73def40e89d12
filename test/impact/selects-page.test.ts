import { it } from "vitest";

import { pageSelector } from "../../src/impact/policy-decision.ts";

/** Whether an expression selects a page. */
function selected(expression: string, page: string, hostOnly = false): string {
  const select = pageSelector({ expression, action: "allow", enabled: true, value: "" });
  return select({ url: new URL(page), hostOnly });
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
  { expression: `starts_with(${path}, "/checkout")`, says: "yes" },
  { expression: `starts_with(${path}, "/admin")`, says: "no" },
  { expression: `ends_with(${path}, "/pay") and ssl`, says: "yes" },
  { expression: 'http.request.uri.query eq "Step=2"', says: "yes" },
  { expression: 'raw.http.request.uri eq "/checkout/pay?Step=2"', says: "yes" },
  { expression: 'raw.http.request.uri.path eq "/checkout/pay"', says: "yes" },
  { expression: 'http.request.full_uri contains "example.com/checkout"', says: "yes" },
  { expression: "len(http.host) eq 16", says: "yes" },
  { expression: 'http.request.headers["host"][0] eq "shop.example.com"', says: "maybe" },
  { expression: 'ip.src.country eq "DE"', says: "maybe" },
  { expression: 'ip.src.country eq "DE" and http.host eq "other.example"', says: "no" },
  { expression: 'ip.src.country eq "DE" or http.host eq "shop.example.com"', says: "yes" },
  { expression: 'not (ip.src.country eq "DE")', says: "maybe" },
  { expression: 'ssl xor http.host eq "shop.example.com"', says: "no" },
  { expression: 'ssl xor ip.src.country eq "DE"', says: "maybe" },
])("$expression selects the checkout: $says", ({ expression, says }, { expect }) => {
  expect(selected(expression, checkout)).toBe(says);
});

it("does not guess a path where only the host is known", ({ expect }) => {
  const here = `http.host eq "shop.example.com" and ${path} eq "/checkout"`;
  expect(selected(here, "https://shop.example.com/", true)).toBe("maybe");
  expect(selected(here, "https://other.example/", true)).toBe("no");
});
