import { describe, it } from "vitest";

import { effectiveDirective, sourceMatcher } from "../../src/syntax/csp/csp-match.ts";
import { parseCsp } from "../../src/syntax/csp/csp.ts";

/** The sources of a list that match a URL on a page. */
function matching(list: string, url: string, page = "https://shop.example.com/"): string[] {
  const [directive] = parseCsp(`script-src ${list}`);
  const found = sourceMatcher(directive?.sources ?? [])(new URL(url), new URL(page));
  return found.map(({ text }) => text);
}

const http = "http://shop.example.com/";

// What browsers do is proved in test/proof/csp-browser.proof.ts; these are its cases that say something by themselves.
it.for([
  { list: "'self'", url: "https://shop.example.com/a.js", fits: true },
  { list: "'self'", url: "https://shop.example.com:8443/a.js", fits: false },
  { list: "'self'", url: "https://a.shop.example.com/a.js", fits: false },
  { list: "'self'", url: "https://shop.example.com/a.js", page: http, fits: true },
  { list: "'self'", url: "http://shop.example.com/a.js", fits: false },
  { list: "'self'", url: "wss://shop.example.com/feed", fits: true },
  { list: "'self'", url: "https://shop.example.com:80/a.js", page: http, fits: true },
  {
    list: "'self'",
    url: "https://shop.example.com:8080/",
    page: "http://shop.example.com:8080/",
    fits: true,
  },
  {
    list: "'self'",
    url: "https://shop.example.com/",
    page: "http://shop.example.com:443/",
    fits: false,
  },
  { list: "'self'", url: "blob:https://shop.example.com/1", fits: false },
  { list: "'none'", url: "https://shop.example.com/a.js", fits: false },
  { list: "*", url: "https://anything.example/", fits: true },
  { list: "*", url: "data:text/javascript,1", fits: false },
  { list: "*", url: "http://anything.example/", fits: true },
  { list: "*", url: "https://anything.example/", page: http, fits: true },
  { list: "*", url: "ws://anything.example/", fits: true },
  { list: "*", url: "wss://anything.example/", fits: true },
  { list: "*", url: "app://shop/a.js", page: "app://shop/", fits: true },
  { list: "*.example", url: "https://.cdn.example/", fits: true },
  { list: "data:", url: "data:text/javascript,1", fits: true },
  { list: "https:", url: "http://cdn.example/", fits: false },
  { list: "http:", url: "https://cdn.example/", fits: true },
  { list: "ws:", url: "wss://cdn.example/", fits: true },
  { list: "ws://cdn.example:80", url: "wss://cdn.example/", fits: true },
  { list: "ws://cdn.example:80", url: "ws://cdn.example/", fits: true },
  { list: "wss://cdn.example:443", url: "wss://cdn.example/", fits: true },
  { list: "http://cdn.example:80", url: "http://cdn.example/", page: http, fits: true },
  { list: "https://cdn.example:443", url: "https://cdn.example/", fits: true },
  { list: "ws://cdn.example:443", url: "wss://cdn.example/", fits: false },
  { list: "https:", url: "wss://cdn.example/", fits: false },
  { list: "cdn.example", url: "wss://cdn.example/", fits: false },
  { list: "CDN.example", url: "https://cdn.example/a.js", fits: true },
  { list: "cdn.example", url: "http://cdn.example/a.js", fits: false },
  { list: "cdn.example", url: "http://cdn.example/a.js", page: http, fits: true },
  { list: "cdn.example", url: "https://cdn.example/a.js", page: http, fits: true },
  { list: "cdn.example", url: "https://cdn.example:8443/a.js", fits: false },
  { list: "cdn.example:8443", url: "https://cdn.example:8443/a.js", fits: true },
  { list: "cdn.example:*", url: "https://cdn.example:8443/a.js", fits: true },
  { list: "http://cdn.example:80", url: "https://cdn.example/a.js", fits: true },
  { list: "http://cdn.example:8080", url: "https://cdn.example:8080/a.js", fits: false },
  { list: "cdn.example:80", url: "https://cdn.example/a.js", fits: false },
  { list: "my_cdn.example", url: "https://my_cdn.example/a.js", fits: false },
  { list: "*.example", url: "https://my_cdn.example/a.js", fits: true },
  { list: "*.example", url: "https://a.b.example/a.js", fits: true },
  { list: "*.b.example", url: "https://b.example/a.js", fits: false },
  { list: "https://*", url: "https://b.example/a.js", fits: true },
  { list: "cdn.example/js/", url: "https://cdn.example/js/x/a.js", fits: true },
  { list: "cdn.example/js/", url: "https://cdn.example/js", fits: false },
  { list: "cdn.example/js", url: "https://cdn.example/js/a.js", fits: false },
  { list: "cdn.example/a.js", url: "https://cdn.example/a.js?v=2", fits: true },
  { list: "cdn.example/a.js", url: "https://cdn.example/%61.js", fits: true },
  { list: "cdn.example/A.js", url: "https://cdn.example/a.js", fits: false },
  { list: "cdn.example/a%2Fb", url: "https://cdn.example/a/b", fits: false },
  { list: "cdn.example/a.js?v=1", url: "https://cdn.example/a.js?v=2", fits: true },
  { list: "'unsafe-inline' 'sha256-abc='", url: "https://cdn.example/", fits: false },
])("$list: $url on $page, $fits", ({ list, url, page, fits }, { expect }) => {
  expect(matching(list, url, page).length > 0).toBe(fits);
});

it("returns every source that matches", ({ expect }) => {
  const list = "* cdn.example *.example other.example https:";
  expect(matching(list, "https://cdn.example/a.js")).toEqual([
    "cdn.example",
    "*.example",
    "*",
    "https:",
  ]);
});

describe("the effective directive", () => {
  it.for([
    { policy: "script-src a; default-src b", request: "script", rules: "script-src" },
    { policy: "default-src b; connect-src a", request: "script", rules: "default-src" },
    { policy: "script-src-elem c; script-src a", request: "script", rules: "script-src-elem" },
    { policy: "script-src a; default-src b", request: "connection", rules: "default-src" },
    { policy: "script-src a", request: "connection", rules: undefined },
    { policy: "img-src a", request: "script", rules: undefined },
  ] as const)("of a $request in $policy is $rules", ({ policy, request, rules }, { expect }) => {
    expect(effectiveDirective(policy, request)?.directive).toBe(rules);
  });
});
