import { describe, it } from "vitest";

import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import { declared, deployment, desiredZone, exception, policy } from "../support/model.ts";
import { causesFound, causesLeft, oneZoneRuns, statesAfter } from "../support/one-zone-runs.ts";

function checkout(): ZoneContent {
  return desiredZone({ policies: declared([policy("checkout")]) }).content;
}

const two = desiredZone({
  policies: declared([policy("a"), policy("b"), policy("c")]),
  rules: { managed_rules: declared([exception("uploads"), deployment("owasp")]) },
}).content;

describe("a first plan that failed half-way", () => {
  it.for(statesAfter)(
    "leaves nothing that counts as drift, state %s",
    async (state, { expect }) => {
      await using runs = await oneZoneRuns();
      await runs.at.fault({
        fault: "status",
        status: 400,
        method: "POST",
        path: "*",
        skip: 1,
        count: 1,
      });
      const first = await runs.run(two, "enforce");
      expect(first).toMatchObject({ result: "applied" });
      expect(causesLeft(first).join("; ")).not.toContain("drift");
      const seen = await runs.run(two, "observe");
      runs.restart(state);
      const after = await runs.run(two, "observe");
      for (const report of [seen, after]) {
        const found = causesFound(report);
        expect(found.length).toBeGreaterThan(0);
        expect(found.filter((text) => !text.endsWith(" unknown"))).toEqual([]);
      }
      // What the first run did apply is known: there, somebody's change is drift.
      await runs.run(two, "observe");
      await runs.at.edit({ policy: "[zonewarden:a]", set: { enabled: false } });
      const drifted = await runs.run(two, "observe");
      expect(causesFound(drifted)).toContain("policy/a drift(enabled)");
    },
  );
});

describe("a declared resource", () => {
  it.for<{
    readonly when: string;
    readonly first: ZoneContent;
    readonly edits: readonly object[];
    readonly next: ZoneContent;
    readonly finds: readonly string[];
  }>([
    {
      when: "that somebody deleted is drift",
      first: two,
      edits: [
        { policy: "[zonewarden:b]", delete: true },
        { rule: "zonewarden:uploads", delete: true },
      ],
      next: two,
      finds: ["policy/b drift", "managed_rule/uploads drift"],
    },
    {
      when: "that is new in the file is pending",
      first: checkout(),
      edits: [],
      next: desiredZone({ policies: declared([policy("checkout"), policy("new")]) }).content,
      finds: ["policy/new pending"],
    },
    {
      when: "that the file drops is pending, and drift where somebody changed it too",
      first: two,
      edits: [{ policy: "[zonewarden:c]", set: { enabled: false } }],
      next: desiredZone({
        policies: declared([policy("a")]),
        rules: { managed_rules: declared([exception("uploads"), deployment("owasp")]) },
      }).content,
      finds: ["policy/b pending", "policy/c drift pending"],
    },
    {
      when: "that was renamed in the file keeps what is known of it",
      first: checkout(),
      edits: [{ policy: "checkout", set: { enabled: false } }],
      next: desiredZone({
        policies: declared([
          policy("till", { was: "checkout", description: "Scripts of checkout" }),
        ]),
      }).content,
      finds: ["policy/till drift(enabled) pending(key)"],
    },
    {
      when: "that somebody copied with its mark is drift",
      first: checkout(),
      edits: [
        {
          policy: {
            description: "Scripts of checkout [zonewarden:checkout]",
            action: "log",
            expression: "true",
            enabled: true,
            value: "script-src 'none'",
          },
        },
      ],
      next: checkout(),
      finds: ["policy/… drift"],
    },
    {
      when: "that moved in the file is pending",
      first: two,
      edits: [],
      next: {
        ...two,
        rules: { managed_rules: declared([deployment("owasp"), exception("uploads")]) },
      },
      finds: ["managed_rule/uploads pending(position)"],
    },
  ])("$when", async ({ first, edits, next, finds }, { expect }) => {
    await using runs = await oneZoneRuns();
    await runs.run(first, "enforce");
    for (const edit of edits) await runs.at.edit(edit);
    const before = await runs.run(next, "observe");
    runs.restart("kept");
    const after = await runs.run(next, "observe");
    for (const report of [before, after]) {
      const found = causesFound(report).map((text) => text.replace(/[0-9a-f]{32}/, "…"));
      expect(found.toSorted()).toEqual(finds.toSorted());
    }
  });
});
