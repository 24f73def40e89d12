import { describe, it } from "vitest";

import { summaryText } from "../../src/render/plan-text.ts";
import { summarize } from "../../src/state/summary.ts";
import { change, report } from "../support/reports.ts";

const inSync = report("blog.example", 1, { result: "in_sync" });
const changed = report("shop.example", 1, {
  result: "planned",
  cause: "drift",
  changes: [change("setting/enabled")],
});
const unreadable = ["a.example", "b.example"].map((zone) => report(zone, 1, { result: "error" }));

describe("a run in one line", () => {
  it.for([
    { of: [inSync], says: "No changes. 1 of 1 zone in sync." },
    { of: unreadable, says: "Nothing could be planned: 2 zones could not be read." },
    {
      of: [inSync, ...unreadable.slice(1)],
      says: "1 zone could not be read. No changes in the others: 1 of 2 zones in sync.",
    },
    {
      of: [changed, ...unreadable],
      says: "Plan: 0 to create, 1 to update, 0 to delete, in 1 request. 0 of 3 zones in sync, 2 not read.",
    },
  ])("says: $says", ({ of, says }, { expect }) => {
    expect(summaryText(summarize(of))).toBe(says);
  });
});
