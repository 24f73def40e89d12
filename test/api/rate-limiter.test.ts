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
