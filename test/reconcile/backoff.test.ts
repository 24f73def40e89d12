import * as fc from "fast-check";
import { describe, it } from "vitest";

import { backoffMs, zoneBackoff } from "../../src/reconcile/backoff.ts";

describe("the wait after failures", () => {
  it.for([
    { failures: 1, random: 1, ms: 5_000 },
    { failures: 1, random: 0, ms: 2_500 },
    { failures: 2, random: 1, ms: 10_000 },
    { failures: 8, random: 1, ms: 640_000 },
    { failures: 9, random: 1, ms: 900_000 },
    { failures: 5_000, random: 1, ms: 900_000 },
  ])("after $failures is $ms ms at chance $random", ({ failures, random, ms }, { expect }) => {
    expect(backoffMs(failures, random, zoneBackoff)).toBe(ms);
  });

  it("never leaves its bounds and never grows shorter for more failures", ({ expect }) => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (failures, random) => {
          const wait = backoffMs(failures, random, zoneBackoff);
          expect(wait).toBeGreaterThanOrEqual(2_500);
          expect(wait).toBeLessThanOrEqual(900_000);
          expect(backoffMs(failures + 1, random, zoneBackoff)).toBeGreaterThanOrEqual(wait);
        },
      ),
    );
  });
});
