import { describe, it } from "vitest";

import { holdReasons, holdFacts, percent, percentOver } from "../../src/plan/guard/hold.ts";

describe("a share in a message", () => {
  it("has one decimal, where it needs one", ({ expect }) => {
    expect([0.3, 1 / 3, 1, 0.0004].map((share) => percent(share))).toEqual([
      "30 %",
      "33.3 %",
      "100 %",
      "0 %",
    ]);
  });

  it.for([
    { share: 0.3174, shown: "31.7 %" },
    { share: 0.30044, shown: "30.04 %" },
    { share: 0.300_044, shown: "30.004 %" },
    { share: 0.300_004_44, shown: "30.0004 %" },
  ])("of $share shows that it exceeds 30 %: $shown", ({ share, shown }, { expect }) => {
    expect(percentOver(0.3, share)).toBe(shown);
  });
});

describe("the table of holds", () => {
  it("says to release a plan exactly if the hash of the plan releases the hold", ({ expect }) => {
    for (const reason of holdReasons) {
      const { releasedBy, remedy } = holdFacts(reason);
      expect(/release the plan/.test(remedy), reason).toBe(releasedBy === "plan");
      if (releasedBy === "revision") expect(remedy, reason).toContain("accept the revision");
    }
  });
});
