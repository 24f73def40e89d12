import { describe, it } from "vitest";

import { sweepText } from "../../src/render/plan-text.ts";

describe("the forecast of a sweep in words", () => {
  it.for([
    { requests: 1, ms: 300, says: "A sweep of these zones costs 1 request." },
    { requests: 190, ms: 59_000, says: "A sweep of these zones costs 190 requests." },
    {
      requests: 15_100,
      ms: 4_720_000,
      says: "A sweep of these zones costs 15100 requests: about 1 h 18 min within the budget.",
    },
  ])(
    "of $requests requests is short where it is over soon",
    ({ says, ...forecast }, { expect }) => {
      expect(sweepText(forecast)).toBe(says);
    },
  );
});
