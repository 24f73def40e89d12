import { describe, it } from "vitest";

import { headerText, rateView, retryAfter } from "../../src/api/budget/rate-headers.ts";

const now = new Date("2026-11-20T12:00:00Z");

describe("the headers of the rate limit", () => {
  it.for([
    { when: "there are none", headers: {}, yields: undefined },
    {
      when: "both are there",
      headers: { ratelimit: '"default";r=50;t=30', "ratelimit-policy": '"default";q=1200;w=300' },
      yields: {
        left: [{ name: "default", left: 50, ms: 30_000 }],
        policies: [{ name: "default", limit: 1_200, ms: 300_000 }],
      },
    },
    {
      when: "only the quota is there",
      headers: { "ratelimit-policy": '"default";q=1200;w=300' },
      yields: { left: [], policies: [{ name: "default", limit: 1_200, ms: 300_000 }] },
    },
    {
      when: "only what is left is there",
      headers: { ratelimit: "burst; r=0 ; t=0" },
      yields: { left: [{ name: "burst", left: 0, ms: 0 }], policies: [] },
    },
    {
      when: "they name several policies, in one header or in two",
      headers: { ratelimit: ["a;r=1;t=1, b;r=2;t=2", "c;r=3;t=3"] },
      yields: {
        left: [
          { name: "a", left: 1, ms: 1_000 },
          { name: "b", left: 2, ms: 2_000 },
          { name: "c", left: 3, ms: 3_000 },
        ],
        policies: [],
      },
    },
    {
      when: "items are not valid",
      headers: {
        ratelimit: "a;r=1, b;t=1, c;r=-1;t=1, d;r=1.5;t=1, e;r=1;t=9999999999, ;, ",
        "ratelimit-policy": "a;q=0;w=1, b;q=1;w=0, c;q=1, d;w=1, e;q=x;w=1",
      },
      yields: { left: [], policies: [] },
    },
    {
      // The limiter keeps the configured limit under the empty name.
      when: "items have no name",
      headers: { ratelimit: ";r=1;t=1", "ratelimit-policy": '"";q=100000;w=1, ;q=2;w=1' },
      yields: { left: [], policies: [] },
    },
    {
      when: "values are as small or as large as they can be",
      headers: { ratelimit: "a;r=999999999;t=0", "ratelimit-policy": "a;q=1;w=1" },
      yields: {
        left: [{ name: "a", left: 999_999_999, ms: 0 }],
        policies: [{ name: "a", limit: 1, ms: 1_000 }],
      },
    },
  ])("are read where $when", ({ headers, yields }, { expect }) => {
    expect(rateView(headers)).toEqual(yields);
  });
});

describe("the time after which to try again", () => {
  it.for([
    ["120", 120_000],
    [" 1.5 ", 1_500],
    ["0", 0],
    ["600", 600_000],
    ["601", 600_000],
    ["Fri, 20 Nov 2026 12:00:05 GMT", 5_000],
    ["Fri, 20 Nov 2026 11:59:00 GMT", 0],
    ["Sat, 20 Nov 2027 12:00:00 GMT", 600_000],
    ["2026-11-20T12:00:07Z", 7_000],
    ["2026-11-21", 600_000],
    ["", undefined],
    [" ", undefined],
    ["soon", undefined],
    ["-x", undefined],
    [undefined, undefined],
  ])("of %j is %s ms", ([text, yields], { expect }) => {
    expect(retryAfter({ "retry-after": text?.toString() }, now)).toBe(yields);
  });
});

describe("the value of a header", () => {
  it.for([
    [undefined, ""],
    ["a", "a"],
    [["a", "b"], "a, b"],
    [[], ""],
  ] as const)("%j is %j", ([header, yields], { expect }) => {
    expect(headerText(header)).toBe(yields);
  });
});
