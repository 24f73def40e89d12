import { describe, it } from "vitest";

import { isAllowedHost, isSameOrigin } from "../../src/syntax/request-origin.ts";

describe("a server answers", () => {
  it.for([
    ["127.0.0.1", true],
    ["192.0.2.7:8080", true],
    ["[::1]:8080", true],
    ["localhost", true],
    ["LOCALHOST:8080", true],
    ["a.localhost", true],
    ["localhost.evil.example", false],
    ["evillocalhost", false],
    ["zonewarden.example", true],
    ["Zonewarden.Example:8080", true],
    ["zonewarden.example.", true],
    ["final.example", true],
    ["evil.example", false],
    ["127.0.0.1.evil.example", false],
    ["x127.0.0.1", false],
    ["a@127.0.0.1", false],
    ["evil.example/127.0.0.1", false],
    ["a b", false],
    ["", false],
  ] as const)("under the host %s: %s", ([host, isAllowed], { expect }) => {
    expect(isAllowedHost(host, ["zonewarden.example", "final.example."])).toBe(isAllowed);
  });
});

describe("a request comes from a page of the same origin", () => {
  it.for([
    { headers: { "sec-fetch-site": "same-origin" }, is: true },
    { headers: { "sec-fetch-site": "cross-site" }, is: false },
    { headers: { "sec-fetch-site": "same-site" }, is: false },
    { headers: { "sec-fetch-site": "none" }, is: false },
    {
      headers: { "sec-fetch-site": "cross-site", origin: "http://a.example", host: "a.example" },
      is: false,
    },
    { headers: { origin: "http://a.example:8080", host: "a.example:8080" }, is: true },
    { headers: { origin: "http://a.example:8080", host: "a.example" }, is: false },
    { headers: { origin: "http://evil.example", host: "a.example" }, is: false },
    { headers: { origin: "null", host: "a.example" }, is: false },
    { headers: { host: "a.example" }, is: undefined },
  ] as const)("$headers: $is", ({ headers, is }, { expect }) => {
    expect(isSameOrigin((name) => new Map(Object.entries(headers)).get(name))).toBe(is);
  });
});
