import * as fc from "fast-check";
import { describe, it } from "vitest";

import {
  coversUrls,
  matchesForeignHosts,
  matchesPage,
  patternFinder,
} from "../../src/syntax/url-pattern.ts";

const matchesUrl = (pattern: string, url: string): boolean =>
  patternFinder([pattern])(url) !== undefined;

describe("a pattern of URLs", () => {
  it.for([
    {
      pattern: "https://pay.example.net/v3/*",
      url: "https://pay.example.net/v3/a.js?x=1",
      is: true,
    },
    { pattern: "https://pay.example.net/v3/*", url: "https://PAY.example.net:443/v3/", is: true },
    { pattern: "https://pay.example.net:443/*", url: "https://pay.example.net/a.js", is: true },
    {
      pattern: "https://pay.example.net/v3/*",
      url: "https://pay.example.net/v3/../a.js",
      is: false,
    },
    { pattern: "https://pay.example.net/v3/*", url: "http://pay.example.net/v3/a.js", is: false },
    { pattern: "*://pay.example.net/*", url: "http://pay.example.net/a.js", is: true },
    {
      pattern: "https://pay.example.net/*",
      url: "https://pay.example.net.evil.test/a.js",
      is: false,
    },
    {
      pattern: "https://pay.example.net/*",
      url: "https://pay.example.net@evil.test/a.js",
      is: false,
    },
    { pattern: "https://*.example.net/*", url: "https://evil.test/.example.net/a.js", is: false },
    { pattern: "https://*.example.net/*", url: "https://a.b.example.net/x", is: true },
    { pattern: "https://pay.example.net/a.js", url: "https://pay.example.net/a.js?v=2", is: false },
    { pattern: "*://*/*", url: "data:text/javascript,alert(1)", is: false },
    { pattern: "*://*/*", url: "file:///etc/passwd", is: false },
    { pattern: "http://a.example:80/*", url: "http://a.example/x", is: true },
    { pattern: "http://a.example:443/*", url: "http://a.example/x", is: false },
    { pattern: "https://a.example:8443/*", url: "https://a.example:8443/x", is: true },
    { pattern: "https://a.example:8443/*", url: "https://a.example/x", is: false },
    { pattern: "data:,x", url: "data:,x", is: true },
    { pattern: "https://pay.example.net/*", url: "", is: false },
  ])("$pattern and $url: $is", ({ pattern, url, is }, { expect }) => {
    expect(matchesUrl(pattern, url)).toBe(is);
  });

  it.for([
    { pattern: "https://*/*", foreign: true },
    { pattern: "*://*/pay.js", foreign: true },
    { pattern: "https://*.com/*", foreign: true },
    { pattern: "https://pay.example.*/x", foreign: true },
    { pattern: "https://*example.net/x", foreign: true },
    { pattern: "https://*.example.net/*", foreign: false },
    { pattern: "*://pay.example.net/*", foreign: false },
  ])("on hosts that anybody can have: $pattern, $foreign", ({ pattern, foreign }, { expect }) => {
    expect(matchesForeignHosts(pattern)).toBe(foreign);
  });

  it("is the longest one that matches", ({ expect }) => {
    const find = patternFinder([
      "https://a.example/*",
      "https://a.example/v3/*",
      "https://a.example/v3/x.js",
    ]);
    expect(["v3/x.js", "v3/y.js", "z.js"].map((path) => find(`https://a.example/${path}`))).toEqual(
      ["https://a.example/v3/x.js", "https://a.example/v3/*", "https://a.example/*"],
    );
  });

  it("covers another pattern only if it matches each of its URLs", ({ expect }) => {
    const host = fc.constantFrom("a.example", "*.example", "b.a.example", "*a.example");
    const rest = fc.constantFrom("/", "/*", "/a*", "/a.js", "/*.js", "/a/*.js");
    const pattern = fc.tuple(host, rest).map((parts) => `https://${parts.join("")}`);
    const fill = fc.constantFrom("", "a", "b.", "/", "x/a");
    fc.assert(
      fc.property(pattern, pattern, fill, (outer, inner, text) => {
        const url = inner.replaceAll("*", text);
        fc.pre(coversUrls(outer, inner) && matchesUrl(inner, url));
        expect(matchesUrl(outer, url)).toBe(true);
      }),
    );
    expect(coversUrls("https://a.example/*", "https://a.example/a.js")).toBe(true);
    expect(coversUrls("https://a.example/a.js", "https://a.example/*")).toBe(false);
    expect(coversUrls("data:,x", "https://a.example/*")).toBe(false);
    expect(coversUrls("https://a.example/*", "data:,x")).toBe(false);
  });

  it.for([
    {
      pattern: "shop.example.com/checkout/*",
      page: "https://shop.example.com/checkout/pay",
      is: true,
    },
    {
      pattern: "shop.example.com/checkout/*",
      page: "https://myshop.example.com/checkout/",
      is: false,
    },
    { pattern: "*/pay", page: "https://shop.example.com/a/pay", is: true },
    { pattern: "*", page: "https://shop.example.com/", is: true },
    { pattern: "shop.example.com/?to=https:*", page: "shop.example.com/?to=https://a/", is: true },
  ])("the page $page is one of $pattern: $is", ({ pattern, page, is }, { expect }) => {
    expect(matchesPage(pattern, page)).toBe(is);
  });
});
