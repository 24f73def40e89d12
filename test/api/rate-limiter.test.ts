import { describe, it } from "vitest";

import { RateLimiter } from "../../src/api/budget/rate-limiter.ts";

describe("what is left of the rate limit", () => {
  it.for([
    { reserve: 0, sent: 0, left: 10 },
    { reserve: 0, sent: 9, left: 1 },
    { reserve: 0, sent: 10, left: 0 },
    { reserve: 0.2, sent: 0, left: 10 },
    { reserve: 0.2, sent: 8, left: 2 },
  ])("is $left of 10 after $sent requests, with $reserve reserved", (row, { expect }) => {
    const limiter = new RateLimiter({ limit: 10, windowMs: 1_000, reserve: row.reserve });
    for (let nth = 0; nth < row.sent; nth += 1) limiter.begin("high", 0);
    expect(limiter.view(0)).toMatchObject({ limit: 10, left: row.left });
  });
});

it("goes on where the service names more policies than are tracked", ({ expect }) => {
  const limiter = new RateLimiter({ limit: 100, windowMs: 1_000, reserve: 0.2 });
  const left = Array.from({ length: 20 }, (_, nth) => ({ name: `p${nth}`, left: 50, ms: 1_000 }));
  for (const each of left) {
    limiter.begin("high", 0);
    limiter.end(0, { left: [each], policies: [] });
    expect(limiter.nextRequestAt("high", 0)).toBe(0);
  }
});

describe("the window of the rate limit", () => {
  it("gives a place back a whole window after a request ended", ({ expect }) => {
    const limiter = new RateLimiter({ limit: 10, windowMs: 1_000, reserve: 0 });
    expect(limiter.view(0)).toMatchObject({ left: 10, resetsAt: Infinity, perSecond: 10 });
    for (const [begins, ends] of [
      [0, 100],
      [0, 100],
      [200, 300],
      [200, 300],
    ] as const) {
      limiter.begin("high", begins);
      limiter.end(ends, undefined);
    }
    const lefts = [300, 1_099, 1_100, 1_299, 1_300, 5_000].map((now) => limiter.view(now).left);
    expect(lefts).toEqual([6, 6, 8, 8, 10, 10]);
    expect(limiter.view(500).resetsAt).toBe(1_100);
    expect(limiter.view(1_100).resetsAt).toBe(1_300);
    expect(limiter.view(1_300).resetsAt).toBe(Infinity);
  });

  it("counts for the longest of several windows, whatever the shorter ones are", ({ expect }) => {
    const limiter = new RateLimiter({ limit: 3, windowMs: 10_000, reserve: 0 });
    const policies = [{ name: "burst", limit: 100, ms: 1_000 }];
    for (const at of [0, 2_000, 5_000]) {
      limiter.begin("high", at);
      limiter.end(at, { left: [], policies });
    }
    expect(limiter.nextRequestAt("high", 5_000)).toBe(10_000);
    expect(limiter.view(5_000)).toMatchObject({ left: 0, resetsAt: 10_000 });
  });

  it("leaves the last two of a hundred places to urgent requests", ({ expect }) => {
    const limiter = new RateLimiter({ limit: 100, windowMs: 1_000, reserve: 0 });
    for (let at = 0; at < 98; at += 1) {
      limiter.begin("high", at);
      limiter.end(at, undefined);
    }
    expect(limiter.nextRequestAt("high", 200)).toBe(200);
    expect(limiter.nextRequestAt("low", 200)).toBe(1_000);
    limiter.begin("high", 200);
    limiter.begin("high", 200);
    expect(limiter.nextRequestAt("high", 200)).toBe(1_000);
    expect(limiter.nextRequestAt("low", 200)).toBe(1_002);
    expect(limiter.nextRequestAt("high", 1_000)).toBe(1_000);
  });

  it("spreads the last half of the places over the time until one comes back", ({ expect }) => {
    const limiter = new RateLimiter({ limit: 10, windowMs: 1_000, reserve: 0 });
    for (const at of [10, 20, 30, 40, 50]) {
      limiter.begin("low", at - 5);
      limiter.end(at, undefined);
    }
    expect(limiter.nextRequestAt("low", 60)).toBe(60);
    limiter.begin("low", 60);
    limiter.end(70, undefined);
    // Four places, the last request at 60, and the first place back at 1,010.
    expect(limiter.nextRequestAt("low", 100)).toBe((4 * 60 + 1_010) / 5);
    expect(limiter.nextRequestAt("high", 100)).toBe(100);
  });

  it("does not spread places while all that are taken are under way", ({ expect }) => {
    const limiter = new RateLimiter({ limit: 10, windowMs: 1_000, reserve: 0 });
    for (let nth = 0; nth < 7; nth += 1) limiter.begin("low", 50);
    expect(limiter.nextRequestAt("low", 100)).toBe(100);
  });

  it("has one place at least, however much is reserved", ({ expect }) => {
    const limiter = new RateLimiter({ limit: 1, windowMs: 1_000, reserve: 0.9 });
    expect(limiter.nextRequestAt("high", 0)).toBe(0);
    limiter.begin("high", 0);
    expect(limiter.nextRequestAt("high", 0)).toBe(Infinity);
  });

  it("is that of the first eight policies that the service names", ({ expect }) => {
    const limiter = new RateLimiter({ limit: 100, windowMs: 1_000, reserve: 0 });
    const policies = Array.from({ length: 20 }, (_, index) => ({
      name: `p${index}`,
      limit: 99 - index,
      ms: 1_000,
    }));
    limiter.begin("high", 0);
    limiter.end(0, { left: [], policies });
    expect(limiter.view(0).limit).toBe(92);
    limiter.begin("high", 0);
    limiter.end(0, { left: [], policies: [{ name: "p3", limit: 5, ms: 1_000 }] });
    expect(limiter.view(0).limit).toBe(5);
  });
});

describe("what the service says is left", () => {
  it.for([
    { when: "nothing is reserved", reserve: 0, left: 3, usable: 3 },
    { when: "a quarter of the reserve is kept", reserve: 0.5, left: 20, usable: 8 },
  ])("may be used until it resets, where $when", ({ reserve, left, usable }, { expect }) => {
    const limiter = new RateLimiter({ limit: 100, windowMs: 1_000, reserve });
    limiter.begin("high", 0);
    limiter.end(0, {
      left: [{ name: "default", left, ms: 60_000 }],
      policies: [{ name: "default", limit: 100, ms: 1_000 }],
    });
    expect(limiter.view(0)).toMatchObject({ left, resetsAt: 60_000 });
    expect(limiter.view(60_000).left).toBeGreaterThan(left);
    for (let nth = 0; nth < usable; nth += 1) {
      expect(limiter.nextRequestAt("high", 1_500)).toBe(1_500);
      limiter.begin("high", 1_500);
    }
    expect(limiter.nextRequestAt("high", 1_500)).toBe(60_000);
    limiter.cancel();
    expect(limiter.nextRequestAt("high", 1_500)).toBe(1_500);
  });

  it("counts by the name of which least may be used, without what is under way", ({ expect }) => {
    const limiter = new RateLimiter({ limit: 100, windowMs: 1_000, reserve: 0 });
    for (let nth = 0; nth < 3; nth += 1) limiter.begin("high", 0);
    limiter.end(0, {
      left: [
        { name: "a", left: 50, ms: 1_000 },
        { name: "b", left: 2, ms: 2_000 },
        { name: "c", left: 70, ms: 3_000 },
      ],
      policies: [],
    });
    expect(limiter.view(0)).toMatchObject({ left: 2, resetsAt: 2_000 });
    expect(limiter.nextRequestAt("high", 10)).toBe(2_000);
  });

  it("keeps a part of the most that was ever left, of the first eight names", ({ expect }) => {
    const limiter = new RateLimiter({ limit: 1_000, windowMs: 1_000, reserve: 0.4 });
    const tell = (name: string, left: number): number => {
      limiter.begin("high", 0);
      limiter.end(0, { left: [{ name, left, ms: 60_000 }], policies: [] });
      return limiter.nextRequestAt("high", 0);
    };
    for (let nth = 0; nth < 8; nth += 1) tell(`p${nth}`, 100);
    // A quarter of the reserve of 40 % of 100 is kept, also for a name that comes again.
    expect([tell("p0", 11), tell("p0", 10)]).toEqual([0, 60_000]);
    expect([tell("p7", 200), tell("p7", 20)]).toEqual([0, 60_000]);
    expect([tell("p8", 100), tell("p8", 1)]).toEqual([0, 0]);
  });

  it("counts by the first of two names of which as little may be used", ({ expect }) => {
    const limiter = new RateLimiter({ limit: 100, windowMs: 1_000, reserve: 0 });
    limiter.begin("high", 0);
    const left = [
      { name: "a", left: 5, ms: 1_000 },
      { name: "b", left: 5, ms: 2_000 },
    ];
    limiter.end(0, { left, policies: [] });
    expect(limiter.view(0).resetsAt).toBe(1_000);
  });
});
