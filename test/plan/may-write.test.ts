import { describe, it } from "vitest";

import { type Hold, holdFacts, holdReasons } from "../../src/plan/guard/hold.ts";
import {
  firstBlock,
  linkOf,
  mayWrite,
  type WriteFacts,
  writeLinks,
} from "../../src/plan/guard/may-write.ts";

function hold(reason: Hold["reason"], message: string = reason): Hold {
  return { reason, message };
}

describe("the answer to whether a zone may be written", () => {
  it("asks every link in order, and lets the zone pass if none blocks", ({ expect }) => {
    const answers = mayWrite({ holds: [] });
    expect(answers.map(({ link }) => link)).toEqual(writeLinks);
    expect(new Set(answers.map(({ answer }) => answer))).toEqual(new Set(["passed"]));
    expect(firstBlock(answers)).toBeUndefined();
  });

  it.for<{ readonly facts: WriteFacts; readonly first: string; readonly reason: string }>([
    {
      facts: { holds: [hold("quota", "no room"), hold("suspend", "suspended")], budget: "wait" },
      first: "suspension",
      reason: "suspended",
    },
    {
      facts: { holds: [hold("contended", "again")], fleet: "r2" },
      first: "guards",
      reason: "again",
    },
    {
      facts: { holds: [], fleet: "r2 is held", lease: "b leads" },
      first: "fleet",
      reason: "r2 is held",
    },
    { facts: { holds: [], lease: "b leads", read: "too old" }, first: "lease", reason: "b leads" },
    { facts: { holds: [], read: "too old", budget: "429" }, first: "read", reason: "too old" },
    { facts: { holds: [], budget: "429" }, first: "budget", reason: "429" },
  ])("names the first link that blocks: $first", ({ facts, first, reason }, { expect }) => {
    const block = firstBlock(mayWrite(facts));
    expect(block).toMatchObject({ link: first, reason });
    expect(block?.remedy).not.toBe("");
  });

  it.for(holdReasons)("is blocked by exactly one link for the hold %s", (reason, { expect }) => {
    const blocked = mayWrite({ holds: [hold(reason)] }).filter(
      ({ answer }) => answer === "blocked",
    );
    expect(blocked).toEqual([
      {
        link: linkOf(reason),
        answer: "blocked",
        reason,
        remedy: holdFacts(reason).remedy.replaceAll("`", ""),
      },
    ]);
  });

  it("is given in part where a revision is held and the active one is still written", ({
    expect,
  }) => {
    const answers = mayWrite({ holds: [], revision: hold("fleet_change", "r2 changes 3 zones") });
    expect(firstBlock(answers)).toBeUndefined();
    expect(answers.filter(({ answer }) => answer !== "passed")).toEqual([
      {
        link: "fleet",
        answer: "partly",
        reason:
          "r2 changes 3 zones; what it changes here waits, and drift from what is in force is corrected",
        remedy: holdFacts("fleet_change").remedy.replaceAll("`", ""),
      },
    ]);
    const whole = mayWrite({
      holds: [],
      fleet: "the first round is held",
      revision: hold("fleet_change"),
    });
    expect(firstBlock(whole)).toMatchObject({ link: "fleet", reason: "the first round is held" });
  });

  it("is given in part where a file of the zone is broken", ({ expect }) => {
    const answers = mayWrite({ holds: [], brokenFiles: ["shop.yaml"] });
    expect(answers.filter(({ answer }) => answer !== "passed")).toEqual([
      {
        link: "fleet",
        answer: "partly",
        reason:
          "shop.yaml has errors: the last good version is in force, and drift from it is corrected",
        remedy: "Mend the file; zonewarden validate prints its errors.",
      },
    ]);
  });

  it("is unknown of links that nobody can be asked about, unless they block", ({ expect }) => {
    const answers = mayWrite({ holds: [], fleet: "held", unknown: ["fleet", "lease"] });
    const found = answers.filter(({ answer }) => answer !== "passed");
    expect(found.map(({ link, answer }) => `${link} ${answer}`)).toEqual([
      "fleet blocked",
      "lease unknown",
    ]);
    expect(firstBlock(answers)?.link).toBe("fleet");
  });
});
