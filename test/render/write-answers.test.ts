import { describe, it } from "vitest";

import { mayWrite } from "../../src/plan/guard/may-write.ts";
import { answersIn, answersJson, answersText } from "../../src/render/write-answers.ts";
import { coerceObjects } from "../../src/syntax/json.ts";

const asked = {
  zone: "shop.example.com",
  changes: 2,
  links: mayWrite({
    holds: [{ reason: "suspend", message: "the zone is suspended" }],
    lease: "b leads",
    unknown: ["budget"],
  }),
  steps: ["policy/pay: log → allow after 7 days (it is watched)"],
};

describe("what is printed of whether a zone may be written", () => {
  it("marks the first link that blocks, and says what to do", ({ expect }) => {
    expect(answersText(asked).split("\n")).toEqual([
      "shop.example.com  2 changes to write; not written: blocked by suspension",
      "  ✓ mode",
      "> ✗ suspension  the zone is suspended",
      "                Remove suspend from the zone, or wait for its end.",
      "  ✓ window",
      "  ✓ guards",
      "  ✓ fleet",
      "  ✗ lease       b leads",
      "                Ask the process that holds the Lease. If none holds it, wait: one of them takes it.",
      "  ✓ read",
      "  ? budget      only the running daemon knows",
      "policy/pay: log → allow after 7 days (it is watched)",
    ]);
  });

  it.for([
    { changes: 0, steps: [], says: "nothing to write" },
    { changes: 1, steps: [], says: "1 change to write; may be written" },
    {
      changes: 0,
      steps: undefined,
      says: "nothing to write; only the running daemon knows the steps",
    },
  ])("says $says", ({ changes, steps, says }, { expect }) => {
    const text = answersText({
      zone: "a.example",
      changes,
      links: mayWrite({ holds: [] }),
      steps,
    });
    expect(text.split("\n")[0]).toBe(`a.example  ${says}`);
  });

  it("says what waits for a held revision, and what does not", ({ expect }) => {
    const links = mayWrite({
      holds: [],
      revision: { reason: "fleet_change", message: "r2 is held" },
    });
    const lines = answersText({ zone: "a.example", changes: 2, links, steps: [] }).split("\n");
    expect(lines[0]).toBe(
      "a.example  2 changes to write; may be written; changes of a revision wait",
    );
    expect(lines).toContain(
      "  ~ fleet       r2 is held; what it changes here waits, and drift from what is in force is corrected",
    );
    const still = { zone: "a.example", changes: 0, links, steps: [] };
    expect(answersText(still).split("\n")[0]).toBe(
      "a.example  nothing to write; changes of a revision wait",
    );
    expect(answersIn(JSON.parse(JSON.stringify(answersJson(still))))).toEqual(still);
    expect(answersJson(still)).toMatchObject({ blocked_by: null });
  });

  it("prints no controls of a forged answer", ({ expect }) => {
    const links = mayWrite({ holds: [], read: "\u001B[2Jgone" });
    expect(answersText({ zone: "a\u001B.example", changes: 1, links, steps: [] })).not.toContain(
      "\u001B",
    );
  });
});

describe("the answer of a daemon", () => {
  it("is read as it was sent", ({ expect }) => {
    expect(answersIn(JSON.parse(JSON.stringify(answersJson(asked))))).toEqual(asked);
    expect(answersJson(asked)).toMatchObject({ blocked_by: "suspension" });
  });

  it.for([undefined, ["policy/checkout: log → allow after 7 days"]])(
    "says whether the steps are known: %s",
    (steps, { expect }) => {
      const answer = { ...asked, steps };
      expect(answersIn(JSON.parse(JSON.stringify(answersJson(answer))))).toEqual(answer);
    },
  );

  const sent = answersJson(asked);
  const links = coerceObjects(sent["links"]);

  it.for([
    { what: "is no object", value: "ok" },
    { what: "has no zone", value: { ...sent, zone: "" } },
    { what: "has no number of changes", value: { ...sent, changes: "2" } },
    { what: "misses a link", value: { ...sent, links: links.slice(1) } },
    { what: "has them in another order", value: { ...sent, links: links.toReversed() } },
    { what: "has an unknown link", value: { ...sent, links: [{ link: "luck" }, ...links] } },
  ])("is not believed if it $what", ({ what, value }, { expect }) => {
    // A link that this version does not know is left out.
    expect(answersIn(value) === undefined).toBe(what !== "has an unknown link");
  });
});
