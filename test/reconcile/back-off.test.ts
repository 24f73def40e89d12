import * as fc from "fast-check";
import { describe, it } from "vitest";

import { backoffMs, BackOff } from "../../src/reconcile/run/next-run.ts";

describe("the wait after failures", () => {
  it.for([
    { failures: 1, random: 1, ms: 5_000 },
    { failures: 1, random: 0, ms: 2_500 },
    { failures: 2, random: 1, ms: 10_000 },
    { failures: 8, random: 1, ms: 640_000 },
    { failures: 9, random: 1, ms: 900_000 },
    { failures: 5_000, random: 1, ms: 900_000 },
  ])("after $failures is $ms ms at chance $random", ({ failures, random, ms }, { expect }) => {
    expect(backoffMs(failures, random)).toBe(ms);
  });

  it("stays within its bounds and never shrinks with more failures", ({ expect }) => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (failures, random) => {
          const wait = backoffMs(failures, random);
          expect(wait).toBeGreaterThanOrEqual(2_500);
          expect(wait).toBeLessThanOrEqual(900_000);
          expect(backoffMs(failures + 1, random)).toBeGreaterThanOrEqual(wait);
        },
      ),
    );
  });
});

describe("failures in a row", () => {
  it("are counted by key, and from zero after a success", ({ expect }) => {
    const failures = new BackOff<string>(() => 1);
    const waits = ["a", "a", "b"].map((key) => failures.add(key, 0));
    expect(waits).toEqual([5_000, 10_000, 5_000]);
    failures.forget("a");
    expect([failures.add("a", 0), failures.add("b", 0)]).toEqual([5_000, 10_000]);
  });

  it("wait as long as the service asks, where that is longer", ({ expect }) => {
    const failures = new BackOff<string>(() => 1);
    expect([failures.add("a", 7_000), failures.add("a", 7_000)]).toEqual([7_000, 10_000]);
  });

  it("are forgotten for keys that are gone", ({ expect }) => {
    const failures = new BackOff<string>(() => 1);
    for (const key of ["a", "b"]) failures.add(key, 0);
    failures.keepOnly(new Set(["b"]));
    expect([failures.add("a", 0), failures.add("b", 0)]).toEqual([5_000, 10_000]);
  });
});
