import { describe, it } from "vitest";

import { workersCheck } from "../../src/daemon/endpoints.ts";
import { stuckAfterMs } from "../../src/reconcile/run/deadline.ts";
import { SimulatedClock } from "../support/clock.ts";
import { zoneNamed } from "../support/model.ts";

describe("the check of the workers", () => {
  it("fails when one runs a zone longer than any run may take", async ({ expect }) => {
    const clock = new SimulatedClock();
    const { name } = zoneNamed("shop.example");
    const check = workersCheck({ running: new Map([[name, clock.monotonicMs()]]) }, clock);
    await clock.advance(stuckAfterMs);
    expect(check.failure()).toBeUndefined();
    await clock.advance(1);
    expect(check.failure()).toBe("stuck with shop.example");
  });

  it("uses the monotonic clock, not the wall clock", ({ expect }) => {
    const clock = new SimulatedClock();
    const { name } = zoneNamed("shop.example");
    const check = workersCheck({ running: new Map([[name, clock.monotonicMs()]]) }, clock);
    clock.step(2 * stuckAfterMs);
    expect(check.failure()).toBeUndefined();
  });

  it("passes when nothing runs", ({ expect }) => {
    expect(workersCheck({ running: new Map() }, new SimulatedClock()).failure()).toBeUndefined();
  });
});
